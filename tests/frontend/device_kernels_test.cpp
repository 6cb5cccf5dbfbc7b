// The kernels on simulated cores leave the buffers that the host-compiled stages leave, byte for byte (frontend.md §17,
// 14); images built at -O1, -O2 and -O3, several warp widths and launch geometries.
#include <boost/test/data/monomorphic.hpp>
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

#include "device_image.h"
#include "package.h"
#include "scenes.h"

using namespace gyre;
using namespace gyre::test;
namespace data = boost::unit_test::data;

namespace {

template <class T>
void same(DeviceBench& bench, std::uint64_t address, const std::vector<T>& want, const char* what) {
  for (std::size_t i = 0; i < want.size(); ++i) {
    const auto at = static_cast<std::uint32_t>(address + i * sizeof(T));
    if (std::memcmp(bench.memory.at(at, sizeof(T)), &want[i], sizeof(T)) != 0) {
      throw std::runtime_error(std::string(what) + "[" + std::to_string(i) + "] differs");
    }
  }
}

struct Geometry {
  unsigned lanes, warps, threads, ctas;
};
std::ostream& operator<<(std::ostream& out, const Geometry& g) {
  return out << g.lanes << " lanes, " << g.ctas << " CTAs of " << g.threads;
}

// VS records of position, texcoord and colour: what the draw player uploads.
std::vector<float> records_of(const std::vector<gyre_setup_vertex>& verts) {
  std::vector<float> out;
  for (const auto& v : verts) {
    out.insert(out.end(), v.pos, v.pos + 4);
    out.insert(out.end(), {v.texcoord[0], v.texcoord[1], 0, 0});
    out.insert(out.end(), v.color, v.color + 4);
  }
  return out;
}

std::string run_draw(const std::string& image, const Geometry& g, const reference::FrontEndState& state,
                     const std::vector<gyre_setup_vertex>& verts, bool extra_lanes) {
  const reference::Grid grid = {g.threads, g.ctas};
  const auto records = records_of(verts);
  const auto num_verts = static_cast<std::uint32_t>(verts.size());
  auto expanded = reference::expand(records.data(), num_verts, GYRE_PKG_VSTRIDE, {2, 4}, grid);
  if (extra_lanes) expanded = verts;
  const auto want = reference::run_front_end(state, expanded, grid);

  RigConfig c;
  c.threads = g.lanes;
  c.warps = g.warps;
  DeviceBench bench(c, image);
  const std::uint32_t tris = num_verts / 3;
  gyre_expand_arg expand{};
  expand.vsrec = bench.upload(records.data(), records.size() * 4);
  expand.verts = bench.allocate(num_verts * sizeof(gyre_setup_vertex));
  expand.num_verts = num_verts;
  expand.vstride = GYRE_PKG_VSTRIDE;
  expand.num_varyings = 2;
  expand.varying_comps[0] = 2;
  expand.varying_comps[1] = 4;
  gyre_pipe_arg arg = reference::make_pipe_arg(state, tris, grid);
  arg.verts = extra_lanes ? bench.upload(verts.data(), verts.size() * sizeof verts[0]) : expand.verts;
  arg.keep = bench.allocate(4 * tris);
  arg.offset = bench.allocate(4 * (tris + 1));
  arg.tsum = bench.allocate(4 * g.threads);
  arg.btsum = bench.allocate(4 * g.threads);
  arg.prim = bench.allocate(2 * tris * sizeof(gyre_prim));
  arg.bbox = bench.allocate(2 * tris * sizeof(gyre_bbox));
  arg.flat = state.flat ? bench.allocate(2 * tris * GYRE_LANES * 4) : 0;
  arg.bcount = bench.allocate(8 * tris);
  arg.boffset = bench.allocate(4 * (2 * tris + 1));
  arg.keys = bench.allocate(4 * std::max<std::size_t>(want.keys.size(), 1));
  arg.thist = bench.allocate(4 * g.threads * arg.num_bins);
  arg.bincount = bench.allocate(4 * arg.num_bins);
  arg.binbase = bench.allocate(4 * arg.num_bins);
  arg.tilebuf = bench.allocate(12 * arg.num_bins + 4 * want.keys.size());
  arg.meta = bench.allocate(16);

  bench.grid(g.ctas, g.threads, bench.image.at("gyre_expand"), bench.upload(&expand, sizeof expand));
  bench.batch();
  for (std::uint32_t stage = GYRE_STAGE_SETUP; stage <= GYRE_STAGE_BSCATTER; ++stage) {
    arg.stage = stage;
    const bool one = stage == GYRE_STAGE_SCAN || stage == GYRE_STAGE_BSCAN || stage == GYRE_STAGE_BBASE;
    bench.grid(one ? 1 : g.ctas, g.threads,
               bench.image.at(stage <= GYRE_STAGE_EMIT ? "gyre_setup" : "gyre_binning"), bench.upload(&arg, sizeof arg),
               static_cast<std::uint8_t>(stage));
    bench.batch();
  }
  bench.run_to_idle();
  GYRE_CHECK(!bench.ctx.faults.valid());
  if (!extra_lanes) same(bench, expand.verts, expanded, "verts");
  same(bench, arg.meta, std::vector<std::uint32_t>(want.meta, want.meta + 4), "meta");
  same(bench, arg.keep, want.keep, "keep");
  same(bench, arg.offset, want.offset, "offset");
  same(bench, arg.tsum, want.tsum, "tsum");
  same(bench, arg.prim, want.prim, "prim");
  same(bench, arg.bbox, want.bbox, "bbox");
  same(bench, arg.flat, want.flat, "flat");
  same(bench, arg.bcount, want.bcount, "bcount");
  same(bench, arg.boffset, want.boffset, "boffset");
  same(bench, arg.keys, want.keys, "keys");
  same(bench, arg.thist, want.thist, "thist");
  same(bench, arg.bincount, want.bincount, "bincount");
  same(bench, arg.binbase, want.binbase, "binbase");
  same(bench, arg.tilebuf, want.tilebuf, "tilebuf");
  return std::to_string(want.prims()) + " primitives";
}

const Geometry kGeometries[] = {{4, 4, 16, 4}, {8, 8, 64, 2}, {8, 4, 20, 3}, {16, 4, 33, 5}, {32, 4, 128, 1}};

}  // namespace

