// The texture sampler of a socket (tex.md §9 to §11, §14).
#pragma once

#include <tlm_utils/simple_target_socket.h>

#include <cstdint>
#include <vector>

#include "at_client.h"
#include "cache.h"
#include "activity.h"
#include "calendar.h"
#include "context.h"
#include "memory_port.h"
#include "tex_state.h"
#include "texture_port.h"

namespace gyre::tex {

// Ports: memory: texel reads. dcr: writes of 0x040..0x05F (address = number * 4), everything else is ignored.
// TexturePort: one call is one vx_tex of a warp; it returns at once with the texels and the cycle they are in the core.
//
// Timing (loose): fixed stages around the fetch, which issues one tcache word a bank and cycle. Equal addresses of all
// lanes are fetched once. The gpu.tex.cores samplers of the socket take requests in turn. With caches (set_caches) all
// words of a request enter their banks at once and the request goes on when the last one is there; without, they hit.
// Approximate (set_clients): the words travel, and the caller hears of the end.
// Faults: UNIT_STATE (DCR number) for bad register values and misaligned levels, UNIT_ACCESS (address) for taps outside
// memory, which read 0. The limit of outstanding requests belongs to the core.
class TexCore : public sc_core::sc_module, public kernel::TexturePort {
 public:
  kernel::MemoryPort memory;
  tlm_utils::simple_target_socket<TexCore, kernel::kDcrBusBits> dcr{"dcr"};

  TexCore(sc_core::sc_module_name name, kernel::Context& ctx, unsigned socket_id);

  kernel::Cycle sample(unsigned stage, std::uint32_t mask, const std::uint32_t* u, const std::uint32_t* v,
                       const std::uint32_t* lod, std::uint32_t* texels, kernel::Cycle at, Done done = {}) override;

  // One a sampler; none: it always hits.
  void set_caches(std::vector<memory::Cache*> caches);
  // The approximate style instead.
  void set_clients(std::vector<kernel::AtClient*> clients, std::vector<memory::LineReader> lines = {});

  // Duplicate elimination changes traffic only, never texels.
  void set_duplicate_elimination(bool on) { eliminate_duplicates_ = on; }
  const TexState& state() const { return state_; }
  void poison() {
    state_.poison();
    unchecked_stages_ = 3;
  }
  // MPM class 13; `index` = CSR number - 0xB00 (isa.md §8). Unknown numbers read 0.
  std::uint64_t counter(unsigned index) const;

  // Cycles around the fetch (tex.md §11).
  static constexpr unsigned kCyclesBeforeFetch = 1 + 1 + 1 + 2;  // unit buffer, bus, stage select, addresses
  static constexpr unsigned kCyclesAfterHit = 1 + 10 + 2;        // gather, filter pipe, return

 private:
  struct Fetcher;

  bool cached() const { return !caches_.empty() || !clients_.empty(); }

  template <bool kBilinear, bool kMipLinear>
  void sample_lanes(const TexBank& bank, std::uint32_t mask, const std::uint32_t* u, const std::uint32_t* v,
                    const std::uint32_t* lod, std::uint32_t* texels, Fetcher& fetcher);
  void gather_lines(const Fetcher& fetcher, std::uint32_t mask, bool share);
  std::uint32_t fetch_transaction(std::uint64_t address, unsigned bytes, kernel::Cycle at, kernel::Cycle& slowest);
  // Lint stale-line.
  void watch_lines(const memory::LineReader& lines, const Fetcher& fetcher, std::uint32_t mask);
  void check_stage(unsigned stage);
  // Lint dcr-unset, of what the request uses.
  void name_unset(unsigned stage, std::uint32_t mask, const std::uint32_t* lod);
  void dcr_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
  void write_register(unsigned reg, std::uint32_t value);
  void raise(unsigned cause, std::uint32_t value);

  kernel::Context& ctx_;
  TexState state_;
  unsigned banks_, hit_latency_;
  std::vector<kernel::Calendar> fetch_ports_;  // one a sampler
  std::vector<kernel::ActivityMap> fetches_;   // one a sampler
  std::vector<memory::Cache*> caches_;         // one a sampler, or none
  std::vector<kernel::AtClient*> clients_;     // the same
  std::vector<memory::LineReader> watched_;    // of those, or none
  std::vector<memory::MemoryAccess> lines_;    // of the request under way
  unsigned next_sampler_ = 0;
  unsigned unchecked_stages_ = 3;  // bit s: registers of stage s changed since its last request
  std::uint32_t unset_[GYRE_TEX_STAGES] = {};  // registers a sample may use that nobody has written; lint dcr-unset
  bool eliminate_duplicates_ = true;
  bool reserved_reported_ = false;
  kernel::Cycle last_response_ = 0;

  std::uint64_t requests_ = 0, samples_ = 0;
  std::uint64_t reads_ = 0, read_latency_ = 0, stalls_ = 0;
  std::uint64_t duplicates_ = 0;  // reads saved
  std::uint64_t dcr_in_flight_ = 0;
};

}  // namespace gyre::tex
