// Traps, returns from them and the other system instructions (privileged architecture 1.12).
#include <fmt/format.h>

#include "hart.h"
#include "hart_trace.h"

namespace gyre::host {
namespace {

constexpr std::uint64_t kSie = 1ull << 1, kMie = 1ull << 3, kSpie = 1ull << 5, kMpie = 1ull << 7, kSpp = 1ull << 8,
                        kMpp = 3ull << 11, kMprv = 1ull << 17, kTvm = 1ull << 20, kTw = 1ull << 21, kTsr = 1ull << 22;
constexpr std::uint64_t kInterrupt = 1ull << 63;
constexpr unsigned kIllegalInstruction = 2, kBreakpoint = 3, kEcallUser = 8;

const char* const kExceptionNames[] = {
    "instruction address misaligned", "instruction access fault", "illegal instruction", "breakpoint",
    "load address misaligned", "load access fault", "store address misaligned", "store access fault",
    "environment call from user mode", "environment call from supervisor mode", "reserved",
    "environment call from machine mode", "instruction page fault", "load page fault", "reserved",
    "store page fault"};

std::uint64_t handler(std::uint64_t vector, std::uint64_t cause) {
  const std::uint64_t base = vector & ~std::uint64_t{3};
  return (cause & kInterrupt) != 0 && (vector & 1) != 0 ? base + 4 * (cause & ~kInterrupt) : base;
}

}  // namespace

void Hart::reset(std::uint64_t pc) {
  x_.fill(0);
  set_pc(pc);
  privilege_ = Privilege::kMachine;
  mstatus_ = kMpp;
  mie_ = mip_ = soft_mip_ = lines_ = mtvec_ = mscratch_ = mepc_ = mcause_ = mtval_ = mcounteren_ = menvcfg_ = 0;
  medeleg_ = mideleg_ = stvec_ = sscratch_ = sepc_ = scause_ = stval_ = satp_ = scounteren_ = senvcfg_ = 0;
  fcsr_ = 0;
  pmp_config_.fill(0);
  pmp_address_.fill(0);
  reserved_ = false;
  update_pmp();
  update_mode();
  invalidate_windows();
}

void Hart::trap(std::uint64_t cause, std::uint64_t value) {
  if (tracer_ != nullptr) tracer_->trapped(*this, cause);
  const bool interrupt = (cause & kInterrupt) != 0;
  const std::uint64_t delegated = interrupt ? mideleg_ : medeleg_;
  const auto from = static_cast<std::uint64_t>(privilege_);
  reserved_ = false;
  if (privilege_ != Privilege::kMachine && ((delegated >> (cause & 63)) & 1) != 0) {
    sepc_ = pc_;
    scause_ = cause;
    stval_ = value;
    mstatus_ = (mstatus_ & ~(kSpp | kSpie | kSie)) | (from != 0 ? kSpp : 0) | ((mstatus_ & kSie) != 0 ? kSpie : 0);
    privilege_ = Privilege::kSupervisor;
    pc_ = handler(stvec_, cause);
  } else {
    mepc_ = pc_;
    mcause_ = cause;
    mtval_ = value;
    mstatus_ = (mstatus_ & ~(kMpp | kMpie | kMie)) | from << 11 | ((mstatus_ & kMie) != 0 ? kMpie : 0);
    privilege_ = Privilege::kMachine;
    pc_ = handler(mtvec_, cause);
  }
  update_mode();
}

// Number of the interrupt to take now, or -1.
int Hart::pending_interrupt() const {
  const std::uint64_t pending = mip_ & mie_;
  if (pending == 0) return -1;
  const bool machine_enabled = privilege_ != Privilege::kMachine || (mstatus_ & kMie) != 0;
  const bool supervisor_enabled =
      privilege_ == Privilege::kUser || (privilege_ == Privilege::kSupervisor && (mstatus_ & kSie) != 0);
  const std::uint64_t machine = machine_enabled ? pending & ~mideleg_ : 0;
  const std::uint64_t ready = machine != 0 ? machine : supervisor_enabled ? pending & mideleg_ : 0;
  for (const int cause : {11, 3, 7, 9, 1, 5})
    if (((ready >> cause) & 1) != 0) return cause;
  return -1;
}

bool Hart::take_interrupt() {
  const int cause = pending_interrupt();
  if (cause < 0) return false;
  trap(kInterrupt | static_cast<unsigned>(cause), 0);
  return true;
}

std::string Hart::describe_trap() const {
  const bool interrupt = (mcause_ & kInterrupt) != 0;
  const std::uint64_t code = mcause_ & ~kInterrupt;
  const char* name = interrupt ? "interrupt" : code < std::size(kExceptionNames) ? kExceptionNames[code] : "unknown";
  return fmt::format("mcause {} ({}) at pc {:#x}, mtval {:#x}", code, name, mepc_, mtval_);
}

bool Hart::return_from_trap(Op op) {
  if (op == Op::kMret) {
    if (privilege_ != Privilege::kMachine) return false;
    privilege_ = static_cast<Privilege>((mstatus_ & kMpp) >> 11);
    mstatus_ = (mstatus_ & ~(kMpp | kMie)) | ((mstatus_ & kMpie) != 0 ? kMie : 0) | kMpie;
    pc_ = mepc_;
  } else {
    if (privilege_ == Privilege::kUser || (privilege_ == Privilege::kSupervisor && (mstatus_ & kTsr) != 0)) return false;
    privilege_ = (mstatus_ & kSpp) != 0 ? Privilege::kSupervisor : Privilege::kUser;
    mstatus_ = (mstatus_ & ~(kSpp | kSie)) | ((mstatus_ & kSpie) != 0 ? kSie : 0) | kSpie;
    pc_ = sepc_;
  }
  if (privilege_ != Privilege::kMachine) mstatus_ &= ~kMprv;
  update_mode();
  if (pending_interrupt() >= 0) check_pending_ = true;
  return true;
}

unsigned Hart::system(Op op, const Slot& slot) {
  trap_value_ = 0;
  const std::uint64_t next = pc_ + 4;
  const auto illegal = [this] {
    trap_value_ = instruction_bits();
    return kIllegalInstruction;
  };
  switch (op) {
    case Op::kFenceI:
      flush_pending_ = true;
      break;
    case Op::kCsr:
      if (const unsigned cause = csr_access(slot)) return cause;
      break;
    case Op::kEcall:
      return kEcallUser + static_cast<unsigned>(privilege_);
    case Op::kEbreak:
      if (slot.rs2 == 4 && semihost_sequence()) {
        bus_.semihost(*this);
        check_pending_ = true;
        break;
      }
      trap_value_ = pc_;
      return kBreakpoint;
    case Op::kMret:
    case Op::kSret:
      return return_from_trap(op) ? 0 : illegal();
    case Op::kWfi:
      if (privilege_ != Privilege::kMachine && (mstatus_ & kTw) != 0) return illegal();
      break;
    case Op::kSfenceVma:
      if (privilege_ == Privilege::kUser || (privilege_ == Privilege::kSupervisor && (mstatus_ & kTvm) != 0))
        return illegal();
      forget_translations();
      break;
    default:
      trap_value_ = static_cast<std::uint32_t>(slot.imm);
      return kIllegalInstruction;
  }
  pc_ = next;
  return 0;
}

// ebreak between `slli x0, x0, 0x1f` and `srai x0, x0, 7`, all in one page: a semihosting call (host.md §3).
bool Hart::semihost_sequence() {
  if (((pc_ - 4) ^ (pc_ + 7)) >> kPageBits != 0) return false;
  std::uint16_t halves[4];
  for (unsigned i = 0; i < 2; ++i)
    if (!fetch_half(pc_ - 4 + 2 * i, halves[i]) || !fetch_half(pc_ + 4 + 2 * i, halves[2 + i])) {
      trap_value_ = 0;
      return false;
    }
  return halves[0] == 0x1013 && halves[1] == 0x01F0 && halves[2] == 0x5013 && halves[3] == 0x4070;
}

}  // namespace gyre::host
