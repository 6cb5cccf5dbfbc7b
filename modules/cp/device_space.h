// Device memory as the command processor sees it: 32-bit addresses, translated by CP_SATP when that is on (cp.md §6).
#pragma once

#include <array>
#include <cstdint>
#include <utility>

#include "line_watch.h"
#include "memory_port.h"

namespace gyre::cp {

// Where an address lies, and the entries of the page tables that say so.
struct Place {
  std::uint64_t address = 0;  // physical
  unsigned levels = 0;        // entries read
  unsigned entry_bytes = 0;
  std::array<std::uint64_t, 3> entry{};
};

// Error codes are GYRE_CP_ERR_*: OK, ADDR_FAULT (not memory) or VM_FAULT (no translation). An access is done page by
// page; what was done before the faulting page stays done.
class DeviceSpace {
 public:
  // `wide`: XLEN is 64, so satp and tables are those of Sv39.
  DeviceSpace(kernel::MemoryPort& port, bool vm, bool wide, bool compat)
      : port_(port), vm_(vm), wide_(wide), compat_(compat) {}

  // Stale-line lint; null: off.
  void set_watch(memory::LineWatch* watch) { watch_ = watch; }
  memory::LineWatch* watch() const { return watch_; }
  // Something old has been read, of which `where` is the first address, since the last call.
  bool take_old(std::uint32_t& where) {
    where = old_at_;
    return std::exchange(old_read_, false);
  }

  // Sv32: {mode[31], ppn[21:0]}; Sv39: {mode[63:60], ppn[43:0]}.
  void set_root(std::uint64_t satp) { satp_ = satp; }

  unsigned read(std::uint64_t address, void* data, std::uint64_t bytes, bool physical);
  unsigned write(std::uint64_t address, const void* data, std::uint64_t bytes, bool physical);
  // Of an address that can be read or written.
  Place place(std::uint64_t address, bool physical);

 private:
  template <class Access>
  unsigned each_page(std::uint64_t address, std::uint64_t bytes, bool physical, Access access);
  // Identity while translation is off, and for the regions every MMU of the device leaves alone (memory.md §9).
  unsigned translate(std::uint64_t virtual_address, Place* place);

  kernel::MemoryPort& port_;
  bool vm_;
  bool wide_;
  bool compat_;
  std::uint64_t satp_ = 0;
  memory::LineWatch* watch_ = nullptr;
  bool old_read_ = false;
  std::uint32_t old_at_ = 0;
};

}  // namespace gyre::cp
