// The unit of time of the GPU's arithmetic of dates. No SystemC here: what only computes dates is pure.
#pragma once

#include <cstdint>

namespace gyre::kernel {

using Cycle = std::uint64_t;  // cycles of a clock domain since reset

constexpr Cycle kNever = ~Cycle{0};

}  // namespace gyre::kernel
