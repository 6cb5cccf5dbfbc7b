// UART, ns16550a (host.md §1).
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <string_view>

#include "host_map.h"
#include "irq.h"
#include "register_device.h"

namespace gyre::host {

// Byte registers at offsets 0..7; transmission takes no time, so the transmitter is always empty. What comes in
// waits in a queue without limit and moves to the receive FIFO (16 bytes, or one when FIFOs are off) as room
// appears, so nothing is lost. The character timeout is immediate: fewer bytes than the trigger level raise it.
// Not implemented: baud rate (the divisor is kept, not used), break, parity and framing errors.
class Uart : public RegisterDevice {
 public:
  using Sink = std::function<void(std::string_view)>;

  Uart(sc_core::sc_module_name name, Sink sink, kernel::IrqSink& irq)
      : RegisterDevice(name), sink_(std::move(sink)), irq_(irq) {}

  // Also told what is transmitted, after the sink; may call receive().
  void listen(Sink listener) { listener_ = std::move(listener); }
  // Bytes typed by a person or a test. Call at kernel time.
  void receive(std::string_view bytes);

 private:
  bool read_register(std::uint64_t offset, unsigned bytes, std::uint64_t& value) override;
  bool write_register(std::uint64_t offset, unsigned bytes, std::uint64_t value) override;
  void transmit(std::uint8_t byte);
  void refill();
  void update_irq();
  std::uint8_t interrupt_id() const;
  std::uint8_t modem_status() const;

  Sink sink_, listener_;
  kernel::IrqSink& irq_;
  std::deque<std::uint8_t> waiting_, fifo_;
  std::uint8_t ier_ = 0, lcr_ = 0, mcr_ = 0, scratch_ = 0, divisor_low_ = 0, divisor_high_ = 0, fcr_ = 0;
  bool thr_empty_interrupt_ = false;  // raised by the transmitter running empty, cleared by reading IIR
  bool irq_level_ = false;
};

}  // namespace gyre::host
