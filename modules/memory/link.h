// A way between two levels: ports that carry a block a cycle, and cycles on the way (memory.md §1, timing.md §2.2).
#pragma once

#include <cstdint>
#include <vector>

#include "calendar.h"
#include "memory_level.h"

namespace gyre::memory {

using kernel::Cycle;
using kernel::MemoryAccess;

// `ports`, a power of two, chosen by the block's address, serve one request a cycle each for everybody above. `there`:
// cycles to the level below; `back`: cycles of an answer. 0 ports: no limit.
class Link final : public kernel::MemoryLevel {
 public:
  Link(kernel::MemoryLevel& next, unsigned ports, unsigned there, unsigned back)
      : next_(next), ports_(ports), port_mask_(ports - 1), there_(there), back_(back) {}

  Cycle read(MemoryAccess access, Cycle at) override { return next_.read(access, pass(access, at)) + back_; }
  Cycle write(MemoryAccess access, Cycle at) override { return next_.write(access, pass(access, at)); }
  Cycle atomic(std::uint64_t address, Cycle at) override {
    return next_.atomic(address, pass({address, 1}, at)) + back_;
  }
  Cycle read_io(MemoryAccess access, Cycle at) override { return next_.read_io(access, pass(access, at)) + back_; }
  Cycle write_io(MemoryAccess access, Cycle at) override { return next_.write_io(access, pass(access, at)); }

  std::uint64_t requests() const { return requests_; }
  std::uint64_t stalls() const { return stalls_; }  // cycles that requests waited for their port
  const std::uint64_t* requests_counter() const { return &requests_; }
  const std::uint64_t* stalls_counter() const { return &stalls_; }

 private:
  // The cycle the first of the requests arrives below, which serves them one a cycle too.
  [[gnu::always_inline]] Cycle pass(MemoryAccess access, Cycle at) {
    requests_ += access.count;
    if (ports_.empty()) return at + there_;
    const Cycle first = ports_[access.address / 64 & port_mask_].take(at, access.count) - access.count;
    stalls_ += first - at;
    return first + there_;
  }

  kernel::MemoryLevel& next_;
  std::vector<kernel::Calendar> ports_;
  unsigned port_mask_, there_, back_;
  std::uint64_t requests_ = 0, stalls_ = 0;
};

}  // namespace gyre::memory
