// The device-control-register bus: one writer, every unit listens (launch.md §1).
#pragma once

#include <tlm_utils/multi_passthrough_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>

#include <bitset>
#include <cstdint>
#include <systemc>
#include <tlm>
#include <vector>

#include "dcr.h"
#include "mem_attributes.h"
#include "sim_time.h"

namespace gyre::dcr {

// Answers the two registers that can be read, GYRE_DCR_CACHE_FLUSH and GYRE_DCR_MPM_VALUE. `tag` is the data word of
// the request (core id, counter selector). `*when`: GPU cycle of the request in, of the answer out; never waits.
class ReadHandler {
 public:
  virtual ~ReadHandler() = default;
  virtual std::uint32_t read_dcr(unsigned reg, std::uint32_t tag, kernel::Cycle* when) = 0;
};

// Not modelled: several masters, writes refused by a unit (units ignore what they do not know).
class DcrBus : public sc_core::sc_module {
 public:
  // From the CP. 32-bit words, address = register number * 4. A read carries its tag in the data word and gets the
  // answer there. Anything else than one aligned word of a 12-bit register is a TLM address error.
  tlm_utils::simple_target_socket<DcrBus, kernel::kDcrBusBits> target{"target"};

  // To the units, in the order of binding. Only writes; each costs one cycle of broadcast whatever the number of units.
  tlm_utils::multi_passthrough_initiator_socket<DcrBus, kernel::kDcrBusBits, tlm::tlm_base_protocol_types, 0,
                                                sc_core::SC_ZERO_OR_MORE_BOUND>
      units{"units"};

  DcrBus(sc_core::sc_module_name name, kernel::Picoseconds period_ps);

  // The handler must outlive the simulation. Without one every read answers 0 with a warning.
  void set_read_handler(ReadHandler* handler) { reader_ = handler; }

  // Lint dcr-unset: registers are not reset, so what was never written is undefined.
  bool written(unsigned reg) const { return written_[reg % GYRE_DCR_COUNT]; }
  std::vector<unsigned> unwritten(unsigned first, unsigned last) const;

 private:
  void transport(tlm::tlm_generic_payload& request, sc_core::sc_time& delay);
  void broadcast(unsigned reg, std::uint32_t value, sc_core::sc_time delay);
  std::uint32_t answer(unsigned reg, std::uint32_t tag, sc_core::sc_time& delay);

  kernel::Picoseconds period_ps_;
  ReadHandler* reader_ = nullptr;
  std::bitset<GYRE_DCR_COUNT> written_;
  std::bitset<GYRE_DCR_COUNT> warned_;
  tlm::tlm_generic_payload payload_;  // reused for every broadcast
};

}  // namespace gyre::dcr
