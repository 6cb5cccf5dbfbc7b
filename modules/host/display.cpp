#include "display.h"

#include "log.h"

namespace gyre::host {
namespace {

constexpr std::uint32_t kMaxPixels = 8192;  // per side
constexpr std::uint32_t kEnable = 1, kBlankInterrupt = 2;  // CTRL
constexpr std::uint32_t kBlank = 1, kError = 2;            // STATUS
constexpr std::uint32_t kFormatA8R8G8B8 = 0, kBytesPerPixel = 4;
constexpr std::uint32_t kDefaultRefresh = 60, kMaxRefresh = 1000;
constexpr kernel::Picoseconds kPicosecondsPerSecond = 1'000'000'000'000;

}  // namespace

Display::Display(sc_core::sc_module_name name, kernel::IrqSink& irq)
    : RegisterDevice(name), memory("memory", kernel::MemSource::kHost, 1000), irq_(irq) {
  SC_METHOD(vertical_blank);
  sensitive << blank_;
  dont_initialize();
}

void Display::update_irq() {
  const bool level = (control_ & kBlankInterrupt) != 0 && (status_ & kBlank) != 0;
  if (level == irq_level_) return;
  irq_level_ = level;
  irq_.set_irq(GYRE_IRQ_DISPLAY, level);
}

void Display::schedule_blank() {
  blank_.cancel();
  if ((control_ & kEnable) == 0) return;
  const std::uint32_t hz = refresh_ >= 1 && refresh_ <= kMaxRefresh ? refresh_ : kDefaultRefresh;
  blank_.notify(sc_core::sc_time::from_value(kPicosecondsPerSecond / hz));
}

void Display::vertical_blank() {
  status_ |= kBlank;
  update_irq();
  schedule_blank();
}

const char* Display::check() const {
  if (width_ < 1 || width_ > kMaxPixels) return "WIDTH";
  if (height_ < 1 || height_ > kMaxPixels) return "HEIGHT";
  if (stride_ < width_ * kBytesPerPixel) return "STRIDE";
  if (format_ != kFormatA8R8G8B8) return "FORMAT";
  return nullptr;
}

void Display::present() {
  const char* bad = check();
  DisplayFrame frame;
  if (bad == nullptr) {
    frame.index = frames_;
    frame.width = width_;
    frame.height = height_;
    // Grown row by row: a large frame that is not in memory costs nothing.
    frame.pixels.reserve(std::size_t{width_} * height_);
    for (std::uint32_t row = 0; row < height_ && bad == nullptr; ++row) {
      frame.pixels.resize((std::size_t{row} + 1) * width_);
      const std::uint64_t address = base_ + std::uint64_t{row} * stride_;
      if (address < base_ || !memory.read(address, &frame.pixels[std::size_t{row} * width_], width_ * kBytesPerPixel))
        bad = "BASE";
    }
  }
  if (bad != nullptr) {
    status_ |= kError;
    kernel::log_warn(this->name(),
                     "PRESENT: {} does not describe a frame in memory ({}x{}, stride {}, format {}, base {:#x})", bad,
                     width_, height_, stride_, format_, base_);
    return;
  }
  ++frames_;
  if (on_present) on_present(frame);
}

bool Display::read_register(std::uint64_t offset, unsigned bytes, std::uint64_t& value) {
  if (bytes != 4) return false;
  switch (offset) {
    case GYRE_DISP_ID: value = GYRE_DISP_ID_VALUE; return true;
    case GYRE_DISP_CTRL: value = control_; return true;
    case GYRE_DISP_STATUS: value = status_; return true;
    case GYRE_DISP_WIDTH: value = width_; return true;
    case GYRE_DISP_HEIGHT: value = height_; return true;
    case GYRE_DISP_STRIDE: value = stride_; return true;
    case GYRE_DISP_FORMAT: value = format_; return true;
    case GYRE_DISP_BASE_LO: value = static_cast<std::uint32_t>(base_); return true;
    case GYRE_DISP_BASE_HI: value = base_ >> 32; return true;
    case GYRE_DISP_FRAME: value = frames_; return true;
    case GYRE_DISP_REFRESH: value = refresh_; return true;
    default: value = 0; return true;  // write-only or not there: reads as zero
  }
}

bool Display::write_register(std::uint64_t offset, unsigned bytes, std::uint64_t value) {
  if (bytes != 4) return false;
  const auto word = static_cast<std::uint32_t>(value);
  switch (offset) {
    case GYRE_DISP_CTRL: {
      const bool was_enabled = (control_ & kEnable) != 0;
      control_ = word & (kEnable | kBlankInterrupt);
      if (was_enabled != ((control_ & kEnable) != 0)) schedule_blank();
      break;
    }
    case GYRE_DISP_STATUS: status_ &= ~word; break;
    case GYRE_DISP_WIDTH: width_ = word; break;
    case GYRE_DISP_HEIGHT: height_ = word; break;
    case GYRE_DISP_STRIDE: stride_ = word; break;
    case GYRE_DISP_FORMAT: format_ = word; break;
    case GYRE_DISP_BASE_LO: base_ = (base_ & ~std::uint64_t{0xFFFFFFFFu}) | word; break;
    case GYRE_DISP_BASE_HI: base_ = (base_ & 0xFFFFFFFFu) | (std::uint64_t{word} << 32); break;
    case GYRE_DISP_PRESENT: present(); break;
    case GYRE_DISP_REFRESH:
      refresh_ = word;
      schedule_blank();
      break;
    default: break;  // read-only or not there
  }
  update_irq();
  return true;
}

}  // namespace gyre::host
