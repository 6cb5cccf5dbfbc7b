// Test finisher, sifive,test1 (host.md §1): one write ends the run.
#pragma once

#include "host_exit.h"
#include "host_map.h"
#include "register_device.h"

namespace gyre::host {

// 0x5555: exit code 0. (code << 16) | 0x3333: exit code (1 when the code's low byte would read as success).
// 0x7777: reset, reported as the end of the run with reason "reset". Other values are ignored, reads give 0.
class Finisher : public RegisterDevice {
 public:
  Finisher(sc_core::sc_module_name name, HostExit& exit) : RegisterDevice(name), exit_(exit) {}

 private:
  bool read_register(std::uint64_t offset, unsigned bytes, std::uint64_t& value) override {
    value = 0;
    return offset == 0 && bytes == 4;
  }
  bool write_register(std::uint64_t offset, unsigned bytes, std::uint64_t value) override {
    if (offset != 0 || bytes != 4) return false;
    const unsigned code = static_cast<unsigned>(value >> 16) & 0xFF;
    switch (value & 0xFFFF) {
      case GYRE_FINISHER_PASS: exit_.request(0, "finisher: pass"); break;
      case GYRE_FINISHER_FAIL: exit_.request(code != 0 ? static_cast<int>(code) : 1, "finisher: fail"); break;
      case GYRE_FINISHER_RESET: exit_.request(0, "finisher: reset"); break;
      default: break;
    }
    return true;
  }

  HostExit& exit_;
};

}  // namespace gyre::host