BOOST_DATA_TEST_CASE(kernels_equal_the_host, data::make({"device_O1", "device", "device_O3"}) * data::make(kGeometries),
                     image, geometry) {
  run_forked([&] {
    reference::FrontEndState s;
    s.width = 320;
    s.height = 200;
    s.bin_log = 6;
    s.flat = geometry.lanes == 8;
    return run_draw(image, geometry, s, random_triangles(geometry.threads, 150, false), false);
  });
}

BOOST_DATA_TEST_CASE(every_state, data::xrange(12), seed) {
  run_forked([&] {
    reference::FrontEndState s;
    s.width = 64u << seed % 5;
    s.height = 100u + 77u * static_cast<unsigned>(seed);
    s.bin_log = 5 + static_cast<unsigned>(seed) % 3;
    s.cull_mode = static_cast<unsigned>(seed) % 3;
    s.vp_halfz = static_cast<unsigned>(seed) & 1;
    s.subpixel_bits = seed < 5 ? 4 + static_cast<unsigned>(seed) : 0;
    if (seed & 2) {
      s.vp_sx = 40;
      s.vp_tx = 50.5f;
      s.vp_sy = -30;
      s.vp_ty = 60;
      s.vp_minz = .25f;
      s.vp_maxz = .75f;
    }
    auto verts = random_triangles(200 + static_cast<unsigned>(seed), 120, false);
    std::mt19937 rng(static_cast<unsigned>(seed));
    if (seed & 1) {
      for (auto& v : verts) {
        for (float& w : v.varying2) w = static_cast<float>(rng()) * 0x1p-30f - 2;
      }
    }
    for (int i = 0; i < 20; ++i) {  // huge, tiny and broken positions
      float* p = verts[rng() % verts.size()].pos;
      const float odd[] = {1e30f, -1e30f, 1e-30f, INFINITY, -INFINITY, NAN, 3e5f, -0.0f};
      p[rng() % 4] = odd[rng() % 8];
    }
    return run_draw("device", {8, 4, 32, 2}, s, verts, (seed & 1) != 0);
  });
}

BOOST_AUTO_TEST_CASE(key_overflow) {
  run_forked([&] {
    reference::FrontEndState s;
    s.width = s.height = 256;
    s.bin_log = 5;
    s.keys_cap = 50;
    return run_draw("device", {8, 4, 32, 2}, s, random_triangles(9, 100, true), false);
  });
}
