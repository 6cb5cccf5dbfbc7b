// Integer operations done lane by lane: high products and divisions. Included by exec_int.cpp only.
#pragma once

#include <cstdint>

namespace gyre::core::GYRE_EXEC_NS {
namespace {

using u32 = std::uint32_t;
using s32 = std::int32_t;

struct Mulh {
  static u32 f(u32 a, u32 b) {
    return static_cast<u32>((std::int64_t{static_cast<s32>(a)} * static_cast<s32>(b)) >> 32);
  }
};
struct Mulhsu {
  static u32 f(u32 a, u32 b) {
    return static_cast<u32>((std::int64_t{static_cast<s32>(a)} * static_cast<std::int64_t>(b)) >> 32);
  }
};
struct Mulhu {
  static u32 f(u32 a, u32 b) { return static_cast<u32>((std::uint64_t{a} * b) >> 32); }
};
struct Div {
  static u32 f(u32 a, u32 b) {
    if (b == 0) return 0xFFFFFFFFu;
    if (a == 0x80000000u && b == 0xFFFFFFFFu) return a;
    return static_cast<u32>(static_cast<s32>(a) / static_cast<s32>(b));
  }
};
struct Divu {
  static u32 f(u32 a, u32 b) { return b == 0 ? 0xFFFFFFFFu : a / b; }
};
struct Rem {
  static u32 f(u32 a, u32 b) {
    if (b == 0) return a;
    if (a == 0x80000000u && b == 0xFFFFFFFFu) return 0;
    return static_cast<u32>(static_cast<s32>(a) % static_cast<s32>(b));
  }
};
struct Remu {
  static u32 f(u32 a, u32 b) { return b == 0 ? a : a % b; }
};

}  // namespace
}  // namespace gyre::core::GYRE_EXEC_NS
