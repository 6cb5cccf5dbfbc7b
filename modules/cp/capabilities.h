// The read-only words that tell software what machine this is (cp.md §2, §2.2).
#pragma once

#include <cstdint>

#include "config.h"

namespace gyre::cp {

struct Capabilities {
  std::uint32_t cp_dev = 0;
  std::uint64_t gpu_dev = 0;
  std::uint64_t gpu_isa = 0;
  std::uint32_t gfx = 0;
};

// Throws UserError for a configuration the words cannot express (counts that are not powers of two).
Capabilities capabilities(const GpuConfig& gpu);

}  // namespace gyre::cp
