#include "host_cpu.h"

#include <fmt/format.h>

#include <algorithm>

#include "log.h"

namespace gyre::host {

namespace {
constexpr std::uint64_t kPicosecondsPerSecond = 1'000'000'000'000;
constexpr std::uint64_t kSoftwareLine = 1u << 3, kTimerLine = 1u << 7, kExternalLine = 1u << 11, kSupervisorLine = 1u << 9;
}  // namespace

HostCpu::HostCpu(sc_core::sc_module_name name, const HostConfig& config, std::uint64_t quantum_ps, Clint& clint,
                 Plic& plic, HostExit& exit, SemihostHandler& semihost)
    : sc_module(name), clint_(clint), plic_(plic), exit_(exit), semihost_(semihost),
      clock_(kPicosecondsPerSecond / config.clock_hz, quantum_ps), hart_(*this),
      wake_(clint.changed_event() | plic.changed_event() | halt_event_) {
  attributes_.source = kernel::MemSource::kHost;
  payload_.set_extension(&attributes_);
  socket.register_invalidate_direct_mem_ptr(this, &HostCpu::invalidate);
  hart_.reset(GYRE_HOST_ROM_BASE);
  SC_THREAD(run);
}

// payload_ does not own the extension.
HostCpu::~HostCpu() { payload_.clear_extension(&attributes_); }

void HostCpu::update_lines() {
  std::uint64_t lines = 0;
  if (clint_.software_pending()) lines |= kSoftwareLine;
  if (clint_.timer_due() <= clock_.now_ps()) lines |= kTimerLine;
  if (plic_.line(0)) lines |= kExternalLine;
  if (plic_.line(1)) lines |= kSupervisorLine;
  hart_.set_lines(lines);
}

// Up to where nothing can interrupt: the end of the quantum, or the moment the timer becomes pending.
kernel::Cycle HostCpu::run_limit() const {
  const kernel::Picoseconds due = clint_.timer_due();
  if (due <= clock_.now_ps() || due >= clock_.limit() * clock_.period()) return clock_.limit();
  return clock_.from_ps(due);
}

void HostCpu::run() {
  while (!exit_.exited) {
    if (halt_requested_) halt(Halt::kRequest);
    hart_.set_cycle(clock_.now());
    update_lines();
    if (!resuming_) hart_.take_interrupt();
    const bool first = resuming_, step = first && stepping_;
    const Stop stop = first ? resume() : hart_.run(run_limit());
    clock_.advance_to(hart_.cycle());
    retired_ = hart_.retired();
    cycles_ = hart_.cycle();
    if (stop == Stop::kBreakpoint) {
      halt(Halt::kBreakpoint);
    } else if (stop == Stop::kWatchpoint) {
      halt(Halt::kWatchpoint);
    } else if (step && !exit_.exited && stop != Stop::kStuck) {
      halt(Halt::kStep);
    } else if (stop == Stop::kStuck) {
      exit_.request(1, fmt::format("the host CPU cannot fetch its trap handler at {:#x}; last trap: {}", hart_.pc(),
                                   hart_.describe_trap()));
      kernel::log_warn(this->name(), "{}", exit_.reason);
    } else if (stop == Stop::kWfi) {
      wait_for_interrupt();
    } else if (clock_.quantum_spent()) {
      clock_.sync();
    }
  }
  clock_.sync();
  exit_.event.notify(sc_core::SC_ZERO_TIME);
  if (!stops_simulation) return;
  sc_core::sc_report_handler::set_actions("/OSCI/SystemC", sc_core::SC_INFO, sc_core::SC_DO_NOTHING);
  sc_core::sc_stop();
}

void HostCpu::request_halt() {
  halt_requested_ = true;
  halt_event_.notify(sc_core::SC_ZERO_TIME);
}

// Nobody is let run before: a halt must not change the order of events.
void HostCpu::halt(Halt reason) {
  halt_requested_ = false;
  if (!on_halt) return;
  stepping_ = on_halt(reason) == Resume::kStep;
  resuming_ = !exit_.exited;
}

Stop HostCpu::resume() {
  resuming_ = false;
  return debug_.step(true);
}

void HostCpu::wait_for_interrupt() {
  waiting_ = true;
  while (!exit_.exited) {
    clock_.sync();
    update_lines();
    if (hart_.wakes()) break;
    if (halt_requested_) {
      hart_.set_pc(hart_.pc() - 4);
      break;
    }
    const kernel::Picoseconds due = clint_.timer_due();
    if (hart_.enabled(7) && due != Clint::kNever)
      wait(sc_core::sc_time::from_value(due - kernel::kernel_now()), wake_);
    else
      wait(wake_);
    clock_.catch_up();
  }
  waiting_ = false;
}

std::string HostCpu::describe() const {
  if (exit_.exited) return "ended: " + exit_.reason;
  if (!waiting_) return fmt::format("runs at pc {:#x}", hart_.pc());
  std::string enabled;
  if (hart_.enabled(3)) enabled += " software";
  if (hart_.enabled(7)) enabled += " timer";
  if (hart_.enabled(11)) enabled += " external";
  if (hart_.enabled(1)) enabled += " supervisor-software";
  if (hart_.enabled(5)) enabled += " supervisor-timer";
  if (hart_.enabled(9)) enabled += " supervisor-external";
  return fmt::format("waits for an interrupt (WFI before pc {:#x}); enabled in mie:{}", hart_.pc(),
                     enabled.empty() ? " none" : enabled);
}

std::uint64_t HostCpu::time() { return clint_.time_at(hart_.cycle() * clock_.period()); }

void HostCpu::sync_to_hart() {
  clock_.advance_to(hart_.cycle());
  clock_.sync();
}

void HostCpu::semihost(Hart& hart) {
  sync_to_hart();
  hart.set_cycle(clock_.now());
  semihost_.on_semihost(hart);
}

bool HostCpu::transport(tlm::tlm_command command, std::uint64_t address, void* data, unsigned bytes) {
  sync_to_hart();
  payload_.set_command(command);
  payload_.set_address(address);
  payload_.set_data_ptr(static_cast<std::uint8_t*>(data));
  payload_.set_data_length(bytes);
  payload_.set_streaming_width(bytes);
  payload_.set_byte_enable_ptr(nullptr);
  payload_.set_byte_enable_length(0);
  payload_.set_dmi_allowed(false);
  payload_.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
  sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
  socket->b_transport(payload_, delay);
  clock_.catch_up();  // a foreign target may have waited
  clock_.advance_to(clock_.from_ps(kernel::kernel_now() + delay.value()));
  hart_.set_cycle(clock_.now());
  return payload_.is_response_ok();
}

bool HostCpu::read(std::uint64_t address, unsigned bytes, std::uint64_t& value) {
  value = 0;
  return transport(tlm::TLM_READ_COMMAND, address, &value, bytes);
}

bool HostCpu::write(std::uint64_t address, unsigned bytes, std::uint64_t value) {
  return transport(tlm::TLM_WRITE_COMMAND, address, &value, bytes);
}

bool HostCpu::debug(std::uint64_t address, void* data, std::uint64_t bytes, bool write) {
  tlm::tlm_generic_payload payload;
  payload.set_command(write ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND);
  payload.set_address(address);
  payload.set_data_ptr(static_cast<std::uint8_t*>(data));
  if (bytes > ~0u) return false;
  payload.set_data_length(static_cast<unsigned>(bytes));
  payload.set_streaming_width(static_cast<unsigned>(bytes));
  return socket->transport_dbg(payload) == bytes;
}

bool HostCpu::direct(std::uint64_t address, bool write, Window& window) {
  for (const Window& known : windows_) {
    if (!known.holds(address, address)) continue;
    window = known;
    return true;
  }
  payload_.set_command(write ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND);
  payload_.set_address(address);
  tlm::tlm_dmi dmi;
  if (!socket->get_direct_mem_ptr(payload_, dmi) || !dmi.is_read_allowed()) return false;
  Window& entry = windows_[next_window_];
  next_window_ = (next_window_ + 1) % windows_.size();
  entry = {dmi.get_start_address(), dmi.get_end_address(), dmi.get_dmi_ptr(), dmi.is_write_allowed()};
  window = entry;
  return entry.holds(address, address);
}

void HostCpu::invalidate(sc_dt::uint64 begin, sc_dt::uint64 end) {
  for (Window& window : windows_)
    if (window.begin <= end && window.end >= begin) window = Window{};
  hart_.invalidate_windows();
}

}  // namespace gyre::host
