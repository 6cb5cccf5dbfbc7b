// gyre --trace-insn: what stands in the file against what the machine counted, the filters against the whole file, and
// that a traced run is the same run.
#include <algorithm>
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <fstream>
#include <functional>
#include <map>
#include <sstream>

#include "disassembler.h"
#include "run_gyre.h"

using namespace gyre::test;
namespace data = boost::unit_test::data;

namespace {

const std::string kSource = GYRE_SOURCE_DIR, kFirmware = std::string(GYRE_BUILD_DIR) + "/firmware/";

struct Line {
  std::uint64_t cycle = 0, pc = 0;
  std::uint32_t word = 0;
  std::string agent, lanes, text, function, result, whole;
};

std::vector<Line> read_trace(const std::string& name, std::vector<std::string>* comments = nullptr) {
  std::ifstream file(name);
  std::vector<Line> lines;
  for (std::string row; std::getline(file, row);) {
    if (row[0] == '#') {
      if (comments != nullptr) comments->push_back(row);
      continue;
    }
    Line line;
    line.whole = row;
    std::istringstream fields(row);
    std::string cycle, pc, word;
    for (std::string* field : {&cycle, &line.agent, &line.lanes, &pc, &word, &line.text, &line.function, &line.result})
      std::getline(fields, *field, '\t');
    line.cycle = std::stoull(cycle);
    line.pc = std::stoull(pc, nullptr, 16);
    line.word = static_cast<std::uint32_t>(std::stoul(word, nullptr, 16));
    lines.push_back(std::move(line));
  }
  return lines;
}

bool is_host(const Line& line) { return line.agent == "host"; }

std::uint64_t number_of(const std::string& report, const std::string& key) {
  const std::size_t at = report.find("\"" + key + "\": ");
  BOOST_REQUIRE(at != std::string::npos);
  return std::stoull(report.substr(at + key.size() + 4));
}

// A report without what depends on the clock on the wall.
std::string facts(const std::string& report) {
  const std::string text = slurp(report);
  BOOST_REQUIRE(text.find("\"wall\"") != std::string::npos);
  return text.substr(0, text.find("\"wall\""));
}

// The drawing of a triangle, or example firmware; the words before the trace's own.
std::vector<std::string> draw(const std::string& folder) {
  return {"render",
          kSource + "/scenes/triangle.json",
          "--size",
          "16x16",
          "-q",
          "-o",
          folder + "/f.png",
          "--report",
          folder + "/r.json",
          "--config",
          kSource + "/configs/tiny.yaml"};
}
std::vector<std::string> device(const std::string& folder) {
  std::vector<std::string> words{"run",
                                 "--device",
                                 GYRE_BUILD_DIR "/tests/device/device_kernels.elf",
                                 "--kernel",
                                 "sum",
                                 "--block",
                                 "8,3,1",
                                 "--grid",
                                 "3",
                                 "--arg",
                                 "5",
                                 "--arg",
                                 "3",
                                 "-q",
                                 "--report",
                                 folder + "/r.json",
                                 "--config",
                                 kSource + "/configs/default.yaml"};
  return words;
}

Outcome traced(std::vector<std::string> words, const std::string& file, const std::vector<std::string>& filters = {}) {
  words.insert(words.end(), {"--trace-insn", file});
  for (const std::string& filter : filters) words.insert(words.end(), {"--trace-insn-filter", filter});
  return run_gyre(words);
}

}  // namespace

BOOST_AUTO_TEST_SUITE(insn_trace)

