// Core-local interruptor, sifive,clint0 (host.md §1): software interrupt, time and timer compare of hart 0.
#pragma once

#include "host_map.h"
#include "register_device.h"
#include "sim_time.h"

namespace gyre::host {

// msip +0 (32 bit), mtimecmp +0x4000 and mtime +0xBFF8 (32 or 64 bit). mtime counts `timebase_hz` from kernel time,
// so it needs no event; writing it moves the offset. mtimecmp resets to all ones: no timer until firmware asks.
// Other offsets of the range: access fault (there is one hart).
class Clint : public RegisterDevice {
 public:
  static constexpr kernel::Picoseconds kNever = ~kernel::Picoseconds{0};

  Clint(sc_core::sc_module_name name, std::uint64_t timebase_hz);

  std::uint64_t time_at(kernel::Picoseconds now) const;  // mtime, ticks
  // First instant at which the timer interrupt is pending; kNever if it lies beyond the range of kernel time.
  kernel::Picoseconds timer_due() const { return due_; }
  bool software_pending() const { return msip_; }
  // Notified when an interrupt may have become pending other than by time passing.
  const sc_core::sc_event& changed_event() const { return changed_; }

 private:
  bool read_register(std::uint64_t offset, unsigned bytes, std::uint64_t& value) override;
  bool write_register(std::uint64_t offset, unsigned bytes, std::uint64_t value) override;
  void update();

  std::uint64_t timebase_hz_;
  std::uint64_t compare_ = ~std::uint64_t{0};
  std::uint64_t offset_ = 0;  // ticks added to kernel time
  kernel::Picoseconds due_ = kNever;
  bool msip_ = false;
  sc_core::sc_event changed_{"changed"};
};

}  // namespace gyre::host
