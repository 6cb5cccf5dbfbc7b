// Lets simulated time pass, from the program's own stack.
#pragma once

#include <systemc>

#include "sim_time.h"

namespace gyre::kernel {

// As sc_start: runs what is due within `duration`, 0 = what is due now. SystemC tells the address sanitizer about the
// stacks of its threads, but not about the stack it comes back to; exceptions thrown here afterwards would be reported.
void simulate(Picoseconds duration);
// Until nothing is left to happen.
void simulate();

}  // namespace gyre::kernel