// A line for every instruction that the counters have seen, with the text of the disassembler.
BOOST_AUTO_TEST_CASE(every_instruction_has_a_line) {
  ScratchFolder scratch("trace");
  const Outcome outcome = traced(draw(scratch.string()), scratch / "t.txt");
  BOOST_REQUIRE_MESSAGE(outcome.code == 0, outcome.err);
  BOOST_TEST(outcome.err == "");
  std::vector<std::string> comments;
  const std::vector<Line> lines = read_trace(scratch / "t.txt", &comments);
  const std::string report = slurp(scratch / "r.json");
  const auto host = static_cast<std::uint64_t>(std::count_if(lines.begin(), lines.end(), is_host));
  BOOST_TEST(host == number_of(report, "host_instructions"));
  BOOST_TEST(lines.size() - host == number_of(report, "warp_instructions"));
  std::uint64_t lanes = 0;
  std::map<std::string, std::uint64_t> latest;
  unsigned named = 0, wrong = 0;
  for (const Line& line : lines) {
    if (!is_host(line)) lanes += static_cast<unsigned>(__builtin_popcount(std::stoul(line.lanes, nullptr, 16)));
    const gyre::riscv::Isa& isa = is_host(line) ? gyre::riscv::kHostIsa : gyre::riscv::kSimtIsa;
    wrong += line.text != gyre::riscv::disassemble(line.word, line.pc, isa);
    wrong += line.cycle < latest[line.agent];  // an agent's clock never goes back
    latest[line.agent] = line.cycle;
    named += !line.function.empty();
  }
  BOOST_TEST(wrong == 0u);
  BOOST_TEST(lanes == number_of(report, "thread_instructions"));
  BOOST_TEST(named > lines.size() * 99 / 100);
  BOOST_TEST(comments.size() > 1u);
  const auto interrupts = [](const std::string& text) {
    return text.rfind("# host: interrupt 11 before pc 0x", 0) == 0;
  };
  BOOST_TEST(std::count_if(comments.begin(), comments.end(), interrupts) > 0);
}

// The host's results: an addition in the trace adds up.
BOOST_AUTO_TEST_CASE(results_follow_from_results) {
  ScratchFolder scratch("results");
  BOOST_REQUIRE(traced(draw(scratch.string()), scratch / "t.txt", {"host"}).code == 0);
  std::map<std::string, std::uint64_t> registers;
  unsigned checked = 0, wrong = 0;
  for (const Line& line : read_trace(scratch / "t.txt")) {
    if (line.text == "ebreak") registers.erase("a0");  // the answer of a semihosting call
    const std::size_t equals = line.result.find('=');
    if (equals == std::string::npos || line.result.rfind("exception", 0) == 0) continue;
    const std::uint64_t value = std::stoull(line.result.substr(equals + 1), nullptr, 16);
    std::istringstream words(line.text);
    std::string mnemonic, rd, rs1, rs2;
    words >> mnemonic;
    std::getline(words, rd, ',');
    std::getline(words, rs1, ',');
    std::getline(words, rs2, ',');
    rd.erase(0, rd.find_first_not_of(' '));
    const bool known = registers.count(rs1) != 0;
    if (mnemonic == "addi" && known) {
      ++checked;
      wrong += value != registers[rs1] + static_cast<std::uint64_t>(std::stoll(rs2));
    } else if (mnemonic == "add" && known && registers.count(rs2) != 0) {
      ++checked;
      wrong += value != registers[rs1] + registers[rs2];
    } else if (mnemonic == "c.mv" && known) {
      ++checked;
      wrong += value != registers[rs1];
    }
    registers[line.result.substr(0, equals)] = value;
  }
  BOOST_TEST(checked > 1000u);
  BOOST_TEST(wrong == 0u);
}

// Tracing changes no cycle and no counter, whatever the quantum.
BOOST_DATA_TEST_CASE(a_traced_run_is_the_same_run, data::make({"10ns", "1us", "100us"}), quantum) {
  for (const auto& make : {draw, device}) {
    ScratchFolder plain("plain"), other("traced");
    std::vector<std::string> first = make(plain.string()), second = make(other.string());
    for (auto* words : {&first, &second}) words->insert(words->end(), {"--set", std::string("sim.quantum=") + quantum});
    const Outcome a = run_gyre(first), b = traced(second, other / "t.txt");
    BOOST_TEST(a.code == b.code);
    BOOST_TEST(facts(plain / "r.json") == facts(other / "r.json"));
    if (make == draw) BOOST_TEST(slurp(plain / "f.png") == slurp(other / "f.png"));
  }
}

