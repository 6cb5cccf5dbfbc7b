// The reference renderer against pictures of an independent renderer. The cases of the project are always compared;
// GYRE_ORACLE_CASES=FOLDER adds a folder of NAME.json and NAME.png (tests/conformance/oracle.sh makes one).
#include <boost/test/unit_test.hpp>

#include <cstdlib>
#include <iostream>
#include <map>

#include "cases.h"
#include "gyre_paths.h"
#include "package_view.h"
#include "renderer.h"
#include "scene.h"

using namespace gyre;

namespace {

test::Picture draw(const std::string& path) {
  const std::vector<std::uint8_t> package = scene::load(path, 0, 0);
  const scene::PackageView view(package, path);
  const reference::Frame frame = reference::render(view);
  return test::picture_of(scene::from_frame(frame.color.data(), view.width(), view.height(), view.bottom_up()));
}

void compare(const std::string& folder) {
  struct Tally {
    unsigned cases = 0, off = 0;
    std::size_t pixels = 0, bad = 0;
    int worst = 0;
  };
  std::map<std::string, Tally> families;
  for (const test::Case& one : test::cases_in(folder, folder)) {
    BOOST_TEST_CONTEXT(one.name) {
      const test::Picture picture = draw(one.path);
      const test::Rule rule = test::rule_of(one.family);
      const std::size_t pixels = picture.rgba.size() / 4;
      const std::size_t bad = test::bad_pixels(picture, one.expected, rule.tolerance);
      const auto allowed = static_cast<std::size_t>(rule.share * static_cast<double>(pixels));
      BOOST_TEST(bad <= allowed, one.name << ": " << bad << " of " << pixels << " pixels differ by more than "
                                          << rule.tolerance << ", allowed " << allowed << " (" << rule.reason << ")");
      Tally& tally = families[one.family];
      ++tally.cases;
      tally.off += bad != 0;
      tally.pixels += pixels;
      tally.bad += bad == SIZE_MAX ? pixels : bad;
      tally.worst = std::max(tally.worst, test::worst_difference(picture, one.expected));
    }
  }
  BOOST_TEST(families.size() == 8u);
  for (const auto& [family, tally] : families) {
    std::cout << "CONFORMANCE " << family << ": " << tally.cases << " cases, " << tally.bad << " of " << tally.pixels
              << " pixels beyond " << test::rule_of(family).tolerance << " in " << tally.off << " cases, worst "
              << tally.worst << "\n";
    BOOST_TEST(tally.cases >= 5u);
  }
}

}  // namespace

BOOST_AUTO_TEST_SUITE(conformance)

BOOST_AUTO_TEST_CASE(own_cases) { compare(std::string(GYRE_SOURCE_DIR) + "/tests/conformance/cases"); }

BOOST_AUTO_TEST_CASE(more_cases) {
  const char* folder = std::getenv("GYRE_ORACLE_CASES");
  if (folder != nullptr) compare(folder);
}

BOOST_AUTO_TEST_SUITE_END()
