// The draw package: what the builder writes the view reads; whatever is damaged is refused with one UserError.
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <random>

#include "error.h"
#include "package_builder.h"
#include "package_view.h"

namespace {

using namespace gyre::scene;

std::vector<PackageVertex> some_triangles(std::size_t count) {
  std::vector<PackageVertex> vertices(3 * count);
  for (std::size_t i = 0; i < vertices.size(); ++i)
    for (unsigned k = 0; k < 4; ++k) {
      vertices[i].position[k] = static_cast<float>(i * 4 + k);
      vertices[i].color[k] = 0.25f * static_cast<float>(k);
      vertices[i].texcoord[k] = k < 2 ? static_cast<float>(i) : 0.0f;
    }
  return vertices;
}

std::vector<std::uint8_t> sample() {
  PackageBuilder builder(64, 48);
  builder.set_flags(GYRE_PKG_BOTTOM_UP);
  builder.set_clear(0x11223344, 0xABCDEF, 0x5A);
  const std::vector<std::vector<std::uint8_t>> levels{std::vector<std::uint8_t>(8 * 2 * 2, 1),
                                                      std::vector<std::uint8_t>(4 * 1 * 2, 2),
                                                      std::vector<std::uint8_t>(2 * 1 * 2, 3)};
  const std::uint32_t texture = builder.add_texture(GYRE_TEX_FORMAT_R5G6B5, 3, 1, levels);
  gyre_pkg_draw draw = plain_draw(64, 48);
  builder.add_draw(draw, some_triangles(2));
  draw.shader = GYRE_SHADER_MODULATE;
  draw.texture = texture;
  draw.tex_levels = 3;
  draw.depth_func = GYRE_CMP_LESS;
  draw.depth_writemask = 1;
  builder.add_draw(draw, some_triangles(5));
  builder.add_draw(draw, {});
  return builder.build();
}

// A program draw of two triangles with a rectangle of 3 x 2 texels.
std::vector<std::uint8_t> program_sample() {
  PackageBuilder builder(64, 48);
  gyre_pkg_draw draw = plain_draw(64, 48);
  draw.texture = builder.add_rectangle(3, 2, {1, 2, 3, 4, 5, 6});
  draw.program = 7;
  draw.num_varyings = 2;
  draw.varying_comps[0] = 4;
  draw.varying_comps[1] = 3;
  std::vector<float> attributes(6 * 32), uniforms(256);
  for (std::size_t i = 0; i < attributes.size(); ++i) attributes[i] = static_cast<float>(i);
  for (std::size_t i = 0; i < uniforms.size(); ++i) uniforms[i] = -static_cast<float>(i);
  builder.set_shaders(std::vector<std::uint8_t>(100, 9));
  builder.add_program_draw(draw, attributes, uniforms);
  return builder.build();
}

BOOST_AUTO_TEST_SUITE(package)

BOOST_AUTO_TEST_CASE(program_draws) {
  const auto bytes = program_sample();
  const PackageView view(bytes);
  BOOST_TEST(view.has_programs());
  BOOST_TEST(view.header().shaders_bytes == 100u);
  BOOST_TEST(bytes[view.header().shaders_offset + 99] == 9);
  BOOST_REQUIRE(view.draws().size() == 1u);
  const gyre_pkg_draw& draw = view.draws()[0];
  BOOST_TEST(draw.shader == std::uint32_t{GYRE_SHADER_PROGRAM});
  BOOST_TEST(draw.num_vertices == 6u);
  float value;
  std::memcpy(&value, bytes.data() + draw.vertices_offset + 5 * GYRE_PKG_ATTRIBUTE_STRIDE, sizeof value);
  BOOST_TEST(value == 160.0f);
  std::memcpy(&value, bytes.data() + draw.uniforms_offset + GYRE_PKG_UNIFORM_BYTES - 4, sizeof value);
  BOOST_TEST(value == -255.0f);
  BOOST_TEST(view.textures()[0].width == 3u);
  BOOST_TEST(view.texture_data(0)[20] == 6);
}

BOOST_AUTO_TEST_CASE(round_trip) {
  const auto bytes = sample();
  const PackageView view(bytes);
  BOOST_TEST(view.width() == 64u);
  BOOST_TEST(view.height() == 48u);
  BOOST_TEST(view.bottom_up());
  BOOST_TEST(view.header().clear_color == 0x11223344u);
  BOOST_TEST(view.header().clear_depth == 0x5AABCDEFu);
  BOOST_REQUIRE(view.textures().size() == 1u);
  const gyre_pkg_texture& texture = view.textures()[0];
  BOOST_TEST(texture.logdim == 0x00010003u);
  BOOST_TEST(texture.levels == 3u);
  for (unsigned l = 0; l < 3; ++l) BOOST_TEST(view.texture_data(0)[texture.mip_offset[l]] == l + 1);
  for (unsigned l = 3; l < 16; ++l) BOOST_TEST(texture.mip_offset[l] == texture.mip_offset[2]);
  BOOST_REQUIRE(view.draws().size() == 2u);  // the empty one is dropped
  BOOST_TEST(view.draws()[0].earlyz_safe == 0u);
  BOOST_TEST(view.draws()[1].earlyz_safe == 1u);
  const auto expected = some_triangles(5);
  BOOST_TEST(view.draws()[1].num_vertices == 15u);
  BOOST_TEST(std::memcmp(view.vertices(1), expected.data(), 15 * sizeof(PackageVertex)) == 0);
  BOOST_TEST(view.draws()[1].vertices_offset % 64 == 0u);
}

BOOST_AUTO_TEST_CASE(long_lists_are_split) {
  PackageBuilder builder(16, 16);
  builder.add_draw(plain_draw(16, 16), some_triangles(2 * std::size_t{PackageBuilder::kMaxTriangles} + 1));
  const auto bytes = builder.build();
  const PackageView view(bytes);
  BOOST_REQUIRE(view.draws().size() == 3u);
  BOOST_TEST(view.draws()[0].num_vertices == 3 * PackageBuilder::kMaxTriangles);
  BOOST_TEST(view.draws()[2].num_vertices == 3u);
  BOOST_TEST(view.vertices(2)->position[0] == 4.0f * 6 * PackageBuilder::kMaxTriangles);
}

BOOST_AUTO_TEST_CASE(early_z_rule) {
  gyre_pkg_draw draw = plain_draw(8, 8);
  for (unsigned func = 0; func < 8; ++func) {
    draw.depth_func = func;
    BOOST_TEST(is_earlyz_safe(draw) == (func == GYRE_CMP_LESS || func == GYRE_CMP_LEQUAL || func == GYRE_CMP_GEQUAL ||
                                        func == GYRE_CMP_GREATER));
  }
  draw.depth_func = GYRE_CMP_LESS;
  draw.stencil_zfail = pack16(GYRE_STENCIL_INCR, 0);
  BOOST_TEST(!is_earlyz_safe(draw));
}

BOOST_AUTO_TEST_CASE(colours_round_to_nearest) {
  const float color[4] = {0.5f, -1.0f, 2.0f, std::nanf("")};
  BOOST_TEST(pack_color(color) == 0x008000FFu);
}

BOOST_AUTO_TEST_CASE(target_sizes) {
  BOOST_CHECK_NO_THROW(PackageBuilder(4096, 4096));
  BOOST_CHECK_NO_THROW(PackageBuilder(8192, 2048));
  BOOST_CHECK_THROW(PackageBuilder(8192, 4096), gyre::UserError);
  BOOST_CHECK_THROW(PackageBuilder(0, 16), gyre::UserError);
  BOOST_CHECK_THROW(PackageBuilder(16, 8193), gyre::UserError);
}

struct Damage {
  const char* name;
  std::function<void(std::vector<std::uint8_t>&)> apply;
  friend std::ostream& operator<<(std::ostream& out, const Damage& damage) { return out << damage.name; }
};

template <class T>
void poke(std::vector<std::uint8_t>& bytes, std::size_t offset, T value) {
  std::memcpy(bytes.data() + offset, &value, sizeof value);
}
constexpr std::size_t kTexture = sizeof(gyre_pkg_header);
constexpr std::size_t kDraw = kTexture + sizeof(gyre_pkg_texture) + sizeof(gyre_pkg_draw);  // the textured one

#define HEADER(field, value) [](auto& b) { poke(b, offsetof(gyre_pkg_header, field), value); }
#define TEXTURE(field, value) [](auto& b) { poke(b, kTexture + offsetof(gyre_pkg_texture, field), value); }
#define DRAW(field, value) [](auto& b) { poke(b, kDraw + offsetof(gyre_pkg_draw, field), value); }

const std::vector<Damage> kDamages{
    {"empty", [](auto& b) { b.clear(); }},
    {"half a header", [](auto& b) { b.resize(32); }},
    {"cut short", [](auto& b) { b.pop_back(); }},
    {"too long", [](auto& b) { b.push_back(0); }},
    {"magic", HEADER(magic, 1u)},
    {"version", HEADER(version, 2u)},
    {"width 0", HEADER(width, 0u)},
    {"height huge", HEADER(height, 100000u)},
    {"flags", HEADER(flags, 2u)},
    {"texture table outside", HEADER(textures_offset, 0x40000000u)},
    {"texture table in header", HEADER(textures_offset, 0u)},
    {"draw table unaligned", HEADER(draws_offset, 65u)},
    {"draws too many", HEADER(num_draws, 0xFFFFFFFFu)},
    {"draws more than file", HEADER(num_draws, 60000u)},
    {"textures too many", HEADER(num_textures, 5000u)},
    {"texture format", TEXTURE(format, 7u)},
    {"texture log2", TEXTURE(logdim, 16u)},
    {"texture bigger than data", TEXTURE(logdim, 0x000F000Fu)},
    {"no levels", TEXTURE(levels, 0u)},
    {"levels past 1x1", TEXTURE(levels, 5u)},
    {"texture data outside", TEXTURE(data_offset, 0xFFFFFFC0u)},
    {"texture data unaligned", TEXTURE(data_offset, 1u)},
    {"texture bytes", TEXTURE(data_bytes, 0xFFFFFFFFu)},
    {"mip outside", TEXTURE(mip_offset[1], 0xFFFFFFFEu)},
    {"mip unaligned", TEXTURE(mip_offset[1], 65u)},
    {"mip tail", TEXTURE(mip_offset[15], 0u)},
    {"vertices 0", DRAW(num_vertices, 0u)},
    {"vertices 4", DRAW(num_vertices, 4u)},
    {"vertices huge", DRAW(num_vertices, 0xFFFFFFFFu)},
    {"vertices outside", DRAW(vertices_offset, 0xFFFFFFC0u)},
    {"shader", DRAW(shader, 4u)},
    {"colour rule", DRAW(color_rule, 2u)},
    {"viewport", DRAW(vp_sx, std::numeric_limits<float>::infinity())},
    {"halfz", DRAW(vp_halfz, 2u)},
    {"cull", DRAW(cull_mode, 3u)},
    {"scissor past target", DRAW(scissor_x, pack16(65, 0))},
    {"scissor reversed", DRAW(scissor_y, pack16(3, 4))},
    {"write mask", DRAW(color_writemask, 16u)},
    {"depth func", DRAW(depth_func, 8u)},
    {"stencil func", DRAW(stencil_func, 0x00080000u)},
    {"stencil ref", DRAW(stencil_ref, 256u)},
    {"blend mode", DRAW(blend_mode, 6u)},
    {"blend factor", DRAW(blend_func, 0x0F000000u)},
    {"logic", DRAW(logic_op, 16u)},
    {"early z against state", DRAW(stencil_zpass, 2u)},
    {"no texture", DRAW(texture, GYRE_PKG_NONE)},
    {"absent texture", DRAW(texture, 1u)},
    {"levels past texture", DRAW(tex_levels, 4u)},
    {"filter", DRAW(tex_filter, 2u)},
    {"wrap", DRAW(tex_wrap, 4u)},
    {"lod rule", DRAW(lod_rule, 2u)},
    {"lod value", DRAW(lod_value, std::nanf(""))},
    {"flat colour", DRAW(flat_color[2], std::nanf(""))},
};

constexpr std::size_t kProgramDraw = kTexture + sizeof(gyre_pkg_texture);
#define PROGRAM(field, value) [](auto& b) { poke(b, kProgramDraw + offsetof(gyre_pkg_draw, field), value); }

const std::vector<Damage> kProgramDamages{
    {"no shaders", HEADER(shaders_bytes, 0u)},
    {"shaders outside", HEADER(shaders_bytes, 0x10000000u)},
    {"shaders unaligned", HEADER(shaders_offset, 65u)},
    {"shader code", PROGRAM(shader, 5u)},
    {"program number", PROGRAM(program, GYRE_PKG_MAX_PROGRAMS)},
    {"uniforms outside", PROGRAM(uniforms_offset, 0xFFFFFFC0u)},
    {"attributes outside", PROGRAM(num_vertices, 600u)},
    {"varyings", PROGRAM(num_varyings, 9u)},
    {"components 0", PROGRAM(varying_comps[1], std::uint8_t{0})},
    {"components 5", PROGRAM(varying_comps[0], std::uint8_t{5})},
    {"components of nothing", PROGRAM(varying_comps[2], std::uint8_t{1})},
    {"rectangle side 0", TEXTURE(width, 0u)},
    {"rectangle too large", TEXTURE(height, 1025u)},
    {"rectangle outside its data", TEXTURE(height, 3u)},
    {"rectangle with levels", TEXTURE(logdim, 0x10001u)},
    {"rectangle in a fixed shader", [](auto& b) { poke(b, kProgramDraw + offsetof(gyre_pkg_draw, shader), 2u); }},
};

BOOST_DATA_TEST_CASE(damaged_program_draws, boost::unit_test::data::make(kProgramDamages), damage) {
  auto bytes = program_sample();
  damage.apply(bytes);
  BOOST_CHECK_THROW(PackageView(bytes, "x.gpkg"), gyre::UserError);
}

BOOST_AUTO_TEST_CASE(components_of_all_varyings) {
  auto bytes = program_sample();
  poke(bytes, kProgramDraw + offsetof(gyre_pkg_draw, num_varyings), 4u);
  for (unsigned i = 0; i < 4; ++i) bytes[kProgramDraw + offsetof(gyre_pkg_draw, varying_comps) + i] = i < 3 ? 4 : 1;
  BOOST_CHECK_THROW(PackageView(bytes, "x.gpkg"), gyre::UserError);
}

BOOST_DATA_TEST_CASE(damaged, boost::unit_test::data::make(kDamages), damage) {
  auto bytes = sample();
  damage.apply(bytes);
  BOOST_CHECK_EXCEPTION(PackageView(bytes, "x.gpkg"), gyre::UserError, [](const gyre::UserError& error) {
    const std::string text = error.what();
    return text.rfind("x.gpkg", 0) == 0 && text.find('\n') == std::string::npos;
  });
}

// Whatever random bytes do, the view either throws a UserError or only lets through what stays inside the file.
BOOST_AUTO_TEST_CASE(mutations) {
  const auto good = sample();
  std::mt19937 random(7);
  unsigned refused = 0;
  for (int round = 0; round < 20000; ++round) {
    auto bytes = good;
    for (unsigned k = 0, n = 1 + random() % 4; k < n; ++k) bytes[random() % 704] = static_cast<std::uint8_t>(random());
    if (random() % 8 == 0) bytes.resize(random() % bytes.size());
    try {
      const PackageView view(bytes);
      std::uint64_t sum = 0;
      for (std::size_t i = 0; i < view.textures().size(); ++i)
        for (std::uint32_t k = 0; k < view.textures()[i].data_bytes; ++k) sum += view.texture_data(i)[k];
      for (std::size_t i = 0; i < view.draws().size(); ++i)
        for (std::uint32_t k = 0; k < view.draws()[i].num_vertices; ++k)
          sum += view.vertices(i)[k].position[0] > 0 ? 1 : 0;
      BOOST_TEST_REQUIRE(sum < ~std::uint64_t{0});
    } catch (const gyre::UserError&) {
      ++refused;
    }
  }
  BOOST_TEST(refused > 10000u);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
