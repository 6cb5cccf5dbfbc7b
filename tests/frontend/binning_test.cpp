// The stages from expansion to the tile buffer.
#include <boost/test/data/monomorphic.hpp>
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

#include <cstring>
#include <map>

#include "binning_oracle.h"
#include "scenes.h"

using namespace gyre;
using namespace gyre::test;
namespace data = boost::unit_test::data;

namespace {

using Bins = std::map<std::uint32_t, std::vector<std::uint32_t>>;  // bin_xy -> pids

Bins bins_of(const reference::FrontEndBuffers& b) {
  Bins bins;
  for (std::uint32_t i = 0; i < b.num_bins; ++i) {
    const gyre_bin_header h = b.header(i);
    BOOST_TEST(h.bin_xy == (i / b.bin_cols << 16 | i % b.bin_cols));
    if (h.pids_count != 0) bins[h.bin_xy].assign(b.pids(i), b.pids(i) + h.pids_count);
  }
  return bins;
}

bool same_records(const std::vector<gyre_prim>& a, const std::vector<gyre_prim>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(gyre_prim)) == 0;
}

// A triangle over pixels [x, x + 1) x [y, y + 1).
void add_speck(std::vector<gyre_setup_vertex>& v, double x, double y, double width, double height) {
  v.push_back(at_pixel(x, y, 0, 1, width, height));
  v.push_back(at_pixel(x + 1, y, 0, 1, width, height));
  v.push_back(at_pixel(x, y + 1, 0, 1, width, height));
}

}  // namespace

BOOST_DATA_TEST_CASE(expansion_packs_lanes, data::xrange(200), seed) {
  std::mt19937 rng(static_cast<std::uint32_t>(seed));
  std::vector<std::uint32_t> comps;
  for (std::uint32_t i = rng() % 17; i > 0; --i) comps.push_back(1 + rng() % 4);
  const std::uint32_t stride = 16 * (1 + static_cast<std::uint32_t>(comps.size())), count = 1 + rng() % 40;
  std::vector<std::uint32_t> records(stride / 4 * count);
  for (auto& w : records) w = rng();
  const auto out = reference::expand(records.data(), count, stride, comps, {1 + std::uint32_t(rng()) % 8, 1 + std::uint32_t(rng()) % 4});
  BOOST_REQUIRE(out.size() == count);
  for (std::uint32_t v = 0; v < count; ++v) {
    const std::uint32_t* in = &records[stride / 4 * v];
    std::vector<std::uint32_t> lanes;
    for (std::size_t k = 0; k < comps.size(); ++k) {
      for (std::uint32_t j = 0; j < comps[k]; ++j) lanes.push_back(in[4 + 4 * k + j]);
    }
    lanes.resize(std::min<std::size_t>(lanes.size(), 12));
    const std::uint32_t one = 0x3F800000, defaults[12] = {0, 0, one, one, one, one, 0, 0, 0, 0, 0, 0};
    while (lanes.size() < 12) lanes.push_back(defaults[lanes.size()]);
    BOOST_TEST(std::memcmp(out[v].pos, in, sizeof out[v].pos) == 0);
    BOOST_TEST(std::memcmp(out[v].texcoord, &lanes[0], 8) == 0);
    BOOST_TEST(std::memcmp(out[v].color, &lanes[2], 16) == 0);
    BOOST_TEST(std::memcmp(out[v].varying2, &lanes[6], 24) == 0);
  }
}

BOOST_DATA_TEST_CASE(equals_the_oracle, data::xrange(12), seed) {
  const auto verts = random_triangles(static_cast<std::uint32_t>(seed), 400, true);
  reference::FrontEndState s;
  s.width = 200 + 97 * static_cast<std::uint32_t>(seed);
  s.height = 180 + 61 * static_cast<std::uint32_t>(seed);
  s.bin_log = 5 + static_cast<std::uint32_t>(seed) % 3;
  const auto b = reference::run_front_end(s, verts, {8, 3});
  const auto o = reference::binning(verts, s.width, s.height, 0, 1, s.bin_log);
  BOOST_TEST(b.prims() > 100u);
  BOOST_TEST(same_records(b.prim, o.prims));
  Bins want;
  std::uint32_t last = 0;
  for (const auto& h : o.headers) {
    const std::uint32_t column_major = h.bin_xy << 16 | h.bin_xy >> 16;
    BOOST_TEST((want.empty() || column_major > last));
    last = column_major;
    want[h.bin_xy].assign(&o.pids[h.pids_offset], &o.pids[h.pids_offset] + h.pids_count);
  }
  const Bins got = bins_of(b);
  BOOST_TEST(bool(got == want));
  BOOST_TEST(b.meta[GYRE_META_BINS] == want.size());
  for (const auto& [at, pids] : got) BOOST_TEST(std::is_sorted(pids.begin(), pids.end()));
}

// Launch geometry changes the scratch buffers, never the result.
BOOST_DATA_TEST_CASE(launch_geometry_does_not_matter, data::make({1u, 2u, 4u, 7u, 32u, 256u}) *
                                                          data::make({1u, 2u, 3u, 5u, 16u}), threads, ctas) {
  const auto verts = random_triangles(3, 300, false);
  reference::FrontEndState s;
  s.width = 640;
  s.height = 480;
  s.bin_log = 6;
  s.flat = true;
  static const auto want = reference::run_front_end(s, verts);
  const auto got = reference::run_front_end(s, verts, {threads, ctas});
  BOOST_TEST(got.keep == want.keep, boost::test_tools::per_element());
  BOOST_TEST(got.offset == want.offset, boost::test_tools::per_element());
  BOOST_TEST(got.keys == want.keys, boost::test_tools::per_element());
  BOOST_TEST(got.tilebuf == want.tilebuf, boost::test_tools::per_element());
  BOOST_TEST(got.flat == want.flat, boost::test_tools::per_element());
  BOOST_TEST(same_records(got.prim, want.prim));
  BOOST_TEST(std::memcmp(got.meta, want.meta, sizeof got.meta) == 0);
}

