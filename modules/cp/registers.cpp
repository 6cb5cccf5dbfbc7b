#include "registers.h"

namespace gyre::cp {
namespace {

std::uint32_t low(std::uint64_t value) { return static_cast<std::uint32_t>(value); }
std::uint32_t high(std::uint64_t value) { return static_cast<std::uint32_t>(value >> 32); }
void set_low(std::uint64_t* target, std::uint32_t value) { *target = (*target & ~0xFFFFFFFFull) | value; }
void set_high(std::uint64_t* target, std::uint32_t value) {
  *target = (*target & 0xFFFFFFFFull) | std::uint64_t{value} << 32;
}

bool in_queue_block(std::uint64_t offset) {
  return offset >= GYRE_CP_QUEUE_BASE && offset < GYRE_CP_QUEUE_BASE + GYRE_CP_QUEUE_STRIDE;
}

}  // namespace

std::optional<std::uint32_t> RegisterFile::read(std::uint64_t offset, const LiveState& live) const {
  if (in_queue_block(offset)) return read_queue(offset - GYRE_CP_QUEUE_BASE);
  const bool fault = live.faults.valid();
  const kernel::Fault& first = live.faults.first();
  switch (offset) {
    case GYRE_CP_CTRL:
      return enabled_ ? 1 : 0;
    case GYRE_CP_STATUS:
      return (live.busy ? 1u : 0u) | (queue_.error != 0 ? 2u : 0u);
    case GYRE_CP_DEV_CAPS:
      return caps_.cp_dev;
    case GYRE_CP_CYCLE_LO:
      return low(live.cycle);
    case GYRE_CP_CYCLE_HI:
      return high(live.cycle);
    case GYRE_CP_GPU_DEV_CAPS_LO:
      return low(caps_.gpu_dev);
    case GYRE_CP_GPU_DEV_CAPS_HI:
      return high(caps_.gpu_dev);
    case GYRE_CP_GPU_ISA_CAPS_LO:
      return low(caps_.gpu_isa);
    case GYRE_CP_GPU_ISA_CAPS_HI:
      return high(caps_.gpu_isa);
    case GYRE_CP_SATP_LO:
      return low(satp_);
    case GYRE_CP_SATP_HI:
      return high(satp_);
    case GYRE_CP_IRQ_ENABLE:
      return irq_enable_;
    case GYRE_CP_IRQ_STATUS:
      return irq_status_;
    case GYRE_CP_FAULT_INFO0:
      return fault ? 1u << 31 | (first.cause & 0x7F) << 24 | (first.core & 0xFFFF) << 8 | (first.warp & 0xFF) : 0;
    case GYRE_CP_FAULT_INFO1:
      return fault ? first.pc : 0;
    case GYRE_CP_FAULT_INFO2:
      return fault ? first.value : 0;
    case GYRE_CP_GFX_CAPS:
      return caps_.gfx;
    default:
      return std::nullopt;
  }
}

std::optional<std::uint32_t> RegisterFile::read_queue(std::uint64_t offset) const {
  switch (offset) {
    case GYRE_CPQ_RING_BASE_LO:
      return low(queue_.ring_base);
    case GYRE_CPQ_RING_BASE_HI:
      return high(queue_.ring_base);
    case GYRE_CPQ_HEAD_ADDR_LO:
      return low(queue_.head_addr);
    case GYRE_CPQ_HEAD_ADDR_HI:
      return high(queue_.head_addr);
    case GYRE_CPQ_CMPL_ADDR_LO:
      return low(queue_.cmpl_addr);
    case GYRE_CPQ_CMPL_ADDR_HI:
      return high(queue_.cmpl_addr);
    case GYRE_CPQ_RING_SIZE_LOG2:
      return queue_.size_log2;
    case GYRE_CPQ_CONTROL:
      return queue_.control;
    case GYRE_CPQ_TAIL_LO:
      return queue_.tail_staged;
    case GYRE_CPQ_TAIL_HI:
      return high(queue_.tail);
    case GYRE_CPQ_SEQNUM:
      return low(queue_.seqnum);
    case GYRE_CPQ_ERROR:
      return queue_.error;
    case GYRE_CPQ_LAST_DCR_RSP:
      return queue_.last_dcr_rsp;
    default:
      return std::nullopt;
  }
}

Effect RegisterFile::write(std::uint64_t offset, std::uint32_t value) {
  if (in_queue_block(offset)) return write_queue(offset - GYRE_CP_QUEUE_BASE, value);
  switch (offset) {
    case GYRE_CP_CTRL:
      enabled_ = (value & 1) != 0;
      return (value & 2) != 0 ? Effect::kResetAll : Effect::kWake;
    case GYRE_CP_SATP_LO:
      set_low(&satp_, value);
      return Effect::kNone;
    case GYRE_CP_SATP_HI:
      set_high(&satp_, value);
      return Effect::kNone;
    case GYRE_CP_IRQ_ENABLE:
      irq_enable_ = value & (kIrqProgress | kIrqError);
      return Effect::kInterrupt;
    case GYRE_CP_IRQ_STATUS:
      irq_status_ &= ~value;
      return Effect::kInterrupt;
    case GYRE_CP_STATUS:
    case GYRE_CP_DEV_CAPS:
    case GYRE_CP_CYCLE_LO:
    case GYRE_CP_CYCLE_HI:
    case GYRE_CP_GPU_DEV_CAPS_LO:
    case GYRE_CP_GPU_DEV_CAPS_HI:
    case GYRE_CP_GPU_ISA_CAPS_LO:
    case GYRE_CP_GPU_ISA_CAPS_HI:
    case GYRE_CP_FAULT_INFO0:
    case GYRE_CP_FAULT_INFO1:
    case GYRE_CP_FAULT_INFO2:
    case GYRE_CP_GFX_CAPS:
      return Effect::kNone;  // read-only
    default:
      return Effect::kDecodeError;
  }
}

Effect RegisterFile::write_queue(std::uint64_t offset, std::uint32_t value) {
  if (offset == GYRE_CPQ_RING_BASE_LO || offset == GYRE_CPQ_RING_BASE_HI || offset == GYRE_CPQ_RING_SIZE_LOG2)
    ring_changed_ |= enabled_ && queue_.enabled();
  switch (offset) {
    case GYRE_CPQ_RING_BASE_LO:
      set_low(&queue_.ring_base, value);
      return Effect::kNone;
    case GYRE_CPQ_RING_BASE_HI:
      set_high(&queue_.ring_base, value);
      return Effect::kNone;
    case GYRE_CPQ_HEAD_ADDR_LO:
      set_low(&queue_.head_addr, value);
      return Effect::kNone;
    case GYRE_CPQ_HEAD_ADDR_HI:
      set_high(&queue_.head_addr, value);
      return Effect::kNone;
    case GYRE_CPQ_CMPL_ADDR_LO:
      set_low(&queue_.cmpl_addr, value);
      return Effect::kNone;
    case GYRE_CPQ_CMPL_ADDR_HI:
      set_high(&queue_.cmpl_addr, value);
      return Effect::kNone;
    case GYRE_CPQ_RING_SIZE_LOG2:
      queue_.size_log2 = value;
      return Effect::kNone;
    case GYRE_CPQ_CONTROL:
      queue_.control = value & Queue::kControlBits;
      return (value & Queue::kControlReset) != 0 ? Effect::kQueueReset : Effect::kWake;
    case GYRE_CPQ_TAIL_LO:
      queue_.tail_staged = value;
      return Effect::kNone;
    case GYRE_CPQ_TAIL_HI:
      return doorbell(value);
    case GYRE_CPQ_SEQNUM:
    case GYRE_CPQ_ERROR:
    case GYRE_CPQ_LAST_DCR_RSP:
      return Effect::kNone;  // read-only
    default:
      return Effect::kDecodeError;
  }
}

Effect RegisterFile::doorbell(std::uint32_t hi) {
  const unsigned code = queue_.commit_tail(hi);
  if (code == GYRE_CP_ERR_OK) return Effect::kWake;
  fail(code, GYRE_CMD_NOP);
  return Effect::kInterrupt;
}

}  // namespace gyre::cp
