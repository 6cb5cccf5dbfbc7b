// What the core has to say about the program it runs (docs/lints.md). Only called when something is wrong.
#include "device_map.h"
#include "engine.h"
#include "op.h"

namespace gyre::core {
namespace {

using riscv::Op;

// Does the condition of the branch hold in this lane?
bool taken(const Engine& e, const Warp& w, const Inst& inst, unsigned lane) {
  RegisterValue a = e.lane_value(w, inst.rs1, lane), b = e.lane_value(w, inst.rs2, lane);
  if (!e.wide) {  // comparisons of 64 bits decide like those of the extended 32
    a = static_cast<RegisterValue>(std::int64_t{static_cast<std::int32_t>(a)});
    b = static_cast<RegisterValue>(std::int64_t{static_cast<std::int32_t>(b)});
  }
  switch (static_cast<Op>(inst.op)) {
    case Op::kBeq:
      return a == b;
    case Op::kBne:
      return a != b;
    case Op::kBlt:
      return static_cast<std::int64_t>(a) < static_cast<std::int64_t>(b);
    case Op::kBge:
      return static_cast<std::int64_t>(a) >= static_cast<std::int64_t>(b);
    case Op::kBltu:
      return a < b;
    default:
      return a >= b;
  }
}

const char* region_of(std::uint64_t address) {
  if (address >> 32 != 0) return "addresses of the device have 32 bits";
  if (address < GYRE_DEV_NULL_END) return "the first bytes of the address space are no memory (a null pointer?)";
  if (address >= GYRE_DEV_LMEM_BASE) return "behind the local memory of the core (gpu.core.lmem_bytes)";
  return "there is no memory";
}

}  // namespace

template <class F>
bool Engine::lint(kernel::Lint kind, Warp& w, std::uint32_t lanes, F what) {
  if (ctx.lints.first_at(kind, w.pc)) {
    fold_flags(w);  // foreign code runs in the call
    ctx.lints.report(kind, name, {core_id, w.id, lanes, w.pc, "", what(), 0});
    clear_host_flags();
  }
  return ctx.lints.on(kind);
}

bool Engine::lint_branch(Warp& w, const Inst& inst) {
  std::uint32_t lanes = 0;
  for (unsigned l = 0; l < threads; ++l)
    if (taken(*this, w, inst, l)) lanes |= 1u << l;
  lanes &= w.mask;
  const bool decided = (lanes >> w.hal & 1) != 0;
  return lint(kernel::Lint::kDivergentBranch, w, decided ? w.mask & ~lanes : lanes, [&] {
    return fmt::format(
        "these lanes {} the branch, but lane {}, the highest active one, decides for the warp that it is {}; put a "
        "SPLIT directly before it and a JOIN where the paths meet, or make the condition the same in all lanes",
        decided ? "would not take" : "would take", w.hal, decided ? "taken" : "not taken");
  });
}

bool Engine::lint_depth(Warp& w, const char* what) {
  ++count.ipdom_imbalance;
  return lint(kernel::Lint::kIpdomImbalance, w, w.mask, [&] {
    return fmt::format("{}; open SPLITs of the warp: {}. Every path from a SPLIT must pass its JOIN, once", what,
                       w.depth);
  });
}

bool Engine::lint_unaligned(Warp& w, std::uint32_t lanes, std::uint32_t address, unsigned bytes) {
  return lint(kernel::Lint::kUnaligned, w, lanes, [&] {
    return fmt::format(
        "access of {} bytes at {:#x}; the core does not split accesses: align the data, or copy it in smaller parts",
        bytes, address);
  });
}

bool Engine::lint_unmapped(Warp& w, std::uint32_t lanes, std::uint64_t address) {
  return lint(kernel::Lint::kUnmapped, w, lanes, [&] {
    return fmt::format("access at {:#x}: {}; check the pointer and the bounds, or whether the lane should be active",
                       address, region_of(address));
  });
}

bool Engine::lint_aperture(Warp& w, std::uint32_t lanes, std::uint32_t address) {
  return lint(kernel::Lint::kApertureLoad, w, lanes, [&] {
    return fmt::format(
        "load at {:#x}, in the aperture of the output merger: nothing is stored there and nothing can answer; read the "
        "colour or depth buffer itself, after the draw and a flush",
        address);
  });
}

void Engine::lint_stale(Warp& w, std::uint32_t lanes, const memory::LineReader& lines, std::uint32_t address,
                        const char* what) {
  lint(kernel::Lint::kStaleLine, w, lanes, [&] {
    return fmt::format(
        "{} at {:#x} gets an old value: {}; flush the caches between the write and this (CACHE_FLUSH, FENCE with "
        "gpu.core.fence_flush, FENCE.I for code)",
        what, address, lines.story(address));
  });
}

bool Engine::lint_fetch(Warp& w, std::uint32_t pc, bool unaligned) {
  return lint(unaligned ? kernel::Lint::kUnaligned : kernel::Lint::kUnmapped, w, w.mask, [&] {
    return fmt::format("fetch of an instruction at {:#x}: {}; a jump went wrong, ra is {:#x} in lane {}", pc,
                       unaligned ? "not aligned" : region_of(pc), wide_scalar(w, 1), w.hal);
  });
}

}  // namespace gyre::core
