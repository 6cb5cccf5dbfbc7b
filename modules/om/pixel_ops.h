// One fragment through the output merger: test, blend, write decisions (om.md §6 to §8).
#pragma once

#include <cstdint>

#include "blend.h"
#include "depth_stencil.h"

namespace gyre::om {

struct Fragment {
  std::uint32_t rt = 0;      // 0..3
  std::uint32_t face = 0;    // 0 front, 1 back
  std::uint32_t depth = 0;   // low 24 bits
  std::uint32_t colour = 0;  // A8R8G8B8
};

struct FragmentResult {
  std::uint32_t depth_word;  // new {stencil, depth}, valid when write_depth
  std::uint32_t colour;      // before the write mask, valid when write_colour
  bool write_depth;
  bool write_colour;  // bytes of target(rt).byte_mask
  bool pass;          // survived the tests
};

// Bytes of `value` where `byte_mask` is set, else of `old`: what byte enables do.
constexpr std::uint32_t merge_bytes(std::uint32_t old, std::uint32_t value, std::uint32_t byte_mask) {
  return (old & ~byte_mask) | (value & byte_mask);
}

// `depth_word` is used only when state.ds_enabled(), `colour_word` only when target(rt).blend_enabled.
inline FragmentResult process_fragment(const OmState& state, const Fragment& fragment, std::uint32_t depth_word,
                                       std::uint32_t colour_word) {
  const Target& target = state.target(fragment.rt);
  FragmentResult result{depth_word, fragment.colour, false, false, true};
  if (state.ds_enabled()) {
    const DepthStencilResult ds = depth_stencil(state, fragment.face, fragment.depth, depth_word);
    result.depth_word = ds.word;
    result.write_depth = ds.write;
    result.pass = ds.pass;
  }
  if (result.pass && target.byte_mask != 0) {
    result.write_colour = true;
    result.colour = blend(target, fragment.colour, colour_word);
  }
  return result;
}

// The same on words in place. `depth_word` may be null unless state.ds_enabled(), `colour_word` unless the
// attachment's write mask is set. Returns whether the fragment survived the tests.
inline bool apply_fragment(const OmState& state, const Fragment& fragment, std::uint32_t* depth_word,
                           std::uint32_t* colour_word) {
  const Target& target = state.target(fragment.rt);
  const FragmentResult result =
      process_fragment(state, fragment, state.ds_enabled() ? *depth_word : 0, target.byte_mask != 0 ? *colour_word : 0);
  if (result.write_depth) *depth_word = result.depth_word;
  if (result.write_colour) *colour_word = merge_bytes(*colour_word, result.colour, target.byte_mask);
  return result.pass;
}

}  // namespace gyre::om
