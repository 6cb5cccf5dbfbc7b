// Traps, CSRs and the other system instructions (RISC-V privileged architecture 1.12, machine and user mode).
#include <fmt/format.h>

#include "hart.h"

namespace gyre::host {
namespace {

constexpr std::uint64_t kMie = 1ull << 3, kMpie = 1ull << 7, kMpp = 3ull << 11, kMprv = 1ull << 17, kTw = 1ull << 21;
constexpr std::uint64_t kFs = 3ull << 13, kSd = 1ull << 63;
constexpr std::uint64_t kUxl64 = 2ull << 32;
constexpr std::uint64_t kInterrupt = 1ull << 63;
constexpr std::uint64_t kLineMask = (1u << 3) | (1u << 7) | (1u << 11);  // software, timer, external, machine
constexpr std::uint64_t kMisa = (2ull << 62) | (1u << ('I' - 'A')) | (1u << ('M' - 'A')) | (1u << ('A' - 'A')) |
                                (1u << ('F' - 'A')) | (1u << ('D' - 'A')) | (1u << ('C' - 'A')) | (1u << ('U' - 'A'));
constexpr unsigned kIllegalInstruction = 2, kBreakpoint = 3, kEcallUser = 8, kEcallMachine = 11;

enum Csr : unsigned {
  kFflags = 0x001, kFrm = 0x002, kFcsr = 0x003,
  kMstatus = 0x300, kMisaCsr = 0x301, kMieCsr = 0x304, kMtvec = 0x305, kMcounteren = 0x306, kMenvcfg = 0x30A,
  kMcountinhibit = 0x320, kMhpmevent3 = 0x323, kMhpmevent31 = 0x33F,
  kMscratch = 0x340, kMepc = 0x341, kMcause = 0x342, kMtval = 0x343, kMip = 0x344,
  kPmpcfg0 = 0x3A0, kPmpcfg2 = 0x3A2, kPmpaddr0 = 0x3B0, kPmpaddr15 = 0x3BF, kTselect = 0x7A0, kTdata3 = 0x7A3,
  kMcycle = 0xB00, kMinstret = 0xB02, kMhpmcounter3 = 0xB03, kMhpmcounter31 = 0xB1F,
  kCycle = 0xC00, kTime = 0xC01, kInstret = 0xC02, kHpmcounter31 = 0xC1F,
  kMvendorid = 0xF11, kMarchid = 0xF12, kMimpid = 0xF13, kMhartid = 0xF14, kMconfigptr = 0xF15,
};

const char* const kExceptionNames[] = {
    "instruction address misaligned", "instruction access fault", "illegal instruction", "breakpoint",
    "load address misaligned", "load access fault", "store address misaligned", "store access fault",
    "environment call from user mode", "environment call from supervisor mode", "reserved",
    "environment call from machine mode"};

}  // namespace

void Hart::reset(std::uint64_t pc) {
  x_.fill(0);
  set_pc(pc);
  privilege_ = Privilege::kMachine;
  mstatus_ = kMpp;
  mie_ = mip_ = mtvec_ = mscratch_ = mepc_ = mcause_ = mtval_ = mcounteren_ = menvcfg_ = 0;
  fcsr_ = 0;
  reserved_ = false;
  flush_pending_ = true;
  invalidate_windows();
}

void Hart::trap(std::uint64_t cause, std::uint64_t value) {
  mepc_ = pc_;
  mcause_ = cause;
  mtval_ = value;
  mstatus_ = (mstatus_ & ~(kMpp | kMpie | kMie)) | (static_cast<std::uint64_t>(privilege_) << 11) |
             ((mstatus_ & kMie) != 0 ? kMpie : 0);
  privilege_ = Privilege::kMachine;
  reserved_ = false;
  pc_ = mtvec_ & ~std::uint64_t{3};
  if ((cause & kInterrupt) != 0 && (mtvec_ & 1) != 0) pc_ += 4 * (cause & ~kInterrupt);
}

bool Hart::take_interrupt() {
  const std::uint64_t pending = mip_ & mie_;
  if (pending == 0 || (privilege_ == Privilege::kMachine && (mstatus_ & kMie) == 0)) return false;
  for (const unsigned cause : {11u, 3u, 7u}) {
    if (((pending >> cause) & 1) == 0) continue;
    trap(kInterrupt | cause, 0);
    return true;
  }
  return false;
}

std::string Hart::describe_trap() const {
  const bool interrupt = (mcause_ & kInterrupt) != 0;
  const std::uint64_t code = mcause_ & ~kInterrupt;
  const char* name = interrupt ? "interrupt" : code < std::size(kExceptionNames) ? kExceptionNames[code] : "unknown";
  return fmt::format("mcause {} ({}) at pc {:#x}, mtval {:#x}", code, name, mepc_, mtval_);
}

unsigned Hart::system(Op op, const Slot& slot) {
  trap_value_ = 0;
  const std::uint64_t next = pc_ + 4;
  switch (op) {
    case Op::kFenceI:
      flush_pending_ = true;
      break;
    case Op::kCsr:
      if (const unsigned cause = csr_access(slot)) return cause;
      break;
    case Op::kEcall:
      return privilege_ == Privilege::kMachine ? kEcallMachine : kEcallUser;
    case Op::kEbreak:
      if (slot.rs2 == 4 && semihost_sequence()) {
        bus_.semihost(*this);
        check_pending_ = true;
        break;
      }
      trap_value_ = pc_;
      return kBreakpoint;
    case Op::kMret:
      if (privilege_ != Privilege::kMachine) {
        trap_value_ = 0x30200073;
        return kIllegalInstruction;
      }
      privilege_ = (mstatus_ & kMpp) == kMpp ? Privilege::kMachine : Privilege::kUser;
      mstatus_ = (mstatus_ & ~(kMpp | kMie)) | ((mstatus_ & kMpie) != 0 ? kMie : 0) | kMpie;
      if (privilege_ != Privilege::kMachine) mstatus_ &= ~kMprv;
      if (wakes()) check_pending_ = true;
      pc_ = mepc_;
      return 0;
    case Op::kWfi:
      if (privilege_ != Privilege::kMachine && (mstatus_ & kTw) != 0) {
        trap_value_ = 0x10500073;
        return kIllegalInstruction;
      }
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
    if (!fetch_half(pc_ - 4 + 2 * i, halves[i]) || !fetch_half(pc_ + 4 + 2 * i, halves[2 + i])) return false;
  return halves[0] == 0x1013 && halves[1] == 0x01F0 && halves[2] == 0x5013 && halves[3] == 0x4070;
}

unsigned Hart::csr_access(const Slot& slot) {
  const unsigned number = static_cast<unsigned>(slot.imm), operation = slot.rs2 & 3;
  const std::uint64_t operand = (slot.rs2 & 4) != 0 ? slot.rs1 : x_[slot.rs1];
  const bool writes = operation == 1 || slot.rs1 != 0, reads = operation != 1 || slot.rd != 0;
  // The instruction's bits, for mtval.
  trap_value_ = (static_cast<std::uint64_t>(number) << 20) | (static_cast<std::uint64_t>(slot.rs1) << 15) |
                (static_cast<std::uint64_t>(slot.rs2) << 12) | (static_cast<std::uint64_t>(slot.rd) << 7) | 0x73;
  std::uint64_t old = 0;
  if (reads && !csr_read(number, old)) return kIllegalInstruction;
  if (writes) {
    const std::uint64_t value = operation == 1 ? operand : operation == 2 ? old | operand : old & ~operand;
    if (!csr_write(number, value)) return kIllegalInstruction;
  }
  if (slot.rd != 0) x_[slot.rd] = old;
  return 0;
}

bool Hart::csr_read(unsigned number, std::uint64_t& value) {
  if (static_cast<unsigned>(privilege_) < ((number >> 8) & 3)) return false;
  if (number >= kCycle && number <= kHpmcounter31 && privilege_ != Privilege::kMachine &&
      ((mcounteren_ >> (number - kCycle)) & 1) == 0)
    return false;
  switch (number) {
    case kFflags: value = fcsr_ & 0x1F; return (mstatus_ & kFs) != 0;
    case kFrm: value = (fcsr_ >> 5) & 7; return (mstatus_ & kFs) != 0;
    case kFcsr: value = fcsr_; return (mstatus_ & kFs) != 0;
    case kMstatus: value = mstatus_ | kUxl64 | ((mstatus_ & kFs) == kFs ? kSd : 0); return true;
    case kMisaCsr: value = kMisa; return true;
    case kMieCsr: value = mie_; return true;
    case kMtvec: value = mtvec_; return true;
    case kMcounteren: value = mcounteren_; return true;
    case kMenvcfg: value = menvcfg_; return true;
    case kMscratch: value = mscratch_; return true;
    case kMepc: value = mepc_; return true;
    case kMcause: value = mcause_; return true;
    case kMtval: value = mtval_; return true;
    case kMip: value = mip_; return true;
    case kMcycle: case kCycle: value = cycle_ + mcycle_offset_; return true;
    case kMinstret: case kInstret: value = retired() + minstret_offset_; return true;
    case kTime: value = bus_.time(); return true;
    case kMhartid: value = id_; return true;
    default: value = 0; break;
  }
  // The ones that read as zero.
  return number == kMcountinhibit || (number >= kMhpmevent3 && number <= kMhpmevent31) || number == kPmpcfg0 ||
         number == kPmpcfg2 || (number >= kPmpaddr0 && number <= kPmpaddr15) ||
         (number >= kTselect && number <= kTdata3) || (number >= kMhpmcounter3 && number <= kMhpmcounter31) ||
         (number > kInstret && number <= kHpmcounter31) || number == kMvendorid || number == kMarchid ||
         number == kMimpid || number == kMconfigptr;
}

bool Hart::csr_write(unsigned number, std::uint64_t value) {
  std::uint64_t ignored;
  if ((number >> 10) == 3 || !csr_read(number, ignored)) return false;
  switch (number) {
    case kFflags: fcsr_ = (fcsr_ & 0xE0) | (value & 0x1F); mstatus_ |= kFs; break;
    case kFrm: fcsr_ = (fcsr_ & 0x1F) | static_cast<unsigned>(value & 7) << 5; mstatus_ |= kFs; break;
    case kFcsr: fcsr_ = value & 0xFF; mstatus_ |= kFs; break;
    case kMstatus: {
      std::uint64_t writable = kMie | kMpie | kMprv | kTw | kFs;
      const std::uint64_t mpp = (value & kMpp) >> 11;
      if (mpp == 0 || mpp == 3) writable |= kMpp;  // other modes do not exist
      mstatus_ = (mstatus_ & ~writable) | (value & writable);
      break;
    }
    case kMieCsr: mie_ = value & kLineMask; break;
    case kMtvec: mtvec_ = value & ~std::uint64_t{2}; break;
    case kMcounteren: mcounteren_ = value & 7; break;
    case kMenvcfg: menvcfg_ = value & 1; break;
    case kMscratch: mscratch_ = value; break;
    case kMepc: mepc_ = value & ~std::uint64_t{1}; break;
    case kMcause: mcause_ = value; break;
    case kMtval: mtval_ = value; break;
    // A write takes effect after the instruction that makes it, which counts too.
    case kMcycle: mcycle_offset_ = value - (cycle_ + 1); break;
    case kMinstret: minstret_offset_ = value - (retired() + 1); break;
    default: break;
  }
  if (wakes()) check_pending_ = true;
  return true;
}

}  // namespace gyre::host
