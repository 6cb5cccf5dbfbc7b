// Clipping in both depth conventions (frontend.md §4).
#include <boost/test/data/monomorphic.hpp>
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

#include <cmath>

#include "scenes.h"

using namespace gyre;
using namespace gyre::test;
namespace data = boost::unit_test::data;

namespace {

using Polygon = std::vector<std::vector<double>>;  // vertices of 16 numbers

// Sutherland-Hodgman in plain form. distance(vertex) >= 0 is inside.
template <class Distance>
Polygon clip_plainly(const Polygon& in, Distance distance) {
  Polygon out;
  for (std::size_t i = 0; i < in.size(); ++i) {
    const auto &a = in[i], &b = in[(i + 1) % in.size()];
    const double da = distance(a), db = distance(b);
    if (da >= 0) out.push_back(a);
    if ((da >= 0) != (db >= 0)) {
      std::vector<double> v;
      for (int k = 0; k < 16; ++k) v.push_back(a[k] + da / (da - db) * (b[k] - a[k]));
      out.push_back(v);
    }
  }
  return out;
}

Polygon expected(const gyre_setup_vertex tri[3], bool halfz) {
  Polygon polygon;
  for (int k = 0; k < 3; ++k) {
    const float* p = tri[k].pos;
    polygon.emplace_back(p, p + 16);
  }
  polygon = clip_plainly(polygon, [&](const auto& v) { return halfz ? v[2] : v[2] + v[3]; });
  bool behind = false;
  double largest = 0;
  for (const auto& v : polygon) {
    behind |= v[3] < 1e-6;
    largest = std::max(largest, v[3]);
  }
  if (behind) polygon = clip_plainly(polygon, [&](const auto& v) { return v[3] - v[2] - largest / 2048; });
  return polygon;
}

gyre_setup_config config_of(bool halfz) {
  reference::FrontEndState s;
  s.width = s.height = 128;
  s.vp_halfz = halfz;
  const gyre_pipe_arg arg = reference::make_pipe_arg(s, 1, {});
  gyre_setup_config config;
  gyre_setup_configure(&config, &arg);
  return config;
}

void check_clip(const gyre_setup_vertex tri[3], bool halfz) {
  const gyre_setup_config config = config_of(halfz);
  gyre_clip_space space;
  const gyre_polygon got = gyre_clip(&config, tri, 16, &space);
  const Polygon want = expected(tri, halfz);
  BOOST_REQUIRE(got.count == want.size());
  for (std::uint32_t i = 0; i < got.count; ++i) {
    const float* p = got.v[i].pos;
    for (int k = 0; k < 16; ++k) BOOST_TEST(std::abs(p[k] - want[i][k]) < 1e-4);
  }
  BOOST_TEST(gyre_has_subtri(&got, 0) == (want.size() >= 3));
  BOOST_TEST(gyre_has_subtri(&got, 1) == (want.size() >= 4));
  BOOST_TEST(gyre_has_subtri(&got, 2) == (want.size() >= 5));
}

struct Random {
  std::mt19937 rng;
  float operator()(float lo, float hi) { return lo + (hi - lo) * static_cast<float>(rng() >> 8) * 0x1p-24f; }
};

gyre_setup_vertex random_lanes(Random& uniform, float z, float w) {
  gyre_setup_vertex v = vertex(uniform(-1, 1), uniform(-1, 1), z, w);
  for (float& c : v.color) c = uniform(0, 1);
  for (float& c : v.texcoord) c = uniform(-4, 4);
  for (float& c : v.varying2) c = uniform(-4, 4);
  return v;
}

}  // namespace

