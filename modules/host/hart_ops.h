// Meanings of instructions that are more than an operator of the language, for the interpreter.
#pragma once

#include <cstdint>
#include <cstring>

#include "block_cache.h"
#include "fp.h"

namespace gyre::host::ops {

using i32 = std::int32_t;
using i64 = std::int64_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;

constexpr u64 kPageMask = ~(kPageBytes - 1);

inline u64 sext(u32 value) { return static_cast<u64>(static_cast<i64>(static_cast<i32>(value))); }
inline u64 mulh(u64 a, u64 b) {
  return static_cast<u64>((static_cast<__int128>(static_cast<i64>(a)) * static_cast<i64>(b)) >> 64);
}
inline u64 mulhu(u64 a, u64 b) { return static_cast<u64>((static_cast<unsigned __int128>(a) * b) >> 64); }
inline u64 mulhsu(u64 a, u64 b) { return mulhu(a, b) - (static_cast<i64>(a) < 0 ? b : 0); }

template <class Signed, class Unsigned>
Signed divide(Signed a, Signed b) {
  if (b == 0) return -1;
  if (b == -1) return static_cast<Signed>(Unsigned{0} - static_cast<Unsigned>(a));  // the one overflow is -min = min
  return a / b;
}
template <class Signed>
Signed remainder(Signed a, Signed b) {
  return b == 0 ? a : b == -1 ? 0 : a % b;
}

// Fast floating point: round to nearest, inexact already accrued, operands zero or normal, result normal and not near
// the end of the range. Then the processor's result is the right one and no other flag can be raised.
constexpr unsigned kFastMask = 7u << 5 | riscv::fp::kNx;  // frm and NX of fcsr
constexpr u64 kBox = 0xFFFFFFFF00000000u;
constexpr u64 kFs = 3ull << 13;  // mstatus.FS

struct Single {
  using Number = float;
  using Bits = u32;
  static bool boxed(u64 value) { return value >= kBox; }
  static u64 box(Bits bits) { return bits | kBox; }
  // Exponent field 1..254, or a zero.
  static bool plain(u64 bits) {
    const u32 magnitude = static_cast<u32>(bits) & 0x7FFFFFFFu;
    return magnitude - 0x00800000u < 0x7F000000u || magnitude == 0;
  }
  static bool safe(Bits bits) { return (bits & 0x7FFFFFFFu) - 0x01000000u < 0x7E000000u; }
};
struct Double {
  using Number = double;
  using Bits = u64;
  static bool boxed(u64) { return true; }
  static u64 box(Bits bits) { return bits; }
  static bool plain(u64 bits) {
    const u64 magnitude = bits & ~(u64{1} << 63);
    return magnitude - (u64{1} << 52) < u64{0x7FE} << 52 || magnitude == 0;
  }
  static bool safe(Bits bits) { return (bits & ~(u64{1} << 63)) - (u64{2} << 52) < u64{0x7FC} << 52; }
};

template <class F>
bool usable(u64 value) {
  return F::boxed(value) && F::plain(value);
}
template <class F>
typename F::Number number(u64 value) {
  const auto bits = static_cast<typename F::Bits>(value);
  typename F::Number result;
  std::memcpy(&result, &bits, sizeof result);
  return result;
}

// Instructions of a block before `ip`. A traced one has two slots with one place.
inline i64 executed(const Block* block, const Slot* ip) {
  i64 count = 0;
  unsigned last = kLinkSlot;
  for (const Slot* slot = block->slots(); slot != ip; ++slot) {
    if (slot->at == kLinkSlot || slot->at == last) continue;
    last = slot->at;
    count += last != ip->at;
  }
  return count;
}

}  // namespace gyre::host::ops
