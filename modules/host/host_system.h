// The host side of the machine: CPU, bus, memory and devices, wired as in host.md.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "bus.h"
#include "clint.h"
#include "config.h"
#include "display.h"
#include "elf_loader.h"
#include "finisher.h"
#include "host_cpu.h"
#include "host_exit.h"
#include "plic.h"
#include "ram.h"
#include "semihost.h"
#include "uart.h"

namespace gyre::host {

// Use: construct; map_external() the command processor; bind its memory port to bus.external_master; load images;
// set semihost.command_line, semihost.files, display.on_present; sc_start(); read `exit`.
class HostSystem : public sc_core::sc_module, private HostCpu::SemihostHandler, private SemihostMachine {
 public:
  // `text_out` receives what the UART sends and what semihosting prints.
  using TextSink = std::function<void(std::string_view)>;

  HostSystem(sc_core::sc_module_name name, const MachineConfig& config, TextSink text_out);

  HostExit exit;
  Bus bus;
  Ram rom;
  Ram ram;
  Clint clint;
  Plic plic;
  Uart uart;
  Finisher finisher;
  Display display;
  Semihost semihost;
  HostCpu cpu;

  // Puts a device on the bus. Throws UserError if the range is taken.
  template <class Target>
  void map_external(Target& target, std::uint64_t base, std::uint64_t size, const std::string& range_name) {
    bus.map(target, base, size, range_name);
  }

  // The first image: an ELF file, or a flat binary placed at the start of RAM. The reset code jumps to its entry.
  LoadedImage load_bios(const std::string& path);
  LoadedImage load_bios(const std::string& image_name, const std::vector<std::uint8_t>& file);
  // The second image, at RAM + 2 MiB if flat; its entry is passed in a2's fw_dynamic descriptor. Firmware that starts
  // one writes to the device tree (fw_dynamic in place), so a1 then points to a copy near the end of RAM.
  LoadedImage load_kernel(const std::string& path);
  // Contents of /chosen/bootargs; before the simulation starts.
  void set_bootargs(const std::string& text);

  // The device tree handed to firmware.
  const std::vector<std::uint8_t>& device_tree() const { return device_tree_; }
  LoadTarget load_target();

 private:
  void on_semihost(Hart& hart) override;
  bool read_guest(std::uint64_t address, void* data, std::uint64_t bytes) override;
  bool write_guest(std::uint64_t address, const void* data, std::uint64_t bytes) override;
  std::uint64_t time_ps() override;
  void exit_guest(int code, const std::string& reason) override;
  LoadedImage load(const std::string& image_name, const std::vector<std::uint8_t>& file, std::uint64_t flat_address);
  void write_rom();

  const MachineConfig& config_;
  std::vector<std::uint8_t> device_tree_;
  std::string bootargs_;
  std::uint64_t entry_ = 0;
  std::uint64_t kernel_entry_ = 0;
  std::uint64_t tree_address_ = 0;  // in RAM
};

// The flattened device tree of a machine of this configuration, as firmware finds it in a1.
std::vector<std::uint8_t> machine_device_tree(const MachineConfig& config, const std::string& bootargs = {});

}  // namespace gyre::host
