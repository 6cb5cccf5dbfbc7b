// Depth and stencil test and update of one fragment (om.md §6).
#pragma once

#include <cstdint>

#include "om_state.h"

namespace gyre::om {

constexpr std::uint32_t kDepthMask = 0x00FFFFFFu;

// True when `incoming` OP `stored`, unsigned. `code`: GYRE_CMP_*.
constexpr bool compare(unsigned code, std::uint32_t incoming, std::uint32_t stored) {
  // Bits of a code: bit 0 passes when less, bit 1 when equal, bit 2 when greater.
  constexpr std::uint32_t kPasses =
      0b111u << 0 | 0b000u << 3 | 0b001u << 6 | 0b011u << 9 | 0b010u << 12 | 0b110u << 15 | 0b100u << 18 | 0b101u << 21;
  const unsigned relation = (incoming >= stored ? 1u : 0u) + (incoming > stored ? 1u : 0u);
  return (kPasses >> (3 * code + relation) & 1) != 0;
}

// `code`: GYRE_STENCIL_*; v: stored value, ref: unmasked reference; 8 bits each.
constexpr std::uint32_t stencil_op(unsigned code, std::uint32_t ref, std::uint32_t v) {
  switch (code) {
    case GYRE_STENCIL_ZERO:
      return 0;
    case GYRE_STENCIL_REPLACE:
      return ref;
    case GYRE_STENCIL_INCR:
      return v < 0xFF ? v + 1 : 0xFF;
    case GYRE_STENCIL_DECR:
      return v > 0 ? v - 1 : 0;
    case GYRE_STENCIL_INVERT:
      return ~v & 0xFF;
    case GYRE_STENCIL_INCR_WRAP:
      return (v + 1) & 0xFF;
    case GYRE_STENCIL_DECR_WRAP:
      return (v - 1) & 0xFF;
    default:
      return v;
  }
}

struct DepthStencilResult {
  std::uint32_t word;  // new {stencil, depth}
  bool pass;           // both tests: gates the colour write
  bool write;          // the word has to be written
};

// `word`: stored {stencil[31:24], depth[23:0]}; `depth`: incoming, low 24 bits count. Needs state.ds_enabled().
inline DepthStencilResult depth_stencil(const OmState& state, unsigned face, std::uint32_t depth, std::uint32_t word) {
  const std::uint32_t incoming = depth & kDepthMask;
  const bool depth_pass = compare(state.depth_func(), incoming, word & kDepthMask);
  const StencilFace& f = state.face(face);
  if (!f.enabled) {
    const bool write = depth_pass && state.depth_writes();
    return {write ? (word & ~kDepthMask) | incoming : word, depth_pass, write};
  }
  const std::uint32_t stored = word >> 24;
  const bool stencil_pass = compare(f.func, std::uint32_t{f.ref} & f.mask, stored & f.mask);
  const unsigned op = !stencil_pass ? f.fail : !depth_pass ? f.zfail : f.zpass;
  const std::uint32_t stencil = (stencil_op(op, f.ref, stored) & f.writemask) | (stored & ~std::uint32_t{f.writemask});
  const bool pass = stencil_pass && depth_pass;
  const bool depth_write = pass && state.depth_writes();  // a failed stencil test never changes depth
  const std::uint32_t z = depth_write ? incoming : word & kDepthMask;
  return {stencil << 24 | z, pass, depth_write || f.writes};
}

}  // namespace gyre::om
