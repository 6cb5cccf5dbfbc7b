// The disassembler against GNU objdump: every program that was built here or came with Debian, and generated words of
// every format. What both have to say is compared after this normalisation of objdump's line: the address, the bytes,
// "<symbol>" and "# comment" go, and the 0x of jump targets goes on both sides.
#include "disassembler.h"

#include <algorithm>
#include <array>
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <random>
#include <set>
#include <sstream>

#include "run_gyre.h"

using namespace gyre::riscv;
namespace fs = std::filesystem;

namespace {

constexpr Isa isa_of(unsigned xlen, bool simt) { return {xlen, true, true, true, true, true, true, simt, simt}; }

struct Line {
  std::uint64_t address;
  std::uint32_t word;
  unsigned bytes;
  std::string text;
};

std::string without_prefix(std::string text) {
  const std::size_t at = text.rfind("0x");
  const bool jump =
      text.rfind("j", 0) == 0 || text.rfind("b", 0) == 0 || text.rfind("c.j", 0) == 0 || text.rfind("c.b", 0) == 0;
  return jump && at != std::string::npos && text.find(')', at) == std::string::npos ? text.erase(at, 2) : text;
}

std::string trimmed(std::string text) {
  for (const char* mark : {" <", "\t<", " #", "\t#"})
    if (const std::size_t at = text.find(mark); at != std::string::npos) text.erase(at);
  std::replace(text.begin(), text.end(), '\t', ' ');
  while (!text.empty() && text.back() == ' ') text.pop_back();
  return text;
}

std::vector<Line> objdump(const std::string& arguments) {
  const std::string command = "riscv64-unknown-elf-objdump -z -M no-aliases " + arguments;
  std::FILE* pipe = popen(command.c_str(), "r");
  BOOST_REQUIRE(pipe != nullptr);
  std::vector<Line> lines;
  std::array<char, 512> buffer;
  while (std::fgets(buffer.data(), buffer.size(), pipe) != nullptr) {
    unsigned long long address = 0;
    unsigned word = 0;
    int begin = 0, end = 0, text = 0;
    std::string line = buffer.data();
    if (!line.empty() && line.back() == '\n') line.pop_back();
    if (std::sscanf(line.c_str(), " %llx:\t%n%x%n \t%n", &address, &begin, &word, &end, &text) < 2 || text == 0)
      continue;
    line.erase(0, text);
    // Data among the code: what symbols or marks say is none.
    if (line.find("  ") != std::string::npos || line.rfind(".word", 0) == 0 || line.rfind(".short", 0) == 0) continue;
    lines.push_back({address, word, static_cast<unsigned>(end - begin) / 2, trimmed(line)});
  }
  BOOST_REQUIRE_EQUAL(pclose(pipe), 0);
  return lines;
}

// objdump 2.40 does not know the word; we do, and rightly so.
bool only_ours(std::uint32_t word, Op op) {
  if (op == Op::kCzeroEqz || op == Op::kCzeroNez) return true;
  if (op == Op::kFence || op == Op::kFenceI) return true;  // reserved fields are ignored
  if (op == Op::kFcvtDS || op == Op::kFcvtDW || op == Op::kFcvtDWu) return funct3_of(word) != 0;
  return op >= Op::kTmc && op <= Op::kPacklh;
}

std::set<std::string> our_mnemonics() {
  std::set<std::string> names;
  for (unsigned op = 1; op < kOpCount; ++op) names.insert(syntax_of(static_cast<Op>(op)).mnemonic);
  return names;
}

// A word we call invalid although objdump names an instruction of ours: a reserved encoding it does not check.
bool reserved(const Line& line, unsigned xlen) {
  const std::uint32_t w = line.word;
  if (line.bytes == 2)
    return line.text == "c.addi16sp sp,0" || line.text.rfind("c.s", 0) == 0;  // c.slli a0,0x20 on RV32
  if (opcode_of(w) == 0x13 && xlen == 32) return (w >> 25 & 1) != 0;          // shift of 32 and more
  const bool fp = opcode_of(w) == 0x53 || (opcode_of(w) & 0x73) == 0x43;
  return fp && (funct3_of(w) == 5 || funct3_of(w) == 6);
}

std::string operand(std::int32_t number) {
  std::ostringstream text;
  text << "0x" << std::hex << number;
  return text.str();
}

struct Tally {
  unsigned same = 0, ours = 0, theirs = 0;
};

Tally compare(const std::vector<Line>& lines, unsigned xlen, bool simt, const std::string& what) {
  static const std::set<std::string> known = our_mnemonics();
  const Isa isa = isa_of(xlen, simt);
  Tally tally;
  unsigned wrong = 0;
  for (const Line& line : lines) {
    const Decoded d = decode(line.word, isa);
    std::string text = disassemble(d, line.address, isa), theirs = line.text;
    const bool data = theirs.rfind(".4byte", 0) == 0 || theirs.rfind(".2byte", 0) == 0 || theirs == "c.unimp";
    if (const std::string csr = csr_name(d.imm, simt); d.op >= Op::kCsrrw && d.op <= Op::kCsrrci && !data) {
      // Names that only one of us has: the number must be the same.
      const std::string number = operand(d.imm);
      const std::size_t at = text.find(csr.empty() ? number : csr);
      BOOST_REQUIRE(at != std::string::npos);
      if (csr.empty() || theirs.find("," + number + ",") != std::string::npos) {
        text.replace(at, csr.empty() ? number.size() : csr.size(), number);
        const std::size_t first = theirs.find(',') + 1, last = theirs.find(',', first);
        theirs.replace(first, last - first, number);
      }
    }
    const std::string word = theirs.substr(0, theirs.find(' '));
    const bool theirs_alone = d.op == Op::kIllegal &&
                              (known.count(word.substr(0, word.find(".aq"))) == 0 || reserved(line, xlen)) &&
                              (word.rfind("c.", 0) != 0 || reserved(line, xlen));
    if (without_prefix(text) == without_prefix(theirs)) {
      ++tally.same;
    } else if (data && d.op == Op::kIllegal) {
      ++tally.same;
    } else if (data && only_ours(line.word, d.op)) {
      ++tally.ours;
    } else if (theirs_alone) {
      ++tally.theirs;
      BOOST_TEST_MESSAGE(what << ": " << std::hex << line.address << ": " << line.word << " is objdump's " << theirs);
    } else if (++wrong <= 10) {
      BOOST_ERROR(what << ": " << std::hex << line.address << ": " << line.word << ": " << text
                       << ", objdump: " << theirs);
    }
  }
  BOOST_TEST(wrong == 0u);
  return tally;
}

unsigned elf_class(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::array<char, 20> head{};
  file.read(head.data(), head.size());
  if (!file || head[0] != 0x7F || head[1] != 'E' || head[18] != static_cast<char>(0xF3)) return 0;
  return head[4] == 2 ? 64 : head[4] == 1 ? 32 : 0;
}

}  // namespace

