#include "fault.h"

#include "csr.h"
#include "log.h"

namespace gyre::kernel {

const char* fault_name(unsigned cause) {
  switch (cause) {
    case GYRE_FAULT_ILLEGAL_INSTR: return "illegal instruction";
    case GYRE_FAULT_BAD_CSR: return "unknown CSR";
    case GYRE_FAULT_IPDOM: return "IPDOM stack overflow or underflow";
    case GYRE_FAULT_BARRIER_ZERO: return "barrier with count 0";
    case GYRE_FAULT_MISALIGNED: return "misaligned access";
    case GYRE_FAULT_APERTURE_LOAD: return "load from the OM aperture";
    case GYRE_FAULT_ACCESS: return "access to unmapped memory";
    case GYRE_FAULT_TRAP_NO_VECTOR: return "trap without a vector";
    case GYRE_FAULT_PAGE: return "page fault";
    case GYRE_FAULT_OM_DEPTH_ORPHAN: return "depth word without its colour word";
    case GYRE_FAULT_OM_COLOUR_OPEN: return "colour word without its depth word";
    case GYRE_FAULT_UNIT_STATE: return "bad register value";
    case GYRE_FAULT_UNIT_ACCESS: return "unit accessed unmapped memory";
    default: return "unknown fault";
  }
}

std::string describe(const Fault& fault, const std::string& where) {
  if (fault.core == 0xFFFF)
    return fmt::format("{} (value {:#x}, unit class {})", fault_name(fault.cause), fault.value, fault.warp);
  return fmt::format("{} (value {:#x}) at pc {:#x}{}{}, core {}, warp {}", fault_name(fault.cause), fault.value,
                     fault.pc, where.empty() ? "" : ", ", where, fault.core, fault.warp);
}

void FaultRecord::raise(const Fault& fault, bool told) {
  ++count_;
  const std::uint64_t bit = std::uint64_t{1} << (fault.cause & 63);
  if ((logged_causes_ & bit) == 0) {
    logged_causes_ |= bit;
    if (!told) log_warn("gpu", "fault: {}", describe(fault, place(fault)));
  }
  if (valid_) return;
  valid_ = true;
  first_ = fault;
}

}  // namespace gyre::kernel
