// One warp without a core around it: enough to call lane executors directly.
#pragma once

#include <xmmintrin.h>

#include <random>
#include <vector>

#include "exec.h"

namespace gyre::test {

struct BareWarp {
  core::Machine m;
  core::Warp w;
  unsigned threads;
  std::vector<std::uint32_t> registers, lane_mask;
  unsigned illegal = 0, divergent = 0;

  explicit BareWarp(unsigned n) : threads(n), registers(core::kRows * n), lane_mask(n) {
    m.threads = n;
    self() = this;
    m.illegal = [](core::Machine&, core::Warp&, const core::Inst&) { ++self()->illegal; };
    m.divergent_branch = [](core::Machine&, core::Warp&, const core::Inst&) { ++self()->divergent; };
    w.reg = registers.data();
    w.lane_mask = lane_mask.data();
    w.full = n == 32 ? ~0u : (1u << n) - 1;
    set_mask(w.full);
  }
  static BareWarp*& self() {
    static BareWarp* current = nullptr;
    return current;
  }
  void set_mask(std::uint32_t mask) {
    w.mask = mask;
    w.lanes = static_cast<std::uint32_t>(__builtin_popcount(mask));
    w.hal = 31 - static_cast<std::uint32_t>(__builtin_clz(mask));
    for (unsigned l = 0; l < threads; ++l) lane_mask[l] = (mask >> l & 1) != 0 ? ~0u : 0;
  }
  bool on(unsigned lane) const { return (w.mask >> lane & 1) != 0; }
  std::uint32_t* row(unsigned r) { return registers.data() + r * threads; }
  // Executes op and returns the flags it raised (MXCSR and explicit ones).
  unsigned run(riscv::Op op, core::Inst inst) {
    inst.op = static_cast<std::uint8_t>(op);
    core::place_rows(inst, threads);
    const core::Handler h = core::lane_handler(op, threads);
    w.fflags = 0;
    w.next_pc = w.pc + 4;
    _mm_setcsr(0x1F80);
    h(m, w, inst);
    const unsigned host = _mm_getcsr();
    _mm_setcsr(0x1F80);
    unsigned flags = w.fflags;
    if ((host & 0x6000) != 0) flags |= 0x100;  // left a rounding mode behind
    flags |= (host & 1) << 4 | (host & 4) << 1 | (host & 8) >> 1 | (host & 16) >> 3 | (host & 32) >> 5;
    return flags;
  }
};

constexpr unsigned kThreadCounts[] = {1, 2, 4, 8, 16, 32};

inline std::uint32_t random_mask(std::mt19937& rng, std::uint32_t full) {
  if (rng() % 3 == 0) return full;
  const std::uint32_t m = static_cast<std::uint32_t>(rng()) & full;
  return m != 0 ? m : 1;
}

}  // namespace gyre::test
