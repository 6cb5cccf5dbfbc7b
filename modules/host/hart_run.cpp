// The interpreter: threaded dispatch over blocks. Each instruction's meaning is one line.
//
// Inside a block no program counter, cycle or instruction count is kept: the position in the block gives them when
// something needs them (commit). A block pays its cycles on entry, an early exit gives the rest back.
#include <algorithm>
#include <climits>
#include <cmath>
#include <cstring>

#include "hart.h"
#include "hart_ops.h"
#include "hart_trace.h"

namespace gyre::host {

using namespace ops;

#define OP(name) op_##name:
#define DISPATCH goto *ip->handler
#define NEXT do { ++ip; DISPATCH; } while (false)
#define RD x[ip->rd]
#define A x[ip->rs1]
#define B x[ip->rs2]
#define SA static_cast<i64>(A)
#define SB static_cast<i64>(B)
#define A32 static_cast<u32>(A)
#define B32 static_cast<u32>(B)
#define IMM static_cast<u64>(static_cast<i64>(ip->imm))
#define ENTER                                 \
  do {                                        \
    if (remaining <= 0) goto out_of_budget;   \
    remaining -= block->count;                \
    ip = block->slots();                      \
    DISPATCH;                                 \
  } while (false)
#define FOLLOW(slot)                          \
  do {                                        \
    if ((slot)->link == nullptr) goto resolve_link; \
    block = (slot)->link;                     \
    ENTER;                                    \
  } while (false)
#define BRANCH(condition)                     \
  do {                                        \
    if (condition) {                          \
      remaining += ip[1].imm;                 \
      FOLLOW(ip + 1);                         \
    }                                         \
    ip += 2;                                  \
    DISPATCH;                                 \
  } while (false)
#define LOAD(type)                                                                            \
  do {                                                                                        \
    address = A + IMM;                                                                        \
    const TlbEntry& entry = load_tlb[(address >> kPageBits) % kTlbEntries];                   \
    if (__builtin_expect((address & (kPageMask | (sizeof(type) - 1))) != entry.tag, false)) goto load_slow; \
    type loaded;                                                                              \
    std::memcpy(&loaded, reinterpret_cast<const void*>(entry.addend + address), sizeof loaded); \
    RD = static_cast<u64>(static_cast<i64>(loaded));                                          \
    NEXT;                                                                                     \
  } while (false)
#define STORE(type)                                                                           \
  do {                                                                                        \
    address = A + IMM;                                                                        \
    const TlbEntry& entry = store_tlb[(address >> kPageBits) % kTlbEntries];                  \
    if (__builtin_expect((address & (kPageMask | (sizeof(type) - 1))) != entry.tag, false)) goto store_slow; \
    const type stored = static_cast<type>(B);                                                 \
    std::memcpy(reinterpret_cast<void*>(entry.addend + address), &stored, sizeof stored);     \
    NEXT;                                                                                     \
  } while (false)

// Every floating-point instruction: off is illegal; the state counts as dirty from the first one on.
#define FP_ON \
  if (__builtin_expect((hart->mstatus_ & kFs) != kFs, false)) goto fp_not_dirty
#define FP_FAST(format, good, expression)                                                      \
  do {                                                                                         \
    FP_ON;                                                                                     \
    if (__builtin_expect((hart->fcsr_ & kFastMask) == riscv::fp::kNx && (good), true)) {       \
      const format::Number computed = (expression);                                            \
      format::Bits bits;                                                                       \
      std::memcpy(&bits, &computed, sizeof bits);                                              \
      if (__builtin_expect(format::safe(bits), true)) {                                        \
        RD = format::box(bits);                                                                \
        NEXT;                                                                                  \
      }                                                                                        \
    }                                                                                          \
    goto fp_slow;                                                                              \
  } while (false)
#define FP2(format, op) FP_FAST(format, usable<format>(A) && usable<format>(B), number<format>(A) op number<format>(B))
#define FP3(format, sign)                                                                      \
  FP_FAST(format, usable<format>(A) && usable<format>(B) && usable<format>(C),                 \
          std::fma(number<format>(A), number<format>(B), sign number<format>(C)))
#define C x[static_cast<u32>(ip->imm) >> 16]

Stop Hart::execute(Hart* hart, u64 limit, const void* const** handlers) {
  static const void* const table[] = {
#define X(name) &&op_##name,
      GYRE_HOST_OPS(X)
#undef X
  };
  if (hart == nullptr) {
    *handlers = table;
    return Stop::kLimit;
  }

  u64* const x = hart->x_.data();
  const TlbEntry* load_tlb = nullptr;
  const TlbEntry* store_tlb = nullptr;
  if (hart->cycle_ >= limit) return Stop::kLimit;
  i64 remaining = static_cast<i64>(std::min<u64>(limit - hart->cycle_, LLONG_MAX));
  limit = hart->cycle_ + static_cast<u64>(remaining);
  Block* block = nullptr;
  const Slot* ip = nullptr;
  u64 address = 0;
  unsigned cause = 0;
  hart->check_pending_ = false;

at_pc:  // pc_ is the next instruction; every counter is exact
  if (hart->flush_pending_) {
    hart->blocks_.flush();
    hart->flush_pending_ = false;
  }
  load_tlb = hart->tlb_->load.data();
  store_tlb = hart->tlb_->store.data();
  block = hart->stepping_ ? hart->single(hart->pc_) : hart->blocks_.find(hart->pc_);
  if (block == nullptr && !hart->stepping_) block = hart->find_or_build(hart->pc_);
  if (block == nullptr) {
    hart->cycle_ = limit - static_cast<u64>(remaining) + 1;
    ++hart->idle_;
    if (hart->privilege_ == Privilege::kMachine && hart->pc_ == (hart->mtvec_ & ~u64{3})) return Stop::kStuck;
    hart->trap(hart->fault_, hart->trap_value_);
    goto after_event;
  }
  ENTER;

  OP(kNop) NEXT;
  OP(kFence) NEXT;
  OP(kLi) RD = IMM; NEXT;
  OP(kMv) RD = A; NEXT;
  OP(kAuipc) RD = block->pc + 2u * ip->at + IMM; NEXT;
  OP(kBeq) BRANCH(A == B);
  OP(kBne) BRANCH(A != B);
  OP(kBlt) BRANCH(SA < SB);
  OP(kBge) BRANCH(SA >= SB);
  OP(kBltu) BRANCH(A < B);
  OP(kBgeu) BRANCH(A >= B);
  OP(kLb) LOAD(std::int8_t);
  OP(kLh) LOAD(std::int16_t);
  OP(kLw) LOAD(std::int32_t);
  OP(kLd) LOAD(std::int64_t);
  OP(kLbu) LOAD(std::uint8_t);
  OP(kLhu) LOAD(std::uint16_t);
  OP(kLwu) LOAD(std::uint32_t);
  OP(kSb) STORE(std::uint8_t);
  OP(kSh) STORE(std::uint16_t);
  OP(kSw) STORE(std::uint32_t);
  OP(kSd) STORE(std::uint64_t);
  OP(kAddi) RD = A + IMM; NEXT;
  OP(kSlti) RD = SA < ip->imm; NEXT;
  OP(kSltiu) RD = A < IMM; NEXT;
  OP(kXori) RD = A ^ IMM; NEXT;
  OP(kOri) RD = A | IMM; NEXT;
  OP(kAndi) RD = A & IMM; NEXT;
  OP(kSlli) RD = A << (ip->imm & 63); NEXT;
  OP(kSrli) RD = A >> (ip->imm & 63); NEXT;
  OP(kSrai) RD = static_cast<u64>(SA >> (ip->imm & 63)); NEXT;
  OP(kAdd) RD = A + B; NEXT;
  OP(kSub) RD = A - B; NEXT;
  OP(kSll) RD = A << (B & 63); NEXT;
  OP(kSlt) RD = SA < SB; NEXT;
  OP(kSltu) RD = A < B; NEXT;
  OP(kXor) RD = A ^ B; NEXT;
  OP(kSrl) RD = A >> (B & 63); NEXT;
  OP(kSra) RD = static_cast<u64>(SA >> (B & 63)); NEXT;
  OP(kOr) RD = A | B; NEXT;
  OP(kAnd) RD = A & B; NEXT;
  OP(kAddiw) RD = sext(A32 + static_cast<u32>(ip->imm)); NEXT;
  OP(kSlliw) RD = sext(A32 << (ip->imm & 31)); NEXT;
  OP(kSrliw) RD = sext(A32 >> (ip->imm & 31)); NEXT;
  OP(kSraiw) RD = static_cast<u64>(static_cast<i64>(static_cast<i32>(A32) >> (ip->imm & 31))); NEXT;
  OP(kAddw) RD = sext(A32 + B32); NEXT;
  OP(kSubw) RD = sext(A32 - B32); NEXT;
  OP(kSllw) RD = sext(A32 << (B & 31)); NEXT;
  OP(kSrlw) RD = sext(A32 >> (B & 31)); NEXT;
  OP(kSraw) RD = static_cast<u64>(static_cast<i64>(static_cast<i32>(A32) >> (B & 31))); NEXT;
  OP(kMul) RD = A * B; NEXT;
  OP(kMulh) RD = mulh(A, B); NEXT;
  OP(kMulhsu) RD = mulhsu(A, B); NEXT;
  OP(kMulhu) RD = mulhu(A, B); NEXT;
  OP(kDiv) RD = static_cast<u64>(divide<i64, u64>(SA, SB)); NEXT;
  OP(kDivu) RD = B == 0 ? ~u64{0} : A / B; NEXT;
  OP(kRem) RD = static_cast<u64>(remainder<i64>(SA, SB)); NEXT;
  OP(kRemu) RD = B == 0 ? A : A % B; NEXT;
  OP(kMulw) RD = sext(A32 * B32); NEXT;
  OP(kDivw) RD = sext(static_cast<u32>(divide<i32, u32>(static_cast<i32>(A32), static_cast<i32>(B32)))); NEXT;
  OP(kDivuw) RD = B32 == 0 ? ~u64{0} : sext(A32 / B32); NEXT;
  OP(kRemw) RD = sext(static_cast<u32>(remainder<i32>(static_cast<i32>(A32), static_cast<i32>(B32)))); NEXT;
  OP(kRemuw) RD = sext(B32 == 0 ? A32 : A32 % B32); NEXT;

  OP(kFlw) {
    FP_ON;
    address = A + IMM;
    const TlbEntry& entry = load_tlb[(address >> kPageBits) % kTlbEntries];
    if (__builtin_expect((address & (kPageMask | 3)) != entry.tag, false)) goto load_slow;
    u32 loaded;
    std::memcpy(&loaded, reinterpret_cast<const void*>(entry.addend + address), sizeof loaded);
    RD = kBox | loaded;
    NEXT;
  }
  OP(kFld) FP_ON; LOAD(i64);
  OP(kFsw) FP_ON; STORE(u32);
  OP(kFsd) FP_ON; STORE(u64);
  OP(kFaddS) FP2(Single, +);
  OP(kFsubS) FP2(Single, -);
  OP(kFmulS) FP2(Single, *);
  OP(kFdivS) FP2(Single, /);
  OP(kFmaddS) FP3(Single, +);
  OP(kFmsubS) FP3(Single, -);
  OP(kFaddD) FP2(Double, +);
  OP(kFsubD) FP2(Double, -);
  OP(kFmulD) FP2(Double, *);
  OP(kFdivD) FP2(Double, /);
  OP(kFmaddD) FP3(Double, +);
  OP(kFmsubD) FP3(Double, -);
  OP(kFp) FP_ON; goto fp_slow;
fp_slow:
  if (__builtin_expect(hart->fp_operation(*ip), true)) NEXT;
  goto fp_illegal;
fp_not_dirty:
  if ((hart->mstatus_ & kFs) != 0) {
    hart->mstatus_ |= kFs;
    DISPATCH;
  }
fp_illegal:
  hart->pc_ = block->pc + 2u * ip->at;
  remaining += block->count - executed(block, ip) - 1;
  hart->cycle_ = limit - static_cast<u64>(remaining);
  hart->trap_value_ = hart->instruction_bits();
  cause = 2;
  goto exception;

  OP(kJal) {
    RD = block->pc + static_cast<u64>(static_cast<i64>(ip[1].imm));
    FOLLOW(ip + 1);
  }
  OP(kJalr) {
    const u64 target = (A + IMM) & ~u64{1};
    RD = block->pc + 2u * ip->at + ip->rs2;
    Block* const next = hart->blocks_.find(target);
    if (__builtin_expect(next == nullptr, false)) {
      hart->pc_ = target;
      goto at_pc_checked;
    }
    block = next;
    ENTER;
  }
  OP(kEnd) FOLLOW(ip + 1);
  OP(kTrace) {
    if (hart->tracer_ != nullptr)
      hart->tracer_->next(*hart, block->pc + 2u * ip->at, static_cast<u32>(ip->imm),
                          limit - static_cast<u64>(remaining + block->count - executed(block, ip)));
    NEXT;
  }
  OP(kBreak) {
    hart->pc_ = block->pc;
    hart->cycle_ = limit - static_cast<u64>(remaining);
    return Stop::kBreakpoint;
  }

resolve_link: {
  Slot* const link = const_cast<Slot*>(ip) + 1;
  hart->pc_ = block->pc + IMM;
  if (remaining <= 0) goto at_pc_checked;
  Block* next = hart->blocks_.find(hart->pc_);
  if (next == nullptr) {
    if (hart->blocks_.nearly_full()) goto at_pc;  // building would drop the block the link is in
    next = hart->find_or_build(hart->pc_);
  }
  if (next == nullptr) goto at_pc;
  // Where another translation may put other code behind the same address, only links inside the page are kept.
  if (hart->privilege_ == Privilege::kMachine || ((next->pc ^ block->pc) >> kPageBits == 0 && !next->crosses))
    link->link = next;
  block = next;
  ENTER;
}
at_pc_checked:
  if (remaining > 0) goto at_pc;
  hart->cycle_ = limit - static_cast<u64>(remaining);
  return Stop::kLimit;

out_of_budget:
  hart->pc_ = block->pc;
  hart->cycle_ = limit - static_cast<u64>(remaining);
  return Stop::kLimit;

load_slow: {
  u64 value = 0;
  const Access access = hart->load_slow(address, ip->rs2, value);
  if (access == Access::kDone) {
    RD = value;
    NEXT;
  }
  hart->pc_ = block->pc + 2u * ip->at;
  remaining += block->count - executed(block, ip) - 1;
  hart->cycle_ = limit - static_cast<u64>(remaining);
  if (access == Access::kFault) {
    cause = hart->fault_;
    goto exception;
  }
  if (!hart->load_device(ip->rs2, value)) {
    hart->trap_value_ = address;
    cause = 5;
    goto exception;
  }
  RD = value;
  hart->pc_ = block->pc + 2u * ip[1].at;
  return Stop::kCheck;
}

store_slow: {
  const Access access = hart->store_slow(address, ip->rd, B);
  if (access == Access::kDone && !hart->flush_pending_) NEXT;
  hart->pc_ = block->pc + 2u * ip->at;
  remaining += block->count - executed(block, ip) - 1;
  hart->cycle_ = limit - static_cast<u64>(remaining);
  if (access == Access::kFault) {
    cause = hart->fault_;
    goto exception;
  }
  if (access != Access::kDone && !hart->store_device(ip->rd, B)) {
    hart->trap_value_ = address;
    cause = 7;
    goto exception;
  }
  hart->pc_ = block->pc + 2u * ip[1].at;
  return Stop::kCheck;
}

  OP(kLr) cause = hart->atomic(Op::kLr, *ip); goto atomic_done;
  OP(kSc) cause = hart->atomic(Op::kSc, *ip); goto atomic_done;
  OP(kAmo) cause = hart->atomic(Op::kAmo, *ip); goto atomic_done;
atomic_done: {
  if (cause == 0 && !hart->flush_pending_) NEXT;
  hart->pc_ = block->pc + 2u * ip->at;
  remaining += block->count - executed(block, ip) - 1;
  hart->cycle_ = limit - static_cast<u64>(remaining);
  if (cause == kOverBus) {
    const void* const handler = ip->handler;
    const Op op = handler == table[static_cast<unsigned>(Op::kLr)]   ? Op::kLr
                  : handler == table[static_cast<unsigned>(Op::kSc)] ? Op::kSc
                                                                     : Op::kAmo;
    cause = hart->atomic(op, *ip, true);
  }
  if (cause != 0) goto exception;
  hart->pc_ = block->pc + 2u * ip[1].at;
  return Stop::kCheck;
}

  // From here on the instruction is the last one of its block, so all its cycles are paid.
  OP(kIllegal) cause = static_cast<unsigned>(Op::kIllegal); goto system;
  OP(kFenceI) cause = static_cast<unsigned>(Op::kFenceI); goto system;
  OP(kCsr) cause = static_cast<unsigned>(Op::kCsr); goto system;
  OP(kEcall) cause = static_cast<unsigned>(Op::kEcall); goto system;
  OP(kEbreak) cause = static_cast<unsigned>(Op::kEbreak); goto system;
  OP(kMret) cause = static_cast<unsigned>(Op::kMret); goto system;
  OP(kSret) cause = static_cast<unsigned>(Op::kSret); goto system;
  OP(kWfi) cause = static_cast<unsigned>(Op::kWfi); goto system;
  OP(kSfenceVma) cause = static_cast<unsigned>(Op::kSfenceVma); goto system;

system: {
  const Op op = static_cast<Op>(cause);
  hart->pc_ = block->pc + 2u * ip->at;
  hart->cycle_ = limit - static_cast<u64>(remaining) - 1;  // counters read as before this instruction
  cause = hart->system(op, *ip);
  ++hart->cycle_;
  if (cause != 0) goto exception;
  if (op == Op::kWfi && !hart->wakes()) return Stop::kWfi;
  goto after_event;
}

exception:
  if (cause == kWatched) {  // not executed
    --hart->cycle_;
    return Stop::kWatchpoint;
  }
  ++hart->idle_;  // it took its cycle but did not retire
  hart->trap(cause, hart->trap_value_);
after_event:
  if (hart->check_pending_) return Stop::kCheck;
  remaining = static_cast<i64>(limit - hart->cycle_);
  if (remaining <= 0) return Stop::kLimit;
  goto at_pc;
}

Hart::Hart(HartBus& bus, std::uint64_t id) : bus_(bus), id_(id) {
  execute(nullptr, 0, &handlers_);
  reset(0);
}

Stop Hart::run(std::uint64_t limit) { return execute(this, limit, nullptr); }

}  // namespace gyre::host
