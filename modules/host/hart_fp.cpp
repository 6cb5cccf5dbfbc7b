// F and D, complete: what the interpreter's fast executors do not handle.
#include "fp.h"
#include "hart.h"

namespace gyre::host {
namespace {

namespace fp = riscv::fp;
using fp::Double;
using fp::Single;
using FpOp = riscv::Op;

constexpr std::uint64_t kBox = 0xFFFFFFFF00000000u;

template <class F>
typename F::Bits unbox(std::uint64_t value) {
  if constexpr (sizeof(typename F::Bits) == 8) return value;
  else return (value & kBox) == kBox ? static_cast<std::uint32_t>(value) : fp::kCanonicalNan<Single>;
}
std::uint64_t box(std::uint32_t value) { return value | kBox; }
std::uint64_t box(std::uint64_t value) { return value; }

std::uint64_t extend32(std::uint64_t value) {
  return static_cast<std::uint64_t>(static_cast<std::int64_t>(static_cast<std::int32_t>(value)));
}

// Operation as if it were the one on singles: the two lists of riscv::Op have the same order.
template <class F>
std::uint64_t compute(FpOp op, std::uint64_t ra, std::uint64_t rb, std::uint64_t rc, unsigned rm, unsigned& flags) {
  const auto a = unbox<F>(ra), b = unbox<F>(rb), c = unbox<F>(rc);
  constexpr auto sign = fp::kSign<F>;
  switch (op) {
    case FpOp::kFmaddS: return box(fp::fma<F>(a, b, c, rm, flags));
    case FpOp::kFmsubS: return box(fp::fma<F>(a, b, c ^ sign, rm, flags));
    case FpOp::kFnmsubS: return box(fp::fma<F>(a ^ sign, b, c, rm, flags));
    case FpOp::kFnmaddS: return box(fp::fma<F>(a ^ sign, b, c ^ sign, rm, flags));
    case FpOp::kFaddS: return box(fp::add<F>(a, b, rm, flags));
    case FpOp::kFsubS: return box(fp::sub<F>(a, b, rm, flags));
    case FpOp::kFmulS: return box(fp::mul<F>(a, b, rm, flags));
    case FpOp::kFdivS: return box(fp::div<F>(a, b, rm, flags));
    case FpOp::kFsqrtS: return box(fp::sqrt<F>(a, rm, flags));
    case FpOp::kFsgnjS: return box((a & ~sign) | (b & sign));
    case FpOp::kFsgnjnS: return box((a & ~sign) | (~b & sign));
    case FpOp::kFsgnjxS: return box(a ^ (b & sign));
    case FpOp::kFminS: return box(fp::min<F>(a, b, flags));
    case FpOp::kFmaxS: return box(fp::max<F>(a, b, flags));
    case FpOp::kFcvtWS: return fp::to_int<F>(a, 32, false, rm, flags);
    case FpOp::kFcvtWuS: return fp::to_int<F>(a, 32, true, rm, flags);
    case FpOp::kFcvtLS: return fp::to_int<F>(a, 64, false, rm, flags);
    case FpOp::kFcvtLuS: return fp::to_int<F>(a, 64, true, rm, flags);
    case FpOp::kFeqS: return fp::eq<F>(a, b, flags);
    case FpOp::kFltS: return fp::lt<F>(a, b, flags);
    case FpOp::kFleS: return fp::le<F>(a, b, flags);
    case FpOp::kFclassS: return fp::classify<F>(a);
    case FpOp::kFcvtSW: return box(fp::from_int<F>(extend32(ra), false, rm, flags));
    case FpOp::kFcvtSWu: return box(fp::from_int<F>(ra & 0xFFFFFFFFu, true, rm, flags));
    case FpOp::kFcvtSL: return box(fp::from_int<F>(ra, false, rm, flags));
    case FpOp::kFcvtSLu: return box(fp::from_int<F>(ra, true, rm, flags));
    default: return 0;
  }
}

// The fields below belong to the double list: shifted onto the list of singles.
FpOp as_single(FpOp op) {
  return static_cast<FpOp>(static_cast<unsigned>(op) - static_cast<unsigned>(FpOp::kFld) + static_cast<unsigned>(FpOp::kFlw));
}
static_assert(static_cast<unsigned>(FpOp::kFmvDX) - static_cast<unsigned>(FpOp::kFld) ==
              static_cast<unsigned>(FpOp::kFmvWX) - static_cast<unsigned>(FpOp::kFlw));

// Moves, signs, comparisons, minimum and classes have no rounding mode: funct3 means something else there.
bool rounds(FpOp op) {
  return !(op >= FpOp::kFsgnjS && op <= FpOp::kFmaxS) && !(op >= FpOp::kFmvXW && op <= FpOp::kFclassS) && op != FpOp::kFmvWX;
}

}  // namespace

bool Hart::fp_operation(const Slot& slot) {
  const auto bits = static_cast<std::uint32_t>(slot.imm);
  const FpOp op = static_cast<FpOp>(bits & 0xFF);
  const bool is_double = op >= FpOp::kFld && op <= FpOp::kFmvDX;
  const FpOp single = is_double ? as_single(op) : op;
  unsigned rm = (bits >> 8) & 7;
  if (rounds(single) && rm == fp::kDynamic) {
    rm = (fcsr_ >> 5) & 7;
    if (rm > fp::kRmm) return false;
  }
  const std::uint64_t a = x_[slot.rs1], b = x_[slot.rs2], c = x_[bits >> 16];
  unsigned flags = 0;
  std::uint64_t result;
  switch (op) {
    case FpOp::kFmvXW: result = extend32(a); break;
    case FpOp::kFmvWX: result = box(static_cast<std::uint32_t>(a)); break;
    case FpOp::kFmvXD: case FpOp::kFmvDX: result = a; break;
    case FpOp::kFcvtSD: result = box(fp::narrow(a, rm, flags)); break;
    case FpOp::kFcvtDS: result = fp::widen(unbox<Single>(a), flags); break;
    default:
      result = is_double ? compute<Double>(single, a, b, c, rm, flags) : compute<Single>(single, a, b, c, rm, flags);
      break;
  }
  x_[slot.rd] = result;
  fcsr_ |= flags;
  return true;
}

}  // namespace gyre::host
