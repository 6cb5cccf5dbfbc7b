// Every integer, vote and shuffle executor against a scalar model, at every thread count, with random masks.
#include <boost/test/unit_test.hpp>

#include "bare_warp.h"

using namespace gyre;
using namespace gyre::test;
using riscv::Op;
using u32 = std::uint32_t;
using s32 = std::int32_t;

namespace {

struct Case {
  const char* name;
  Op op;
  bool immediate;
  u32 (*model)(u32 a, u32 b);
};

u32 sdiv(u32 a, u32 b) {
  if (b == 0) return ~0u;
  return static_cast<u32>(static_cast<std::int64_t>(static_cast<s32>(a)) / static_cast<s32>(b));
}
u32 srem(u32 a, u32 b) {
  if (b == 0) return a;
  return static_cast<u32>(static_cast<std::int64_t>(static_cast<s32>(a)) % static_cast<s32>(b));
}
u32 high(__int128 a, __int128 b) { return static_cast<u32>(static_cast<unsigned __int128>(a * b) >> 32); }

const Case kCases[] = {
    {"add", Op::kAdd, false, [](u32 a, u32 b) { return a + b; }},
    {"sub", Op::kSub, false, [](u32 a, u32 b) { return a - b; }},
    {"xor", Op::kXor, false, [](u32 a, u32 b) { return a ^ b; }},
    {"or", Op::kOr, false, [](u32 a, u32 b) { return a | b; }},
    {"and", Op::kAnd, false, [](u32 a, u32 b) { return a & b; }},
    {"sll", Op::kSll, false, [](u32 a, u32 b) { return a << (b & 31); }},
    {"srl", Op::kSrl, false, [](u32 a, u32 b) { return a >> (b & 31); }},
    {"sra", Op::kSra, false, [](u32 a, u32 b) { return static_cast<u32>(static_cast<s32>(a) >> (b & 31)); }},
    {"slt", Op::kSlt, false, [](u32 a, u32 b) -> u32 { return static_cast<s32>(a) < static_cast<s32>(b); }},
    {"sltu", Op::kSltu, false, [](u32 a, u32 b) -> u32 { return a < b; }},
    {"mul", Op::kMul, false, [](u32 a, u32 b) { return a * b; }},
    {"mulh", Op::kMulh, false, [](u32 a, u32 b) { return high(static_cast<s32>(a), static_cast<s32>(b)); }},
    {"mulhsu", Op::kMulhsu, false, [](u32 a, u32 b) { return high(static_cast<s32>(a), b); }},
    {"mulhu", Op::kMulhu, false, [](u32 a, u32 b) { return high(a, b); }},
    {"div", Op::kDiv, false, sdiv},
    {"divu", Op::kDivu, false, [](u32 a, u32 b) { return b == 0 ? ~0u : a / b; }},
    {"rem", Op::kRem, false, srem},
    {"remu", Op::kRemu, false, [](u32 a, u32 b) { return b == 0 ? a : a % b; }},
    {"czero.eqz", Op::kCzeroEqz, false, [](u32 a, u32 b) { return b == 0 ? 0 : a; }},
    {"czero.nez", Op::kCzeroNez, false, [](u32 a, u32 b) { return b != 0 ? 0 : a; }},
    {"addi", Op::kAddi, true, [](u32 a, u32 b) { return a + b; }},
    {"slti", Op::kSlti, true, [](u32 a, u32 b) -> u32 { return static_cast<s32>(a) < static_cast<s32>(b); }},
    {"sltiu", Op::kSltiu, true, [](u32 a, u32 b) -> u32 { return a < b; }},
    {"xori", Op::kXori, true, [](u32 a, u32 b) { return a ^ b; }},
    {"ori", Op::kOri, true, [](u32 a, u32 b) { return a | b; }},
    {"andi", Op::kAndi, true, [](u32 a, u32 b) { return a & b; }},
    {"slli", Op::kSlli, true, [](u32 a, u32 b) { return a << (b & 31); }},
    {"srli", Op::kSrli, true, [](u32 a, u32 b) { return a >> (b & 31); }},
    {"srai", Op::kSrai, true, [](u32 a, u32 b) { return static_cast<u32>(static_cast<s32>(a) >> (b & 31)); }},
};

u32 value(std::mt19937& rng) {
  static const u32 special[] = {0,          1,          2,          31,         32,        0x7FFFFFFF,
                                0x80000000, 0x80000001, 0xFFFFFFFF, 0xFFFFFFFE, 0x55555555};
  return rng() % 3 == 0 ? special[rng() % std::size(special)] : static_cast<u32>(rng()) >> (rng() % 32);
}

void fill(BareWarp& b, std::mt19937& rng) {
  for (u32& r : b.registers) r = value(rng);
  for (unsigned l = 0; l < b.threads; ++l) b.row(0)[l] = 0;
}

// The shuffle of isa.md §4.2, lane by lane.
u32 shuffle_model(unsigned mode, const u32* source, const u32* control, unsigned lane, unsigned threads) {
  const int t = static_cast<int>(lane), b = control[lane] & 63, c = control[lane] >> 6 & 63,
            m = control[lane] >> 12 & 63;
  const int low = t & m, high = low | (c & ~m & 63);
  int from = 0;
  bool valid = false;
  if (mode == 0) {
    from = t - b;
    valid = from >= low;
  }
  if (mode == 1) {
    from = t + b;
    valid = from <= high;
  }
  if (mode == 2) {
    from = t ^ b;
    valid = from <= high;
  }
  if (mode == 3) {
    from = low | (b & ~m);
    valid = from <= high;
  }
  return valid && from >= 0 && from < static_cast<int>(threads) ? source[from] : source[lane];
}

void both_builds(void (*body)(std::mt19937&)) {
  for (bool baseline : {false, true}) {
    core::use_baseline_executors(baseline);
    std::mt19937 rng(7);
    body(rng);
  }
  core::use_baseline_executors(false);
}

}  // namespace

