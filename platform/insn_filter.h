// Which instructions the instruction trace has (docs/trace.md).
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "config.h"
#include "symbols.h"

namespace gyre::platform {

// Terms of one kind widen, of different kinds narrow: core=0,core=1,symbol=main is main on either core.
struct InsnFilter {
  bool host = true, gpu = true;
  std::set<unsigned> cores, warps;                              // empty: all
  std::vector<std::pair<std::uint64_t, std::uint64_t>> ranges;  // of pcs, inclusive
  std::vector<std::string> symbols;                             // functions
  std::uint64_t max_lines = ~std::uint64_t{0};
  std::uint64_t max_bytes = std::uint64_t{256} << 20;

  // Terms, or several with commas between them: host, gpu, core=N, warp=N, pc=A, pc=A-B, symbol=NAME, lines=N,
  // bytes=N (KiB, MiB, GiB). Throws UserError for another text, or an agent that the machine does not have;
  // `has_host` false: a bare device.
  static InsnFilter parse(const std::vector<std::string>& texts, const MachineConfig& machine, bool has_host);

  bool wants_core(unsigned core) const { return gpu && (cores.empty() || cores.count(core) != 0); }
  bool wants_warp(unsigned warp) const { return warps.empty() || warps.count(warp) != 0; }
  bool wants_pc(std::uint64_t pc, const tools::Symbols& names) const;
};

}  // namespace gyre::platform
