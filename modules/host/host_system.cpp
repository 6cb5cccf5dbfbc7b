#include "host_system.h"

#include <algorithm>
#include <cstring>

#include "device_tree.h"
#include "error.h"
#include "host_map.h"
#include "log.h"

namespace gyre::host {
namespace {

constexpr std::uint64_t kKernelOffset = 0x200000;  // flat second image, from the start of RAM
constexpr std::uint64_t kTreeOffset = 0x100;       // device tree, from the start of ROM
constexpr std::uint64_t kTreeStep = 0x20'0000;      // its copy in RAM: the last multiple of this it fits behind
constexpr std::size_t kShownName = 200;            // of a file name, in messages
constexpr std::uint64_t kMachineMode = 3, kSupervisorMode = 1;
constexpr std::uint64_t kFwDynamicMagic = 0x4942534F, kFwDynamicVersion = 2;
constexpr char kIsa[] = "rv64imafdc_zicntr_zicsr_zifencei";

// Reset code (host.md §3): a0 = hart, a1 = device tree, a2 = fw_dynamic descriptor, jump to the entry. Data follows.
constexpr std::uint32_t kResetCode[6] = {
    0x00000297,  // auipc t0, 0
    0x02828613,  // addi  a2, t0, 40
    0xF1402573,  // csrr  a0, mhartid
    0x0202B583,  // ld    a1, 32(t0)
    0x0182B283,  // ld    t0, 24(t0)
    0x00028067,  // jr    t0
};

}  // namespace

HostSystem::HostSystem(sc_core::sc_module_name name, const MachineConfig& config, TextSink text_out)
    : sc_module(name),
      bus("bus"),
      rom("rom", GYRE_HOST_ROM_BYTES, Ram::Mode::kReadOnly),
      ram("ram", config.host.ram_bytes),
      clint("clint", config.host.timebase_hz),
      plic("plic"),
      uart("uart", text_out, plic),
      finisher("finisher", exit),
      display("display", plic),
      semihost(*this),
      cpu("cpu", config.host, config.sim.quantum_ps, clint, plic, exit, *this),
      config_(config),
      entry_(GYRE_HOST_RAM_BASE) {
  bus.map(rom.socket, GYRE_HOST_ROM_BASE, GYRE_HOST_ROM_BYTES, "rom", Bus::Kind::kMemory);
  bus.map(finisher.socket, GYRE_HOST_FINISHER_BASE, GYRE_HOST_FINISHER_BYTES, "finisher");
  bus.map(clint.socket, GYRE_HOST_CLINT_BASE, GYRE_HOST_CLINT_BYTES, "clint");
  bus.map(plic.socket, GYRE_HOST_PLIC_BASE, GYRE_HOST_PLIC_BYTES, "plic");
  bus.map(uart.socket, GYRE_HOST_UART_BASE, GYRE_HOST_UART_BYTES, "uart");
  bus.map(display.socket, GYRE_HOST_DISPLAY_BASE, GYRE_HOST_DISPLAY_BYTES, "display");
  bus.map(ram.socket, GYRE_HOST_RAM_BASE, config.host.ram_bytes, "ram", Bus::Kind::kMemory);
  cpu.socket.bind(bus.cpu_side);
  display.memory.socket.bind(bus.external_master);
  semihost.console_out = std::move(text_out);
  semihost.tick_hz = config.host.timebase_hz;
  semihost.files.on_refused = [this](const std::string& file, const char* why) {
    std::string shown = file.substr(0, kShownName);  // one line, whatever the firmware asks for
    for (char& c : shown)
      if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) c = '?';
    kernel::log_warn(this->name(), "firmware may not open '{}{}': it {}", shown, file.size() > kShownName ? "..." : "", why);
  };
  write_rom();
}

LoadTarget HostSystem::load_target() {
  LoadTarget target;
  target.xlen = 64;
  target.ranges = {{GYRE_HOST_RAM_BASE, GYRE_HOST_RAM_BASE + (ram.bytes() - 1)}};
  target.write = [this](std::uint64_t address, const std::uint8_t* data, std::uint64_t bytes) {
    std::uint8_t* to = ram.data() + (address - GYRE_HOST_RAM_BASE);
    if (data != nullptr) std::memcpy(to, data, bytes);
    else std::memset(to, 0, bytes);
  };
  return target;
}

