// The front end on the host: runs the stages of the device kernels (firmware/device/frontend) thread by thread, on
// buffers laid out as in frontend.md §11. Bit for bit what the kernels leave in device memory.
#pragma once

#include <cstdint>
#include <vector>

#include "gfx.h"

namespace gyre::reference {

// Launch geometry of the kernels: threads in a CTA, CTAs in the grid. Changes the scratch buffers, never the result.
struct Grid {
  std::uint32_t threads = 1;
  std::uint32_t ctas = 1;
};

// 0 for a field means what it means in gyre_pipe_arg.
struct FrontEndState {
  std::uint32_t width = 0, height = 0;  // pixels
  std::uint32_t cull_mode = GYRE_CULL_NONE;
  float vp_sx = 0, vp_tx = 0, vp_sy = 0, vp_ty = 0, vp_minz = 0, vp_maxz = 0;
  std::uint32_t vp_halfz = 0;
  std::uint32_t bin_log = 7;
  std::uint32_t subpixel_bits = 0;
  std::uint32_t keys_cap = 0;  // 0: room for every key
  bool flat = false;           // fill the flat array
};

// Sub-pixel bits the setup uses for a target of this size when nothing else is asked for: 4..8.
std::uint32_t subpixel_bits_for(std::uint32_t width, std::uint32_t height, std::uint32_t bin_log = 7);

// Default capacity of the key buffer (frontend.md §11).
std::uint32_t default_keys_cap(std::uint32_t num_tris, std::uint32_t num_bins);

struct FrontEndBuffers {
  std::vector<std::uint32_t> keep, offset, tsum;
  std::vector<gyre_prim> prim;
  std::vector<gyre_bbox> bbox;
  std::vector<std::uint32_t> bcount, boffset, keys, btsum, thist, bincount, binbase;
  std::vector<std::uint32_t> tilebuf;  // headers (3 words a bin), then pids
  std::vector<std::uint32_t> flat;     // 12 words a primitive, or empty
  std::uint32_t meta[4] = {};          // GYRE_META_*
  std::uint32_t num_bins = 0, bin_cols = 0;

  std::uint32_t prims() const { return meta[GYRE_META_PRIMS]; }
  gyre_bin_header header(std::uint32_t bin) const;
  const std::uint32_t* pids(std::uint32_t bin) const;  // header(bin).pids_count of them
};

// Vertex expansion: `num_verts` VS records of `stride` bytes with varyings of `comps` scalars each.
std::vector<gyre_setup_vertex> expand(const void* records, std::uint32_t num_verts, std::uint32_t stride,
                                      const std::vector<std::uint32_t>& comps, Grid grid = {});

// All nine stages over num_verts / 3 triangles.
FrontEndBuffers run_front_end(const FrontEndState& state, const std::vector<gyre_setup_vertex>& verts, Grid grid = {});

// The argument block the stages read, without the buffer addresses.
gyre_pipe_arg make_pipe_arg(const FrontEndState& state, std::uint32_t num_tris, Grid grid);

}  // namespace gyre::reference
