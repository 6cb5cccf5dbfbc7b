// A level of the memory hierarchy as the one above sees it: dates, no data (design §4: data stays in backing memory).
#pragma once

#include <cstdint>

#include "cycle.h"

namespace gyre::kernel {

// `count` accesses of words of one 64-byte block, presented in one cycle (memory.md §3: a bank serves one a cycle).
struct MemoryAccess {
  std::uint64_t address = 0;  // of any byte of the block
  unsigned count = 1;
};

// Every call is one request at cycle `at`, GPU clock; agents may come out of time order. Works inside the call: never
// waits, takes no thread, and is a function of the calls before it.
class MemoryLevel {
 public:
  // The cycle the last word is back.
  virtual Cycle read(MemoryAccess access, Cycle at) = 0;
  // Posted: the cycle this level, or the one it passes the write on to, has accepted it.
  virtual Cycle write(MemoryAccess access, Cycle at) = 0;
  // One read-modify-write at the last-level cache or in memory (memory.md §4.3); the cycle the old value is back.
  virtual Cycle atomic(std::uint64_t address, Cycle at) = 0;
  // The same past every cache: attribute io of memory.md §4.3.
  virtual Cycle read_io(MemoryAccess access, Cycle at) = 0;
  virtual Cycle write_io(MemoryAccess access, Cycle at) = 0;

 protected:
  ~MemoryLevel() = default;
};

}  // namespace gyre::kernel
