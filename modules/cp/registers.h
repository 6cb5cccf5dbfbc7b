// The register map of the command processor (cp.md §2).
#pragma once

#include <cstdint>
#include <optional>

#include "capabilities.h"
#include "fault.h"
#include "queue.h"

namespace gyre::cp {

// What reads of status registers see.
struct LiveState {
  bool busy;
  std::uint64_t cycle;
  const kernel::FaultRecord& faults;
};

// What a write asks of the machine, beyond changing the register.
enum class Effect {
  kNone,
  kDecodeError,  // no such register: nothing changed
  kWake,         // the engine may have work
  kQueueReset,
  kResetAll,
  kInterrupt,  // the level of the interrupt line may have changed
};

class RegisterFile {
 public:
  static constexpr std::uint32_t kIrqProgress = 1;
  static constexpr std::uint32_t kIrqError = 2;

  explicit RegisterFile(const Capabilities& caps) : caps_(caps) {}

  // Byte offsets, multiples of 4. Nothing: no such register.
  std::optional<std::uint32_t> read(std::uint64_t offset, const LiveState& live) const;
  Effect write(std::uint64_t offset, std::uint32_t value);

  Queue& queue() { return queue_; }
  const Queue& queue() const { return queue_; }
  bool queue_runs() const { return enabled_ && queue_.enabled() && queue_.error == 0; }
  std::uint64_t satp() const { return satp_; }

  // Raises interrupt causes and tells the line's level.
  void raise(std::uint32_t causes) { irq_status_ |= causes; }
  bool irq_level() const { return (irq_status_ & irq_enable_) != 0; }
  // An error of the queue, with its interrupt cause.
  void fail(unsigned code, unsigned opcode) {
    queue_.fail(code, opcode);
    raise(kIrqError);
  }

  // Set by a write of RING_BASE or RING_SIZE of an enabled queue; cleared by reading.
  bool take_ring_changed() {
    const bool changed = ring_changed_;
    ring_changed_ = false;
    return changed;
  }

 private:
  std::optional<std::uint32_t> read_queue(std::uint64_t offset) const;
  Effect write_queue(std::uint64_t offset, std::uint32_t value);
  Effect doorbell(std::uint32_t hi);

  Capabilities caps_;
  Queue queue_;
  bool enabled_ = false;  // CP_CTRL bit 0
  std::uint64_t satp_ = 0;
  std::uint32_t irq_enable_ = 0;
  std::uint32_t irq_status_ = 0;
  bool ring_changed_ = false;
};

}  // namespace gyre::cp
