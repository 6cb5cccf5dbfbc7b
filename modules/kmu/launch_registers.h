// The KMU's DCR block and the checks of a start (launch.md §1.1, §3.1). Pure.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "dcr.h"
#include "grid_walk.h"

namespace gyre::kmu {

// The core a launch must fit on.
struct CoreLimits {
  std::uint32_t threads = 4;  // lanes per warp
  std::uint32_t warps = 4;
  std::uint32_t lmem_bytes = 16384;
};

// What a start copies, so that later DCR writes touch only the next launch. Addresses are 32 bits wide: the high
// halves (STARTUP_ADDR1, KERNEL_ENTRY1, STARTUP_ARG1) do not exist for RV32 cores.
struct LaunchParameters {
  std::uint32_t pc = 0;
  std::uint32_t entry = 0;
  std::uint32_t param = 0;
  Dim3 block{};
  Dim3 grid{};
  std::uint32_t lmem = 0;        // bytes per CTA as programmed
  std::uint32_t block_size = 0;  // threads
  Dim3 step{};
  Dim3 cluster{};  // never 0
};

enum class StartKind {
  kGrid,     // walk the grid
  kKick,     // a grid dimension is 0: draw kick
  kNothing,  // BLOCK_SIZE 0: completes at once
  kRefused,  // LAUNCH_INVALID
};

struct StartCheck {
  StartKind kind = StartKind::kGrid;
  std::string refusal;                // kRefused: one sentence
  std::vector<std::string> warnings;  // accepted, but the software is probably wrong
  std::vector<unsigned> unset;        // registers the start depends on that nobody has written (lint dcr-unset)
};

class LaunchRegisters {
 public:
  static constexpr unsigned kFirst = GYRE_DCR_STARTUP_ADDR0;
  static constexpr unsigned kLast = GYRE_DCR_CLUSTER_DIM_Z;

  LaunchRegisters();

  // Other register numbers are ignored. Values are kept whole: bits a register does not have refuse the next start.
  void write(unsigned reg, std::uint32_t value) {
    if (reg < kFirst || reg > kLast) return;
    values_[reg - kFirst] = value;
    written_ |= 1u << (reg - kFirst);
  }

  LaunchParameters parameters() const;
  StartCheck check(const CoreLimits& core) const;

 private:
  std::uint32_t value(unsigned reg) const { return values_[reg - kFirst]; }
  Dim3 dim(unsigned reg) const { return {value(reg), value(reg + 1), value(reg + 2)}; }
  bool was_written(unsigned reg) const { return (written_ >> (reg - kFirst) & 1) != 0; }
  std::string lost_bits(const CoreLimits& core) const;
  std::vector<unsigned> unset() const;

  std::array<std::uint32_t, kLast - kFirst + 1> values_{};
  std::uint32_t written_ = 0;
};

}  // namespace gyre::kmu
