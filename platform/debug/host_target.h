// The host CPU as GDB sees it: one thread, memory at virtual addresses of the present privilege.
#pragma once

#include "monitor.h"
#include "register_names.h"

namespace gyre::debug {

class HostTarget : public Target {
 public:
  // `reload`: puts the images into memory again, for `monitor reset`.
  HostTarget(kernel::Context& ctx, gpu::Gpu& gpu, host::HostSystem& host, std::function<void()> reload, StopSink& sink);
  ~HostTarget() override;

  std::string name() const override { return "host"; }
  std::string architecture() const override { return "riscv:rv64"; }
  const std::vector<RegisterInfo>& registers() const override { return registers_; }
  std::vector<ThreadInfo> threads() override;
  bool alive(ThreadId thread) override { return thread == 1; }
  ThreadId default_thread() override { return 1; }
  unsigned pc_register() const override { return kPcRegister; }
  bool read_register(ThreadId thread, unsigned number, std::uint64_t& value) override;
  bool write_register(ThreadId thread, unsigned number, std::uint64_t value) override;
  std::size_t read_memory(ThreadId thread, std::uint64_t address, char* data, std::size_t bytes) override;
  std::size_t write_memory(ThreadId thread, std::uint64_t address, const char* data, std::size_t bytes) override;
  bool insert(PointKind kind, std::uint64_t address, std::uint64_t bytes) override;
  bool remove(PointKind kind, std::uint64_t address, std::uint64_t bytes) override;
  void resume(const std::vector<Step>& steps, ThreadId only) override;
  void attach() override;
  void release() override;
  void halted() override { stepping_ = false; }
  std::string monitor(std::string_view command, ThreadId) override { return monitor_.run(command); }

 private:
  host::HostCpu::Resume on_halt(host::HostCpu::Halt reason);
  void set(const Point& point, bool on);
  std::string reset();

  host::HostSystem& host_;
  host::HostCpu& cpu_;
  std::function<void()> reload_;
  StopSink& sink_;
  Monitor monitor_;
  std::vector<RegisterInfo> registers_;
  std::vector<unsigned> csrs_;  // numbers; kPrivilege: the mode
  unsigned first_csr_ = 0;
  PointList points_;  // as the client has set them
  PointList active_;  // as the hart has them
  Step step_;
  bool attached_ = false, halted_ = false, stepping_ = false, step_requested_ = false, reset_ = false;
};

}  // namespace gyre::debug