LoadedImage HostSystem::load(const std::string& image_name, const std::vector<std::uint8_t>& file,
                             std::uint64_t flat_address) {
  const LoadTarget target = load_target();
  const LoadedImage image =
      is_elf(file) ? load_elf(image_name, file, target) : load_flat(image_name, file, flat_address, target);
  cpu.hart().invalidate_code();
  return image;
}

LoadedImage HostSystem::load_bios(const std::string& path) { return load_bios(path, read_image_file(path)); }

LoadedImage HostSystem::load_bios(const std::string& image_name, const std::vector<std::uint8_t>& file) {
  const LoadedImage image = load(image_name, file, GYRE_HOST_RAM_BASE);
  entry_ = image.entry;
  write_rom();
  return image;
}

LoadedImage HostSystem::load_kernel(const std::string& path) {
  const LoadedImage image = load(path, read_image_file(path), GYRE_HOST_RAM_BASE + kKernelOffset);
  kernel_entry_ = image.entry;
  const std::uint64_t room = ram.bytes() - std::min<std::uint64_t>(ram.bytes(), device_tree_.size());
  tree_address_ = GYRE_HOST_RAM_BASE + room / kTreeStep * kTreeStep;
  if (tree_address_ < image.end)
    user_error("{}: no room for the device tree behind it in RAM: raise host.ram_bytes", path);
  write_rom();
  return image;
}

void HostSystem::set_bootargs(const std::string& text) {
  bootargs_ = text;
  write_rom();
}

std::vector<std::uint8_t> machine_device_tree(const MachineConfig& config, const std::string& bootargs) {
  DeviceTreeInput input;
  input.ram_base = GYRE_HOST_RAM_BASE;
  input.ram_bytes = config.host.ram_bytes;
  input.timebase_hz = config.host.timebase_hz;
  input.clock_hz = config.host.clock_hz;
  input.isa = kIsa;
  input.bootargs = bootargs;
  return make_device_tree(input);
}

void HostSystem::write_rom() {
  device_tree_ = machine_device_tree(config_, bootargs_);
  if (kTreeOffset + device_tree_.size() > rom.bytes())
    user_error("device tree: {} bytes do not fit into the boot ROM: shorten the boot arguments", device_tree_.size());
  std::memset(rom.data(), 0, rom.bytes());
  std::memcpy(rom.data(), kResetCode, sizeof kResetCode);
  const bool dynamic = kernel_entry_ != 0;
  const std::uint64_t data[] = {entry_, dynamic ? tree_address_ : GYRE_HOST_ROM_BASE + kTreeOffset,
                                dynamic ? kFwDynamicMagic : 0, dynamic ? kFwDynamicVersion : 0, kernel_entry_,
                                dynamic ? kSupervisorMode : kMachineMode, 0, 0};
  std::memcpy(rom.data() + sizeof kResetCode, data, sizeof data);
  std::memcpy(rom.data() + kTreeOffset, device_tree_.data(), device_tree_.size());
  if (dynamic) std::memcpy(ram.data() + (tree_address_ - GYRE_HOST_RAM_BASE), device_tree_.data(), device_tree_.size());
}

void HostSystem::on_semihost(Hart& hart) { hart.set_reg(10, semihost.call(hart.reg(10), hart.reg(11))); }

bool HostSystem::read_guest(std::uint64_t address, void* data, std::uint64_t bytes) {
  return cpu.hart().read_memory(address, data, bytes);
}
bool HostSystem::write_guest(std::uint64_t address, const void* data, std::uint64_t bytes) {
  return cpu.hart().write_memory(address, data, bytes);
}
std::uint64_t HostSystem::time_ps() { return kernel::kernel_now(); }
void HostSystem::exit_guest(int code, const std::string& reason) { exit.request(code, reason); }

}  // namespace gyre::host
