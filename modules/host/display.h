// Display controller (host.md §4): captures frames from host memory.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "host_map.h"
#include "irq.h"
#include "memory_port.h"
#include "register_device.h"

namespace gyre::host {

// A captured frame: `pixels` holds width × height words 0xAARRGGBB, row 0 (top) first.
struct DisplayFrame {
  std::uint32_t index = 0;  // 0 for the first PRESENT
  std::uint32_t width = 0;
  std::uint32_t height = 0;
  std::vector<std::uint32_t> pixels;
};

// Reads memory through `memory`, which is bound to the bus. A frame outside memory, a bad size, stride or format:
// STATUS bit 1 and a warning that names the register; nothing is presented. While scan-out is enabled the vertical
// blank bit is set every 1 / REFRESH s of simulated time (1..1000 Hz; other values are kept and mean 60).
class Display : public RegisterDevice {
 public:
  Display(sc_core::sc_module_name name, kernel::IrqSink& irq);

  kernel::MemoryPort memory;
  std::function<void(const DisplayFrame&)> on_present;  // called at PRESENT

  std::uint32_t frames() const { return frames_; }

 private:
  SC_HAS_PROCESS(Display);

  bool read_register(std::uint64_t offset, unsigned bytes, std::uint64_t& value) override;
  bool write_register(std::uint64_t offset, unsigned bytes, std::uint64_t value) override;
  void present();
  const char* check() const;  // nullptr, or the register at fault
  void vertical_blank();
  void schedule_blank();
  void update_irq();

  kernel::IrqSink& irq_;
  std::uint32_t control_ = 0, status_ = 0, width_ = 0, height_ = 0, stride_ = 0, format_ = 0, refresh_ = 60;
  std::uint64_t base_ = 0;
  std::uint32_t frames_ = 0;
  bool irq_level_ = false;
  sc_core::sc_event blank_{"blank"};
};

}  // namespace gyre::host
