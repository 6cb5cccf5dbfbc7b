#include "decode.h"

#include <algorithm>
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <cstring>
#include <random>

using namespace gyre::cp;

namespace {

// cp.md §4, written down a second time: size of each opcode and how many 64-bit arguments it has.
struct Format {
  unsigned opcode, size, args;
};
const Format kFormats[] = {{0x00, 4, 0},  {0x01, 28, 3}, {0x02, 28, 3}, {0x03, 28, 3}, {0x04, 20, 2}, {0x05, 20, 2},
                           {0x06, 12, 1}, {0x08, 20, 2}, {0x09, 28, 3}, {0x0A, 12, 1}, {0x0B, 12, 1}, {0x0C, 12, 1}};
std::ostream& operator<<(std::ostream& out, const Format& f) { return out << "opcode " << f.opcode; }

Line random_line(std::mt19937& random) {
  Line line;
  for (auto& byte : line) byte = static_cast<std::uint8_t>(random());
  return line;
}

std::uint64_t u64_at(const Line& line, unsigned offset) {
  std::uint64_t value;
  std::memcpy(&value, line.data() + offset, 8);
  return value;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(decoding)

BOOST_DATA_TEST_CASE(arguments_are_packed_after_the_header, boost::unit_test::data::make(kFormats), format) {
  std::mt19937 random(format.opcode + 1);
  for (unsigned flags = 0; flags < 256; ++flags) {
    if (format.opcode == 0 && flags == 0) continue;  // padding
    for (unsigned offset = 0; offset <= 64; ++offset) {
      Line line = random_line(random);
      const unsigned size = format.size + ((flags & 1) != 0 ? 8 : 0);
      if (offset + 4 <= 64) {
        line[offset] = static_cast<std::uint8_t>(format.opcode);
        line[offset + 1] = static_cast<std::uint8_t>(flags);
      }
      const Decoded d = decode(line, offset);
      if (offset + 4 > 64) {
        BOOST_TEST((d.status == DecodeStatus::kEndOfLine));
      } else if (offset + size > 64) {
        BOOST_TEST((d.status == DecodeStatus::kOverrun));
      } else {
        BOOST_REQUIRE((d.status == DecodeStatus::kCommand));
        BOOST_TEST(d.command.size == size);
        BOOST_TEST(d.command.physical() == ((flags & 4) != 0));
        for (unsigned i = 0; i < format.args; ++i) BOOST_TEST(d.command.arg[i] == u64_at(line, offset + 4 + 8 * i));
        if ((flags & 1) != 0) BOOST_TEST(d.command.profile_slot == u64_at(line, offset + format.size));
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(fence_has_a_short_argument) {
  Line line{};
  line[0] = 0x07;
  line[4] = 3;
  line[8] = 0xEE;  // next command
  const Decoded d = decode(line, 0);
  BOOST_TEST(d.command.size == 8u);
  BOOST_TEST(d.command.arg[0] == 3u);
}

BOOST_AUTO_TEST_CASE(padding_and_counted_nop) {
  Line line{};
  BOOST_TEST((decode(line, 0).status == DecodeStatus::kEndOfLine));
  line[2] = 0x55;  // reserved bytes do not matter
  BOOST_TEST((decode(line, 0).status == DecodeStatus::kEndOfLine));
  line[1] = 0x80;
  BOOST_TEST((decode(line, 0).status == DecodeStatus::kCommand));
  BOOST_TEST(decode(line, 0).command.size == 4u);
}

BOOST_AUTO_TEST_CASE(unknown_opcodes) {
  for (unsigned opcode = 0x0D; opcode < 256; ++opcode) {
    Line line{};
    line[60] = static_cast<std::uint8_t>(opcode);
    BOOST_TEST((decode(line, 60).status == DecodeStatus::kBadOpcode));
    BOOST_TEST(unsigned{decode(line, 60).command.opcode} == opcode);
  }
}

BOOST_AUTO_TEST_CASE(worked_line) {  // cp.md §11
  Line line{};
  const std::uint8_t bytes[] = {4, 0, 0, 0, 0x61, 0, 0, 0, 0, 0, 0, 0, 0x0C, 0, 0, 0, 0, 0, 0, 0, 6};
  std::copy(std::begin(bytes), std::end(bytes), line.begin());
  const Decoded write = decode(line, 0), launch = decode(line, 20), end = decode(line, 32);
  BOOST_TEST(unsigned{write.command.opcode} == 4u);
  BOOST_TEST(write.command.arg[0] == 0x61u);
  BOOST_TEST(write.command.arg[1] == 12u);
  BOOST_TEST(unsigned{launch.command.opcode} == 6u);
  BOOST_TEST((end.status == DecodeStatus::kEndOfLine));
}

// A line walked as the engine walks it always ends, inside the line, in at most 16 commands.
BOOST_AUTO_TEST_CASE(random_bytes_never_overrun) {
  std::mt19937 random(7);
  unsigned long long counts[4] = {};
  for (int i = 0; i < 200000; ++i) {
    Line line = random_line(random);
    if (i % 2 == 0)  // steer half of them towards valid opcodes
      for (unsigned at = 0; at < 64; at += 4) line[at] = static_cast<std::uint8_t>(random() % 15);
    unsigned offset = 0, commands = 0;
    Decoded d;
    while ((d = decode(line, offset)).status == DecodeStatus::kCommand) {
      offset += d.command.size;
      BOOST_REQUIRE(offset <= 64u);
      BOOST_REQUIRE(++commands <= 16u);
    }
    ++counts[static_cast<int>(d.status)];
  }
  BOOST_TEST(counts[1] > 0u);
  BOOST_TEST(counts[2] > 0u);
  BOOST_TEST(counts[3] > 0u);
  BOOST_TEST((decode(Line{}, ~0u).status == DecodeStatus::kEndOfLine));
}

BOOST_AUTO_TEST_CASE(steps) {
  StepBytes bytes{};
  bytes[0] = 0x04;
  bytes[1] = 0x04;
  bytes[4] = 0x61;
  bytes[12] = 0x0C;
  bytes[19] = 0x80;
  const Command step = decode_step(bytes);
  BOOST_TEST(unsigned{step.opcode} == 4u);
  BOOST_TEST(step.physical());
  BOOST_TEST(step.arg[0] == 0x61u);
  BOOST_TEST(step.arg[1] == 0x800000000000000Cull);
}

BOOST_AUTO_TEST_SUITE_END()
