// The draw player on packages made for its own branches: nothing to draw, keys that do not fit at first, wrong files.
#include <boost/test/unit_test.hpp>
#include <cstring>
#include <fstream>
#include <functional>
#include <random>

#include "gyre_paths.h"
#include "package_builder.h"
#include "renderer.h"
#include "run_firmware.h"

namespace {

using namespace gyre;
using Bytes = std::vector<std::uint8_t>;

void write(const std::string& name, const Bytes& bytes) {
  std::ofstream out(FIRMWARE_TEST_DIR "/" + name, std::ios::binary);
  out.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
}

std::vector<std::uint32_t> read_words(const std::string& name) {
  std::ifstream in(FIRMWARE_TEST_DIR "/" + name, std::ios::binary);
  const std::string text((std::istreambuf_iterator<char>(in)), {});
  std::vector<std::uint32_t> words(text.size() / 4);
  std::memcpy(words.data(), text.data(), words.size() * 4);
  return words;
}

test::FirmwareRun play(const std::string& name, const std::string& options = "") {
  return test::run_firmware("player", options,
                            "--package " + name + " --image device.vxbin --color color.raw --depth depth.raw");
}

// The player's frame is the reference renderer's, word by word.
void check_against_reference(const std::string& name, const scene::PackageBuilder& builder,
                             const std::string& options = "") {
  const Bytes file = builder.build();
  write(name, file);
  const auto run = play(name, options);
  BOOST_TEST(run.exit_code == 0, run.text);
  const reference::Frame want = reference::render(scene::PackageView(file.data(), file.size(), name));
  BOOST_TEST((read_words("color.raw") == want.color), name << ": colour differs");
  BOOST_TEST((read_words("depth.raw") == want.depth_stencil), name << ": depth differs");
}

std::vector<scene::PackageVertex> triangles(unsigned count, float size, unsigned seed) {
  std::mt19937 random(seed);
  auto number = [&](float limit) { return limit * (static_cast<float>(random() % 2001) / 1000.0f - 1.0f); };
  std::vector<scene::PackageVertex> out;
  for (unsigned i = 0; i < count; ++i) {
    const float x = number(1), y = number(1), z = number(0.9f);
    for (int k = 0; k < 3; ++k)
      out.push_back({{x + number(size), y + number(size), z + number(0.1f), 1.0f},
                     {0, 0, 0, 0},
                     {std::abs(number(1)), std::abs(number(1)), std::abs(number(1)), 1.0f}});
  }
  return out;
}

gyre_pkg_draw depth_tested(std::uint32_t width, std::uint32_t height) {
  gyre_pkg_draw draw = scene::plain_draw(width, height);
  draw.depth_func = GYRE_CMP_LESS;
  draw.depth_writemask = 1;
  return draw;
}

BOOST_AUTO_TEST_CASE(nothing_to_draw) {
  scene::PackageBuilder empty(33, 17);
  empty.set_clear(0xFF102030u, 0x123456u, 7);
  check_against_reference("empty.gpkg", empty);

  scene::PackageBuilder outside(64, 48);
  outside.set_clear(0xFF000000u, 0xFFFFFFu, 0);
  std::vector<scene::PackageVertex> far = triangles(20, 0.2f, 1);
  for (auto& vertex : far) vertex.position[0] += 50.0f;
  outside.add_draw(depth_tested(64, 48), far);
  gyre_pkg_draw culled = depth_tested(64, 48);
  culled.scissor_x = 0;
  outside.add_draw(culled, triangles(5, 0.5f, 2));
  check_against_reference("outside.gpkg", outside);
}

BOOST_AUTO_TEST_CASE(many_draws_share_the_buffers) {
  scene::PackageBuilder builder(150, 130);
  builder.set_clear(0xFF202020u, 0xFFFFFFu, 0);
  for (unsigned i = 0; i < 12; ++i)
    builder.add_draw(i % 3 == 2 ? scene::plain_draw(150, 130) : depth_tested(150, 130), triangles(1 + 7 * i, 0.3f, i));
  check_against_reference("many.gpkg", builder);
  check_against_reference("many.gpkg", builder, "--set gpu.raster.earlyz=true --set gpu.cores=4");
}

// 640 x 480 has 20 bins: large triangles want more keys than the default room (frontend.md §11).
BOOST_AUTO_TEST_CASE(keys_grow_and_the_draw_is_submitted_again) {
  scene::PackageBuilder builder(640, 480);
  builder.set_clear(0xFF000000u, 0xFFFFFFu, 0);
  gyre_pkg_draw blended = scene::plain_draw(640, 480);
  blended.blend_func = scene::pack_blend_func(GYRE_FACTOR_ONE, GYRE_FACTOR_ONE, GYRE_FACTOR_ONE, GYRE_FACTOR_ONE);
  auto list = triangles(500, 12.0f, 5);
  for (auto& vertex : list)
    for (int k = 0; k < 3; ++k) vertex.color[k] *= 0.01f;  // a second pass over the same pixels would show
  blended.scissor_x = scene::pack16(48, 16);
  blended.scissor_y = scene::pack16(48, 16);
  builder.add_draw(blended, list);
  builder.add_draw(blended, triangles(3, 1.0f, 6));
  check_against_reference("keys.gpkg", builder, "--report " FIRMWARE_TEST_DIR "/keys.json");
  // Two draws of ten kernels and a kick, and the first of them once more.
  std::ifstream report(FIRMWARE_TEST_DIR "/keys.json");
  const std::string text((std::istreambuf_iterator<char>(report)), {});
  BOOST_TEST(text.find("\"gpu.cp.launches\": 33") != std::string::npos, "the draw was not submitted again");
}

BOOST_AUTO_TEST_CASE(wrong_packages_are_one_line_errors) {
  scene::PackageBuilder builder(64, 64);
  builder.add_texture(GYRE_TEX_FORMAT_A8R8G8B8, 1, 1, {Bytes(16, 0x55)});
  gyre_pkg_draw draw = scene::plain_draw(64, 64);
  draw.texture = 0;
  builder.add_draw(draw, triangles(2, 0.5f, 3));
  const Bytes good = builder.build();
  gyre_pkg_header header;
  std::memcpy(&header, good.data(), sizeof header);

  auto change = [&](std::size_t offset, std::uint32_t value) {
    Bytes bad = good;
    std::memcpy(bad.data() + offset, &value, 4);
    return bad;
  };
  const std::size_t d = header.draws_offset, t = header.textures_offset;
  const Bytes wrong[] = {
      {},
      Bytes(good.begin(), good.begin() + 40),
      Bytes(good.begin(), good.end() - 64),
      change(offsetof(gyre_pkg_header, magic), 1),
      change(offsetof(gyre_pkg_header, version), 2),
      change(offsetof(gyre_pkg_header, width), 0),
      change(offsetof(gyre_pkg_header, height), 100000),
      change(offsetof(gyre_pkg_header, num_draws), 60000),
      change(offsetof(gyre_pkg_header, draws_offset), 0xFFFFFFC0u),
      change(offsetof(gyre_pkg_header, num_textures), 5000),
      change(d + offsetof(gyre_pkg_draw, vertices_offset), 0xFFFFFFC0u),
      change(d + offsetof(gyre_pkg_draw, num_vertices), 4),
      change(d + offsetof(gyre_pkg_draw, num_vertices), 0xFFFFFFFFu),
      change(d + offsetof(gyre_pkg_draw, shader), 9),
      change(d + offsetof(gyre_pkg_draw, color_rule), 2),
      change(d + offsetof(gyre_pkg_draw, texture), 1),
      change(d + offsetof(gyre_pkg_draw, tex_levels), 17),
      change(t + offsetof(gyre_pkg_texture, format), 99),
      change(t + offsetof(gyre_pkg_texture, data_offset), 0x7FFFFFC0u),
      change(t + offsetof(gyre_pkg_texture, mip_offset), 0xFFFFFFFFu),
  };
  for (std::size_t i = 0; i < std::size(wrong); ++i) {
    write("wrong.gpkg", wrong[i]);
    const auto run = play("wrong.gpkg");
    BOOST_TEST(run.exit_code == 1, "package " << i << ": " << run.text);
    BOOST_TEST(run.text.find("player: wrong.gpkg: ") != std::string::npos, "package " << i << ": " << run.text);
    BOOST_TEST(std::count(run.text.begin(), run.text.end(), '\n') == 1, "package " << i << ": " << run.text);
  }
}

BOOST_AUTO_TEST_CASE(wrong_images_are_one_line_errors) {
  scene::PackageBuilder builder(16, 16);
  write("small.gpkg", builder.build());
  std::ifstream in(GYRE_FIRMWARE_DIR "/device.vxbin", std::ios::binary);
  const std::string text((std::istreambuf_iterator<char>(in)), {});
  const Bytes good(text.begin(), text.end());
  auto at = [&](std::size_t offset, std::uint8_t value) {
    Bytes bad = good;
    bad[offset] = value;
    return bad;
  };
  Bytes no_footer(good.begin(), good.end() - 1);
  Bytes huge_count = good;
  for (std::size_t k = 0; k < 4; ++k) huge_count[good.size() - 12 + k] = 0xFF;
  const Bytes wrong[] = {{},          Bytes(10, 0), Bytes(good.begin(), good.begin() + 100),
                         at(3, 0x10), at(12, 1),    at(15, 0x40),
                         no_footer,   huge_count};
  for (std::size_t i = 0; i < std::size(wrong); ++i) {
    write("wrong.vxbin", wrong[i]);
    const auto run = test::run_firmware("player", "", "--package small.gpkg --image wrong.vxbin");
    BOOST_TEST(run.exit_code == 1, "image " << i << ": " << run.text);
    BOOST_TEST(run.text.find("player: wrong.vxbin: ") != std::string::npos, "image " << i << ": " << run.text);
  }
}

}  // namespace
