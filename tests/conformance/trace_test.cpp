// Captured frames against their reference pictures: at most 2 % of the pixels off by more than 2 in a channel.
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

#include <iostream>

#include "cases.h"
#include "scene.h"
#include "package_view.h"
#include "renderer.h"
#include "shared_data.h"

using namespace gyre;

namespace {

const char* const kTraces[] = {"triangle", "box",      "vase",     "carnival", "evilskull",
                               "mouse",    "polybump", "scene", "tekkaman"};

}  // namespace

BOOST_AUTO_TEST_SUITE(traces)

BOOST_DATA_TEST_CASE(matches_its_reference_picture, boost::unit_test::data::make(kTraces), name) {
  const std::string folder = test::shared_folder("scenes/cgltrace", std::string("trace ") + name);
  if (folder.empty()) return;
  const std::vector<std::uint8_t> package = scene::load(folder + "/" + name + ".cgltrace", 128, 128);
  const scene::PackageView view(package, name);
  const reference::Frame frame = reference::render(view);
  const auto picture =
      test::picture_of(scene::from_frame(frame.color.data(), view.width(), view.height(), view.bottom_up()));
  const auto expected = test::picture_of(scene::read_png(folder + "/" + name + "_ref_128.png"));
  const std::size_t bad = test::bad_pixels(picture, expected, 2);
  std::cout << "TRACE " << name << ": " << bad << " of 16384 pixels beyond 2, worst "
            << test::worst_difference(picture, expected) << "\n";
  BOOST_TEST(bad <= 16384u * 2 / 100);
}

BOOST_AUTO_TEST_SUITE_END()