BOOST_AUTO_TEST_CASE(no_triangles) {
  reference::FrontEndState s;
  s.width = s.height = 256;
  const auto b = reference::run_front_end(s, {}, {4, 2});
  BOOST_TEST(b.prims() == 0u);
  BOOST_TEST(b.num_bins == 4u);
  for (std::uint32_t i = 0; i < 4; ++i) BOOST_TEST(b.header(i).pids_count == 0u);
}

BOOST_AUTO_TEST_CASE(primitive_limit) {
  reference::FrontEndState s;
  s.width = s.height = 256;
  s.flat = true;
  std::vector<gyre_setup_vertex> verts;
  for (std::uint32_t i = 0; i < GYRE_MAX_PRIMS; ++i) add_speck(verts, i & 255, i >> 8, 256, 256);
  auto b = reference::run_front_end(s, verts, {32, 4});
  BOOST_TEST(b.prims() == GYRE_MAX_PRIMS);
  BOOST_TEST(b.meta[GYRE_META_STATUS] == 0u);
  add_speck(verts, 7, 7, 256, 256);
  b = reference::run_front_end(s, verts, {32, 4});
  BOOST_TEST(b.prims() == GYRE_MAX_PRIMS);
  BOOST_TEST(b.offset.back() == GYRE_MAX_PRIMS + 1);
  BOOST_TEST(b.meta[GYRE_META_STATUS] == GYRE_META_STATUS_PIDS);
}

BOOST_AUTO_TEST_CASE(primitive_limit_inside_a_clipped_triangle) {
  reference::FrontEndState s;
  s.width = s.height = 256;
  std::vector<gyre_setup_vertex> verts;
  for (std::uint32_t i = 0; i < GYRE_MAX_PRIMS - 1; ++i) add_speck(verts, i & 255, i >> 8, 256, 256);
  for (auto v : {vertex(-1, -1, -2, 1), vertex(1, -1, 0, 1), vertex(0, 1, 0, 1)}) verts.push_back(v);  // makes two
  const auto b = reference::run_front_end(s, verts, {32, 4});
  BOOST_TEST(b.prims() == GYRE_MAX_PRIMS);
  BOOST_TEST(b.meta[GYRE_META_STATUS] == GYRE_META_STATUS_PIDS);
}

BOOST_AUTO_TEST_CASE(key_limit) {
  const auto verts = random_triangles(8, 300, true);
  reference::FrontEndState s;
  s.width = s.height = 512;
  s.bin_log = 6;
  const std::uint32_t keys = reference::run_front_end(s, verts).meta[GYRE_META_KEYS];
  BOOST_REQUIRE(keys > 300u);
  s.keys_cap = keys;
  auto b = reference::run_front_end(s, verts, {16, 2});
  BOOST_TEST(b.meta[GYRE_META_KEYS] == keys);
  BOOST_TEST(b.meta[GYRE_META_STATUS] == 0u);
  s.keys_cap = keys - 1;
  b = reference::run_front_end(s, verts, {16, 2});
  BOOST_TEST(b.meta[GYRE_META_KEYS] == 0u);
  BOOST_TEST(b.meta[GYRE_META_STATUS] == (GYRE_META_STATUS_KEYS | keys << 2));
  BOOST_TEST(b.meta[GYRE_META_BINS] == 0u);
  for (std::uint32_t i = 0; i < b.num_bins; ++i) BOOST_TEST(b.header(i).pids_count == 0u);
}

BOOST_AUTO_TEST_CASE(most_bins) {
  reference::FrontEndState s;
  s.width = s.height = 8192;
  std::vector<gyre_setup_vertex> verts;
  for (auto v : {vertex(-1, -1, 0, 1), vertex(3, -1, 0, 1), vertex(-1, 3, 0, 1)}) verts.push_back(v);
  add_speck(verts, 8191, 8191, 8192, 8192);
  const auto b = reference::run_front_end(s, verts, {8, 4});
  BOOST_TEST(b.num_bins == GYRE_MAX_BINS);
  BOOST_TEST(b.meta[GYRE_META_KEYS] == GYRE_MAX_BINS + 1);
  BOOST_TEST(b.meta[GYRE_META_BINS] == GYRE_MAX_BINS);
  BOOST_TEST(b.header(4095).pids_count == 2u);
  BOOST_TEST(b.pids(4095)[1] == 1u);
  BOOST_TEST(b.header(0).pids_count == 1u);
}

// A box that ends at a bin boundary does not touch the next bin.
BOOST_DATA_TEST_CASE(bin_boundaries, data::make({0, 1, 2, 3}), corner) {
  reference::FrontEndState s;
  s.width = s.height = 384;
  const double x0 = corner & 1 ? 128 : 129, x1 = corner & 2 ? 256 : 257;
  std::vector<gyre_setup_vertex> verts;
  for (auto v : {at_pixel(x0, 0, 0, 1, 384, 384), at_pixel(x1, 0, 0, 1, 384, 384), at_pixel(x0, 64, 0, 1, 384, 384)}) {
    verts.push_back(v);
  }
  const auto b = reference::run_front_end(s, verts);
  BOOST_TEST(b.header(0).pids_count == 0u);
  BOOST_TEST(b.header(1).pids_count == 1u);
  BOOST_TEST(b.header(2).pids_count == (corner & 2 ? 0u : 1u));
  for (std::uint32_t i = 3; i < 9; ++i) BOOST_TEST(b.header(i).pids_count == 0u);
}