BOOST_AUTO_TEST_SUITE(core_exec_int)

BOOST_AUTO_TEST_CASE(arithmetic_equals_the_scalar_model) {
  both_builds([](std::mt19937& rng) {
    for (unsigned threads : kThreadCounts)
      for (const Case& c : kCases)
        for (int round = 0; round < 60; ++round) {
          BareWarp b(threads);
          fill(b, rng);
          b.set_mask(random_mask(rng, b.w.full));
          core::Inst i;
          i.rs1 = static_cast<std::uint8_t>(rng() % 32);
          i.rs2 = static_cast<std::uint8_t>(rng() % 32);
          i.rd = static_cast<std::uint8_t>(1 + rng() % 31);  // may equal a source
          const u32 imm = value(rng);
          i.imm = static_cast<s32>(imm);
          const std::vector<u32> before = b.registers;
          b.run(c.op, i);
          for (unsigned l = 0; l < threads; ++l) {
            const u32 x = before[i.rs1 * threads + l], y = c.immediate ? imm : before[i.rs2 * threads + l];
            const u32 expect = b.on(l) ? c.model(x, y) : before[i.rd * threads + l];
            BOOST_REQUIRE_MESSAGE(b.row(i.rd)[l] == expect, c.name << " " << threads << " lanes, lane " << l << ": "
                                                                   << x << ", " << y << " -> " << b.row(i.rd)[l]
                                                                   << " not " << expect);
          }
          for (unsigned r = 0; r < core::kRows; ++r)
            for (unsigned l = 0; l < threads; ++l) BOOST_REQUIRE(r == i.rd || b.row(r)[l] == before[r * threads + l]);
        }
  });
}

