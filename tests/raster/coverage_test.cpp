#include <boost/test/data/monomorphic.hpp>
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <map>

#include "owner.h"
#include "primitive_walk.h"
#include "stripe.h"
#include "triangles.h"

using namespace gyre::raster;
using gyre::test::Point;
using gyre::test::Triangle;
namespace data = boost::unit_test::data;

namespace {

// Every pixel a walk covers, how often.
using Pixels = std::map<std::pair<unsigned, unsigned>, unsigned>;

Pixels walk(const gyre_edge (&edges)[3], const gyre_bbox& box, unsigned bin_log, unsigned block_log,
            const Scissor& window) {
  Pixels pixels;
  for_each_quad_in_box(edges, box, bin_log, block_log, window, [&](const Quad& quad) {
    BOOST_REQUIRE(quad.mask != 0);
    for (unsigned s = 0; s < 4; ++s)
      if (quad.mask >> s & 1) ++pixels[{2u * quad.x + (s & 1), 2u * quad.y + (s >> 1)}];
  });
  return pixels;
}

Pixels brute_force(const gyre_edge (&edges)[3], const Scissor& window) {
  Pixels pixels;
  for (unsigned y = window.y_min; y < window.y_max; ++y)
    for (unsigned x = window.x_min; x < window.x_max; ++x)
      if (gyre::test::covers(edges, x, y)) pixels[{x, y}] = 1;
  return pixels;
}

const gyre_bbox kBox128 = {0, 128, 0, 128};
const Scissor kWindow128 = {0, 128, 0, 128};

gyre_edge edge(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
  return {static_cast<std::int32_t>(a), static_cast<std::int32_t>(b), static_cast<std::int32_t>(c)};
}

}  // namespace

BOOST_AUTO_TEST_SUITE(coverage)

// frontend.md §15
BOOST_AUTO_TEST_CASE(conformance_vectors) {
  const gyre_edge first[3] = {edge(0xFFC00000, 0xFFE00000, 0x1BD00000), edge(0x00400000, 0xFFE00000, 0xFC100000),
                              edge(0x00000000, 0x00400000, 0xF8200000)};
  const gyre_edge second[3] = {edge(0xFFC40000, 0xFFC40000, 0x198C0000), edge(0x00460000, 0xFFEC0000, 0xFE250000),
                               edge(0xFFF60000, 0x00500000, 0xFD670000)};
  for (unsigned bin_log : {5u, 6u, 7u}) {
    for (unsigned block_log : {2u, 3u}) {
      BOOST_TEST(walk(first, kBox128, bin_log, block_log, kWindow128).size() == 2048u);
      BOOST_TEST(walk(second, kBox128, bin_log, block_log, kWindow128).size() == 2670u);
    }
  }
  BOOST_TEST(evaluate(first[0].a, first[0].b, first[0].c, 64, 50) == 0x05900000);
  BOOST_TEST(evaluate(first[1].a, first[1].b, first[1].c, 64, 50) == 0x05D00000);
  BOOST_TEST(evaluate(first[2].a, first[2].b, first[2].c, 64, 50) == 0x04A00000);
}

// The setup of the tests is the one of the specification: same words.
BOOST_AUTO_TEST_CASE(setup_of_the_tests_matches_the_specification) {
  Triangle triangle;
  const Point first[3] = {{32 * 16, 32 * 16}, {96 * 16, 32 * 16}, {64 * 16, 96 * 16}};
  BOOST_REQUIRE(gyre::test::exact_setup(first, 4, 128, 128, triangle));
  BOOST_TEST(triangle.edges[0].a == edge(0xFFC00000, 0, 0).a);
  BOOST_TEST(triangle.edges[0].c == edge(0, 0, 0x1BD00000).c);
  const Point third[3] = {{4113, 4195}, {12339, 4083}, {8230, 12365}};
  BOOST_REQUIRE(gyre::test::exact_setup(third, 7, 128, 128, triangle));
  BOOST_TEST(triangle.edges[0].a == edge(0xFFBF4C00, 0, 0).a);
  BOOST_TEST(triangle.edges[0].c == edge(0, 0, 0x1C2CDE14).c);
  BOOST_TEST(triangle.edges[2].c == edge(0, 0, 0xF7CA3FA8).c);
}

