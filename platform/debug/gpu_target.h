// The GPU as GDB sees it: a thread for every lane, named (core, warp, lane).
//
// A thread's number is its mhartid + 1. Lanes of a warp share its pc; a lane that the mask leaves out shows the pc the
// others are at. Threads of warps that have not been started are not listed, but for lane 0 of warp 0 of core 0, which
// stands for the device when nothing runs. A step of a lane is a step of its warp; other warps go on meanwhile, since
// time does. A breakpoint stops before the instruction for all active lanes of the warp; it is reported for one of
// them, and for the others only if GDB goes on without having shown it: a condition that lane did not meet, another
// lane's temporary breakpoint.
#pragma once

#include <memory>
#include <vector>

#include "core_debug.h"
#include "gpu.h"
#include "monitor.h"
#include "register_names.h"

namespace gyre::debug {

class GpuTarget : public Target, private core::TrapListener {
 public:
  GpuTarget(kernel::Context& ctx, gpu::Gpu& gpu, host::HostSystem* host, StopSink& sink);
  ~GpuTarget() override { release(); }

  std::string name() const override { return "gpu"; }
  std::string architecture() const override { return ctx_.config.gpu.core.xlen == 64 ? "riscv:rv64" : "riscv:rv32"; }
  const std::vector<RegisterInfo>& registers() const override { return registers_; }
  std::vector<ThreadInfo> threads() override;
  bool alive(ThreadId thread) override;
  ThreadId default_thread() override;
  unsigned pc_register() const override { return kPcRegister; }
  bool read_register(ThreadId thread, unsigned number, std::uint64_t& value) override;
  bool write_register(ThreadId thread, unsigned number, std::uint64_t value) override;
  std::size_t read_memory(ThreadId thread, std::uint64_t address, char* data, std::size_t bytes) override;
  std::size_t write_memory(ThreadId thread, std::uint64_t address, const char* data, std::size_t bytes) override;
  bool insert(PointKind kind, std::uint64_t address, std::uint64_t bytes) override;
  bool remove(PointKind kind, std::uint64_t address, std::uint64_t bytes) override;
  void resume(const std::vector<Step>& steps, ThreadId only) override;
  void presented() override { presented_ = true; }
  void attach() override;
  void release() override;
  void halted() override;
  std::string monitor(std::string_view command, ThreadId thread) override;

 private:
  struct Lane {
    unsigned core, warp, lane;
  };
  // How a register beyond x, pc and f is reached.
  struct Special {
    unsigned csr = 0;  // 0: one of the derived ones
    bool writable = false;
    enum class Derived { kNone, kMask, kDepth, kFragX, kFragY, kFragCovered } derived = Derived::kNone;
  };

  void trapped(core::Engine& engine, core::Warp& warp, const core::Trap& trap) override;
  StopEvent event_of(const core::Engine& engine, const core::Warp& warp, const core::Trap& trap, unsigned lane) const;
  ThreadId id(unsigned core, unsigned warp, unsigned lane) const { return (core * warps_ + warp) * lanes_ + lane + 1; }
  Lane lane_of(ThreadId thread) const;
  core::Engine& engine(unsigned core) const { return *engines_[core]; }
  bool listed(unsigned core, unsigned warp) const;
  bool read_special(core::Engine& engine, core::Warp& warp, unsigned lane, const Special& special,
                    std::uint64_t& value);
  bool write_special(core::Engine& engine, core::Warp& warp, const Special& special, std::uint64_t value);
  void describe_registers();
  void apply(core::StopPoints next);
  std::uint32_t shown_pc(const core::Engine& engine, const core::Warp& warp, unsigned lane) const;
  std::size_t transport(bool write, unsigned core, std::uint64_t address, char* data, std::size_t bytes);
  std::string show_warps() const;
  std::string show_lanes(const Monitor::Arguments& words);
  std::string reset();

  kernel::Context& ctx_;
  gpu::Gpu& gpu_;
  StopSink& sink_;
  Monitor monitor_;
  const unsigned warps_, lanes_;
  std::vector<core::Engine*> engines_;
  std::vector<std::unique_ptr<core::CoreDebug>> debug_;
  std::vector<RegisterInfo> registers_;
  std::vector<Special> specials_;
  unsigned first_special_ = 0;
  PointList points_;             // as the client has set them
  core::StopPoints active_;      // as the cores have them
  std::vector<unsigned> focus_;  // by warp: the lane last reported or stepped
  ThreadId last_ = 1, monitored_ = 1;
  ThreadId only_ = 0;  // the one thread that was told to go, if it was one
  const core::Warp* trapped_ = nullptr;
  std::uint32_t ahead_ = 0;  // its lanes that are shown behind the instruction they are at
  bool presented_ = false, attached_ = false, steps_ = false;
};

}  // namespace gyre::debug
