// Base64, pictures, PNG.
#include "image.h"

#include <boost/test/unit_test.hpp>
#include <filesystem>

#include "files.h"
#include "png_image.h"
#include "support.h"

namespace {

using namespace gyre::scene;

BOOST_AUTO_TEST_SUITE(images)

BOOST_AUTO_TEST_CASE(base64) {
  const auto text = [](std::string_view in) {
    const auto out = decode_base64(in);
    return out ? std::string(out->begin(), out->end()) : std::string("refused");
  };
  BOOST_TEST(text("") == "");
  BOOST_TEST(text("Zg==") == "f");
  BOOST_TEST(text("Zm8=") == "fo");
  BOOST_TEST(text("Zm8") == "fo");
  BOOST_TEST(text("Zm9v\n Ym Fy\t") == "foobar");
  BOOST_TEST(text("Z") == "refused");
  BOOST_TEST(text("Zm9*") == "refused");
  BOOST_TEST(text("Zg==Zg==") == "refused");
}

BOOST_AUTO_TEST_CASE(halving_is_a_rounded_box) {
  const Image image{2, 2, {1, 0, 255, 0, 2, 0, 255, 0, 3, 0, 254, 0, 4, 1, 255, 0}};
  const Image half = halve(image);
  BOOST_TEST(half.width == 1u);
  BOOST_TEST(half.rgba == (std::vector<std::uint8_t>{3, 0, 255, 0}), boost::test_tools::per_element());
  const Image row{4, 1, {0, 0, 0, 0, 2, 2, 2, 2, 9, 9, 9, 9, 9, 9, 9, 9}};
  const Image short_row = halve(row);
  BOOST_TEST(short_row.height == 1u);
  BOOST_TEST(short_row.rgba == (std::vector<std::uint8_t>{1, 1, 1, 1, 9, 9, 9, 9}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(rescaling_keeps_flat_colours_and_powers_of_two) {
  for (std::uint32_t width : {1u, 3u, 7u, 16u, 100u, 129u})
    for (std::uint32_t height : {1u, 5u, 64u}) {
      Image image{width, height, {}};
      for (std::uint32_t i = 0; i < width * height; ++i) image.rgba.insert(image.rgba.end(), {10, 128, 255, 77});
      const Image out = to_power_of_two(image, 64);
      BOOST_TEST_REQUIRE((is_power_of_two(out.width) && is_power_of_two(out.height)));
      BOOST_TEST(out.width <= 64u);
      if (is_power_of_two(width) && width <= 64) BOOST_TEST(out.width == width);
      for (std::size_t i = 0; i < out.rgba.size(); i += 4) {
        BOOST_TEST_REQUIRE(out.rgba[i] == 10);
        BOOST_TEST_REQUIRE(out.rgba[i + 3] == 77);
      }
    }
}

BOOST_AUTO_TEST_CASE(frames) {
  const std::uint32_t words[] = {0x80102030, 0x01020304};
  const Image up = from_frame(words, 1, 2, true);
  BOOST_TEST(up.rgba == (std::vector<std::uint8_t>{2, 3, 4, 1, 0x10, 0x20, 0x30, 0x80}),
             boost::test_tools::per_element());
  const Image down = from_frame(words, 1, 2, false);
  BOOST_TEST(down.rgba[0] == 0x10);
}

BOOST_AUTO_TEST_CASE(png_round_trip) {
  std::mt19937 random(3);
  Image image{17, 9, {}};
  for (unsigned i = 0; i < 4 * 17 * 9; ++i) image.rgba.push_back(static_cast<std::uint8_t>(random()));
  const auto path = std::filesystem::temp_directory_path() / "gyre_png_round_trip.png";
  write_png(path.string(), image);
  const Image back = read_png(path.string());
  BOOST_TEST(back.width == 17u);
  BOOST_TEST(back.height == 9u);
  BOOST_TEST(back.rgba == image.rgba, boost::test_tools::per_element());

  const std::string good = gyre::test::slurp(path);
  unsigned refused = 0;
  for (int round = 0; round < 500; ++round) {
    const std::string bad = gyre::test::mutate(good, random);
    refused += gyre::test::refuses([&] { decode_png(bad, "x.png"); });
  }
  BOOST_TEST(refused > 300u);
  std::filesystem::remove(path);
  BOOST_CHECK_THROW(write_png("/nowhere/x.png", image), gyre::UserError);
  BOOST_CHECK_THROW(read_png("/nowhere/x.png"), gyre::UserError);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
