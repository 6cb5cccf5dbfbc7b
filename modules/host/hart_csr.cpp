// Control and status registers (privileged architecture 1.12).
#include "hart.h"

namespace gyre::host {
namespace {

constexpr std::uint64_t kSie = 1ull << 1, kMie = 1ull << 3, kSpie = 1ull << 5, kMpie = 1ull << 7, kSpp = 1ull << 8,
                        kMpp = 3ull << 11, kFs = 3ull << 13, kMprv = 1ull << 17, kSum = 1ull << 18, kMxr = 1ull << 19,
                        kTvm = 1ull << 20, kTw = 1ull << 21, kTsr = 1ull << 22, kSd = 1ull << 63;
constexpr std::uint64_t kUxl64 = 2ull << 32, kSxl64 = 2ull << 34;
constexpr std::uint64_t kSstatusMask = kSie | kSpie | kSpp | kFs | kSum | kMxr;
constexpr std::uint64_t kInterrupts = 0xAAA, kSupervisorInterrupts = 0x222;
constexpr std::uint64_t kDelegable = 0xB3FF;  // every exception but ecall from machine mode
constexpr unsigned kIllegalInstruction = 2;

constexpr std::uint64_t extension(char letter) { return 1ull << (letter - 'A'); }
constexpr std::uint64_t kMisa = (2ull << 62) | extension('I') | extension('M') | extension('A') | extension('F') |
                                extension('D') | extension('C') | extension('S') | extension('U');

enum Csr : unsigned {
  kFflags = 0x001, kFrm = 0x002, kFcsr = 0x003,
  kSstatus = 0x100, kSieCsr = 0x104, kStvec = 0x105, kScounteren = 0x106, kSenvcfg = 0x10A,
  kSscratch = 0x140, kSepc = 0x141, kScause = 0x142, kStval = 0x143, kSip = 0x144, kSatp = 0x180,
  kMstatus = 0x300, kMisaCsr = 0x301, kMedeleg = 0x302, kMideleg = 0x303, kMieCsr = 0x304, kMtvec = 0x305,
  kMcounteren = 0x306, kMenvcfg = 0x30A,
  kMcountinhibit = 0x320, kMhpmevent3 = 0x323, kMhpmevent31 = 0x33F,
  kMscratch = 0x340, kMepc = 0x341, kMcause = 0x342, kMtval = 0x343, kMip = 0x344,
  kPmpcfg0 = 0x3A0, kPmpcfg2 = 0x3A2, kPmpaddr0 = 0x3B0, kPmpaddr15 = 0x3BF, kTselect = 0x7A0, kTdata3 = 0x7A3,
  kMcycle = 0xB00, kMinstret = 0xB02, kMhpmcounter3 = 0xB03, kMhpmcounter31 = 0xB1F,
  kCycle = 0xC00, kTime = 0xC01, kInstret = 0xC02, kHpmcounter31 = 0xC1F,
  kMvendorid = 0xF11, kMarchid = 0xF12, kMimpid = 0xF13, kMhartid = 0xF14, kMconfigptr = 0xF15,
};

}  // namespace

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
    // The external line is or-ed into what is read from mip.SEIP, not into what is written back.
    const std::uint64_t base = number == kMip ? (old & ~kSupervisorInterrupts) | soft_mip_ : old;
    const std::uint64_t value = operation == 1 ? operand : operation == 2 ? base | operand : base & ~operand;
    if (!csr_write(number, value)) return kIllegalInstruction;
  }
  if (slot.rd != 0) x_[slot.rd] = old;
  return 0;
}

bool Hart::csr_accessible(unsigned number) const {
  if (static_cast<unsigned>(privilege_) < ((number >> 8) & 3)) return false;
  if (number == kSatp) return privilege_ != Privilege::kSupervisor || (mstatus_ & kTvm) == 0;
  if (number >= kCycle && number <= kHpmcounter31) {
    const unsigned bit = number - kCycle;
    if (privilege_ != Privilege::kMachine && ((mcounteren_ >> bit) & 1) == 0) return false;
    return privilege_ != Privilege::kUser || ((scounteren_ >> bit) & 1) != 0;
  }
  return number < kFflags || number > kFcsr || (mstatus_ & kFs) != 0;
}