BOOST_AUTO_TEST_CASE(every_program_that_was_built) {
  unsigned host = 0, device = 0;
  std::vector<fs::path> programs;
  for (const char* folder : {"firmware", "tests/device", "tests/simt/accept", "tests/simt/reject"})
    for (const auto& entry : fs::directory_iterator(fs::path(GYRE_BUILD_DIR) / folder))
      if (entry.path().extension() == ".elf") programs.push_back(entry.path());
  for (const fs::path& program : programs) {
    const unsigned xlen = elf_class(program);
    BOOST_REQUIRE_MESSAGE(xlen != 0, program << " is no RISC-V program");
    // Host firmware is the only 64-bit code in firmware/; everything else is for the SIMT cores.
    const bool simt = xlen == 32 || program.parent_path().filename() != "firmware";
    const std::vector<Line> lines = objdump("-d " + program.string());
    const Tally tally = compare(lines, xlen, simt, program.filename().string());
    BOOST_TEST(tally.theirs == 0u);
    BOOST_TEST(tally.same + tally.ours == lines.size());
    if (lines.size() > 1000) ++(simt ? device : host);
  }
  BOOST_TEST(host >= 3u);
  BOOST_TEST(device >= 3u);
}

// Programs nobody here wrote, with compressed and double-precision code.
BOOST_AUTO_TEST_CASE(programs_of_the_distribution) {
  for (const char* name :
       {"/usr/lib/riscv64-linux-gnu/opensbi/generic/fw_jump.elf", "/usr/lib/u-boot/qemu-riscv64_smode/uboot.elf"}) {
    if (!fs::exists(name)) {
      std::printf("SKIPPED %s is not installed\n", name);
      continue;
    }
    const std::vector<Line> lines = objdump(std::string("-d ") + name);
    BOOST_TEST(lines.size() > 10'000u);
    const Tally tally = compare(lines, 64, false, name);
    BOOST_TEST(tally.same + tally.ours + tally.theirs == lines.size());
    BOOST_TEST(tally.ours + tally.theirs < lines.size() / 1000);
  }
}

// Words of every opcode with random fields, function fields that mean something more often than chance, and all
// compressed ones.
BOOST_DATA_TEST_CASE(generated_words, boost::unit_test::data::make({32u, 64u}), xlen) {
  constexpr unsigned kOpcodes[] = {0x37, 0x17, 0x6F, 0x67, 0x63, 0x03, 0x23, 0x13, 0x33, 0x1B, 0x3B,
                                   0x0F, 0x73, 0x2F, 0x07, 0x27, 0x43, 0x47, 0x4B, 0x4F, 0x53};
  constexpr unsigned kFunct7[] = {0x00, 0x01, 0x20, 0x02, 0x04, 0x08, 0x05, 0x09, 0x0C, 0x0D, 0x10, 0x11, 0x14, 0x15,
                                  0x50, 0x51, 0x60, 0x61, 0x68, 0x69, 0x70, 0x71, 0x78, 0x79, 0x2C, 0x2D, 0x21};
  std::mt19937 random(7 + xlen);
  std::string bytes;
  auto put = [&](std::uint32_t value, unsigned count) {
    for (unsigned i = 0; i < count; ++i) bytes += static_cast<char>(value >> 8 * i);
  };
  constexpr unsigned kWords = 120'000;
  for (unsigned i = 0; i < kWords; ++i) {
    std::uint32_t w = static_cast<std::uint32_t>(random());
    w = (w & ~0x7Fu) | kOpcodes[random() % std::size(kOpcodes)];
    if (random() % 2 != 0) w = (w & 0x01FFFFFF) | kFunct7[random() % std::size(kFunct7)] << 25;
    if (random() % 4 == 0) w = (w & ~(31u << 20)) | (random() % 4) << 20;
    if (random() % 4 == 0) w &= ~0xF80u;
    put(w, 4);
  }
  for (unsigned h = 0; h < 0x10000; ++h)
    if ((h & 3) != 3) put(h, 2);
  gyre::test::ScratchFolder scratch("words");
  std::ofstream(scratch / "words.bin", std::ios::binary) << bytes;
  const std::vector<Line> lines =
      objdump("-D -b binary -m riscv:rv" + std::to_string(xlen) + " " + scratch / "words.bin");
  BOOST_REQUIRE_EQUAL(lines.size(), kWords + 0xC000);
  const Tally tally = compare(lines, xlen, false, "generated");
  BOOST_TEST(tally.same > lines.size() * 9 / 10);
}

namespace {

struct Custom {
  const char* text;
  std::uint32_t word;
};

// isa.md §4: funct7, rs2, rs1, funct3, rd in custom0; rs3, funct2, rs2, rs1, funct3, rd in custom1.
constexpr std::uint32_t r(unsigned funct7, unsigned rs2, unsigned rs1, unsigned funct3, unsigned rd) {
  return funct7 << 25 | rs2 << 20 | rs1 << 15 | funct3 << 12 | rd << 7 | 0x0B;
}
constexpr std::uint32_t r4(unsigned rs3, unsigned funct2, unsigned rs2, unsigned rs1, unsigned funct3, unsigned rd) {
  return rs3 << 27 | funct2 << 25 | rs2 << 20 | rs1 << 15 | funct3 << 12 | rd << 7 | 0x2B;
}

const Custom kCustom[] = {
    {"vx_tmc zero", 0x0000000B},
    {"vx_tmc a0", r(0, 0, 10, 0, 0)},
    {"vx_wspawn a0,a1", r(0, 11, 10, 1, 0)},
    {"vx_split t2,ra", r(0, 0, 1, 2, 7)},
    {"vx_split_n t2,ra", r(0, 1, 1, 2, 7)},
    {"vx_join t6", r(0, 0, 31, 3, 0)},
    {"vx_bar a0,a1", r(0, 11, 10, 4, 0)},
    {"vx_pred a0,a1", r(0, 11, 10, 5, 0)},
    {"vx_pred_n a0,a1", r(0, 11, 10, 5, 1)},
    {"vx_bar_arrive a2,a0,a1", r(0, 11, 10, 6, 12)},
    {"vx_bar_wait a0,a1", r(0, 11, 10, 6, 0)},
    {"vx_wsync", 0x0000700B},
    {"vx_vote_all a2,a0", r(1, 0, 10, 0, 12)},
    {"vx_vote_any a2,a0", r(1, 0, 10, 1, 12)},
    {"vx_vote_uni a2,a0", r(1, 0, 10, 2, 12)},
    {"vx_vote_ballot a2,a0", r(1, 0, 10, 3, 12)},
    {"vx_shfl_up a2,a0,a1", r(1, 11, 10, 4, 12)},
    {"vx_shfl_down a2,a0,a1", r(1, 11, 10, 5, 12)},
    {"vx_shfl_bfly a2,a0,a1", r(1, 11, 10, 6, 12)},
    {"vx_shfl_idx a2,a0,a1", r(1, 11, 10, 7, 12)},
    {"vx_packlb_f fa2,a0,a1", r(4, 11, 10, 1, 12)},
    {"vx_packlh_f fa2,a0,a1", r(4, 11, 10, 2, 12)},
    {"vx_wgather a0,a1,a2,a3,3", r4(13, 3, 12, 11, 0, 10)},
    {"vx_om_export a1,a2,a3,3", r4(13, 3, 12, 11, 3, 0)},
    {"vx_tex a0,a1,a2,a3,1", r4(13, 1, 12, 11, 5, 10)},
    {"csrrs t0,thread_id,zero", 0xCC0022F3},
    {"csrrs t0,frag_pos,zero", 0xCE2022F3},
    {"csrrs t0,num_barriers,zero", 0xFC4022F3},
    {"czero.eqz a0,a1,a2", 0x0EC5D533},
    {"czero.nez a0,a1,a2", 0x0EC5F533},
    {"invalid 0x0ec5b50b", 0x0EC5B50B},  // funct7 7
    {"invalid 0x0ac5c52b", 0x0AC5C52B},  // funct3 4
    {"invalid 0x0000005b", 0x0000005B},  // custom2
    {"invalid 0xffffffff", 0xFFFFFFFF},
    {"invalid 0x0000", 0x00000000},
    {"invalid 0x0000", 0x12340000},
};

}  // namespace

BOOST_DATA_TEST_CASE(custom_instructions, boost::unit_test::data::xrange(std::size(kCustom)), i) {
  for (const unsigned xlen : {32u, 64u})
    BOOST_TEST(disassemble(kCustom[i].word, 0, isa_of(xlen, true)) == kCustom[i].text);
  // Not of the host's instruction set.
  const unsigned opcode = opcode_of(kCustom[i].word);
  if (opcode == 0x0B || opcode == 0x2B)
    BOOST_TEST(disassemble(kCustom[i].word, 0, kHostIsa).rfind("invalid ", 0) == 0u);
}

BOOST_AUTO_TEST_CASE(every_custom_operation_is_in_the_table) {
  std::set<unsigned> seen;
  for (const Custom& custom : kCustom) seen.insert(static_cast<unsigned>(decode(custom.word, isa_of(32, true)).op));
  for (unsigned op = static_cast<unsigned>(Op::kTmc); op < kOpCount; ++op)
    BOOST_TEST(seen.count(op) == 1u, "op " << op);
}

// Whatever the word, the text says what the decoder says, in printable characters and reasonable length.
BOOST_AUTO_TEST_CASE(random_words) {
  std::mt19937 random(11);
  unsigned none = 0, some = 0;
  for (unsigned i = 0; i < 500'000; ++i) {
    const std::uint32_t w = static_cast<std::uint32_t>(random());
    const Isa isa = isa_of(i % 2 != 0 ? 32 : 64, i % 3 != 0);
    const std::uint64_t pc = std::uint64_t{random()} << (i % 32) & ~std::uint64_t{1};
    const std::string text = disassemble(w, pc, isa);
    const bool invalid = text.rfind("invalid 0x", 0) == 0;
    const bool plain = std::all_of(text.begin(), text.end(), [](char c) { return c >= ' ' && c < 0x7F; });
    ++(invalid ? none : some);
    if (invalid != (decode(w, isa).op == Op::kIllegal) || !plain || text.size() > 60)
      BOOST_ERROR(std::hex << w << ": " << text);
  }
  BOOST_TEST(none > 100'000u);
  BOOST_TEST(some > 100'000u);
}

// Addresses of the core's width: what lies behind the end of the space begins at its start.
BOOST_AUTO_TEST_CASE(jump_targets_wrap) {
  BOOST_TEST(disassemble(0x0100006F, 0xFFFFFFF8, kSimtIsa) == "jal zero,0x8");
  BOOST_TEST(disassemble(0xFF9FF06F, 0x0, kSimtIsa) == "jal zero,0xfffffff8");
  BOOST_TEST(disassemble(0xFF9FF06F, 0x0, kHostIsa) == "jal zero,0xfffffffffffffff8");
}
