// Malformed files of every kind: one UserError of one line that names the file, never anything else.
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

#include "cgltrace_reader.h"
#include "drawlist_reader.h"
#include "package_view.h"
#include "scene.h"
#include "support.h"
#include "trace_text.h"

namespace {

using namespace gyre::scene;

struct Corpus {
  const char* folder;
  std::size_t at_least;
  friend std::ostream& operator<<(std::ostream& out, const Corpus& corpus) { return out << corpus.folder; }
};
const std::vector<Corpus> kCorpora{{"trace", 10}, {"json", 10}, {"package", 10}, {"model", 10}};

BOOST_AUTO_TEST_SUITE(bad_input)

BOOST_DATA_TEST_CASE(corpus, boost::unit_test::data::make(kCorpora), kind) {
  const auto files = gyre::test::files_in(gyre::test::source_dir() / "tests/bad" / kind.folder);
  BOOST_TEST(files.size() >= kind.at_least);
  for (const auto& file : files) {
    BOOST_TEST_CONTEXT(file) {
      BOOST_CHECK_EXCEPTION(load(file.string()), gyre::UserError, [&](const gyre::UserError& error) {
        BOOST_TEST_MESSAGE(error.what());
        return gyre::test::names_file_in_one_line(error, file.filename().string());
      });
    }
  }
}

BOOST_AUTO_TEST_CASE(no_such_file_and_folder) {
  BOOST_CHECK_THROW(load("/nowhere/x.json"), gyre::UserError);
  BOOST_CHECK_THROW(load("/"), gyre::UserError);
}

BOOST_AUTO_TEST_CASE(mutated_traces) {
  gyre::test::TraceText text;
  text.texture = "<format>4</format><width>2</width><height>1</height><size>4</size><pixels>APjgBw==</pixels>";
  text.states["texture_enabled"] = "1";
  const std::string good = text.str();
  std::mt19937 random(11);
  unsigned refused = 0;
  for (int round = 0; round < 3000; ++round) {
    const std::string bad = gyre::test::mutate(good, random);
    refused += gyre::test::refuses([&] {
      const auto bytes = read_cgltrace(bad, "x.cgltrace", 32, 32);
      PackageView{bytes};
    });
  }
  BOOST_TEST(refused > 1000u);
}

BOOST_AUTO_TEST_CASE(mutated_draw_lists) {
  const std::string good = gyre::test::slurp(gyre::test::source_dir() / "tests/scene/everything.json");
  std::mt19937 random(12);
  unsigned refused = 0;
  for (int round = 0; round < 5000; ++round) {
    const std::string bad = gyre::test::mutate(good, random);
    refused += gyre::test::refuses([&] {
      const auto bytes = read_drawlist(bad, "x.json", 0, 0);
      PackageView{bytes};
    });
  }
  BOOST_TEST(refused > 2000u);
}

// Deep nesting must not exhaust the stack.
BOOST_AUTO_TEST_CASE(deep_nesting) {
  const std::string open(200000, '[');
  BOOST_CHECK_THROW(read_drawlist(open, "x.json", 0, 0), gyre::UserError);
  BOOST_CHECK_THROW(read_drawlist("{\"meta\":" + open + std::string(200000, ']') + "}", "x.json", 0, 0),
                    gyre::UserError);
  std::string xml;
  for (int i = 0; i < 100000; ++i) xml += "<a>";
  BOOST_CHECK_THROW(read_cgltrace(xml + "</boost_serialization>", "x", 8, 8), gyre::UserError);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
