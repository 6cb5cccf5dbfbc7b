// Near clip in both depth conventions (frontend.md §4).
#include <boost/test/data/monomorphic.hpp>
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

#include "scenes.h"

using namespace gyre;
using namespace gyre::test;
namespace data = boost::unit_test::data;

namespace {

struct Point {
  float p[16];
};

// Sutherland-Hodgman in plain form, double precision apart from the inside test.
std::vector<std::vector<double>> clip_plainly(const gyre_setup_vertex tri[3], bool halfz) {
  std::vector<std::vector<double>> out;
  for (int i = 0; i < 3; ++i) {
    const gyre_setup_vertex &a = tri[i], &b = tri[(i + 1) % 3];
    const double da = a.pos[2] + (halfz ? 0.0 : double(a.pos[3])), db = b.pos[2] + (halfz ? 0.0 : double(b.pos[3]));
    const float* pa = a.pos;
    const float* pb = b.pos;
    if (da >= 0) out.emplace_back(pa, pa + 16);
    if ((da >= 0) != (db >= 0)) {
      std::vector<double> v;
      for (int k = 0; k < 16; ++k) v.push_back(pa[k] + da / (da - db) * (double(pb[k]) - pa[k]));
      out.push_back(v);
    }
  }
  return out;
}

}  // namespace

BOOST_DATA_TEST_CASE(polygons, data::xrange(2) * data::xrange(8), halfz, mask) {
  std::mt19937 rng(static_cast<std::uint32_t>(100 * halfz + mask));
  auto uniform = [&](float lo, float hi) { return lo + (hi - lo) * static_cast<float>(rng() >> 8) * 0x1p-24f; };
  for (int round = 0; round < 200; ++round) {
    gyre_setup_vertex tri[3];
    for (int k = 0; k < 3; ++k) {
      const float w = uniform(0.5f, 4.0f);
      const float d = mask >> k & 1 ? uniform(0.1f, 2.0f) : uniform(-2.0f, -0.1f);
      tri[k] = vertex(uniform(-1, 1), uniform(-1, 1), halfz ? d : d - w, w);
      for (float& c : tri[k].color) c = uniform(0, 1);
      for (float& c : tri[k].texcoord) c = uniform(-4, 4);
      for (float& c : tri[k].varying2) c = uniform(-4, 4);
    }
    reference::FrontEndState s;
    s.width = s.height = 128;
    s.vp_halfz = static_cast<std::uint32_t>(halfz);
    const gyre_pipe_arg arg = reference::make_pipe_arg(s, 1, {});
    gyre_setup_config config;
    gyre_setup_configure(&config, &arg);
    const auto want = clip_plainly(tri, halfz != 0);
    const std::uint32_t clip = gyre_clip(&config, tri);
    const std::uint32_t count = gyre_clip_count(clip);
    BOOST_REQUIRE(count == (want.size() < 3 ? 0 : want.size() - 2));
    for (std::uint32_t sub = 0; sub < count; ++sub) {
      gyre_setup_vertex cut[3];
      const gyre_subtri t = gyre_clip_subtri(&config, tri, clip, sub, 16, cut);
      const std::size_t index[3] = {0, sub + 1, sub + 2};
      for (int k = 0; k < 3; ++k) {
        const float* got = t.v[k]->pos;
        for (int i = 0; i < 16; ++i) BOOST_TEST(std::abs(got[i] - want[index[k]][i]) < 2e-5);
      }
    }
  }
}

// The two halves of a clipped quadrilateral share their diagonal, and the count pass agrees with the writing pass.
BOOST_AUTO_TEST_CASE(count_agrees_with_emit) {
  const auto verts = random_triangles(42, 5000, false);
  reference::FrontEndState s;
  s.width = 320;
  s.height = 200;
  const gyre_pipe_arg arg = reference::make_pipe_arg(s, 1, {});
  gyre_setup_config config;
  gyre_setup_configure(&config, &arg);
  std::uint32_t histogram[3] = {};
  for (std::size_t t = 0; t < verts.size(); t += 3) {
    gyre_prim prim[2];
    gyre_bbox box[2];
    const std::uint32_t n = gyre_setup_count(&config, &verts[t]);
    BOOST_TEST(n == gyre_setup_emit(&config, &verts[t], 2, prim, box, nullptr));
    ++histogram[n];
  }
  for (std::uint32_t h : histogram) BOOST_TEST(h > 100u);
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
