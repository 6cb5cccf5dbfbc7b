// How the run of the host ended: set once, by the finisher, a semihosting exit or the CPU itself.
#pragma once

#include <systemc>

#include <string>
#include <utility>

namespace gyre::host {

struct HostExit {
  bool exited = false;
  int code = 0;        // exit code of the firmware, 0..255
  std::string reason;  // "semihosting exit", "finisher pass", …
  sc_core::sc_event event{"exited"};  // notified once, after kernel time has reached the end

  void request(int exit_code, std::string why) {
    if (exited) return;
    exited = true;
    code = exit_code;
    reason = std::move(why);
  }
};

}  // namespace gyre::host
