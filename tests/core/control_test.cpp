// Divergence, predication, barriers, WSPAWN and traps, run as programs (isa.md §4 - §6, §9).
#include <random>

#include "rig.h"

using namespace gyre;
using namespace gyre::test;

namespace {

// Stores this warp's tmask at step `n` of the log at a0.
void log_mask(Asm& k, int n) {
  k.csrr(t6, GYRE_CSR_ACTIVE_THREADS);
  k.sw(t6, a0, n * 4);
}

// ---- random structured programs: a small tree, run by the core on all lanes and by the model lane by lane
struct Node {
  enum Kind { kAssign, kIf, kLoop } kind;
  int op = 0, dest = 0, x = 0, y = 0, bit = 0;
  bool inverted = false;
  std::vector<Node> first, second;
};
constexpr int kVars = 6;  // s2..s7
constexpr u32 kVar0 = s2;
constexpr u32 kToken[] = {t0, t1, t2};  // per nesting depth
constexpr u32 kCond[] = {a2, a3, a4};
constexpr u32 kCount[] = {t3, t4, t5};
constexpr u32 kSaved[] = {a5, a6, a7};

std::vector<Node> random_block(std::mt19937& rng, int depth) {
  std::vector<Node> block;
  const unsigned n = 1 + rng() % 4;
  for (unsigned i = 0; i < n; ++i) {
    Node node;
    const unsigned pick = depth < 3 ? rng() % 5 : 0;
    node.kind = pick == 3 ? Node::kIf : pick == 4 ? Node::kLoop : Node::kAssign;
    node.op = static_cast<int>(rng() % 4);
    node.dest = static_cast<int>(rng() % kVars);
    node.x = static_cast<int>(rng() % kVars);
    node.y = static_cast<int>(rng() % kVars);
    node.bit = static_cast<int>(rng() % 8);
    node.inverted = rng() % 2 == 0;
    if (node.kind != Node::kAssign) node.first = random_block(rng, depth + 1);
    if (node.kind == Node::kIf && rng() % 3 != 0) node.second = random_block(rng, depth + 1);
    block.push_back(node);
  }
  return block;
}

void model(const std::vector<Node>& block, u32* v) {
  for (const Node& n : block) {
    switch (n.kind) {
      case Node::kAssign: {
        const u32 x = v[n.x], y = v[n.y];
        v[n.dest] = n.op == 0 ? x + y : n.op == 1 ? x - y : n.op == 2 ? x ^ y : x * y;
        v[n.dest] += static_cast<u32>(n.bit);
        break;
      }
      case Node::kIf:
        model((v[n.x] >> n.bit & 1) != 0 ? n.first : n.second, v);
        break;
      case Node::kLoop:
        for (u32 left = 1 + (v[n.x] & 3); left != 0; --left) model(n.first, v);
        break;
    }
  }
}

void emit(Asm& k, const std::vector<Node>& block, int depth) {
  for (const Node& n : block) {
    const u32 dest = kVar0 + static_cast<u32>(n.dest), x = kVar0 + static_cast<u32>(n.x),
              y = kVar0 + static_cast<u32>(n.y);
    if (n.kind == Node::kAssign) {
      if (n.op == 3)
        k.mul(dest, x, y);
      else
        k.op(n.op == 2 ? 4 : 0, n.op == 1 ? 0x20 : 0, dest, x, y);
      k.addi(dest, dest, n.bit);
      continue;
    }
    const u32 token = kToken[depth], cond = kCond[depth], count = kCount[depth], saved = kSaved[depth];
    if (n.kind == Node::kIf) {
      const int otherwise = k.label(), end = k.label();
      k.srli(cond, x, n.bit);
      k.andi(cond, cond, 1);
      if (n.inverted) {
        k.opi(4, cond, cond, 1);  // the complement, split.n
        k.split_n(token, cond);
        k.bnez(cond, otherwise);
      } else {
        k.split(token, cond);
        k.beqz(cond, otherwise);
      }
      emit(k, n.first, depth + 1);
      k.jump(zero, end);
      k.bind(otherwise);
      emit(k, n.second, depth + 1);
      k.bind(end);
      k.join(token);
    } else {
      k.andi(count, x, 3);
      k.addi(count, count, 1);
      k.csrr(saved, GYRE_CSR_ACTIVE_THREADS);
      const int top = k.bound();
      emit(k, n.first, depth + 1);
      k.addi(count, count, -1);
      if (n.inverted) {
        k.opi(3, cond, count, 1);  // cond = count == 0
        k.pred_n(cond, saved);
        k.beqz(cond, top);
      } else {
        k.slt(cond, zero, count);
        k.pred(cond, saved);
        k.bnez(cond, top);
      }
    }
  }
}

}  // namespace