struct Filter {
  const char* text;
  std::function<bool(const Line&)> wanted;
};

BOOST_AUTO_TEST_CASE(filters) {
  ScratchFolder scratch("filters");
  traced(device(scratch.string()), scratch / "all.txt");
  const std::vector<Line> all = read_trace(scratch / "all.txt");
  BOOST_REQUIRE(all.size() > 100u);
  auto agent = [](const std::string& name) { return [name](const Line& line) { return line.agent == name; }; };
  auto has = [](const Line& line, const std::string& text) { return line.agent.find(text) != std::string::npos; };
  const std::uint64_t pc = all[all.size() / 2].pc;
  std::ostringstream at, range;
  at << "pc=0x" << std::hex << pc;
  range << "pc=0x" << std::hex << pc << "-" << std::dec << pc + 16;
  const std::string at_text = at.str(), range_text = range.str();
  const Filter filters[] = {
      {"gpu", [](const Line&) { return true; }},
      {"core=1,warp=0", agent("core1.warp0")},
      {"core=0,core=2", [&](const Line& l) { return has(l, "core0.") || has(l, "core2."); }},
      {"warp=1", [&](const Line& l) { return has(l, ".warp1"); }},
      {at_text.c_str(), [&](const Line& l) { return l.pc == pc; }},
      {range_text.c_str(), [&](const Line& l) { return l.pc >= pc && l.pc <= pc + 16; }},
      {"symbol=sum", [](const Line& l) { return l.function == "sum" || l.function.rfind("sum+", 0) == 0; }},
      {"symbol=_start,core=0", [&](const Line& l) { return l.function.rfind("_start", 0) == 0 && has(l, "core0."); }},
  };
  for (const Filter& filter : filters) {
    BOOST_TEST_CONTEXT(filter.text) {
      const Outcome outcome = traced(device(scratch.string()), scratch / "some.txt", {filter.text});
      BOOST_TEST(outcome.err == "");
      std::string expect, got;
      for (const Line& line : all)
        if (filter.wanted(line)) expect += line.whole + "\n";
      for (const Line& line : read_trace(scratch / "some.txt")) got += line.whole + "\n";
      BOOST_TEST(!expect.empty());
      BOOST_TEST((got == expect));
    }
  }
  // Host and one core; a function of the host's.
  BOOST_REQUIRE(traced(draw(scratch.string()), scratch / "main.txt", {"host", "symbol=main"}).code == 0);
  const std::vector<Line> in_main = read_trace(scratch / "main.txt");
  BOOST_TEST(in_main.size() > 50u);
  for (const Line& line : in_main) BOOST_TEST((is_host(line) && line.function.rfind("main", 0) == 0));
}

// The file ends at the limit and says so; the run does not.
BOOST_AUTO_TEST_CASE(limits) {
  ScratchFolder scratch("limits");
  const Outcome whole = traced(draw(scratch.string()), scratch / "all.txt");
  const std::string all = slurp(scratch / "all.txt"), report = facts(scratch / "r.json");
  const std::size_t head = all.find('\n') + 1;
  for (const char* filter : {"lines=1000", "bytes=64KiB", "lines=1", "lines=20000"}) {
    BOOST_TEST_CONTEXT(filter) {
      const Outcome outcome = traced(draw(scratch.string()), scratch / "some.txt", {filter});
      BOOST_TEST(outcome.code == 0);
      BOOST_TEST(outcome.err.find(std::string("the limit ") + (filter[0] == 'l' ? filter : "bytes=65536") +
                                  " is reached, the run goes on without a trace") != std::string::npos,
                 outcome.err);
      std::string some = slurp(scratch / "some.txt");
      const std::size_t last = some.rfind("# the limit ");
      BOOST_REQUIRE(last != std::string::npos);
      some.erase(last);
      BOOST_TEST((some == all.substr(0, some.size())));
      const auto lines = std::count(some.begin(), some.end(), '\n') - 1;
      if (filter[0] == 'l') BOOST_TEST(lines == std::stol(std::string(filter).substr(6)));
      if (filter[0] == 'b') BOOST_TEST((some.size() - head <= 65536 && some.size() - head > 65000));
      // One warning more; else the same report.
      std::string now = facts(scratch / "r.json");
      BOOST_REQUIRE(now.find("\"warnings\": 1,") != std::string::npos);
      now.replace(now.find("\"warnings\": 1,"), 14, "\"warnings\": 0,");
      BOOST_TEST(now == report);
    }
  }
}

