// How deep the source language nests (csir.md §2): 32 ifs, loops and blocks, 32 levels in an expression; beyond, and
// for any bytes, one clear error and no deep recursion.
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

#include "language_support.h"

namespace {

using namespace gyre::shader;
using gyre::test::fragment_source;
using gyre::test::good;
using gyre::test::message;
using gyre::test::repeated;
using gyre::test::says;
using gyre::test::shade;

constexpr const char* kStatements = "more than 32 levels of nested if, for and blocks";
constexpr const char* kExpression = "more than 32 levels of nesting in an expression";

BOOST_AUTO_TEST_SUITE(nesting)

// The same nesting written in every way a user may.
struct Form {
  const char* name;
  const char *open, *close;
  int depth = 32;
};
std::ostream& operator<<(std::ostream& out, const Form& form) { return out << form.name; }
const Form kForms[] = {
    {"if", "if (a.x > 0.0) ", ""},
    {"if with a block", "if (a.x > 0.0) { ", "}"},
    {"if with else", "if (a.x > 0.0) { ", "} else discard;"},
    {"else if", "if (a.x < 0.0) discard; else ", ""},
    {"else if with blocks", "if (a.x < 0.0) {} else {", "}"},
    {"for", "for (int i = 0; i < 1; i++) ", "", 23},  // two scopes each, of 48
    {"for with a block", "for (int i = 0; i < 1; i++) {", "}", 23},
    {"block", "{", "}"},
};

BOOST_DATA_TEST_CASE(statements_nest_32_deep, boost::unit_test::data::make(kForms)) {
  const auto nested = [&](int depth) {
    return repeated(sample.open, depth) + "color = a;" + repeated(sample.close, depth);
  };
  BOOST_TEST(good(fragment_source(nested(sample.depth))));
  BOOST_TEST(shade(nested(sample.depth), {1, 2, 3, 4}).color[3] == 4.0f);
  const std::string log = message(fragment_source(nested(33)));
  BOOST_TEST(says(log, kStatements), log);
  BOOST_TEST(says(log, ":7:"), log);  // the line it stands in
}

// Every level is alive: the value counts them, and the false one ends it.
BOOST_AUTO_TEST_CASE(all_32_levels_run) {
  std::string body = "float s = 0.0;";
  for (int i = 0; i < 32; ++i) body += "if(a.x>" + std::to_string(i) + ".5){s=s+1.0;";
  body += std::string(32, '}') + "color=vec4(s);";
  for (const int x : {0, 1, 17, 31, 32})
    BOOST_TEST(shade(body, {static_cast<float>(x)}).color[0] == static_cast<float>(x));
}

BOOST_AUTO_TEST_CASE(a_condition_is_as_deep_as_any_expression) {
  const std::string ifs = repeated("if (a.x > 0.0) ", 31);
  const auto innermost = [&](int parens) {
    return fragment_source(ifs + "if (" + std::string(static_cast<std::size_t>(parens), '(') + "a.x > 0.0" +
                           std::string(static_cast<std::size_t>(parens), ')') + ") color = a;");
  };
  BOOST_TEST(good(innermost(31)));
  BOOST_TEST(says(message(innermost(32)), kExpression));
}

// Inlining adds the ifs of the caller and of the called.
BOOST_AUTO_TEST_CASE(ifs_of_called_functions_count) {
  const auto source = [](int outer, int inner) {
    return fragment_source(
        repeated("if (a.x > 0.0) ", outer) + "color = vec4(f(a.x));",
        "float f(float x) { float r = 0.0; " + repeated("if (x > 0.0) ", inner) + "r = 1.0; return r; }");
  };
  BOOST_TEST(good(source(16, 16)));
  BOOST_TEST(good(source(31, 1)));
  const std::string log = message(source(17, 16));
  BOOST_TEST(says(log, "more than 32 nested ifs, those of called functions included"), log);
  BOOST_TEST(says(log, ":2:"), log);
}

BOOST_AUTO_TEST_CASE(expressions) {
  const auto parens = [](int n) {
    return fragment_source("color = " + repeated("(", n) + "a" + repeated(")", n) + ";");
  };
  BOOST_TEST(good(parens(31)));
  BOOST_TEST(says(message(parens(32)), kExpression));
  BOOST_TEST(!good(fragment_source("color = ---a;")));  // "--" is an operator of its own
  const auto spaced = [](int n) { return fragment_source("color = " + repeated("- ", n) + "a;"); };
  BOOST_TEST(good(spaced(31)));
  BOOST_TEST(says(message(spaced(32)), kExpression));
  // A long flat sum is not nested.
  BOOST_TEST(good(fragment_source("color = a" + repeated(" + a", 200) + ";")));
}

// As much of one opening as a source can hold: refused with a place, at every position where it may stand.
BOOST_AUTO_TEST_CASE(no_bytes_recurse_deeply) {
  for (const char* const opening :
       {"(", "{", "[", "- ", "! ", "if(", "if(a.x>0.0)", "if(a.x>0.0){", "else ", "for(", "for(int i=0;i<1;i++)",
        "for(int i=0;i<1;i++){", "vec4(", "f(", "a[", "a.", "return ", "void main(){", "float f(float x){"}) {
    for (const char* const before : {"", "void main() { ", "out vec4 c; void main() { c = ", "const float x = "}) {
      std::string source = before;
      while (source.size() + std::string(opening).size() <= 4095) source += opening;
      const std::string log = message(source);
      BOOST_TEST(says(log, "error:"), source.substr(0, 60));
      const std::string shorter = source.substr(0, 1200);  // within the tokens
      BOOST_TEST(says(message(shorter), "error:"), shorter.substr(0, 60));
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
