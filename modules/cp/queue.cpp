#include "queue.h"

namespace gyre::cp {

unsigned Queue::ring_error() const {
  const bool ok = size_log2 >= 6 && size_log2 <= GYRE_CP_RING_LOG2_MAX && ring_base % GYRE_CP_LINE_BYTES == 0;
  return ok ? GYRE_CP_ERR_OK : GYRE_CP_ERR_RING_CFG;
}

unsigned Queue::commit_tail(std::uint32_t hi) {
  if (const unsigned code = ring_error()) return code;
  const std::uint64_t wanted = std::uint64_t{hi} << 32 | tail_staged;
  if (wanted % GYRE_CP_LINE_BYTES != 0 || wanted < tail || wanted - head > ring_bytes()) return GYRE_CP_ERR_RING_RANGE;
  tail = wanted;
  return GYRE_CP_ERR_OK;
}

void Queue::reset() {
  head = tail = seqnum = 0;
  tail_staged = 0;
  error = last_dcr_rsp = 0;
  control &= ~1u;
  line_valid = false;
  offset = commands_in_line = 0;
  reset_pending = false;
}

}  // namespace gyre::cp
