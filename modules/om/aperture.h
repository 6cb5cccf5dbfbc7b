// The export aperture: record address <-> {attachment, face, y, x} (om.md §3).
#pragma once

#include <cstdint>

#include "device_map.h"

namespace gyre::om {

struct ApertureGeometry {
  std::uint8_t xbits = 0;  // 0..15, ceil(log2(render width))
  std::uint8_t ybits = 0;
  std::uint8_t record_shift = 0;  // 2: one word a record, 3: colour and depth; 0: never programmed
  bool depth_only = false;        // one-word records hold depth; ignored with pairs

  bool pairs() const { return record_shift == 3; }
  // Address bits of one attachment must leave room in the 256 MiB window.
  bool fits() const { return xbits + ybits + 1u + record_shift <= 28u; }
};

struct Pixel {
  std::uint32_t x = 0, y = 0;
  std::uint32_t face = 0;  // 0 front, 1 back
  std::uint32_t rt = 0;    // colour attachment 0..3
};

constexpr std::uint32_t encode_record(const ApertureGeometry& g, const Pixel& p) {
  return (((p.rt << 1 | p.face) << g.ybits | p.y) << g.xbits) | p.x;
}
// Byte address a shader exports to.
constexpr std::uint32_t encode_address(const ApertureGeometry& g, const Pixel& p) {
  return GYRE_DEV_APERTURE_BASE + (encode_record(g, p) << g.record_shift);
}

constexpr Pixel decode_record(const ApertureGeometry& g, std::uint32_t record) {
  Pixel p;
  p.x = record & ((1u << g.xbits) - 1);
  p.y = (record >> g.xbits) & ((1u << g.ybits) - 1);
  p.face = (record >> (g.xbits + g.ybits)) & 1;
  p.rt = (record >> (g.xbits + g.ybits) >> 1) & 3;
  return p;
}

}  // namespace gyre::om
