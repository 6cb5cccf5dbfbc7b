// Names of program counters of a run: which programs stand in the two address spaces (docs/lints.md, docs/trace.md).
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "context.h"
#include "symbols.h"

namespace gyre::platform {

struct ProgramNames {
  tools::Symbols host, device;

  // Lints and faults of this device name their places from now on. The names must outlive its runs.
  void serve(kernel::Context& context) {
    context.lints.describe_pc = context.faults.describe_pc = [this](std::uint64_t pc) { return device.describe(pc); };
  }
};

}  // namespace gyre::platform