BOOST_AUTO_TEST_CASE(highest_active_lane_decides_branches_and_disagreement_is_seen) {
  struct Branch {
    Op op;
    bool (*model)(u32, u32);
  };
  static const Branch branches[] = {{Op::kBeq, [](u32 a, u32 b) { return a == b; }},
                                    {Op::kBne, [](u32 a, u32 b) { return a != b; }},
                                    {Op::kBlt, [](u32 a, u32 b) { return static_cast<s32>(a) < static_cast<s32>(b); }},
                                    {Op::kBge, [](u32 a, u32 b) { return static_cast<s32>(a) >= static_cast<s32>(b); }},
                                    {Op::kBltu, [](u32 a, u32 b) { return a < b; }},
                                    {Op::kBgeu, [](u32 a, u32 b) { return a >= b; }}};
  both_builds([](std::mt19937& rng) {
    for (unsigned threads : kThreadCounts)
      for (const Branch& c : branches)
        for (int round = 0; round < 100; ++round) {
          BareWarp b(threads);
          fill(b, rng);
          if (rng() % 2 == 0)  // uniform operands
            for (unsigned l = 0; l < threads; ++l) {
              b.row(5)[l] = b.row(5)[0];
              b.row(6)[l] = b.row(6)[0];
            }
          b.set_mask(random_mask(rng, b.w.full));
          b.w.pc = 0x80000100;
          core::Inst i;
          i.rs1 = 5;
          i.rs2 = 6;
          i.imm = -64;
          b.run(c.op, i);
          unsigned taken = 0;
          for (unsigned l = 0; l < threads; ++l) taken += b.on(l) && c.model(b.row(5)[l], b.row(6)[l]);
          const bool decides = c.model(b.row(5)[b.w.hal], b.row(6)[b.w.hal]);
          BOOST_REQUIRE(b.w.next_pc == (decides ? 0x800000C0u : 0x80000104u));
          BOOST_REQUIRE(b.divergent == (taken != 0 && taken != b.w.lanes));
        }
  });
}

BOOST_AUTO_TEST_CASE(jumps_link_in_active_lanes_and_follow_the_highest) {
  std::mt19937 rng(3);
  for (unsigned threads : kThreadCounts) {
    BareWarp b(threads);
    fill(b, rng);
    b.set_mask(random_mask(rng, b.w.full));
    b.w.pc = 0x80000100;
    core::Inst i;
    i.rs1 = 7;
    i.rd = 7;
    i.imm = 5;
    const u32 target = (b.row(7)[b.w.hal] + 5) & ~1u;
    const std::vector<u32> before = b.registers;
    b.run(Op::kJalr, i);
    BOOST_REQUIRE(b.w.next_pc == target);
    for (unsigned l = 0; l < threads; ++l)
      BOOST_REQUIRE(b.row(7)[l] == (b.on(l) ? 0x80000104u : before[7 * threads + l]));
  }
}

BOOST_AUTO_TEST_CASE(votes) {
  both_builds([](std::mt19937& rng) {
    for (unsigned threads : kThreadCounts)
      for (int round = 0; round < 200; ++round) {
        BareWarp b(threads);
        fill(b, rng);
        const u32 pattern = rng() % 4;
        for (unsigned l = 0; l < threads; ++l)
          b.row(5)[l] = (static_cast<u32>(rng()) & ~1u) | (pattern == 0 ? 0 : pattern == 1 ? 1 : rng() % 2);
        b.set_mask(random_mask(rng, b.w.full));
        u32 ballot = 0;
        for (unsigned l = 0; l < threads; ++l) ballot |= (b.on(l) ? b.row(5)[l] & 1 : 0) << l;
        const u32 expect[] = {ballot == b.w.mask, ballot != 0, ballot == 0 || ballot == b.w.mask, ballot};
        const Op ops[] = {Op::kVoteAll, Op::kVoteAny, Op::kVoteUni, Op::kVoteBallot};
        for (unsigned k = 0; k < 4; ++k) {
          core::Inst i;
          i.rs1 = 5;
          i.rd = 8;
          const std::vector<u32> before = b.registers;
          b.run(ops[k], i);
          for (unsigned l = 0; l < threads; ++l)
            BOOST_REQUIRE(b.row(8)[l] == (b.on(l) ? expect[k] : before[8 * threads + l]));
        }
      }
  });
}

