// Kernel management unit: turns a start into launch messages or a draw kick (launch.md §3, §4).
#pragma once

#include <tlm_utils/simple_target_socket.h>

#include <cstdint>
#include <set>
#include <string>
#include <systemc>
#include <tlm>

#include "context.h"
#include "launch.h"
#include "launch_registers.h"
#include "mem_attributes.h"
#include "sim_time.h"

namespace gyre::kmu {

class Kmu : public sc_core::sc_module, public kernel::LaunchControl {
 public:
  tlm_utils::simple_target_socket<Kmu, kernel::kDcrBusBits> dcr{"dcr"};
  sc_core::sc_port<kernel::LaunchSink> launch{"launch"};
  // Every raster engine of the device; a kick is complete when each has taken it. None: it completes by itself.
  sc_core::sc_port<kernel::KickSink, 0, sc_core::SC_ZERO_OR_MORE_BOUND> kick{"kick"};

  SC_HAS_PROCESS(Kmu);
  Kmu(sc_core::sc_module_name name, kernel::Context& ctx);

  // From the CP, with the device idle. Checks and copies the registers; true: the device is busy until the walk or
  // kick is done, for one cycle at least. False: refused, see refusal().
  bool start(kernel::Cycle stamp) override;
  const std::string& refusal() const { return refusal_; }

  std::uint8_t ctx_id() const { return ctx_id_; }

 private:
  static constexpr kernel::Cycle kFirstMessage = 2;  // start to first message (launch.md §11)
  static constexpr kernel::Cycle kKickFork = 1;

  void transport(tlm::tlm_generic_payload& request, sc_core::sc_time& delay);
  void run();
  void walk();
  void show();  // on the timeline
  void send(const kernel::LaunchMessage& message);
  void warn_once(const std::string& text);
  void spent(kernel::Doing what) { ledger_.spend(what, clock_.now()); }

  kernel::Context& ctx_;
  kernel::LocalClock clock_;
  kernel::BusyTree::Node node_;
  kernel::Ledger ledger_;
  kernel::Timeline::Row row_;
  CoreLimits limits_;
  LaunchRegisters registers_;

  LaunchParameters launch_;  // copied at start
  StartKind kind_ = StartKind::kNothing;
  bool pending_ = false;  // started and not finished
  kernel::Cycle start_stamp_ = 0;
  std::uint8_t ctx_id_ = 0;
  std::string refusal_;
  std::set<std::string> warned_;
  std::uint64_t starts_ = 0, kicks_ = 0, ctas_ = 0, refused_ = 0;
  sc_core::sc_event start_event_{"start"};
};

}  // namespace gyre::kmu
