// The encoder against the decoder of modules/riscv, and against llvm-mc where that is installed.
#include "encode.h"

#include <unistd.h>

#include <array>
#include <boost/test/unit_test.hpp>
#include <cstdio>
#include <fstream>
#include <random>

#include "decode.h"

namespace {

using namespace gyre::shader::gpu;
using gyre::riscv::Op;

bool is_branch(Op op) { return op >= Op::kBeq && op <= Op::kBgeu; }
bool has_rounding(const MachineInsn& i) {
  MachineInsn other = i;
  other.rm = i.rm ^ 1;
  return encode(i) != encode(other);
}

// Random fields the operation has; the others 0.
MachineInsn random_insn(Op op, std::mt19937& random) {
  MachineInsn i;
  i.op = op;
  const Operands o = operands_of(op);
  auto reg = [&](bool there) { return static_cast<std::uint8_t>(there ? random() % 32 : 0); };
  i.rd = reg(o.rd), i.rs1 = reg(o.rs1), i.rs2 = reg(o.rs2), i.rs3 = reg(o.rs3);
  static constexpr std::uint8_t kModes[] = {0, 1, 2, 3, 4, 7};
  i.rm = kModes[random() % 6];
  if (!has_rounding(i)) i.rm = 0;
  if (op >= Op::kCsrrwi && op <= Op::kCsrrci) i.rs1 = static_cast<std::uint8_t>(random() % 32);
  for (int attempt = 0; attempt < 64; ++attempt) {
    const int shift = static_cast<int>(random() % 20);
    i.imm = static_cast<int>(random()) >> (12 + shift);
    if (op == Op::kLui || op == Op::kAuipc) i.imm = static_cast<int>(random() & 0xFFFFF000u);
    if (op == Op::kJal) i.imm = (static_cast<int>(random()) >> (11 + shift)) & ~1;
    if (is_branch(op)) i.imm = (static_cast<int>(random()) >> 19) & ~1;
    if (immediate_fits(op, i.imm)) return i;
    i.imm = 0;
  }
  return i;
}

BOOST_AUTO_TEST_SUITE(gpu_encode)

BOOST_AUTO_TEST_CASE(decoding_gives_back_every_field) {
  std::mt19937 random(1);
  for (const Op op : encodable_ops())
    for (int round = 0; round < 300; ++round) {
      const MachineInsn i = random_insn(op, random);
      const gyre::riscv::Decoded d = gyre::riscv::decode(encode(i), gyre::riscv::kSimtIsa);
      BOOST_TEST_CONTEXT(assembly(i)) {
        BOOST_REQUIRE(d.op == op);
        const Operands o = operands_of(op);
        if (o.rd) BOOST_REQUIRE_EQUAL(int{d.rd}, int{i.rd});
        if (o.rs1 || (op >= Op::kCsrrwi && op <= Op::kCsrrci)) BOOST_REQUIRE_EQUAL(int{d.rs1}, int{i.rs1});
        if (o.rs2) BOOST_REQUIRE_EQUAL(int{d.rs2}, int{i.rs2});
        if (o.rs3) BOOST_REQUIRE_EQUAL(int{d.rs3}, int{i.rs3});
        if (has_rounding(i)) BOOST_REQUIRE_EQUAL(int{d.rm}, int{i.rm});
        if (!o.frd && d.imm != 0) BOOST_REQUIRE_EQUAL(d.imm, i.imm);
        if (i.imm != 0) BOOST_REQUIRE_EQUAL(d.imm, i.imm);
      }
    }
}

BOOST_AUTO_TEST_CASE(what_does_not_fit_is_refused) {
  auto with = [](Op op, int imm) {
    MachineInsn i;
    i.op = op;
    i.imm = imm;
    return i;
  };
  for (const MachineInsn& i :
       {with(Op::kAddi, 2048), with(Op::kAddi, -2049), with(Op::kSw, 2048), with(Op::kBeq, 4096), with(Op::kBeq, 3),
        with(Op::kJal, 1 << 20), with(Op::kSlli, 32), with(Op::kLui, 1), with(Op::kTex, 4), with(Op::kFld, 0)})
    BOOST_CHECK_THROW(encode(i), std::logic_error);
}

BOOST_AUTO_TEST_CASE(llvm_mc_agrees) {
  if (std::system("llvm-mc-19 --version > /dev/null 2>&1") != 0) {
    std::puts("SKIPPED gpu_encode/llvm_mc_agrees: llvm-mc-19 is not installed (package llvm-19)");
    return;
  }
  std::mt19937 random(2);
  std::vector<MachineInsn> all;
  for (const Op op : encodable_ops())
    for (int round = 0; round < 20; ++round) all.push_back(random_insn(op, random));
  const std::string name = "gpu_encode_test." + std::to_string(getpid()) + ".s";
  std::ofstream text(name);
  for (const MachineInsn& i : all) text << assembly(i) << "\n";
  text.close();
  FILE* pipe = popen(("llvm-mc-19 -triple=riscv32 -mattr=+m,+f,+zicond --show-encoding " + name).c_str(), "r");
  BOOST_REQUIRE(pipe != nullptr);
  std::size_t n = 0;
  std::array<char, 512> line;
  while (std::fgets(line.data(), line.size(), pipe) != nullptr) {
    const std::string found = line.data();
    const std::size_t at = found.find("encoding: [");
    if (at == std::string::npos) continue;
    BOOST_REQUIRE(n < all.size());
    unsigned b[4] = {};
    BOOST_REQUIRE(std::sscanf(found.c_str() + at, "encoding: [0x%x,0x%x,0x%x,0x%x]", &b[0], &b[1], &b[2], &b[3]) == 4);
    BOOST_TEST((b[0] | b[1] << 8 | b[2] << 16 | b[3] << 24) == encode(all[n]), assembly(all[n]) << " is not " << found);
    ++n;
  }
  pclose(pipe);
  std::remove(name.c_str());
  BOOST_TEST(n == all.size());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