BOOST_DATA_TEST_CASE(random_triangles_equal_per_pixel_evaluation, data::xrange(24), seed) {
  std::mt19937 random(1000 + seed);
  const unsigned s = 4 + seed % 4;
  const int width = s < 6 ? 300 : 128, height = s < 6 ? 200 : 120;
  for (int i = 0; i < 8; ++i) {
    const Triangle triangle = gyre::test::random_triangle(random, s, width, height);
    Scissor window{0, static_cast<std::uint32_t>(width), 0, static_cast<std::uint32_t>(height)};
    if (i % 2 != 0) {
      window.x_min = random() % width;
      window.x_max = window.x_min + random() % (width - window.x_min + 1);
      window.y_min = random() % height;
      window.y_max = window.y_min + random() % (height - window.y_min + 1);
    }
    const Pixels expected = brute_force(triangle.edges, window);
    for (unsigned bin_log : {2u, 5u, 6u, 7u})
      for (unsigned block_log : {1u, 2u, 3u})
        if (block_log <= bin_log)
          BOOST_TEST((walk(triangle.edges, triangle.box, bin_log, block_log, window) == expected));
  }
}

// A mesh of integer vertices that covers the target: every pixel exactly once, whatever the fan-out of its vertices.
BOOST_DATA_TEST_CASE(meshes_are_watertight, data::xrange(8), seed) {
  std::mt19937 random(77 + seed);
  const unsigned s = 4 + seed % 4;
  const int size = 128 << (seed % 2), cells = 5 + seed;
  const std::int64_t extent = std::int64_t{size} << s;
  std::vector<Point> grid;
  for (int j = 0; j <= cells; ++j)
    for (int i = 0; i <= cells; ++i) {
      Point p{extent * i / cells, extent * j / cells};
      const std::int64_t jitter = extent / cells / 5;
      if (i > 0 && i < cells) p.x += static_cast<std::int64_t>(random() % (2 * jitter + 1)) - jitter;
      if (j > 0 && j < cells) p.y += static_cast<std::int64_t>(random() % (2 * jitter + 1)) - jitter;
      if (random() % 3 == 0) {  // vertices and edges through pixel centres
        if (i > 0 && i < cells) p.x = (p.x >> s << s) + (1 << (s - 1));
        if (j > 0 && j < cells) p.y = (p.y >> s << s) + (1 << (s - 1));
      }
      grid.push_back(p);
    }
  std::vector<unsigned> hits(static_cast<std::size_t>(size) * size);
  const Scissor window{0, static_cast<std::uint32_t>(size), 0, static_cast<std::uint32_t>(size)};
  auto draw = [&](Point a, Point b, Point c) {
    Point p[3] = {a, b, c};
    if (random() % 2) std::swap(p[1], p[2]);
    Triangle triangle;
    if (!gyre::test::exact_setup(p, s, size, size, triangle)) return;
    for_each_quad_in_box(triangle.edges, triangle.box, 5 + seed % 3, 2 + seed % 2, window, [&](const Quad& quad) {
      for (unsigned k = 0; k < 4; ++k)
        if (quad.mask >> k & 1) ++hits[(2u * quad.y + (k >> 1)) * size + 2u * quad.x + (k & 1)];
    });
  };
  for (int j = 0; j < cells; ++j)
    for (int i = 0; i < cells; ++i) {
      const Point &p00 = grid[j * (cells + 1) + i], &p10 = grid[j * (cells + 1) + i + 1];
      const Point &p01 = grid[(j + 1) * (cells + 1) + i], &p11 = grid[(j + 1) * (cells + 1) + i + 1];
      if (random() % 2) {
        draw(p00, p10, p11);
        draw(p00, p11, p01);
      } else {
        draw(p00, p10, p01);
        draw(p10, p11, p01);
      }
    }
  unsigned wrong = 0;
  for (unsigned hit : hits) wrong += hit != 1;
  BOOST_TEST(wrong == 0u);
}