BOOST_AUTO_TEST_SUITE(core_control)

// isa.md §5.2, worked example: lanes 0, 1, 3 true; the smaller (else) side runs first.
BOOST_AUTO_TEST_CASE(ipdom_worked_example) {
  run_forked([] {
    Rig rig({});
    Asm k(kKernel);
    k.csrr(t0, GYRE_CSR_THREAD_ID);
    k.addi(t0, t0, -2);
    k.op(3, 0, t1, zero, t0);  // t1 = lane != 2
    const int otherwise = k.label(), end = k.label();
    log_mask(k, 0);
    k.split(t2, t1);
    k.beqz(t1, otherwise);
    log_mask(k, 1);
    k.lw(t5, a0, 16);
    k.addi(t5, t5, 1);  // counts visits of the then side
    k.sw(t5, a0, 16);
    k.jump(zero, end);
    k.bind(otherwise);
    log_mask(k, 2);
    k.lw(t5, a0, 16);  // must still be 0: else ran first
    k.sw(t5, a0, 20);
    k.bind(end);
    k.join(t2);
    log_mask(k, 3);
    k.sw(t2, a0, 24);
    k.ret();
    rig.program(k);
    rig.memory.put(kData + 20, 99);
    rig.grid(1, 4);
    rig.run_to_idle();
    const u32 expect[] = {0xF, 0xB, 0x4, 0xF, 1, 0, 0};
    for (u32 i = 0; i < 7; ++i) GYRE_CHECK_EQUAL(rig.memory.word(kData + 4 * i), expect[i]);
    GYRE_CHECK_EQUAL(rig.core.engine().divergent_branches, std::uint64_t{0});
    return std::string();
  });
}

BOOST_AUTO_TEST_CASE(equal_sides_run_then_first) {
  run_forked([] {
    Rig rig({});
    Asm k(kKernel);
    k.csrr(t0, GYRE_CSR_THREAD_ID);
    k.andi(t1, t0, 1);
    k.split(t2, t1);
    log_mask(k, 0);  // executed by both sides: the second one overwrites
    k.lw(t3, a0, 4);
    k.slli(t3, t3, 4);
    k.csrr(t4, GYRE_CSR_ACTIVE_THREADS);
    k.add(t3, t3, t4);
    k.sw(t3, a0, 4);
    k.join(t2);
    k.ret();
    rig.program(k);
    rig.grid(1, 4);
    rig.run_to_idle();
    GYRE_CHECK_EQUAL(rig.memory.word(kData + 4), 0xA5u);
    return std::string();
  });
}