BOOST_AUTO_TEST_CASE(faults_and_exceptions) {
  ScratchFolder scratch("faults");
  const std::vector<std::string> words{"run",
                                       "--device",
                                       GYRE_BUILD_DIR "/tests/device/lints.elf",
                                       "--kernel",
                                       "null_load",
                                       "-q",
                                       "--set",
                                       "gpu.core.threads=4",
                                       "--trace-insn",
                                       scratch / "t.txt"};
  BOOST_TEST(run_gyre(words, 120, false, Lints::kAsConfigured).code == 1);
  const std::vector<Line> lines = read_trace(scratch / "t.txt");
  BOOST_REQUIRE(!lines.empty());
  BOOST_TEST(lines.back().function == "null_load");
  BOOST_TEST(lines.back().text == "lw t1,8(zero)");
  BOOST_TEST(lines.back().result == "fault");
}

BOOST_AUTO_TEST_CASE(mistakes_are_named) {
  ScratchFolder scratch("mistakes");
  struct Mistake {
    const char *filter, *text;
  };
  for (const Mistake& mistake : std::initializer_list<Mistake>{{"core=9", "cores 0 to 3"},
                                                               {"warp=8", "warps 0 to 7"},
                                                               {"pc=main", "not a number"},
                                                               {"pc=8-4", "ends before it begins"},
                                                               {"bytes=0", "not a size"},
                                                               {"bytes=99999999999GiB", "not a size"},
                                                               {"lines=many", "not a number"},
                                                               {"symbol=", "not understood"},
                                                               {"gpu,", "not understood"},
                                                               {"cpu", "not understood"},
                                                               {"host", "no host CPU"}}) {
    const Outcome outcome = traced(device(scratch.string()), scratch / "t.txt", {mistake.filter});
    BOOST_TEST(outcome.code == 2, mistake.filter);
    BOOST_TEST(outcome.err.find(mistake.text) != std::string::npos, mistake.filter << ": " << outcome.err);
    BOOST_TEST(std::count(outcome.err.begin(), outcome.err.end(), '\n') == 1);
  }
  const Outcome unknown = traced(device(scratch.string()), scratch / "t.txt", {"symbol=no_such"});
  BOOST_TEST(unknown.err.find("no program of this run has a function no_such") != std::string::npos, unknown.err);
  const Outcome nowhere = traced(device(scratch.string()), scratch / "none/t.txt");
  BOOST_TEST(nowhere.code == 2);
  BOOST_TEST(nowhere.err.find("none/t.txt: No such file") != std::string::npos, nowhere.err);
  const Outcome full = traced(device(scratch.string()), "/dev/full");
  BOOST_TEST(full.code == 2);
  BOOST_TEST(full.err.find("/dev/full: No space left") != std::string::npos, full.err);
  std::vector<std::string> lonely = device(scratch.string());
  lonely.insert(lonely.end(), {"--trace-insn-filter", "gpu"});
  BOOST_TEST(run_gyre(lonely).err.find("Add --trace-insn FILE") != std::string::npos);
  const Outcome same = traced(draw(scratch.string()), scratch / "f.png");
  BOOST_TEST(same.code == 2);
  BOOST_TEST(same.err.find("named for two outputs") != std::string::npos, same.err);
  std::vector<std::string> reference = draw(scratch.string());
  reference.insert(reference.end(), {"--backend", "reference"});
  BOOST_TEST(traced(reference, scratch / "t.txt").err.find("has no instructions") != std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()