// Bit k of the mask: vertex k is inside. Both depth conventions.
BOOST_DATA_TEST_CASE(near_plane, data::xrange(2) * data::xrange(8), halfz, mask) {
  Random uniform{std::mt19937(static_cast<std::uint32_t>(100 * halfz + mask))};
  for (int round = 0; round < 200; ++round) {
    gyre_setup_vertex tri[3];
    for (int k = 0; k < 3; ++k) {
      const float w = uniform(0.5f, 4.0f);
      const float d = mask >> k & 1 ? uniform(0.1f, 2.0f) : uniform(-2.0f, -0.1f);
      tri[k] = random_lanes(uniform, halfz ? d : d - w, w);
    }
    check_clip(tri, halfz != 0);
  }
}

// Any clip-space positions, w negative too: what is kept has positive w and is what a double-precision clipper keeps.
BOOST_DATA_TEST_CASE(negative_w, data::xrange(2) * data::xrange(20), halfz, seed) {
  Random uniform{std::mt19937(static_cast<std::uint32_t>(seed))};
  const gyre_setup_config config = config_of(halfz != 0);
  std::size_t corners[7] = {};
  for (int round = 0; round < 500; ++round) {
    gyre_setup_vertex tri[3];
    bool clear_cut = true;  // no decision hangs on rounding
    for (auto& v : tri) {
      v = random_lanes(uniform, uniform(-1, 1), uniform(-1, 2));
      const float z = v.pos[2], w = v.pos[3];
      for (float d : {z, z + w, w - z, w}) clear_cut &= std::abs(d) > 1e-3f;
    }
    for (const auto& v : expected(tri, halfz != 0)) clear_cut &= v[3] > 1e-5;
    if (!clear_cut) continue;
    check_clip(tri, halfz != 0);
    gyre_clip_space space;
    const gyre_polygon polygon = gyre_clip(&config, tri, 16, &space);
    ++corners[polygon.count];
    for (std::uint32_t i = 0; i < polygon.count; ++i) BOOST_TEST(polygon.v[i].pos[3] > 0);
  }
  for (int count : {0, 3, 4, 5}) BOOST_TEST(corners[count] > 0u);
}

// The count pass agrees with the writing pass.
BOOST_AUTO_TEST_CASE(count_agrees_with_emit) {
  const auto verts = random_triangles(42, 5000, false);
  reference::FrontEndState s;
  s.width = 320;
  s.height = 200;
  const gyre_pipe_arg arg = reference::make_pipe_arg(s, 1, {});
  gyre_setup_config config;
  gyre_setup_configure(&config, &arg);
  std::uint32_t histogram[4] = {};
  for (std::size_t t = 0; t < verts.size(); t += 3) {
    gyre_prim prim[GYRE_SETUP_MAX_SUB];
    gyre_bbox box[GYRE_SETUP_MAX_SUB];
    const std::uint32_t n = gyre_setup_count(&config, &verts[t]);
    BOOST_TEST(n == gyre_setup_emit(&config, &verts[t], GYRE_SETUP_MAX_SUB, prim, box, nullptr));
    ++histogram[n];
  }
  for (int n = 0; n < 3; ++n) BOOST_TEST(histogram[n] > 100u);
}

BOOST_AUTO_TEST_CASE(depth_conventions) {
  gyre_setup_vertex v[3] = {vertex(-1, -1, .25f, 1), vertex(1, -1, .25f, 1), vertex(0, 1, .25f, 1)};
  reference::FrontEndState s;
  s.width = s.height = 128;
  s.vp_sx = s.vp_tx = s.vp_sy = s.vp_ty = 64;
  BOOST_TEST(set_up(s, v).prim[0].depth.z == 0xA00000);  // (0.25 + 1) / 2
  s.vp_halfz = 1;
  BOOST_TEST(set_up(s, v).prim[0].depth.z == 0x400000);
  s.vp_minz = .5f;
  s.vp_maxz = .75f;
  BOOST_TEST(set_up(s, v).prim[0].depth.z == 0x900000);
  s.vp_halfz = 0;
  BOOST_TEST(set_up(s, v).prim[0].depth.z == 0xA80000);
}
