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

// Both styles side by side; fails beyond 15 % loose, 2 % approximate.
inline void expect_styles(const std::string& what, double closed_form, double loose, double approximate) {
  constexpr double kLoosePercent = 15, kApproximatePercent = 2;
  static bool headed = false;
  if (!headed) std::printf("%-52s %9s %9s %8s %9s %8s\n", "cycles (or items a cycle)", "closed", "loose", "error", "approx.", "error");
  headed = true;
  const auto error = [&](double measured) { return 100 * (measured - closed_form) / closed_form; };
  std::printf("%-52s %9.2f %9.2f %+6.1f %% %9.2f %+6.1f %%\n", what.c_str(), closed_form, loose, error(loose), approximate,
              error(approximate));
  std::fflush(stdout);
  BOOST_TEST(std::abs(error(loose)) <= kLoosePercent, what << ", loose: " << loose << ", closed form " << closed_form);
  BOOST_TEST(std::abs(error(approximate)) <= kApproximatePercent,
             what << ", approximate: " << approximate << ", closed form " << closed_form);
}

}  // namespace gyre::test