BOOST_AUTO_TEST_CASE(shuffles) {
  both_builds([](std::mt19937& rng) {
    const Op ops[] = {Op::kShflUp, Op::kShflDown, Op::kShflBfly, Op::kShflIdx};
    for (unsigned threads : kThreadCounts)
      for (unsigned mode = 0; mode < 4; ++mode)
        for (int round = 0; round < 200; ++round) {
          BareWarp b(threads);
          fill(b, rng);
          for (unsigned l = 0; l < threads; ++l) b.row(6)[l] = static_cast<u32>(rng()) & 0x3FFFF;
          if (rng() % 2 == 0)  // typical controls: groups of a power of two
            for (unsigned l = 0; l < threads; ++l) {
              const u32 width = 1u << rng() % 6;
              b.row(6)[l] = rng() % width | (width - 1) << 6 | (64 - width) << 12;
            }
          b.set_mask(random_mask(rng, b.w.full));
          core::Inst i;
          i.rs1 = 5;
          i.rs2 = 6;
          i.rd = rng() % 2 == 0 ? 5 : 8;
          const std::vector<u32> before = b.registers;
          b.run(ops[mode], i);
          for (unsigned l = 0; l < threads; ++l) {
            const u32 expect = b.on(l) ? shuffle_model(mode, &before[5 * threads], &before[6 * threads], l, threads)
                                       : before[i.rd * threads + l];
            BOOST_REQUIRE(b.row(i.rd)[l] == expect);
          }
        }
  });
}

// isa.md §4.2, "quad exchange".
BOOST_AUTO_TEST_CASE(quad_exchange_swaps_neighbours) {
  for (unsigned threads : {4u, 8u, 32u}) {
    BareWarp b(threads);
    for (unsigned l = 0; l < threads; ++l) {
      b.row(5)[l] = 100 + l;
      b.row(6)[l] = 1 | 3 << 6 | 0x3C << 12;
      b.row(7)[l] = 2 | 3 << 6 | 0x3C << 12;
    }
    core::Inst i;
    i.rs1 = 5;
    i.rs2 = 6;
    i.rd = 8;
    b.run(Op::kShflBfly, i);
    i.rs2 = 7;
    i.rd = 9;
    b.run(Op::kShflBfly, i);
    for (unsigned l = 0; l < threads; ++l) {
      BOOST_REQUIRE(b.row(8)[l] == 100 + (l ^ 1));
      BOOST_REQUIRE(b.row(9)[l] == 100 + (l ^ 2));
    }
  }
}

BOOST_AUTO_TEST_CASE(wgather_deals_one_lane_to_its_group) {
  std::mt19937 rng(5);
  for (unsigned threads : {4u, 8u, 16u, 32u})
    for (unsigned s = 0; s < 4; ++s) {
      BareWarp b(threads);
      fill(b, rng);
      core::Inst i;
      i.rs1 = 5;
      i.rs2 = 6;
      i.rs3 = 7;
      i.rd = 8;
      i.imm = static_cast<s32>(s);
      const std::vector<u32> before = b.registers;
      b.run(Op::kWgather, i);
      for (unsigned group = 0; group < threads; group += 4) {
        BOOST_REQUIRE(b.row(8)[group + s] == before[8 * threads + group + s]);
        for (unsigned k = 1; k < 4; ++k)
          BOOST_REQUIRE(b.row(8)[group + ((s + k) & 3)] == before[(4 + k) * threads + group + s]);
      }
    }
}

BOOST_AUTO_TEST_SUITE_END()
