// The configuration reader: values, sources, refusals, the reference page.
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

#include "configuration.h"
#include "gyre_paths.h"
#include "knobs.h"
#include "support.h"
#include "value.h"

namespace {

using namespace gyre::config;
using gyre::test::source_dir;

std::string refusal(const std::string& text) {
  try {
    Configuration configuration;
    configuration.read_text(text, "m.yaml");
    configuration.check();
  } catch (const gyre::UserError& error) {
    return error.what();
  }
  return "";
}

BOOST_AUTO_TEST_SUITE(configuration)

BOOST_AUTO_TEST_CASE(shipped_machines) {
  const auto tiny = load((source_dir() / "configs/tiny.yaml").string(), {}).machine();
  BOOST_TEST(tiny.gpu.total_cores() == 1u);
  BOOST_TEST(tiny.gpu.core.threads == 4u);
  const auto standard = load((source_dir() / "configs/default.yaml").string(), {}).machine();
  BOOST_TEST(standard.name == "default");
  BOOST_TEST(standard.gpu.cores == 4u);
  BOOST_TEST(standard.gpu.core.warps == 8u);
  const auto wide = load((source_dir() / "configs/wide.yaml").string(), {}).machine();
  BOOST_TEST(wide.gpu.total_cores() == 16u);
  BOOST_TEST(wide.gpu.raster_engines() == 4u);
  BOOST_TEST(wide.gpu.l2.enabled);
}

BOOST_AUTO_TEST_CASE(values_and_units) {
  Configuration c;
  c.read_text(
      "sim: {quantum: 10ns, watchdog: 5}\nhost: {ram: 1.5MiB, clock: 2GHz}\ngpu: {clock_hz: 500000000, l2: {enabled: "
      "yes}}\n",
      "m.yaml");
  BOOST_TEST(c.machine().sim.quantum_ps == 10'000u);
  BOOST_TEST(c.machine().sim.watchdog_cycles == 5u);
  BOOST_TEST(c.machine().host.ram_bytes == 1'572'864u);
  BOOST_TEST(c.machine().host.clock_hz == 2'000'000'000u);
  BOOST_TEST(c.machine().gpu.period_ps() == 2'000u);
  BOOST_TEST(c.machine().gpu.l2.enabled);
  c.set("sim.quantum_ps=1000000");
  c.set("sim.quantum=100\u00b5s");
  c.set("host.ram_bytes=0x200000");
  c.set("gpu.l2.enabled=off");
  c.set("name=my machine");
  BOOST_TEST(c.machine().sim.quantum_ps == 100'000'000u);
  BOOST_TEST(c.machine().host.ram_bytes == 0x200000u);
  BOOST_TEST(!c.machine().gpu.l2.enabled);
  BOOST_TEST(c.machine().name == "my machine");
  c.check();
}

// Every knob: its text form is taken back unchanged, its limits are taken and what lies past them is not.
BOOST_AUTO_TEST_CASE(every_knob) {
  for (const Knob& knob : knobs()) {
    BOOST_TEST_CONTEXT(knob.path) {
      gyre::MachineConfig config;
      BOOST_TEST(find_knob(knob.path) != kNoKnob);
      const std::string text = value_text(knob, config);
      BOOST_TEST(!store_value(knob, text, false, config).has_value());
      BOOST_TEST(value_text(knob, config) == text);
      BOOST_TEST(store_value(knob, "", false, config).has_value());
      BOOST_TEST(std::string(knob.doc).back() == '.');
      const std::string type = type_text(knob);
      if (type == "text" || type == "word" || type == "true or false") continue;
      for (std::uint64_t limit : {knob.min, knob.max}) {
        BOOST_TEST(!store_value(knob, std::to_string(limit), false, config).has_value());
        BOOST_TEST(value_number(knob, config) == limit);
      }
      if (knob.min > 0) BOOST_TEST(store_value(knob, std::to_string(knob.min - 1), false, config).has_value());
      for (const char* bad : {"-1", "1x", "1.", ".5", "1 2", "true", "99999999999999999999999", "0x", "1e3", "+1"})
        BOOST_TEST(store_value(knob, bad, false, config).has_value(), bad);
      BOOST_TEST(store_value(knob, std::to_string(knob.max + 1), false, config).has_value());
      BOOST_TEST(value_number(knob, config) == knob.max);  // a refused value changes nothing
    }
  }
}

BOOST_AUTO_TEST_CASE(show_names_sources_and_reads_back) {
  Configuration c;
  c.read_text("gpu:\n  core:\n    threads: 16\n", "m.yaml");
  c.set("gpu.raster.slices=2");
  c.set("sim.quantum=10us");
  const std::string text = c.show();
  const auto line_with = [&](const std::string& word) {
    const std::size_t at = text.find(word);
    BOOST_REQUIRE(at != std::string::npos);
    return text.substr(at, text.find('\n', at) - at);
  };
  BOOST_TEST(line_with("threads: 16").find("# m.yaml:3") != std::string::npos);
  BOOST_TEST(line_with("slices: 2").find("# --set") != std::string::npos);
  BOOST_TEST(line_with("warps: 4").find("# default") != std::string::npos);
  Configuration again;
  again.read_text(text, "shown.yaml");
  for (const Knob& knob : knobs()) BOOST_TEST(value_text(knob, again.machine()) == value_text(knob, c.machine()));
  BOOST_TEST(line_with("quantum_ps").find("10us") != std::string::npos);
}

struct Refused {
  const char* text;
  const char* words;  // separated by '|': all must be in the message
  friend std::ostream& operator<<(std::ostream& out, const Refused& refused) { return out << refused.words; }
};
const std::vector<Refused> kRefused{
    {"gpu:\n  core:\n    thread: 8\n", "m.yaml:3:5|gpu.core.thread|did you mean gpu.core.threads"},
    {"gpu:\n  threads: 8\n", "m.yaml:2:3|gpu.threads|did you mean gpu.core.threads"},
    {"gpus: {}\n", "m.yaml:1:1|did you mean gpu"},
    {"sim: {quantm_ps: 5ns}\n", "did you mean sim.quantum_ps"},
    {"frobnicate: 1\n", "unknown key frobnicate"},
    {"gpu: {core: {threads: 6}}\n", "m.yaml:1:23|gpu.core.threads|\"6\"|power of two in 4..32"},
    {"gpu: {core: {threads: 2}}\n", "\"2\" is out of range|4..32"},
    {"gpu: {core: {threads: 64}}\n", "\"64\" is out of range"},
    {"gpu: {core: {threads: eight}}\n", "\"eight\" is not a whole number"},
    {"gpu: {core: {threads: [8]}}\n", "m.yaml:1:23|needs one value"},
    {"gpu: {core: {threads: }}\n", "needs one value"},
    {"gpu: {core: 8}\n", "gpu.core is a group"},
    {"gpu: {l2: {enabled: maybe}}\n", "\"maybe\"|true or false"},
    {"gpu: {clock_hz: 300MHz}\n", "300MHz|picoseconds"},
    {"gpu: {clusters: 3}\n", "\"3\" is not a power of two"},
    {"gpu: {cores: 4, cores: 8}\n", "gpu.cores is given twice"},
    {"sim: {quantum: 1000}\n", "without its unit|1ns..1s"},
    {"sim: {quantum: 1 lightyear}\n", "not a whole number with a unit"},
    {"sim: {timing: exact}\n", "\"exact\"|loose or approximate"},
    {"gpu: {raster: {bin_log: 2, block_log: 2}}\n", "gpu.raster.block_log = 2 (m.yaml:1)|smaller than a bin"},
    {"gpu: {raster: {bin_log: 8}}\n", "2..7"},
    {"gpu: {clusters: 64, sockets: 4, cores: 4, core: {warps: 32, threads: 32}}\n", "1048576 lanes|31736"},
    {"gpu: {tex: {cores: 2}}\n", "more samplers than cores|gpu.cores = 1 (default)"},
    {"host: {ram: 1048577B}\n", "multiple of 4 KiB"},
    {"gpu: {cores: 4\n", "m.yaml:2|not well-formed YAML"},
    {"gpu:\n\tcores: 4\n", "not well-formed YAML"},
    {"- a\n- b\n", "keys with values"},
    {"just text\n", "keys with values"},
    {"name: default\n---\nname: other\n", "more than one"},
    {"? [a, b]\n: 1\n", "a key must be a word"},
    {"gpu: &g {cores: *g}\n", "m.yaml"},
    {"gpu: *nowhere\n", "m.yaml:1"},
    {"name: \"\"\n", "not a plain name"},
};
BOOST_DATA_TEST_CASE(refusals, boost::unit_test::data::make(kRefused), refused) {
  const std::string message = refusal(refused.text);
  BOOST_TEST_MESSAGE(message);
  BOOST_TEST(message.find('\n') == std::string::npos);
  std::istringstream words(refused.words);
  for (std::string word; std::getline(words, word, '|');)
    BOOST_TEST(message.find(word) != std::string::npos, word << " is not in: " << message);
}

BOOST_AUTO_TEST_CASE(bad_assignments) {
  Configuration c;
  for (const char* bad : {"", "=", "gpu.cores", "gpu=4", "gpu.coers=4", "gpu.cores=", "gpu.cores=four"})
    BOOST_CHECK_THROW(c.set(bad), gyre::UserError);
  BOOST_CHECK_THROW(load("/nowhere/m.yaml", {}), gyre::UserError);
  BOOST_CHECK_THROW(load("/", {}), gyre::UserError);
}

BOOST_AUTO_TEST_CASE(bad_corpus) {
  const auto files = gyre::test::files_in(source_dir() / "tests/bad/yaml");
  BOOST_TEST(files.size() >= 10u);
  for (const auto& file : files)
    BOOST_CHECK_EXCEPTION(load(file.string(), {}), gyre::UserError, [&](const gyre::UserError& error) {
      return gyre::test::names_file_in_one_line(error, file.filename().string());
    });
}

BOOST_AUTO_TEST_CASE(mutations) {
  const std::string good = Configuration().show();
  std::mt19937 random(5);
  unsigned refused = 0;
  for (int round = 0; round < 2000; ++round) {
    const std::string bad = gyre::test::mutate(good, random);
    refused += !refusal(bad).empty();
  }
  BOOST_TEST(refused > 500u);
  refusal(std::string(100000, '['));
  refusal(std::string(100000, '{'));
}

BOOST_AUTO_TEST_CASE(reference_page_is_current) {
  const auto page = source_dir() / "docs/configuration.md";
  if (std::getenv("GYRE_WRITE_DOCS")) std::ofstream(page) << reference_page();
  BOOST_TEST(gyre::test::slurp(page) == reference_page(), "run `gyre config doc > docs/configuration.md`");
}

BOOST_AUTO_TEST_CASE(without_a_file_the_machine_is_configs_default) {
  const auto built_in = gyre::config::load("", {}).machine();
  const auto file = gyre::config::load(std::string(GYRE_SOURCE_DIR) + "/configs/default.yaml", {}).machine();
  BOOST_TEST(built_in.name == file.name);
  BOOST_TEST(built_in.gpu.total_cores() == file.gpu.total_cores());
  BOOST_TEST(built_in.gpu.core.threads == file.gpu.core.threads);
  BOOST_TEST(built_in.gpu.core.warps == file.gpu.core.warps);
  BOOST_TEST(built_in.gpu.total_cores() == 4u);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
