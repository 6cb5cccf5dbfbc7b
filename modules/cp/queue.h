// One command queue: its registers, ring arithmetic and error state (cp.md §2.1, §3, §9). Pure.
#pragma once

#include <cstdint>

#include "cp.h"
#include "decode.h"

namespace gyre::cp {

struct Queue {
  // registers
  std::uint64_t ring_base = 0;  // host address
  std::uint64_t head_addr = 0;  // stored, never used
  std::uint64_t cmpl_addr = 0;  // host address of the completion word, 0 = none
  std::uint32_t size_log2 = GYRE_CP_RING_LOG2_MAX;
  std::uint32_t control = 0;  // bits kControlBits
  std::uint32_t tail_staged = 0;
  std::uint32_t error = 0;  // GYRE_CPQ_ERROR layout; 0 = no error
  std::uint32_t last_dcr_rsp = 0;

  // byte counters that only ever increase; head is the line being executed
  std::uint64_t head = 0;
  std::uint64_t tail = 0;
  std::uint64_t seqnum = 0;  // commands retired

  // the fetched line
  Line line{};
  bool line_valid = false;
  unsigned offset = 0;            // of the next command in it
  unsigned commands_in_line = 0;  // executed so far

  bool reset_pending = false;  // waits for the current command

  static constexpr std::uint32_t kControlBits = 0x1D;
  static constexpr std::uint32_t kControlReset = 0x02;

  bool enabled() const { return (control & 1) != 0; }
  bool profiling() const { return (control & 0x10) != 0; }
  bool has_work() const { return line_valid || head < tail; }

  // GYRE_CP_ERR_RING_CFG if the ring cannot be used as programmed.
  unsigned ring_error() const;
  std::uint64_t ring_bytes() const { return std::uint64_t{1} << size_log2; }  // only without ring_error()
  std::uint64_t line_address() const { return ring_base + (head & (ring_bytes() - 1)); }

  // The doorbell: {hi, staged low half} becomes the tail, or an error code is returned and the tail stays.
  unsigned commit_tail(std::uint32_t hi);

  // The first error wins.
  void fail(unsigned code, unsigned opcode) {
    if (error == 0) error = code | (opcode & 0xFF) << 8 | static_cast<std::uint32_t>(seqnum & 0xFFFF) << 16;
  }
  // Base, size and completion address are kept.
  void reset();
};

}  // namespace gyre::cp
