#include "command_processor.h"

#include <cstring>

#include "capabilities.h"
#include "host_map.h"
#include "log.h"

namespace gyre::cp {

using kernel::Cycle;

CommandProcessor::CommandProcessor(sc_core::sc_module_name name, kernel::Context& ctx)
    : sc_module(name),
      host_memory("host_memory", kernel::MemSource::kCp, ctx.config.gpu.period_ps()),
      device_memory("device_memory", kernel::MemSource::kCp, ctx.config.gpu.period_ps()),
      ctx_(ctx),
      gpu_(ctx.config.gpu),
      clock_(ctx.gpu_clock()),
      dma_node_(ctx.busy.add_node(std::string(this->name()) + ".dma")),
      registers_(capabilities(ctx.config.gpu)),
      device_(device_memory, gpu_.cp.vm || gpu_.vm, gpu_.core.xlen == 64, gpu_.cp.compat),
      time_(clock_, gpu_.link.arbiter, gpu_.dram.queue * gpu_.dram.banks),
      dma_(host_memory, device_, time_, clock_, gpu_.cp.dma_startup),
      row_(this->name(), "commands") {
  device_memory.set_timed(true);  // dates are DeviceTime's
  registers.register_b_transport(this, &CommandProcessor::transport);
  registers.register_transport_dbg(this, &CommandProcessor::transport_dbg);
  const std::string prefix = this->name();
  ctx.counters.add(prefix + ".commands", &commands_);
  ctx.counters.add(prefix + ".lines", &lines_);
  ctx.counters.add(prefix + ".launches", &launches_);
  ctx.counters.add(prefix + ".draw_steps", &draw_steps_);
  ctx.counters.add(prefix + ".dcr_writes", &dcr_writes_);
  ctx.counters.add(prefix + ".dma_bytes", &dma_.bytes_moved());
  ctx.counters.add(prefix + ".memory.reads", &time_.counters().reads);
  ctx.counters.add(prefix + ".memory.writes", &time_.counters().writes);
  ctx.counters.add(prefix + ".memory.bytes", &time_.counters().bytes);
  ctx.counters.add(prefix + ".memory.read_latency", &time_.counters().read_latency);
  ctx.counters.add(prefix + ".errors", &errors_);
  ctx.utilisation.add(prefix, "cp", 1, [this](Cycle) { return ledger_.activity(); });
  SC_THREAD(run);
}

LiveState CommandProcessor::live(sc_core::sc_time delay) const {
  return {executing_ || can_work() || !ctx_.busy.idle(), (kernel::kernel_now() + delay.value()) / clock_.period(),
          ctx_.faults};
}

bool CommandProcessor::access(bool write, std::uint64_t offset, std::uint32_t* word, sc_core::sc_time delay) {
  if (!write) {
    const auto value = registers_.read(offset, live(delay));
    *word = value.value_or(0xDEADBEEF);
    return value.has_value();
  }
  const Effect effect = registers_.write(offset, *word);
  if (effect == Effect::kDecodeError) return false;
  if (registers_.take_ring_changed())
    kernel::log_warn(name(), "ring base or size changed while the queue is enabled: used from the next line on");
  if (effect == Effect::kQueueReset || effect == Effect::kResetAll) {
    reset_faults_ |= effect == Effect::kResetAll;
    active_queue().reset_pending = true;
    if (!executing_) apply_reset();
  }
  drive_irq();
  wake_stamp_ = clock_.from_ps(kernel::kernel_now() + delay.value());
  wake_.notify(sc_core::SC_ZERO_TIME);
  return true;
}

void CommandProcessor::transport(tlm::tlm_generic_payload& request, sc_core::sc_time& delay) {
  const std::uint64_t offset = request.get_address();
  bool ok = false;
  if (request.get_data_length() == 4 && offset % 4 == 0 && offset < GYRE_CP_REG_BYTES) {
    std::uint32_t word = 0;
    if (request.is_write()) {
      std::memcpy(&word, request.get_data_ptr(), 4);
      ok = access(true, offset, &word, delay);
    } else if (request.is_read()) {
      ok = access(false, offset, &word, delay);
      std::memcpy(request.get_data_ptr(), &word, 4);
    }
  }
  request.set_response_status(ok ? tlm::TLM_OK_RESPONSE : tlm::TLM_ADDRESS_ERROR_RESPONSE);
}

unsigned CommandProcessor::transport_dbg(tlm::tlm_generic_payload& request) {
  const std::uint64_t offset = request.get_address();
  if (!request.is_read() || request.get_data_length() != 4 || offset % 4 != 0) return 0;
  const auto value = registers_.read(offset, live(sc_core::SC_ZERO_TIME));
  if (!value) return 0;
  std::memcpy(request.get_data_ptr(), &*value, 4);
  return 4;
}

void CommandProcessor::apply_reset() {
  active_queue().reset();
  if (reset_faults_) ctx_.faults.clear();
  reset_faults_ = false;
}

void CommandProcessor::drive_irq() {
  const bool level = registers_.irq_level();
  if (level == irq_driven_) return;
  irq_driven_ = level;
  if (irq.size() != 0) irq->set_irq(GYRE_IRQ_CP, level);
}

}  // namespace gyre::cp
