// Integer semantics, once for every width and shape: U and S are the unsigned and the signed type of the operands,
// either vectors of 32-bit lanes (exec_int.cpp) or one 32-bit or 64-bit word (exec_wide.cpp). Included by these files
// only.
#pragma once

#include <cstdint>

namespace gyre::core::GYRE_EXEC_NS {
namespace {

using u32 = std::uint32_t;
using s32 = std::int32_t;
using u64 = std::uint64_t;
using s64 = std::int64_t;

// All ones where a comparison holds: a vector comparison is that already, a scalar one is 0 or 1.
template <class U, class C>
inline __attribute__((always_inline)) U all_ones_if(C c) {
  if constexpr (sizeof(C) == 1)
    return static_cast<U>(U{0} - static_cast<U>(c));
  else
    return (U)c;
}
// Bits of a shift count that matter; vectors have 32-bit lanes.
template <class U>
constexpr unsigned kCountMask = 31;
template <>
constexpr unsigned kCountMask<u64> = 63;

struct Add {
  template <class U, class S>
  static U f(U a, U b) {
    return a + b;
  }
};
struct Sub {
  template <class U, class S>
  static U f(U a, U b) {
    return a - b;
  }
};
struct Xor {
  template <class U, class S>
  static U f(U a, U b) {
    return a ^ b;
  }
};
struct Or {
  template <class U, class S>
  static U f(U a, U b) {
    return a | b;
  }
};
struct And {
  template <class U, class S>
  static U f(U a, U b) {
    return a & b;
  }
};
struct Sll {
  template <class U, class S>
  static U f(U a, U b) {
    return a << (b & kCountMask<U>);
  }
};
struct Srl {
  template <class U, class S>
  static U f(U a, U b) {
    return a >> (b & kCountMask<U>);
  }
};
struct Sra {
  template <class U, class S>
  static U f(U a, U b) {
    return (U)((S)a >> (S)(b & kCountMask<U>));
  }
};
struct Slt {
  template <class U, class S>
  static U f(U a, U b) {
    return (U)((S)a < (S)b) & 1u;
  }
};
struct Sltu {
  template <class U, class S>
  static U f(U a, U b) {
    return (U)(a < b) & 1u;
  }
};
struct Mul {
  template <class U, class S>
  static U f(U a, U b) {
    return a * b;
  }
};
struct CzeroEqz {
  template <class U, class S>
  static U f(U a, U b) {
    return a & ~all_ones_if<U>(b == 0u);
  }
};
struct CzeroNez {
  template <class U, class S>
  static U f(U a, U b) {
    return a & all_ones_if<U>(b == 0u);
  }
};

// ---- one lane at a time
template <class U>
struct Widths;
template <>
struct Widths<u32> {
  using Signed = s32;
  using Twice = u64;
  using SignedTwice = s64;
};
template <>
struct Widths<u64> {
  using Signed = s64;
  using Twice = unsigned __int128;
  using SignedTwice = __int128;
};
template <class U>
using SignedOf = typename Widths<U>::Signed;
template <class U>
constexpr unsigned kBits = 8 * sizeof(U);

struct Mulh {
  template <class U>
  static U f(U a, U b) {
    using T = typename Widths<U>::SignedTwice;
    return static_cast<U>((T{static_cast<SignedOf<U>>(a)} * static_cast<SignedOf<U>>(b)) >> kBits<U>);
  }
};
struct Mulhsu {
  template <class U>
  static U f(U a, U b) {
    using T = typename Widths<U>::SignedTwice;
    return static_cast<U>((T{static_cast<SignedOf<U>>(a)} * static_cast<T>(b)) >> kBits<U>);
  }
};
struct Mulhu {
  template <class U>
  static U f(U a, U b) {
    return static_cast<U>((typename Widths<U>::Twice{a} * b) >> kBits<U>);
  }
};
template <class U>
constexpr bool overflows(U a, U b) {
  return a == U{1} << (kBits<U> - 1) && b == static_cast<U>(~U{0});
}
struct Div {
  template <class U>
  static U f(U a, U b) {
    if (b == 0) return static_cast<U>(~U{0});
    if (overflows(a, b)) return a;
    return static_cast<U>(static_cast<SignedOf<U>>(a) / static_cast<SignedOf<U>>(b));
  }
};
struct Divu {
  template <class U>
  static U f(U a, U b) {
    return b == 0 ? static_cast<U>(~U{0}) : a / b;
  }
};
struct Rem {
  template <class U>
  static U f(U a, U b) {
    if (b == 0) return a;
    if (overflows(a, b)) return 0;
    return static_cast<U>(static_cast<SignedOf<U>>(a) % static_cast<SignedOf<U>>(b));
  }
};
struct Remu {
  template <class U>
  static U f(U a, U b) {
    return b == 0 ? a : a % b;
  }
};

// Conditions of branches: of one lane, and of a vector of lanes as all ones or zero.
struct Eq {
  template <class U>
  static bool s(U a, U b) {
    return a == b;
  }
  template <class U, class S>
  static U v(U a, U b) {
    return (U)(a == b);
  }
};
struct Less {
  template <class U>
  static bool s(U a, U b) {
    return static_cast<SignedOf<U>>(a) < static_cast<SignedOf<U>>(b);
  }
  template <class U, class S>
  static U v(U a, U b) {
    return (U)((S)a < (S)b);
  }
};
struct Below {
  template <class U>
  static bool s(U a, U b) {
    return a < b;
  }
  template <class U, class S>
  static U v(U a, U b) {
    return (U)(a < b);
  }
};

// The executors `E` of the operations that have the same shape at every width; null for all others.
template <class E>
Handler common_integer(riscv::Op op) {
  switch (op) {
    case riscv::Op::kLui:
      return E::lui;
    case riscv::Op::kAuipc:
      return E::auipc;
    case riscv::Op::kJal:
      return E::jal;
    case riscv::Op::kJalr:
      return E::jalr;
    case riscv::Op::kBeq:
      return E::template branch<Eq, false>;
    case riscv::Op::kBne:
      return E::template branch<Eq, true>;
    case riscv::Op::kBlt:
      return E::template branch<Less, false>;
    case riscv::Op::kBge:
      return E::template branch<Less, true>;
    case riscv::Op::kBltu:
      return E::template branch<Below, false>;
    case riscv::Op::kBgeu:
      return E::template branch<Below, true>;
    case riscv::Op::kAddi:
      return E::template ri<Add>;
    case riscv::Op::kSlti:
      return E::template ri<Slt>;
    case riscv::Op::kSltiu:
      return E::template ri<Sltu>;
    case riscv::Op::kXori:
      return E::template ri<Xor>;
    case riscv::Op::kOri:
      return E::template ri<Or>;
    case riscv::Op::kAndi:
      return E::template ri<And>;
    case riscv::Op::kAdd:
      return E::template rr<Add>;
    case riscv::Op::kSub:
      return E::template rr<Sub>;
    case riscv::Op::kSll:
      return E::template rr<Sll>;
    case riscv::Op::kSlt:
      return E::template rr<Slt>;
    case riscv::Op::kSltu:
      return E::template rr<Sltu>;
    case riscv::Op::kXor:
      return E::template rr<Xor>;
    case riscv::Op::kSrl:
      return E::template rr<Srl>;
    case riscv::Op::kSra:
      return E::template rr<Sra>;
    case riscv::Op::kOr:
      return E::template rr<Or>;
    case riscv::Op::kAnd:
      return E::template rr<And>;
    case riscv::Op::kMul:
      return E::template rr<Mul>;
    case riscv::Op::kMulh:
      return E::template scalar<Mulh>;
    case riscv::Op::kMulhsu:
      return E::template scalar<Mulhsu>;
    case riscv::Op::kMulhu:
      return E::template scalar<Mulhu>;
    case riscv::Op::kDiv:
      return E::template scalar<Div>;
    case riscv::Op::kDivu:
      return E::template scalar<Divu>;
    case riscv::Op::kRem:
      return E::template scalar<Rem>;
    case riscv::Op::kRemu:
      return E::template scalar<Remu>;
    case riscv::Op::kCzeroEqz:
      return E::template rr<CzeroEqz>;
    case riscv::Op::kCzeroNez:
      return E::template rr<CzeroNez>;
    default:
      return nullptr;
  }
}

}  // namespace
}  // namespace gyre::core::GYRE_EXEC_NS
