// A memory of fixed latency below the level under test, which keeps what it was asked.
#pragma once

#include <vector>

#include "memory_level.h"

namespace gyre::test {

struct FlatLevel final : kernel::MemoryLevel {
  struct Call {
    char kind;  // r, w, a, and R, W for io
    std::uint64_t address;
    unsigned count;
    kernel::Cycle at;
  };
  explicit FlatLevel(kernel::Cycle read_latency = 50) : latency(read_latency) {}

  kernel::Cycle note(char kind, kernel::MemoryAccess access, kernel::Cycle at, kernel::Cycle cycles) {
    calls.push_back({kind, access.address, access.count, at});
    return at + cycles;
  }
  kernel::Cycle read(kernel::MemoryAccess a, kernel::Cycle at) override { return note('r', a, at, latency); }
  kernel::Cycle write(kernel::MemoryAccess a, kernel::Cycle at) override { return note('w', a, at, 1); }
  kernel::Cycle atomic(std::uint64_t a, kernel::Cycle at) override { return note('a', {a, 1}, at, latency + 1); }
  kernel::Cycle read_io(kernel::MemoryAccess a, kernel::Cycle at) override { return note('R', a, at, latency); }
  kernel::Cycle write_io(kernel::MemoryAccess a, kernel::Cycle at) override { return note('W', a, at, 1); }

  std::uint64_t requests(char kind) const {
    std::uint64_t sum = 0;
    for (const Call& call : calls) sum += call.kind == kind ? call.count : 0;
    return sum;
  }
  kernel::Cycle latency;
  std::vector<Call> calls;
};

}  // namespace gyre::test