BOOST_AUTO_TEST_CASE(structured_programs_equal_a_scalar_run_of_every_lane) {
  const char* more = std::getenv("GYRE_TORTURE");  // how many programs
  const unsigned programs = more != nullptr ? static_cast<unsigned>(std::atoi(more)) : 60;
  for (unsigned seed = 1; seed <= programs; ++seed)
    run_forked([=] {
      std::mt19937 rng(seed);
      const std::vector<Node> tree = random_block(rng, 0);
      RigConfig c;
      const unsigned counts[] = {4, 8, 16, 32};
      c.threads = counts[seed % 4];
      c.dmi = seed % 5 != 0;
      Rig rig(c);
      Asm k(kKernel);
      result_address(k, a1, t0);
      k.csrr(t1, 0xF14);
      result_address(k, s8, t0);
      k.sub(s8, s8, a0);
      k.srli(s8, s8, 2);  // global thread index
      for (int v = 0; v < kVars; ++v) {
        k.li(t2, 0x9E3779B1u * static_cast<u32>(v + 1));
        k.mul(kVar0 + static_cast<u32>(v), s8, t2);
        k.srli(kVar0 + static_cast<u32>(v), kVar0 + static_cast<u32>(v), 7);
      }
      emit(k, tree, 0);
      for (int v = 1; v < kVars; ++v) k.op(4, 0, s2, s2, kVar0 + static_cast<u32>(v));
      k.sw(s2, a1);
      k.ret();
      rig.program(k);
      const u32 block = c.threads * 3 - 1;
      rig.grid(3, block);
      rig.run_to_idle();
      GYRE_CHECK(!rig.ctx.faults.valid());
      GYRE_CHECK_EQUAL(rig.core.engine().divergent_branches, std::uint64_t{0});
      GYRE_CHECK_EQUAL(rig.core.engine().count.ipdom_imbalance, std::uint64_t{0});
      for (u32 t = 0; t < 3 * block; ++t) {
        u32 v[kVars];
        for (int n = 0; n < kVars; ++n) v[n] = t * (0x9E3779B1u * static_cast<u32>(n + 1)) >> 7;
        model(tree, v);
        u32 expect = v[0];
        for (int n = 1; n < kVars; ++n) expect ^= v[n];
        GYRE_CHECK_EQUAL(rig.memory.word(kData + 4 * t), expect);
      }
      return std::string();
    });
}

// Warps of a CTA pass values round through local memory; every round needs the barrier.
BOOST_AUTO_TEST_CASE(barriers_order_local_memory) {
  for (unsigned threads : {2u, 4u, 8u, 32u})
    for (bool split_phase : {false, true})
      run_forked([=] {
        RigConfig c;
        c.threads = threads;
        c.warps = 8;
        Rig rig(c);
        Asm k(kKernel);
        result_address(k, a1, t0);
        k.csrr(s2, GYRE_CSR_CTA_ID);
        k.li(t0, 256);
        k.add(s2, s2, t0);  // barrier 1 of the CTA's slot
        k.csrr(s3, GYRE_CSR_CTA_SIZE);
        k.csrr(s4, GYRE_CSR_CTA_LMEM_ADDR);
        k.csrr(s5, GYRE_CSR_CTA_THREAD_ID_X);
        k.csrr(s6, GYRE_CSR_CTA_BLOCK_DIM_X);
        k.mv(s7, s5);  // value
        k.li(s8, 20);
        auto barrier = [&] {
          if (!split_phase) {
            k.bar(s2, s3);
          } else {
            k.bar_arrive(t5, s2, s3);
            k.bar_wait(s2, t5);
          }
        };
        const int top = k.bound();
        k.slli(t0, s5, 2);
        k.add(t0, t0, s4);
        k.sw(s7, t0);
        barrier();
        k.addi(t1, s5, 1);  // neighbour = (t + 1) mod n
        k.sub(t2, t1, s6);
        k.opi(3, t2, t2, 1);  // 1 when equal
        k.op(5, 7, t3, zero, t2);
        k.op(7, 7, t1, t1, t2);  // czero.nez
        k.slli(t1, t1, 2);
        k.add(t1, t1, s4);
        k.lw(s7, t1);
        k.addi(s7, s7, 3);
        barrier();
        k.addi(s8, s8, -1);
        k.bnez(s8, top);
        k.sw(s7, a1);
        k.ret();
        rig.program(k);
        const u32 block = threads * 4;
        rig.grid(5, block, kKernel, kData, 1, block * 4);
        rig.run_to_idle();
        GYRE_CHECK(!rig.ctx.faults.valid());
        for (u32 b = 0; b < 5; ++b)
          for (u32 t = 0; t < block; ++t)
            GYRE_CHECK_EQUAL(rig.memory.word(kData + 4 * (b * block + t)), (t + 20) % block + 60);
        return std::string();
      });
}

