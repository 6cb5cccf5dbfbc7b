// Interrupt lines from a device to the interrupt controller of the host (host.md, cp.md §8.3).
#pragma once

#include <systemc>

namespace gyre::kernel {

// Level-sensitive inputs of an interrupt controller. `source` is the controller's source number
// (GYRE_IRQ_* of abi/host_map.h). Called at kernel time; never waits. Repeating a level has no effect.
class IrqSink : public virtual sc_core::sc_interface {
 public:
  virtual void set_irq(unsigned source, bool level) = 0;
};

}  // namespace gyre::kernel
