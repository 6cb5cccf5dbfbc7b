// The state of one draw as the units hold it after the player's register writes.
#pragma once

#include <cstddef>
#include <cstdint>

#include "front_end.h"
#include "om_state.h"
#include "package_view.h"
#include "tex_state.h"

namespace gyre::reference {

struct DrawState {
  om::OmState om;
  tex::TexState tex;
  gyre_tex_desc desc[2] = {};             // slot 1 of the fragment arguments
  float uniform[8] = {};                  // slot 9: flat colour, lod_value
  const std::uint8_t* texels = nullptr;   // texture data; tex bank addresses are offsets into it
  std::size_t texel_bytes = 0;
  FrontEndState front_end;
};

DrawState make_draw_state(const scene::PackageView& package, std::size_t draw);

// log2 of the smallest power of two that holds `size`: the aperture bits of a target side (om.md §3.2).
std::uint32_t aperture_bits(std::uint32_t size);

}  // namespace gyre::reference
