// The SIMT core: a Vortex-class RV32 core (IMF, A and C by configuration; RV64 with D when gpu.core.xlen is 64) with
// NT-lane warps (isa.md, launch.md §5 - §10).
//
// Ports      memory  fetch and load/store; OM exports leave here as writes with the om attribute
//            tex     texture sampler of the socket (may stay unbound: VX_TEX is then illegal)
//            barrier barriers across the cores of the cluster (may stay unbound: a cluster of one core)
//            sink    launch messages; holds one busy token a message until its CTA has retired
// Timing     loosely timed: every warp has a local cycle, warps run in bursts, in-order issue with a date for every
//            register; the issue port is shared by stretching the fetch interval to the number of ready warps.
//            Approximate (set_requests): a warp runs ahead only with instructions that concern nobody else; requests
//            are under way while others run (memory_requests.h)
// Not modelled: tensor and ray-tracing groups, async copy
#pragma once

#include <string>
#include <systemc>

#include "context.h"
#include "dispatcher.h"
#include "engine.h"
#include "launch.h"
#include "memory_requests.h"
#include "memory_port.h"
#include "texture_port.h"

namespace gyre::core {

class SimtCore : public sc_core::sc_module, public kernel::LaunchSink {
 public:
  kernel::MemoryPort memory;
  sc_core::sc_port<kernel::TexturePort, 1, sc_core::SC_ZERO_OR_MORE_BOUND> tex{"tex"};
  sc_core::sc_port<kernel::ClusterBarrierPort, 1, sc_core::SC_ZERO_OR_MORE_BOUND> barrier{"barrier"};

  // `core_global_id`: device-wide index of the core. Threads and warps come from ctx.config.gpu.core.
  SimtCore(sc_core::sc_module_name name, kernel::Context& ctx, unsigned core_global_id);

  // LaunchSink
  bool try_put(const kernel::LaunchMessage& message, kernel::Cycle stamp) override;
  const sc_core::sc_event& space_event() const override { return queue_.space_event(); }
  kernel::Cycle space_stamp() const override { return queue_.space_stamp(); }

  // Start without a launch message (isa.md §12, legacy programs): warp 0, lane 0 at `pc`. The core must be idle.
  void start_bare(std::uint32_t pc, kernel::Cycle stamp);

  // Performance counter `idx` (CSR number - 0xB00) of class GYRE_MPM_CORE or the local-memory part of GYRE_MPM_MEM.
  std::uint64_t mpm(unsigned cls, unsigned idx) const { return engine_.mpm(cls, idx); }
  // Class that kernels read through the MPM CSRs.
  void set_mpm_class(unsigned cls) { engine_.mpm_class = cls; }
  // See Engine::set_caches.
  void set_caches(memory::Cache* instructions, bool shared_icache, memory::Cache* data) {
    engine_.set_caches(instructions, shared_icache, data);
  }
  // The approximate style instead: ctx.approximate() must hold.
  void set_requests(const GpuConfig& resolved, MemoryRequests::Ports ports) {
    engine_.set_requests(std::make_unique<MemoryRequests>(engine_, resolved, std::move(ports)));
  }
  // Room somewhere outside: warps that wait for it try again.
  void retry_requests() {
    if (engine_.requests != nullptr) engine_.requests->retry();
  }
  // Instruction-cache flush: decoded code is compared with memory before it runs again.
  void invalidate_code() { engine_.code.refresh(); }
  // The same for the TLBs.
  void invalidate_translations() {
    if (engine_.mmu != nullptr) engine_.mmu->flush();
  }
  // What every waiting warp waits for, for the hang report.
  std::string describe_wait() const;

  // ---- debugger access, while the core is not running. Rows of read_register: 0..31 x, 32..63 f.
  // Values of XLEN and FLEN bits.
  std::uint64_t read_register(unsigned warp, unsigned lane, unsigned row) const;
  void write_register(unsigned warp, unsigned lane, unsigned row, std::uint64_t value);
  std::uint32_t pc(unsigned warp) const { return engine_.warps[warp].pc; }
  void set_pc(unsigned warp, std::uint32_t value) { engine_.warps[warp].pc = value; }
  std::uint32_t mask(unsigned warp) const { return engine_.warps[warp].mask; }
  bool active(unsigned warp) const { return engine_.warps[warp].state != WarpState::kInactive; }
  Engine& engine() { return engine_; }
  kernel::Cycle now() const { return clock_.now(); }

 private:
  void run();
  void run_loose();
  void run_approximate();
  void end_of_elaboration() override;
  void register_counters();

  kernel::LaunchQueue queue_;
  Engine engine_;
  CtaDispatcher dispatcher_;
  kernel::LocalClock clock_;
};

}  // namespace gyre::core
