#include "front_end.h"

#include <algorithm>
#include <cstring>

#include "stages.h"

namespace gyre::reference {

namespace {

template <class T>
std::uint64_t address(const T* pointer) {
  return reinterpret_cast<std::uintptr_t>(pointer);
}

void run_stage(gyre_pipe_arg& arg, std::uint32_t stage, Grid grid) {
  arg.stage = stage;
  const bool one_cta = stage == GYRE_STAGE_SCAN || stage == GYRE_STAGE_BSCAN || stage == GYRE_STAGE_BBASE;
  const std::uint32_t ctas = one_cta ? 1 : grid.ctas;
  for (std::uint32_t cta = 0; cta < ctas; ++cta) {
    for (std::uint32_t phase = 0; phase < gyre_stage_phases(stage); ++phase) {
      for (std::uint32_t thread = 0; thread < grid.threads; ++thread) {
        const gyre_place_in_grid at = {thread, grid.threads, cta, ctas};
        if (stage <= GYRE_STAGE_EMIT) {
          gyre_setup_phase(&arg, &at, stage, phase);
        } else {
          gyre_binning_phase(&arg, &at, stage, phase);
        }
      }
    }
  }
}

}  // namespace

std::uint32_t subpixel_bits_for(std::uint32_t width, std::uint32_t height, std::uint32_t bin_log) {
  const std::uint32_t pad = (1u << std::max(bin_log, 7u)) - 1;
  return gyre_subpixel_rule((width + pad) & ~pad, (height + pad) & ~pad);
}

std::uint32_t default_keys_cap(std::uint32_t num_tris, std::uint32_t num_bins) {
  const std::uint64_t all = 2ull * num_tris * num_bins;
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(all, 8ull * num_tris + 64ull * num_bins));
}

gyre_bin_header FrontEndBuffers::header(std::uint32_t bin) const {
  return {tilebuf[3 * bin], tilebuf[3 * bin + 1], tilebuf[3 * bin + 2]};
}

const std::uint32_t* FrontEndBuffers::pids(std::uint32_t bin) const {
  return tilebuf.data() + 3 * num_bins + header(bin).pids_offset;
}

std::vector<gyre_setup_vertex> expand(const void* records, std::uint32_t num_verts, std::uint32_t stride,
                                      const std::vector<std::uint32_t>& comps, Grid grid) {
  std::vector<gyre_setup_vertex> out(num_verts);
  gyre_expand_arg arg{};
  arg.vsrec = address(records);
  arg.verts = address(out.data());
  arg.num_verts = num_verts;
  arg.vstride = stride;
  arg.num_varyings = static_cast<std::uint32_t>(std::min<std::size_t>(comps.size(), 16));
  for (std::uint32_t i = 0; i < arg.num_varyings; ++i) arg.varying_comps[i] = comps[i];
  for (std::uint32_t cta = 0; cta < grid.ctas; ++cta) {
    for (std::uint32_t thread = 0; thread < grid.threads; ++thread) {
      const gyre_place_in_grid at = {thread, grid.threads, cta, grid.ctas};
      gyre_expand_run(&arg, &at);
    }
  }
  return out;
}

gyre_pipe_arg make_pipe_arg(const FrontEndState& state, std::uint32_t num_tris, Grid grid) {
  gyre_pipe_arg arg{};
  arg.num_tris = num_tris;
  arg.width = state.width;
  arg.height = state.height;
  const std::uint32_t bin_log = state.bin_log != 0 ? state.bin_log : 7;
  const std::uint32_t bin = 1u << bin_log;
  arg.bin_cols = (state.width + bin - 1) >> bin_log;
  arg.num_bins = arg.bin_cols * ((state.height + bin - 1) >> bin_log);
  arg.bin_stripe = (arg.num_bins + grid.ctas - 1) / grid.ctas;
  arg.cull_mode = state.cull_mode;
  arg.vp_sx = state.vp_sx;
  arg.vp_tx = state.vp_tx;
  arg.vp_sy = state.vp_sy;
  arg.vp_ty = state.vp_ty;
  arg.vp_minz = state.vp_minz;
  arg.vp_maxz = state.vp_maxz;
  arg.vp_halfz = state.vp_halfz;
  arg.keys_cap = state.keys_cap;
  arg.bin_log = state.bin_log;
  arg.subpixel_bits = state.subpixel_bits;
  return arg;
}

FrontEndBuffers run_front_end(const FrontEndState& state, const std::vector<gyre_setup_vertex>& verts, Grid grid) {
  const std::uint32_t num_tris = static_cast<std::uint32_t>(verts.size() / 3);
  gyre_pipe_arg arg = make_pipe_arg(state, num_tris, grid);
  FrontEndBuffers b;
  b.num_bins = arg.num_bins;
  b.bin_cols = arg.bin_cols;
  b.keep.resize(num_tris);
  b.offset.resize(num_tris + 1);
  b.tsum.resize(grid.threads);
  b.btsum.resize(grid.threads);
  arg.verts = address(verts.data());
  arg.keep = address(b.keep.data());
  arg.offset = address(b.offset.data());
  arg.tsum = address(b.tsum.data());
  arg.meta = address(b.meta);
  run_stage(arg, GYRE_STAGE_SETUP, grid);
  run_stage(arg, GYRE_STAGE_SCAN, grid);

  const std::uint32_t prims = b.prims();
  b.prim.resize(prims);
  b.bbox.resize(prims);
  b.bcount.resize(prims);
  b.boffset.resize(prims + 1);
  if (state.flat) b.flat.resize(std::size_t{prims} * GYRE_LANES);
  arg.prim = address(b.prim.data());
  arg.bbox = address(b.bbox.data());
  arg.flat = state.flat ? address(b.flat.data()) : 0;
  arg.bcount = address(b.bcount.data());
  arg.boffset = address(b.boffset.data());
  arg.btsum = address(b.btsum.data());
  run_stage(arg, GYRE_STAGE_EMIT, grid);
  run_stage(arg, GYRE_STAGE_BCOUNT, grid);
  run_stage(arg, GYRE_STAGE_BSCAN, grid);

  // the device allocates for the worst case; here the size is known by now
  const std::uint32_t keys = b.meta[GYRE_META_KEYS];
  b.keys.resize(keys);
  b.thist.resize(std::size_t{grid.threads} * b.num_bins);
  b.bincount.resize(b.num_bins);
  b.binbase.resize(b.num_bins);
  b.tilebuf.resize(std::size_t{3} * b.num_bins + keys);
  arg.keys = address(b.keys.data());
  arg.thist = address(b.thist.data());
  arg.bincount = address(b.bincount.data());
  arg.binbase = address(b.binbase.data());
  arg.tilebuf = address(b.tilebuf.data());
  for (std::uint32_t stage = GYRE_STAGE_BEMIT; stage <= GYRE_STAGE_BSCATTER; ++stage) run_stage(arg, stage, grid);
  return b;
}

}  // namespace gyre::reference