bool Hart::csr_read(unsigned number, std::uint64_t& value) {
  if (!csr_accessible(number)) return false;
  const std::uint64_t dirty = (mstatus_ & kFs) == kFs ? kSd : 0;
  switch (number) {
    case kFflags: value = fcsr_ & 0x1F; return true;
    case kFrm: value = (fcsr_ >> 5) & 7; return true;
    case kFcsr: value = fcsr_; return true;
    case kSstatus: value = (mstatus_ & kSstatusMask) | kUxl64 | dirty; return true;
    case kSieCsr: value = mie_ & mideleg_; return true;
    case kStvec: value = stvec_; return true;
    case kScounteren: value = scounteren_; return true;
    case kSenvcfg: value = senvcfg_; return true;
    case kSscratch: value = sscratch_; return true;
    case kSepc: value = sepc_; return true;
    case kScause: value = scause_; return true;
    case kStval: value = stval_; return true;
    case kSip: value = mip_ & mideleg_; return true;
    case kSatp: value = satp_; return true;
    case kMstatus: value = mstatus_ | kUxl64 | kSxl64 | dirty; return true;
    case kMisaCsr: value = kMisa; return true;
    case kMedeleg: value = medeleg_; return true;
    case kMideleg: value = mideleg_; return true;
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
    case kPmpcfg0: case kPmpcfg2:
      value = 0;
      for (unsigned i = 0; i < 8; ++i)
        value |= static_cast<std::uint64_t>(pmp_config_[(number == kPmpcfg2 ? 8 : 0) + i]) << (8 * i);
      return true;
    default: value = 0; break;
  }
  if (number >= kPmpaddr0 && number <= kPmpaddr15) {
    value = pmp_address_[number - kPmpaddr0];
    return true;
  }
  // The ones that read as zero.
  return number == kMcountinhibit || (number >= kMhpmevent3 && number <= kMhpmevent31) ||
         (number >= kTselect && number <= kTdata3) || (number >= kMhpmcounter3 && number <= kMhpmcounter31) ||
         (number > kInstret && number <= kHpmcounter31) || number == kMvendorid || number == kMarchid ||
         number == kMimpid || number == kMconfigptr;
}

void Hart::write_mstatus(std::uint64_t value, std::uint64_t writable) {
  if (((value & kMpp) >> 11) == 2) writable &= ~kMpp;  // there is no such mode
  const std::uint64_t changed = (mstatus_ ^ value) & writable;
  mstatus_ ^= changed;
  if ((changed & kMxr) != 0) forget_translations();
  update_mode();
}

bool Hart::csr_write(unsigned number, std::uint64_t value) {
  std::uint64_t ignored;
  if ((number >> 10) == 3 || !csr_read(number, ignored)) return false;
  switch (number) {
    case kFflags: fcsr_ = (fcsr_ & 0xE0) | (value & 0x1F); mstatus_ |= kFs; break;
    case kFrm: fcsr_ = (fcsr_ & 0x1F) | static_cast<unsigned>(value & 7) << 5; mstatus_ |= kFs; break;
    case kFcsr: fcsr_ = value & 0xFF; mstatus_ |= kFs; break;
    case kSstatus: write_mstatus(value, kSstatusMask); break;
    case kSieCsr: mie_ = (mie_ & ~mideleg_) | (value & mideleg_); break;
    case kStvec: stvec_ = value & ~std::uint64_t{2}; break;
    case kScounteren: scounteren_ = value & 7; break;
    case kSenvcfg: senvcfg_ = value & 1; break;
    case kSscratch: sscratch_ = value; break;
    case kSepc: sepc_ = value & ~std::uint64_t{1}; break;
    case kScause: scause_ = value; break;
    case kStval: stval_ = value; break;
    case kSip: {
      const std::uint64_t writable = mideleg_ & 2;  // only the software interrupt
      set_soft_interrupts((soft_mip_ & ~writable) | (value & writable));
      break;
    }
    case kSatp: {
      const std::uint64_t mode = value >> 60;
      if (mode != 0 && mode != 8) break;  // an unknown mode: no effect
      satp_ = value & ~(0xFFFFull << 44);  // no address-space identifiers
      forget_translations();
      break;
    }
    case kMstatus:
      write_mstatus(value, kSstatusMask | kMie | kMpie | kMpp | kMprv | kTvm | kTw | kTsr);
      break;
    case kMedeleg: medeleg_ = value & kDelegable; break;
    case kMideleg: mideleg_ = value & kSupervisorInterrupts; break;
    case kMieCsr: mie_ = value & kInterrupts; break;
    case kMip: set_soft_interrupts(value & kSupervisorInterrupts); break;
    case kMtvec: mtvec_ = value & ~std::uint64_t{2}; break;
    case kMcounteren: mcounteren_ = value & 7; break;
    case kMenvcfg: menvcfg_ = value & 1; break;
    case kMscratch: mscratch_ = value; break;
    case kMepc: mepc_ = value & ~std::uint64_t{1}; break;
    case kMcause: mcause_ = value; break;
    case kMtval: mtval_ = value; break;
    case kPmpcfg0: write_pmp_config(0, value); break;
    case kPmpcfg2: write_pmp_config(8, value); break;
    // A write takes effect after the instruction that makes it, which counts too.
    case kMcycle: mcycle_offset_ = value - (cycle_ + 1); break;
    case kMinstret: minstret_offset_ = value - (retired() + 1); break;
    default:
      if (number >= kPmpaddr0 && number <= kPmpaddr15) write_pmp_address(number - kPmpaddr0, value);
      break;
  }
  if (pending_interrupt() >= 0) check_pending_ = true;
  return true;
}

}  // namespace gyre::host
