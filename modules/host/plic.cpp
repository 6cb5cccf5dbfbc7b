#include "plic.h"

namespace gyre::host {

void Plic::set_irq(unsigned source, bool level) {
  if (source == 0 || source >= kSources) return;
  const std::uint32_t bit = 1u << source;
  level_ = level ? level_ | bit : level_ & ~bit;
  if (level && (in_service_ & bit) == 0) pending_ |= bit;
  changed_.notify(sc_core::SC_ZERO_TIME);
}

unsigned Plic::best(unsigned context) const {
  unsigned source = 0, priority = threshold_[context];
  std::uint32_t candidates = pending_ & enable_[context];
  while (candidates != 0) {  // lowest number first, so a tie keeps it
    const unsigned number = static_cast<unsigned>(__builtin_ctz(candidates));
    candidates &= candidates - 1;
    if (priority_[number] > priority) {
      source = number;
      priority = priority_[number];
    }
  }
  return source;
}

std::uint32_t Plic::claim(unsigned context) {
  const unsigned source = best(context);
  if (source == 0) return 0;
  pending_ &= ~(1u << source);
  in_service_ |= 1u << source;
  return source;
}

void Plic::complete(unsigned context, std::uint32_t source) {
  // A completion for a source the context has not enabled is ignored, as the specification says.
  if (source == 0 || source >= kSources || ((enable_[context] >> source) & 1) == 0) return;
  const std::uint32_t bit = 1u << source;
  in_service_ &= ~bit;
  if ((level_ & bit) != 0) pending_ |= bit;
}

bool Plic::access(std::uint64_t offset, bool write, std::uint32_t& value) {
  if (offset < GYRE_PLIC_PENDING) {
    const unsigned source = static_cast<unsigned>(offset / 4);
    if (write && source > 0 && source < kSources) priority_[source] = value & 7;
    if (!write) value = source < kSources ? priority_[source] : 0;
    return true;
  }
  if (offset < GYRE_PLIC_ENABLE) {
    if (!write) value = offset == GYRE_PLIC_PENDING ? pending_ : 0;
    return true;
  }
  if (offset < GYRE_PLIC_CONTEXT) {
    const std::uint64_t context = (offset - GYRE_PLIC_ENABLE) / GYRE_PLIC_ENABLE_STRIDE;
    const bool first_word = (offset - GYRE_PLIC_ENABLE) % GYRE_PLIC_ENABLE_STRIDE == 0;
    if (context >= kContexts || !first_word) {
      if (!write) value = 0;  // reserved: reads as zero
      return true;
    }
    if (write) enable_[context] = value & ~1u;
    else value = enable_[context];
    return true;
  }
  const std::uint64_t context = (offset - GYRE_PLIC_CONTEXT) / GYRE_PLIC_CONTEXT_STRIDE;
  const std::uint64_t reg = (offset - GYRE_PLIC_CONTEXT) % GYRE_PLIC_CONTEXT_STRIDE;
  if (context >= kContexts || reg > 4) {
    if (!write) value = 0;
    return true;
  }
  if (reg == 0) {
    if (write) threshold_[context] = value & 7;
    else value = threshold_[context];
  } else if (write) {
    complete(static_cast<unsigned>(context), value);
  } else {
    value = claim(static_cast<unsigned>(context));
  }
  return true;
}

bool Plic::read_register(std::uint64_t offset, unsigned bytes, std::uint64_t& value) {
  std::uint32_t word = 0;
  if (bytes != 4 || !access(offset, false, word)) return false;
  value = word;
  return true;
}

bool Plic::write_register(std::uint64_t offset, unsigned bytes, std::uint64_t value) {
  auto word = static_cast<std::uint32_t>(value);
  if (bytes != 4 || !access(offset, true, word)) return false;
  changed_.notify(sc_core::SC_ZERO_TIME);
  return true;
}

}  // namespace gyre::host
