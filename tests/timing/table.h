// A line of the table of measured times and closed forms.
#pragma once

#include <boost/test/unit_test.hpp>

#include <cmath>
#include <cstdio>
#include <string>

namespace gyre::test {

// Fails beyond `percent`.
inline void expect(const std::string& what, double measured, double closed_form, double percent = 15) {
  const double error = 100 * (measured - closed_form) / closed_form;
  std::printf("%-58s %10.2f %10.2f %+7.1f %%\n", what.c_str(), measured, closed_form, error);
  std::fflush(stdout);
  BOOST_TEST(std::abs(error) <= percent, what << ": " << measured << ", closed form " << closed_form);
}

}  // namespace gyre::test