BOOST_AUTO_TEST_CASE(wspawn_waits_to_be_alone_and_starts_the_other_warps) {
  run_forked([] {
    RigConfig c;
    c.warps = 8;
    Rig rig(c);
    Asm k(kKernel);
    const int worker = k.label(), skip = k.label(), other = k.label();
    k.csrr(t0, GYRE_CSR_WARP_ID);
    k.bnez(t0, other);
    k.li(t1, 6);
    k.word(0x17 | t2 << 7);  // auipc t2, 0
    k.addi(t2, t2, 4 * 4);   // the worker follows wspawn and the jump
    k.wspawn(t1, t2);
    k.jump(zero, skip);
    k.bind(worker);
    k.csrr(a0, GYRE_CSR_MSCRATCH);
    k.csrr(t0, GYRE_CSR_WARP_ID);
    k.csrr(t1, GYRE_CSR_ACTIVE_THREADS);
    k.slli(t0, t0, 2);
    k.add(t0, t0, a0);
    k.lw(t3, a0);  // the other warp of the CTA must have stored already
    k.add(t1, t1, t3);
    k.sw(t1, t0, 64);
    k.tmc(zero);
    k.bind(other);
    k.li(t1, 200);
    const int delay = k.bound();
    k.addi(t1, t1, -1);
    k.bnez(t1, delay);
    k.li(t1, 1000);
    k.sw(t1, a0);
    k.bind(skip);
    k.ret();
    rig.program(k);
    rig.grid(1, 8);  // two warps
    rig.run_to_idle();
    GYRE_CHECK(!rig.ctx.faults.valid());
    for (u32 w = 1; w < 6; ++w) GYRE_CHECK_EQUAL(rig.memory.word(kData + 64 + 4 * w), 1001u);
    GYRE_CHECK_EQUAL(rig.memory.word(kData + 64), 0u);
    GYRE_CHECK_EQUAL(rig.memory.word(kData + 64 + 24), 0u);
    return std::string();
  });
}

BOOST_AUTO_TEST_CASE(tmc_and_pred_set_masks) {
  run_forked([] {
    Rig rig({});
    Asm k(kKernel);
    k.li(t0, 5);
    k.tmc(t0);
    log_mask(k, 0);
    k.li(t0, 0x1F);
    k.tmc(t0);  // may re-enable lanes; bits beyond the warp are dropped
    log_mask(k, 1);
    k.csrr(t1, GYRE_CSR_THREAD_ID);
    k.srli(t1, t1, 1);
    k.li(t2, 9);
    k.pred(t1, t2);
    log_mask(k, 2);
    k.pred_n(t1, t2);  // nobody left: restore mask
    log_mask(k, 3);
    k.ret();
    rig.program(k);
    rig.grid(1, 4);
    rig.run_to_idle();
    const u32 expect[] = {5, 15, 12, 9};
    for (u32 i = 0; i < 4; ++i) GYRE_CHECK_EQUAL(rig.memory.word(kData + 4 * i), expect[i]);
    return std::string();
  });
}

BOOST_AUTO_TEST_CASE(traps_go_to_mtvec_and_return) {
  run_forked([] {
    Rig rig({});
    Asm k(kKernel);
    const int handler = k.label(), main = k.label();
    k.jump(zero, main);
    const u32 handler_pc = k.here();
    k.bind(handler);
    k.csrr(t0, GYRE_CSR_MCAUSE);
    k.csrr(t1, GYRE_CSR_MEPC);
    k.lw(t2, a0);
    k.slli(t2, t2, 8);
    k.add(t2, t2, t0);
    k.sw(t2, a0);
    k.addi(t1, t1, 4);
    k.csrw(GYRE_CSR_MEPC, t1);
    k.word(0x30200073);  // mret
    k.bind(main);
    k.li(t0, handler_pc | 1);  // low bits are ignored
    k.csrw(GYRE_CSR_MTVEC, t0);
    k.word(0x00000073);
    k.word(0x00100073);
    k.word(0x10200073);  // sret: no effect
    k.li(t0, 7);
    k.sw(t0, a0, 4);
    k.ret();
    rig.program(k);
    rig.grid(1, 4);
    rig.run_to_idle();
    GYRE_CHECK_EQUAL(rig.memory.word(kData), 0x0B03u);
    GYRE_CHECK_EQUAL(rig.memory.word(kData + 4), 7u);
    return std::string();
  });
}

BOOST_AUTO_TEST_SUITE_END()