// Rasterizer §7.4: a sample exactly on an edge belongs to the triangle only if the edge is a left or a top one.
BOOST_AUTO_TEST_CASE(samples_on_edges_follow_the_top_left_rule) {
  const Point square[4] = {{40, 40}, {88, 40}, {88, 88}, {40, 88}};  // edges through the centres 2 and 5
  for (unsigned first = 0; first < 4; ++first) {
    Pixels pixels;
    for (unsigned half = 0; half < 2; ++half) {
      const Point p[3] = {square[first], square[(first + 1 + half) % 4], square[(first + 2 + half) % 4]};
      Triangle triangle;
      BOOST_REQUIRE(gyre::test::exact_setup(p, 4, 128, 128, triangle));
      for (const auto& [pixel, times] : walk(triangle.edges, triangle.box, 7, 2, kWindow128)) pixels[pixel] += times;
    }
    Pixels expected;
    for (unsigned y = 2; y < 5; ++y)
      for (unsigned x = 2; x < 5; ++x) expected[{x, y}] = 1;
    BOOST_TEST((pixels == expected));
  }
}

// Coefficients beyond anything the front end makes: the full-cover shortcut must not change what wraps.
BOOST_AUTO_TEST_CASE(wrapping_edges_ignore_the_shortcut) {
  std::mt19937 random(5);
  for (int i = 0; i < 20000; ++i) {
    gyre_edge edges[3];
    for (gyre_edge& e : edges) {
      auto word = [&] { return static_cast<std::int32_t>(random() << 16 | (random() & 0xFFFF)) >> (random() % 20); };
      e = {word(), word(), word()};
    }
    if (i % 2 == 0) {  // one edge at the end of the range, the others out of the way
      const std::int32_t swing = static_cast<std::int32_t>(random() % (1u << (10 + random() % 21)));
      const std::int32_t end = random() % 2 ? 0x7FFFFFFF : -0x7FFFFFFF;
      edges[0] = edges[1] = {0, 0, 1};
      edges[2] = {random() % 2 ? swing : -swing, static_cast<std::int32_t>(random() % 4096) - 2048, 0};
      edges[2].c = static_cast<std::int32_t>(end - static_cast<std::int64_t>(random() % 4096) * (end > 0 ? 1 : -1));
      if (random() % 4 == 0) edges[2].c = static_cast<std::int32_t>(random());
    }
    const unsigned bin_log = 4 + i % 4, block_log = 1 + i % 3;
    const std::uint32_t x = (random() % 3) << bin_log, y = (random() % 3) << bin_log;
    Pixels fast, slow;
    const Scissor window;
    const auto count = [](Pixels& pixels) {
      return [&pixels](const Quad& quad) { pixels[{quad.x, quad.y}] = quad.mask; };
    };
    const std::uint64_t squares = for_each_quad(edges, x, y, bin_log, block_log, window, count(fast));
    BinEdges bin = at_bin(edges, x, y, bin_log);
    bin.exact = 0;  // never take it
    auto block = [&](std::uint32_t bx, std::uint32_t by, const std::int32_t* e, unsigned tested, std::uint64_t) {
      BOOST_REQUIRE(tested == kAllEdges);
      walk_block(bin, block_log, window, bx, by, e, tested, count(slow));
    };
    TileWalk<decltype(block)> plain(bin, block_log, block);
    plain.run();
    BOOST_REQUIRE((fast == slow));
    BOOST_REQUIRE(squares == plain.squares());
  }
}

BOOST_AUTO_TEST_CASE(stripes_take_every_header_once) {
  for (std::uint32_t engines = 1; engines <= 7; ++engines)
    for (std::uint32_t tiles : {0u, 1u, 2u, 5u, 6u, 7u, 63u, 135u}) {
      std::vector<unsigned> taken(tiles);
      for (std::uint32_t engine = 0; engine < engines; ++engine) {
        const Stripe stripe = stripe_of(engine, engines, tiles);
        for (std::uint32_t i = 0; i < stripe.count; ++i) {
          BOOST_REQUIRE(stripe.first + i * stripe.step < tiles);
          ++taken[stripe.first + i * stripe.step];
        }
      }
      for (unsigned times : taken) BOOST_TEST(times == 1u);
    }
  BOOST_TEST(stripe_of(2, 3, 0xFFFFFFFFu).count == 0x55555555u);
}

BOOST_AUTO_TEST_CASE(a_bin_has_one_owner) {
  for (unsigned bin_log = 2; bin_log <= 7; ++bin_log)
    for (unsigned y = 0; y < 300; ++y)
      for (unsigned x = 0; x < 300; ++x)
        BOOST_REQUIRE(owner_core(x / 2, y / 2, bin_log, 3) == ((x >> bin_log) + (y >> bin_log)) % 3);
}

BOOST_AUTO_TEST_SUITE_END()
