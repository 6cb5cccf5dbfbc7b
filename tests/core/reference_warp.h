// A warp as the specification describes it, written to be right at a glance: every lane on its own, integers in 64-bit
// words, floats by the C library under fesetround, masks and the IPDOM stack as in isa.md §5. For differential tests:
// programs are lists of instructions that the tests have made themselves, so no decoder is involved.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

namespace gyre::test::reference {

using u32 = std::uint32_t;
using s32 = std::int32_t;
using u64 = std::uint64_t;
using s64 = std::int64_t;

struct Warp;
struct Instruction;

// One lane's work, or (`whole`) the warp's.
struct Kind {
  const char* name;
  std::function<u32(const Instruction&)> encode;
  std::function<void(Warp&, unsigned lane, const Instruction&)> lane;
  std::function<void(Warp&, const Instruction&)> whole;
  bool jumps = false;  // `target` is the index of an instruction
};

struct Instruction {
  const Kind* kind = nullptr;
  u32 rd = 0, rs1 = 0, rs2 = 0, rs3 = 0, rm = 0;
  s32 imm = 0;
  int target = -1;
  bool dynamic = false;  // `rm` is what frm holds, and the encoding says so

  // Of the rounding mode `mode`, which is rm or made of it.
  u32 rounding_field(u32 mode) const { return dynamic ? 7 : mode; }
};

struct Lane {
  u64 x[32] = {};  // XLEN 32: sign-extended
  u64 f[32] = {};  // XLEN 32: the upper half is ignored
  std::vector<std::uint8_t> global, local;
};

struct Warp {
  struct Entry {
    u32 original;
    int other;
    bool visited;
  };
  explicit Warp(unsigned xlen_bits, unsigned threads) : xlen(xlen_bits), lanes(threads), mask(full()) {}
  u32 full() const { return lanes.size() == 32 ? ~0u : (1u << lanes.size()) - 1; }
  bool on(unsigned lane) const { return (mask >> lane & 1) != 0; }
  unsigned highest() const { return 31 - static_cast<unsigned>(__builtin_clz(mask)); }
  void write(unsigned lane, u32 rd, u64 value) {
    if (rd != 0) lanes[lane].x[rd] = xlen == 32 ? static_cast<u64>(s64{static_cast<s32>(value)}) : value;
  }

  // Runs to the end of the program or to the first empty mask.
  void run(const std::vector<Instruction>& program) {
    for (int pc = 0; pc < static_cast<int>(program.size()) && mask != 0; pc = next) {
      const Instruction& i = program[static_cast<std::size_t>(pc)];
      next = pc + 1;
      here = pc;
      executed += static_cast<u64>(__builtin_popcount(mask));
      if (i.kind->whole) {
        i.kind->whole(*this, i);
        continue;
      }
      for (unsigned l = 0; l < lanes.size(); ++l)
        if (on(l)) i.kind->lane(*this, l, i);
    }
  }

  const unsigned xlen;
  std::vector<Lane> lanes;
  u32 mask;
  std::vector<Entry> stack;
  unsigned flags = 0;
  int next = 0, here = 0;
  u64 executed = 0;
};

// Every kind the test programs are made of, by group. RV64-only kinds carry a W, L or D in their names.
std::vector<Kind> integer_kinds(unsigned xlen);
std::vector<Kind> float_kinds(unsigned xlen);
std::vector<Kind> memory_kinds(unsigned xlen);
std::vector<Kind> control_kinds();

}  // namespace gyre::test::reference
