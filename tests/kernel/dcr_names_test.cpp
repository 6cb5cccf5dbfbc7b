// Every register of abi/dcr.h has its name there, and no other number has one.
#include "dcr_names.h"

#include <boost/test/unit_test.hpp>
#include <fstream>
#include <map>
#include <regex>

#include "dcr.h"
#include "gyre_paths.h"

using namespace gyre;

BOOST_AUTO_TEST_SUITE(dcr_names)

BOOST_AUTO_TEST_CASE(are_those_of_the_abi) {
  std::ifstream file(GYRE_SOURCE_DIR "/abi/dcr.h");
  const std::regex define("#define GYRE_DCR_([A-Z0-9_]+) (0x0[0-9A-F]{2})u.*");
  std::map<unsigned, std::string> names;
  std::smatch match;
  for (std::string line; std::getline(file, line);)
    if (std::regex_match(line, match, define)) names[static_cast<unsigned>(std::stoul(match[2], nullptr, 16))] = match[1];
  BOOST_TEST(names.size() > 60u);
  for (unsigned level = 1; level < GYRE_TEX_LEVELS; ++level)
    names[GYRE_DCR_TEX_MIPOFF0 + level] = "TEX_MIPOFF" + std::to_string(level);
  for (unsigned number = 0; number < GYRE_DCR_COUNT; ++number)
    BOOST_TEST(kernel::dcr_name(number) == (names.count(number) != 0 ? names[number] : "no register"));
}

BOOST_AUTO_TEST_SUITE_END()
