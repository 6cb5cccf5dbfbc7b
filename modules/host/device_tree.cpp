#include "device_tree.h"

extern "C" {
#include <libfdt.h>
}

#include <fmt/format.h>

#include <initializer_list>

#include "error.h"
#include "host_map.h"

namespace gyre::host {
namespace {

constexpr std::uint32_t kCpuController = 1, kPlic = 2, kFinisher = 3;  // phandles
constexpr std::size_t kRoom = 16 * 1024;

// Sequential writer; the first error is kept.
class Writer {
 public:
  Writer() : blob_(kRoom) {
    check(fdt_create(blob_.data(), static_cast<int>(blob_.size())));
    check(fdt_finish_reservemap(blob_.data()));
  }
  void begin(const std::string& name) { check(fdt_begin_node(blob_.data(), name.c_str())); }
  void end() { check(fdt_end_node(blob_.data())); }
  void text(const char* name, const std::string& value) {
    check(fdt_property(blob_.data(), name, value.c_str(), static_cast<int>(value.size()) + 1));
  }
  void empty(const char* name) { check(fdt_property(blob_.data(), name, nullptr, 0)); }
  void cells(const char* name, std::initializer_list<std::uint32_t> values) {
    std::vector<fdt32_t> raw;
    for (const std::uint32_t value : values) raw.push_back(cpu_to_fdt32(value));
    check(fdt_property(blob_.data(), name, raw.data(), static_cast<int>(raw.size() * sizeof(fdt32_t))));
  }
  void reg(std::uint64_t base, std::uint64_t size) {
    cells("reg", {static_cast<std::uint32_t>(base >> 32), static_cast<std::uint32_t>(base),
                  static_cast<std::uint32_t>(size >> 32), static_cast<std::uint32_t>(size)});
  }
  std::vector<std::uint8_t> finish() {
    check(fdt_finish(blob_.data()));
    blob_.resize(fdt_totalsize(blob_.data()));
    return std::move(blob_);
  }

 private:
  static void check(int result) {
    if (result < 0) user_error("device tree: {}: shorten the boot arguments", fdt_strerror(result));
  }
  std::vector<std::uint8_t> blob_;
};

void write_cpus(Writer& tree, const DeviceTreeInput& input) {
  tree.begin("cpus");
  tree.cells("#address-cells", {1});
  tree.cells("#size-cells", {0});
  tree.cells("timebase-frequency", {static_cast<std::uint32_t>(input.timebase_hz)});
  tree.begin("cpu@0");
  tree.text("device_type", "cpu");
  tree.cells("reg", {0});
  tree.text("status", "okay");
  tree.text("compatible", "riscv");
  tree.text("riscv,isa", input.isa);
  tree.text("mmu-type", "riscv,sv39");
  tree.cells("clock-frequency", {static_cast<std::uint32_t>(input.clock_hz)});
  tree.begin("interrupt-controller");
  tree.cells("#interrupt-cells", {1});
  tree.empty("interrupt-controller");
  tree.text("compatible", "riscv,cpu-intc");
  tree.cells("phandle", {kCpuController});
  tree.end();
  tree.end();
  tree.end();
}

void write_device(Writer& tree, const char* kind, const char* compatible, std::uint64_t base, std::uint64_t size,
                  std::uint32_t irq) {
  tree.begin(fmt::format("{}@{:x}", kind, base));
  tree.text("compatible", compatible);
  tree.reg(base, size);
  if (irq != 0) {
    tree.cells("interrupts", {irq});
    tree.cells("interrupt-parent", {kPlic});
  }
}

void write_interrupt_controllers(Writer& tree) {
  write_device(tree, "clint", "sifive,clint0", GYRE_HOST_CLINT_BASE, GYRE_HOST_CLINT_BYTES, 0);
  tree.cells("interrupts-extended", {kCpuController, 3, kCpuController, 7});
  tree.end();
  write_device(tree, "plic", "sifive,plic-1.0.0", GYRE_HOST_PLIC_BASE, GYRE_HOST_PLIC_BYTES, 0);
  tree.cells("phandle", {kPlic});
  tree.cells("#interrupt-cells", {1});
  tree.cells("#address-cells", {0});
  tree.empty("interrupt-controller");
  tree.cells("interrupts-extended", {kCpuController, 11, kCpuController, 9});
  tree.cells("riscv,ndev", {31});
  tree.end();
}

}  // namespace

std::vector<std::uint8_t> make_device_tree(const DeviceTreeInput& input) {
  Writer tree;
  tree.begin("");
  tree.cells("#address-cells", {2});
  tree.cells("#size-cells", {2});
  tree.text("compatible", "gyre,virt");
  tree.text("model", "gyre,virt");
  tree.begin("chosen");
  tree.text("stdout-path", fmt::format("/soc/serial@{:x}", GYRE_HOST_UART_BASE));
  if (!input.bootargs.empty()) tree.text("bootargs", input.bootargs);
  tree.end();
  tree.begin(fmt::format("memory@{:x}", input.ram_base));
  tree.text("device_type", "memory");
  tree.reg(input.ram_base, input.ram_bytes);
  tree.end();
  write_cpus(tree, input);
  tree.begin("soc");
  tree.cells("#address-cells", {2});
  tree.cells("#size-cells", {2});
  tree.text("compatible", "simple-bus");
  tree.empty("ranges");
  write_interrupt_controllers(tree);
  write_device(tree, "serial", "ns16550a", GYRE_HOST_UART_BASE, GYRE_HOST_UART_BYTES, GYRE_IRQ_UART);
  tree.cells("clock-frequency", {3686400});
  tree.end();
  write_device(tree, "display", "gyre,display", GYRE_HOST_DISPLAY_BASE, GYRE_HOST_DISPLAY_BYTES, GYRE_IRQ_DISPLAY);
  tree.end();
  write_device(tree, "gpu", "gyre,command-processor", GYRE_HOST_CP_BASE, GYRE_HOST_CP_BYTES, GYRE_IRQ_CP);
  tree.end();
  tree.begin(fmt::format("test@{:x}", GYRE_HOST_FINISHER_BASE));
  const char compatible[] = "sifive,test1\0sifive,test0\0syscon";
  tree.text("compatible", std::string(compatible, sizeof compatible - 1));
  tree.reg(GYRE_HOST_FINISHER_BASE, GYRE_HOST_FINISHER_BYTES);
  tree.cells("phandle", {kFinisher});
  tree.end();
  tree.end();
  for (const auto& [name, value] : {std::pair{"poweroff", GYRE_FINISHER_PASS}, {"reboot", GYRE_FINISHER_RESET}}) {
    tree.begin(name);
    tree.text("compatible", std::string("syscon-") + name);
    tree.cells("regmap", {kFinisher});
    tree.cells("offset", {0});
    tree.cells("value", {value});
    tree.end();
  }
  tree.end();
  return tree.finish();
}

}  // namespace gyre::host
