// Platform-level interrupt controller, sifive,plic-1.0.0 (host.md §1, §2).
#pragma once

#include <array>

#include "host_map.h"
#include "irq.h"
#include "register_device.h"

namespace gyre::host {

// 31 level-sensitive sources, priorities 0..7 (0 = never), contexts 0 (machine) and 1 (supervisor). A source that is
// high becomes pending; claiming takes it; completing makes it pending again if it is still high. A request once
// pending stays so until it is claimed, even if the line falls.
class Plic : public RegisterDevice, public kernel::IrqSink {
 public:
  static constexpr unsigned kSources = 32;  // number 0 does not exist
  static constexpr unsigned kContexts = 2;

  explicit Plic(sc_core::sc_module_name name) : RegisterDevice(name) {}

  void set_irq(unsigned source, bool level) override;

  // The interrupt line of a context: something enabled is pending above its threshold.
  bool line(unsigned context) const { return best(context) != 0; }
  const sc_core::sc_event& changed_event() const { return changed_; }

 private:
  bool read_register(std::uint64_t offset, unsigned bytes, std::uint64_t& value) override;
  bool write_register(std::uint64_t offset, unsigned bytes, std::uint64_t value) override;
  bool access(std::uint64_t offset, bool write, std::uint32_t& value);
  unsigned best(unsigned context) const;  // source to claim, 0 = none
  std::uint32_t claim(unsigned context);
  void complete(unsigned context, std::uint32_t source);

  std::uint32_t level_ = 0, pending_ = 0, in_service_ = 0;  // bit = source
  std::array<std::uint8_t, kSources> priority_{};
  std::array<std::uint32_t, kContexts> enable_{};
  std::array<std::uint8_t, kContexts> threshold_{};
  sc_core::sc_event changed_{"changed"};
};

}  // namespace gyre::host
