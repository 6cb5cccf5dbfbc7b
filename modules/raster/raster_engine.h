// RASTER: fetches its stripe of bins, walks coverage, packs covered quads into fragment waves and launches them on
// their owner cores (Rasterizer; launch.md §4, §5.3, §5.4).
//
//   dcr     RASTER registers 0x060-0x069; snoops the start PC (0x010/0x011) and the OM depth state for early-Z
//   memory  bin headers, primitive ids, primitive records (read), committed depth (early-Z, read)
//   launch  one fragment message a wave, in order, with back-pressure
//   kick    one frame; busy until everything of it has been launched
//
// Time: rcache and ocache when they are there (set_caches), else a private set of tags.
#pragma once

#include <tlm_utils/simple_target_socket.h>

#include <cstdint>
#include <functional>
#include <systemc>
#include <tlm>
#include <vector>

#include "context.h"
#include "fetch.h"
#include "launch.h"
#include "launcher.h"
#include "mem_attributes.h"
#include "memory_port.h"
#include "packer.h"
#include "registers.h"
#include "slice.h"

namespace gyre::raster {

class RasterEngine : public sc_core::sc_module, public kernel::KickSink {
 public:
  SC_HAS_PROCESS(RasterEngine);

  tlm_utils::simple_target_socket<RasterEngine, kernel::kDcrBusBits> dcr{"dcr"};
  kernel::MemoryPort memory;
  sc_core::sc_port<kernel::LaunchSink> launch{"launch"};

  // `engine_in_cluster`: 0 .. raster.cores - 1. Throws UserError on a configuration the unit cannot be built for.
  RasterEngine(sc_core::sc_module_name name, kernel::Context& ctx, unsigned cluster, unsigned engine_in_cluster);

  // Starts a frame with the registers as they are now. The command processor never kicks a busy engine.
  void kick(std::uint8_t ctx_id, Cycle stamp) override;

  // `raster`: of the fetch; `merger`: of early-Z. Null: the fetch has tags of its own, early-Z hits.
  void set_caches(memory::Cache* raster, memory::Cache* merger) {
    fetch_.set_cache(raster);
    depth_.set_cache(merger);
    memory.set_timed(raster != nullptr);
  }

  // The approximate style instead; null: as above.
  void set_clients(kernel::AtClient* raster, std::function<bool(std::uint64_t)> raster_has, kernel::AtClient* merger,
                   const memory::LineReader& raster_lines = {}, const memory::LineReader& merger_lines = {});

  // Performance counter of class 12; `index` = CSR number - 0xB00 (isa.md §8). Unknown numbers read 0.
  std::uint64_t mpm(unsigned index) const;

 private:
  enum class Step { kDone, kFetch, kDispatch, kMerge, kFlush };
  struct Next {
    Step step = Step::kDone;
    Cycle at = 0;
    std::size_t slice = 0;
  };

  void run();
  void draw_frame();
  Next next_step() const;
  bool drained() const;
  void dispatch(std::size_t slice, Cycle at);
  void merge(std::size_t slice, Cycle at);
  void flush(Cycle at);
  void write_register(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
  void register_counters();

  kernel::Context& ctx_;
  const GpuConfig& config_;
  const unsigned index_;  // among the engines of the device
  kernel::BusyTree::Node node_;
  kernel::LocalClock clock_;
  bool waits_for_dates_ = false;  // approximate: steps run when kernel time is there, dates become known by and by
  sc_core::sc_event date_event_{"date"};
  Registers registers_;

  bool armed_ = false;
  std::uint8_t ctx_id_ = 0;
  Cycle kick_stamp_ = 0;
  DrawState draw_;
  sc_core::sc_event kick_event_{"kick"};

  Fetch fetch_;
  DepthReader depth_;
  std::vector<Slice> slices_;
  std::size_t next_slice_ = 0;  // round robin of the record distributor
  std::size_t merge_next_ = 0;  // round robin of the wave merger
  Packer packer_;
  Cycle packer_free_ = 0;
  kernel::Ledger packing_;
  Cycle packer_idle_since_ = 0;
  Launcher launcher_;
  std::uint64_t frames_ = 0;
  kernel::Timeline::Row frame_row_;
  std::vector<kernel::Timeline::Row> slice_rows_;
};

}  // namespace gyre::raster
