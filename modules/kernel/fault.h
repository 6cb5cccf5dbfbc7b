// Device fault record: sticky, first fault wins (isa.md §10).
#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace gyre::kernel {

struct Fault {
  unsigned cause = 0;         // GYRE_FAULT_*
  unsigned core = 0xFFFF;     // global core index; 0xFFFF: a fixed-function unit
  unsigned warp = 0;          // warp id, or the unit's MPM class
  std::uint32_t pc = 0;
  std::uint32_t value = 0;    // meaning depends on the cause
};

const char* fault_name(unsigned cause);
// "misaligned access (value 0x3) at pc 0x80000040, main+0x1c (kernel.c:12), core 0, warp 1"
std::string describe(const Fault& fault, const std::string& where);

class FaultRecord {
 public:
  // Records the fault if none is held, counts it, and logs the first one of every cause, unless it has been `told`.
  void raise(const Fault& fault, bool told = false);
  bool valid() const { return valid_; }
  const Fault& first() const { return first_; }
  std::uint64_t count() const { return count_; }
  void clear() { valid_ = false; }
  std::string describe_first() const { return describe(first_, place(first_)); }

  // Function and source line of a pc of the device; may stay empty.
  std::function<std::string(std::uint64_t pc)> describe_pc;

 private:
  std::string place(const Fault& fault) const { return describe_pc ? describe_pc(fault.pc) : std::string(); }

  bool valid_ = false;
  Fault first_;
  std::uint64_t count_ = 0;
  std::uint64_t logged_causes_ = 0;
};

}  // namespace gyre::kernel
