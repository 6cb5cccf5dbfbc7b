// The output merger of a cluster: ingresses, cores and their ocache (om.md §10 to §12, §14).
#pragma once

#include <tlm_utils/simple_target_socket.h>

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "context.h"
#include "ingress.h"
#include "memory_port.h"
#include "om_core.h"
#include "om_pipeline.h"
#include "om_state.h"
#include "pixel_ops.h"

namespace gyre::om {

// Ports: memory: frame buffer words. dcr: writes of 0x080..0x097 (address = number * 4), everything else is ignored.
// Fragments come from the steers as beats of export words and are finished in the call, in call order: memory is
// up to date when export_beat returns, their time ends at a date noted in the busy tree. Nothing waits.
//
// Faults: OM_DEPTH_ORPHAN and OM_COLOUR_OPEN (aperture byte offset), UNIT_STATE (DCR number) for bad register values
// and impossible draws, UNIT_ACCESS (address) for words outside memory (reads give 0, writes are lost) and for partial
// words. Time: with caches (set_caches) words go through the cluster's ocache, without they hit. Waiting for the interlock does not push back on the exporter: its dates come from
// agents at different local times, and a wait for another agent's future is not a wait.
class OutputMerger : public sc_core::sc_module {
 public:
  kernel::MemoryPort memory;
  tlm_utils::simple_target_socket<OutputMerger, kernel::kDcrBusBits> dcr{"dcr"};

  OutputMerger(sc_core::sc_module_name name, kernel::Context& ctx, unsigned cluster);

  // One write of at most 64 bytes into the aperture, peeled off by the steer of socket `ingress` at cycle `at`.
  // Words with all four byte enables set are drained lowest address first. `at` becomes the cycle the beat was
  // accepted: later than the arrival only when more fragments wait for a core than its queues hold.
  tlm::tlm_response_status export_beat(unsigned ingress, const tlm::tlm_generic_payload& payload, kernel::Cycle& at);

  // To be called when everything else of the frame has drained: drops the records still open, one fault each.
  // Returns how many there were.
  unsigned drain_check();

  // One a core; none: every word hits.
  // `writer`: the merger's number of the stale-line lint.
  void set_caches(const std::vector<memory::Cache*>& caches, unsigned writer = 0);
  // The approximate style instead: fragments wait in the pipelines, one a core, for as long as it takes. An exporter
  // asks before it exports.
  void set_pipelines(const std::vector<OmPipeline*>& pipelines, const std::vector<memory::LineReader>& lines = {},
                     unsigned writer = 0);
  bool accepts(unsigned ingress) const {
    const OmCore& core = cores_[ingress % cores_.size()];
    return core.pipeline == nullptr || !core.pipeline->full();
  }

  const OmState& state() const { return state_; }
  void poison() {
    state_.poison();
    draw_ready_ = false;
  }
  // MPM class 14; `index` = CSR number - 0xB00 (isa.md §8). Unknown numbers read 0.
  std::uint64_t counter(unsigned index) const;
  std::uint64_t fragments_in() const { return in_; }
  std::uint64_t fragments_killed() const { return killed_; }

  // Cycles of the fixed stages (om.md §11).
  static constexpr unsigned kIngress = 2;    // word stage, fragment buffer
  static constexpr unsigned kAdmission = 1;  // skid
  static constexpr unsigned kAddress = 4;    // multiplier 3, adders 1
  static constexpr unsigned kHit = 2;        // ocache
  static constexpr unsigned kDepthStencil = 3;
  static constexpr unsigned kBlend = 6;
  // Fragments that fit between ingress and issue (buffer 2, skid 2, request buffer), at four cycles each.
  static constexpr kernel::Cycle kQueueCycles = 8 * 4;

 private:
  // What a draw fixes for the fragments of one attachment.
  struct Plan {
    DrawMode mode = DrawMode::kDrop;
    bool read_depth = false, read_colour = false;
    unsigned reads = 0;
    unsigned issue_work[3] = {};  // cycles of the issue stage, by number of words written
    unsigned compute = 0;         // tests and blending
  };

  void word(Ingress& ingress, OmCore& core, std::uint32_t offset, std::uint32_t data, kernel::Cycle at);
  void fire(OmCore& core, std::uint32_t record, std::uint32_t colour, std::uint32_t depth, kernel::Cycle at);
  kernel::Cycle bypass(OmCore& core, const Pixel& pixel, std::uint32_t colour, kernel::Cycle at);
  kernel::Cycle read_modify_write(OmCore& core, const Plan& plan, const Pixel& pixel, const Fragment& fragment,
                                  kernel::Cycle at);
  std::uint32_t load(std::uint64_t address, const std::uint8_t* direct, kernel::Cycle& when);
  void store(std::uint64_t address, std::uint8_t* direct, std::uint32_t word, std::uint32_t byte_mask);
  // Stale-line lint.
  void watch_reads(const OmCore& core, const Plan& plan, std::uint64_t depth_address, std::uint64_t colour_address);
  void watch_read(const memory::LineReader& lines, std::uint64_t address, unsigned reg);
  void watch_write(const memory::LineReader& lines, std::uint64_t address);
  void prepare_draw();
  // Lint dcr-unset, before the first fragment of an attachment.
  void name_unset(unsigned rt);
  void dcr_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
  void raise(unsigned cause, std::uint32_t value);

  kernel::Context& ctx_;
  OmState state_;
  std::vector<Ocache> caches_;
  std::vector<OmCore> cores_;
  std::vector<Ingress> ingresses_;
  std::array<Plan, GYRE_OM_MAX_RT> plans_{};
  bool draw_ready_ = false;        // plans_ and checks belong to the current registers
  unsigned writer_ = 0;     // number of the stale-line lint
  unsigned unchecked_ = 0;  // bit rt: fragments of it may depend on registers nobody has written
  bool attachment_fault_ = false;  // reported for this draw
  bool depth_only_fault_ = false;
  kernel::Cycle last_ = 0;     // largest completion date of the beat
  kernel::Cycle backlog_ = 0;  // longest wait of the beat for a free pipeline slot, cycles

  std::uint64_t beats_ = 0, in_ = 0, passed_ = 0, killed_ = 0, dropped_ = 0;
  std::uint64_t reads_ = 0, writes_ = 0, read_latency_ = 0, stalls_ = 0;
};

}  // namespace gyre::om
