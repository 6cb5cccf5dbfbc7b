#include "host_target.h"

#include <algorithm>
#include <charconv>

#include "host_map.h"

namespace gyre::debug {
namespace {

using host::HostCpu;
constexpr unsigned kPrivilege = 0x1000;  // no CSR number

struct Csr {
  const char* name;
  unsigned number;
};
constexpr Csr kFloatCsrs[] = {{"fflags", 1}, {"frm", 2}, {"fcsr", 3}};
constexpr Csr kCsrs[] = {
    {"sstatus", 0x100},  {"sie", 0x104},      {"stvec", 0x105},      {"scounteren", 0x106}, {"senvcfg", 0x10A},
    {"sscratch", 0x140}, {"sepc", 0x141},     {"scause", 0x142},     {"stval", 0x143},      {"sip", 0x144},
    {"satp", 0x180},     {"mstatus", 0x300},  {"misa", 0x301},       {"medeleg", 0x302},    {"mideleg", 0x303},
    {"mie", 0x304},      {"mtvec", 0x305},    {"mcounteren", 0x306}, {"menvcfg", 0x30A},    {"mscratch", 0x340},
    {"mepc", 0x341},     {"mcause", 0x342},   {"mtval", 0x343},      {"mip", 0x344},        {"pmpcfg0", 0x3A0},
    {"pmpcfg2", 0x3A2},  {"pmpaddr0", 0x3B0}, {"pmpaddr1", 0x3B1},   {"pmpaddr2", 0x3B2},   {"pmpaddr3", 0x3B3},
    {"pmpaddr4", 0x3B4}, {"pmpaddr5", 0x3B5}, {"pmpaddr6", 0x3B6},   {"pmpaddr7", 0x3B7},   {"mcycle", 0xB00},
    {"minstret", 0xB02}, {"cycle", 0xC00},    {"time", 0xC01},       {"instret", 0xC02},    {"mvendorid", 0xF11},
    {"marchid", 0xF12},  {"mimpid", 0xF13},   {"mhartid", 0xF14},
};

}  // namespace

HostTarget::HostTarget(kernel::Context& ctx, gpu::Gpu& gpu, host::HostSystem& system, std::function<void()> reload,
                       StopSink& sink)
    : host_(system), cpu_(system.cpu), reload_(std::move(reload)), sink_(sink), monitor_(ctx, gpu, &system) {
  add_standard_registers(registers_, 64, 64);
  first_csr_ = static_cast<unsigned>(registers_.size());
  for (const Csr& csr : kFloatCsrs) {
    registers_.push_back({csr.name, 32, "int", "float", kFpuFeature});
    csrs_.push_back(csr.number);
  }
  for (const Csr& csr : kCsrs) {
    std::uint64_t value = 0;
    if (!cpu_.debug().read_csr(csr.number, value)) continue;
    registers_.push_back({csr.name, 64, "int", "csr", kCsrFeature});
    csrs_.push_back(csr.number);
  }
  registers_.push_back({"priv", 64, "int", "general", kVirtualFeature});
  csrs_.push_back(kPrivilege);
  monitor_.add(
      "translate ADDR", "physical address of a virtual one (hexadecimal)", [this](const Monitor::Arguments& words) {
        std::uint64_t address = 0, physical = 0;
        std::string_view text = words.empty() ? std::string_view() : words[0];
        if (text.substr(0, 2) == "0x") text.remove_prefix(2);
        const auto end = std::from_chars(text.data(), text.data() + text.size(), address, 16);
        if (text.empty() || end.ptr != text.data() + text.size() || end.ec != std::errc())
          return std::string("say which address: monitor translate 80000000\n");
        return cpu_.debug().translate(address, physical) ? fmt::format("{:#x}\n", physical) : "no translation\n";
      });
  monitor_.add("reset", "images are loaded again, the CPU starts anew; devices and other memory stay as they are",
               [this](const Monitor::Arguments&) { return reset(); });
}

HostTarget::~HostTarget() {
  release();
  cpu_.on_halt = nullptr;
}

std::vector<ThreadInfo> HostTarget::threads() {
  const host::Privilege mode = cpu_.hart().privilege();
  const char* name = mode == host::Privilege::kMachine      ? "machine mode"
                     : mode == host::Privilege::kSupervisor ? "supervisor mode"
                                                            : "user mode";
  return {{1, "hart 0", name}};
}

bool HostTarget::read_register(ThreadId, unsigned number, std::uint64_t& value) {
  const host::Hart& hart = cpu_.hart();
  if (number < kPcRegister) {
    value = hart.reg(number);
  } else if (number == kPcRegister) {
    value = hart.pc();
  } else if (number < first_csr_) {
    value = hart.freg(number - kFirstFpRegister);
  } else if (csrs_[number - first_csr_] == kPrivilege) {
    value = static_cast<std::uint64_t>(hart.privilege());
  } else {
    return cpu_.debug().read_csr(csrs_[number - first_csr_], value);
  }
  return true;
}

bool HostTarget::write_register(ThreadId, unsigned number, std::uint64_t value) {
  host::Hart& hart = cpu_.hart();
  if (number == 0) return value == 0;
  if (number < kPcRegister) {
    hart.set_reg(number, value);
  } else if (number == kPcRegister) {
    hart.set_pc(value);
  } else if (number < first_csr_) {
    hart.set_freg(number - kFirstFpRegister, value);
  } else if (csrs_[number - first_csr_] == kPrivilege) {
    if (value > 3 || value == 2) return false;
    cpu_.debug().set_privilege(static_cast<host::Privilege>(value));
  } else {
    return cpu_.debug().write_csr(csrs_[number - first_csr_], value);
  }
  return true;
}

std::size_t HostTarget::read_memory(ThreadId, std::uint64_t address, char* data, std::size_t bytes) {
  return cpu_.debug().read(address, data, bytes);
}

std::size_t HostTarget::write_memory(ThreadId, std::uint64_t address, const char* data, std::size_t bytes) {
  return cpu_.debug().write(address, data, bytes);
}

bool HostTarget::insert(PointKind kind, std::uint64_t address, std::uint64_t bytes) {
  const Point point{kind, address, bytes};
  if (point.watches() && (bytes == 0 || address + (bytes - 1) < address)) return false;
  points_.add(point);
  return true;
}

bool HostTarget::remove(PointKind kind, std::uint64_t address, std::uint64_t bytes) {
  points_.remove({kind, address, bytes});
  return true;
}

void HostTarget::set(const Point& p, bool on) {
  host::HartDebug& debug = cpu_.debug();
  const bool reads = p.kind != PointKind::kWrite, writes = p.kind != PointKind::kRead;
  if (p.watches())
    on ? debug.add_watchpoint(p.address, p.bytes, reads, writes)
       : debug.remove_watchpoint(p.address, p.bytes, reads, writes);
  else
    on ? debug.add_breakpoint(p.address) : debug.remove_breakpoint(p.address);
}

// Points are handed over when the machine goes on: GDB takes all out at every stop and puts them back.
void HostTarget::resume(const std::vector<Step>& steps, ThreadId) {
  auto missing = [](const PointList& from, const PointList& in) {
    PointList list;
    for (const Point& p : from)
      if (!in.has(p)) list.add(p);
    return list;
  };
  const PointList gone = missing(active_, points_), fresh = missing(points_, active_);
  for (const Point& p : gone) set(p, false);
  // What is still there may have been taken out with a point at the same address.
  for (const Point& p : gone.empty() ? fresh : points_) set(p, true);
  active_ = points_;
  stepping_ = !steps.empty();
  if (!stepping_) return;
  step_ = steps.front();
  if (!halted_) {  // the CPU is somewhere inside: halt it at the next instruction first
    step_requested_ = true;
    cpu_.request_halt();
  }
}

HostCpu::Resume HostTarget::on_halt(HostCpu::Halt reason) {
  if (reset_) cpu_.hart().set_pc(GYRE_HOST_ROM_BASE);  // the instruction under way has moved it
  reset_ = false;
  StopEvent event;
  switch (reason) {
    case HostCpu::Halt::kRequest:
      if (!step_requested_) return HostCpu::Resume::kRun;
      step_requested_ = false;
      return stepping_ ? HostCpu::Resume::kStep : HostCpu::Resume::kRun;
    case HostCpu::Halt::kStep: {
      const std::uint64_t pc = cpu_.hart().pc();
      if (stepping_ && pc >= step_.begin && pc < step_.end) return HostCpu::Resume::kStep;
      break;
    }
    case HostCpu::Halt::kBreakpoint:
      event.reason = StopEvent::Reason::kBreakpoint;
      event.point = active_.breakpoint_at(cpu_.hart().pc());
      break;
    case HostCpu::Halt::kWatchpoint:
      event.reason = StopEvent::Reason::kWatchpoint;
      event.address = cpu_.debug().watched_address();
      event.point =
          active_.watchpoint_at(event.address, cpu_.debug().watched_write() ? PointKind::kWrite : PointKind::kRead);
      break;
  }
  halted_ = true;
  sink_.stopped(*this, event);
  halted_ = false;
  return stepping_ ? HostCpu::Resume::kStep : HostCpu::Resume::kRun;
}

void HostTarget::attach() {
  attached_ = true;
  cpu_.on_halt = [this](HostCpu::Halt reason) { return on_halt(reason); };
}

void HostTarget::release() {
  if (!attached_) return;
  attached_ = false;
  points_.clear();
  resume({}, 0);
  step_requested_ = false;
}

std::string HostTarget::reset() {
  reload_();
  cpu_.hart().reset(GYRE_HOST_ROM_BASE);
  cpu_.hart().invalidate_code();
  if (!halted_) {
    reset_ = true;
    cpu_.request_halt();
  }
  return fmt::format("the CPU is at {:#x}\n", GYRE_HOST_ROM_BASE);
}

}  // namespace gyre::debug
