// The reference renderer against pictures made by the oracle (tests/conformance/cases), with the rules of each family.
#include <boost/test/data/monomorphic.hpp>
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <filesystem>

#include "image_compare.h"
#include "png_image.h"
#include "renderer.h"
#include "scene.h"

using namespace gyre;
namespace data = boost::unit_test::data;
namespace fs = std::filesystem;

namespace {

struct Rule {
  const char* family;
  int tolerance;       // in a channel
  double bad_percent;  // pixels that may pass it
};
// Depth and stencil: two surfaces may lie closer than the truncation of the depth plane. Clip and persp: edge pixels.
// Texture: nearest filtering at texel edges.
const Rule kRules[] = {{"fill", 0, 0}, {"logic", 0, 0}, {"blend", 2, 0}, {"persp", 2, 0.1}, {"clip", 2, 0.1},
                       {"texture", 2, 0.5}, {"depth", 0, 0.5}, {"stencil", 0, 0.5}};

std::vector<std::string> cases() {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(fs::path(GYRE_SOURCE_DIR) / "tests/conformance/cases")) {
    if (entry.path().extension() == ".json") names.push_back(entry.path().stem().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace

BOOST_AUTO_TEST_CASE(every_family_is_there) {
  const auto names = cases();
  for (const Rule& rule : kRules) {
    const auto prefix = std::string(rule.family) + "_";
    BOOST_TEST(std::count_if(names.begin(), names.end(), [&](const auto& n) { return n.rfind(prefix, 0) == 0; }) >= 5,
               rule.family);
  }
}

BOOST_DATA_TEST_CASE(equals_the_oracle, data::make(cases()), name) {
  const Rule* rule = std::find_if(std::begin(kRules), std::end(kRules),
                                  [&](const Rule& r) { return name.rfind(r.family, 0) == 0; });
  BOOST_REQUIRE(rule != std::end(kRules));
  const std::string path = std::string(GYRE_SOURCE_DIR) + "/tests/conformance/cases/" + name;
  const auto bytes = scene::load(path + ".json");
  const scene::PackageView package(bytes);
  const reference::Frame frame = reference::render(package);
  const scene::Image got = scene::from_frame(frame.color.data(), frame.width, frame.height, package.bottom_up());
  const scene::Image want = scene::read_png(path + ".png");
  const test::Picture a{got.width, got.height, got.rgba}, b{want.width, want.height, want.rgba};
  const std::size_t bad = test::bad_pixels(a, b, rule->tolerance);
  BOOST_TEST_MESSAGE(name << ": " << test::bad_pixels(a, b, 0) << " pixels differ, " << bad << " by more than "
                          << rule->tolerance << ", the largest difference is " << test::worst_difference(a, b));
  BOOST_TEST(static_cast<double>(bad) <= rule->bad_percent / 100 * frame.width * frame.height);
}
