// Device fault record: sticky, first fault wins (isa.md §10).
#pragma once

#include <cstdint>
#include <functional>

namespace gyre::kernel {

struct Fault {
  unsigned cause = 0;         // GYRE_FAULT_*
  unsigned core = 0xFFFF;     // global core index; 0xFFFF: a fixed-function unit
  unsigned warp = 0;          // warp id, or the unit's MPM class
  std::uint32_t pc = 0;
  std::uint32_t value = 0;    // meaning depends on the cause
};

const char* fault_name(unsigned cause);

class FaultRecord {
 public:
  // Records the fault if none is held, counts it, and logs the first one of every cause.
  void raise(const Fault& fault);
  bool valid() const { return valid_; }
  const Fault& first() const { return first_; }
  std::uint64_t count() const { return count_; }
  void clear() { valid_ = false; }

 private:
  bool valid_ = false;
  Fault first_;
  std::uint64_t count_ = 0;
  std::uint64_t logged_causes_ = 0;
};

}  // namespace gyre::kernel
