#include "uart.h"

namespace gyre::host {
namespace {

enum Register : unsigned { kData, kIer, kIirFcr, kLcr, kMcr, kLsr, kMsr, kScratch };

constexpr std::uint8_t kDlab = 0x80;                             // LCR
constexpr std::uint8_t kIerReceive = 1, kIerTransmit = 2;        // IER
constexpr std::uint8_t kLoop = 0x10;                             // MCR
constexpr std::uint8_t kFifoEnable = 1, kFifoClearReceive = 2;   // FCR
constexpr std::uint8_t kDataReady = 0x01, kTransmitEmpty = 0x60; // LSR
constexpr std::uint8_t kNone = 1, kThrEmpty = 2, kReceived = 4, kTimeout = 0xC;  // IIR
constexpr unsigned kFifoBytes = 16;
constexpr unsigned kTrigger[4] = {1, 4, 8, 14};

}  // namespace

void Uart::receive(std::string_view bytes) {
  waiting_.insert(waiting_.end(), bytes.begin(), bytes.end());
  refill();
  update_irq();
}

void Uart::refill() {
  const unsigned room = (fcr_ & kFifoEnable) != 0 ? kFifoBytes : 1;
  while (!waiting_.empty() && fifo_.size() < room) {
    fifo_.push_back(waiting_.front());
    waiting_.pop_front();
  }
}

std::uint8_t Uart::interrupt_id() const {
  if ((ier_ & kIerReceive) != 0 && !fifo_.empty()) {
    const unsigned trigger = (fcr_ & kFifoEnable) != 0 ? kTrigger[fcr_ >> 6] : 1;
    return fifo_.size() >= trigger ? kReceived : kTimeout;
  }
  if ((ier_ & kIerTransmit) != 0 && thr_empty_interrupt_) return kThrEmpty;
  return kNone;
}

void Uart::update_irq() {
  const bool level = interrupt_id() != kNone;
  if (level == irq_level_) return;
  irq_level_ = level;
  irq_.set_irq(GYRE_IRQ_UART, level);
}

std::uint8_t Uart::modem_status() const {
  if ((mcr_ & kLoop) == 0) return 0xB0;  // carrier, data set ready, clear to send
  // Loop-back: RTS, DTR, OUT1, OUT2 appear as CTS, DSR, RI, DCD.
  return static_cast<std::uint8_t>(((mcr_ & 2) << 3) | ((mcr_ & 1) << 5) | ((mcr_ & 4) << 4) | ((mcr_ & 8) << 4));
}

void Uart::transmit(std::uint8_t byte) {
  if ((mcr_ & kLoop) != 0) {
    waiting_.push_back(byte);
    refill();
  } else {
    const char c = static_cast<char>(byte);
    if (sink_) sink_(std::string_view(&c, 1));
    if (listener_) listener_(std::string_view(&c, 1));
  }
  thr_empty_interrupt_ = true;
}

bool Uart::read_register(std::uint64_t offset, unsigned bytes, std::uint64_t& value) {
  if (bytes != 1 || offset > kScratch) return false;
  const bool divisor = (lcr_ & kDlab) != 0;
  switch (offset) {
    case kData:
      if (divisor) {
        value = divisor_low_;
      } else if (fifo_.empty()) {
        value = 0;
      } else {
        value = fifo_.front();
        fifo_.pop_front();
        refill();
      }
      break;
    case kIer: value = divisor ? divisor_high_ : ier_; break;
    case kIirFcr: {
      const std::uint8_t id = interrupt_id();
      value = id | ((fcr_ & kFifoEnable) != 0 ? 0xC0u : 0u);
      if (id == kThrEmpty) thr_empty_interrupt_ = false;
      break;
    }
    case kLcr: value = lcr_; break;
    case kMcr: value = mcr_; break;
    case kLsr: value = kTransmitEmpty | (fifo_.empty() ? 0u : kDataReady); break;
    case kMsr: value = modem_status(); break;
    default: value = scratch_; break;
  }
  update_irq();
  return true;
}

bool Uart::write_register(std::uint64_t offset, unsigned bytes, std::uint64_t value) {
  if (bytes != 1 || offset > kScratch) return false;
  const auto byte = static_cast<std::uint8_t>(value);
  const bool divisor = (lcr_ & kDlab) != 0;
  switch (offset) {
    case kData:
      if (divisor) divisor_low_ = byte;
      else transmit(byte);
      break;
    case kIer:
      if (divisor) {
        divisor_high_ = byte;
      } else {
        if ((byte & kIerTransmit) != 0 && (ier_ & kIerTransmit) == 0) thr_empty_interrupt_ = true;
        ier_ = byte & 0x0F;
      }
      break;
    case kIirFcr:
      if (((fcr_ ^ byte) & kFifoEnable) != 0 || (byte & kFifoClearReceive) != 0) fifo_.clear();
      fcr_ = (byte & kFifoEnable) != 0 ? byte & 0xC9 : 0;
      refill();
      break;
    case kLcr: lcr_ = byte; break;
    case kMcr: mcr_ = byte & 0x1F; break;
    case kScratch: scratch_ = byte; break;
    default: break;  // LSR and MSR are read-only
  }
  update_irq();
  return true;
}

}  // namespace gyre::host
