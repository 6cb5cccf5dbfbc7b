#include "device_run.h"

#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>

#include "csr.h"
#include "dcr.h"
#include "debugger.h"
#include "device_map.h"
#include "elf_image.h"
#include "error.h"
#include "log.h"
#include "memory_port.h"
#include "simulate.h"

namespace gyre::platform {
namespace {

// Simulated time between two looks at the console: a slot's 512 bytes last longer.
constexpr kernel::Picoseconds kSlice = 10'000'000;

MachineConfig with_short_quantum(MachineConfig config) {
  config.sim.quantum_ps = std::min<std::uint64_t>(config.sim.quantum_ps, kSlice);
  return config;
}

tools::ElfImage read_image(const std::string& path, unsigned xlen) {
  try {
    tools::ElfImage image = tools::read_elf(path, xlen);
    for (const auto& segment : image.segments)
      if (!memory::DeviceMemory::contains(segment.address, segment.memory_bytes))
        user_error("{}: the segment at {:#x} ({} bytes) is not in device memory; link it at {:#x} or above", path,
                   segment.address, segment.memory_bytes, GYRE_DEV_USER_BASE);
    return image;
  } catch (const tools::ToolError& error) {
    user_error("{}", error.what());
  }
}

std::uint32_t find_kernel(const tools::ElfImage& image, const std::string& wanted) {
  std::string names;
  const tools::ElfFunction* only = nullptr;
  unsigned kernels = 0;
  for (const auto& function : image.functions) {
    if (function.name == (wanted.empty() ? "main" : wanted)) return function.address;
    if (!function.kernel) continue;
    ++kernels;
    only = &function;
    names += (names.empty() ? "" : ", ") + function.name;
  }
  if (!wanted.empty())
    user_error("{}: no function {}{}", image.path, wanted, names.empty() ? "" : "; its kernels are " + names);
  if (kernels != 1)
    user_error("{}: which kernel? Give --kernel NAME{}, or --legacy for a program that starts itself", image.path,
               names.empty() ? "" : "; there are " + names);
  return only->address;
}

}  // namespace

// What stands where host and driver would.
struct BareDevice::Bench : sc_core::sc_module {
  tlm_utils::simple_target_socket<Bench, kernel::kMemoryBusBits> no_host{"no_host"};
  tlm_utils::simple_initiator_socket<Bench, kernel::kHostBusBits> no_driver{"no_driver"};
  kernel::MemoryPort memory;

  Bench(sc_core::sc_module_name name, gpu::Gpu& device, kernel::Picoseconds period)
      : sc_module(name), memory("memory", kernel::MemSource::kHost, period) {
    no_host.register_b_transport(this, &Bench::refuse);
    device.cp.host_memory.socket.bind(no_host);
    no_driver.bind(device.cp.registers);
    memory.socket.bind(device.memory.target);
  }
  void refuse(tlm::tlm_generic_payload& payload, sc_core::sc_time&) {
    payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
  }
  std::uint32_t word(std::uint32_t address) {
    std::uint32_t value = 0;
    memory.read(address, &value, 4);
    return value;
  }
};

BareDevice::BareDevice(const MachineConfig& config)
    : config_(with_short_quantum(config)),
      gpu_("gpu", ctx_),
      bench_(std::make_unique<Bench>("bench", gpu_, config_.gpu.period_ps())) {
  names_.serve(ctx_);
}

BareDevice::~BareDevice() = default;

// As the driver does it: register writes over the command processor's bus, then the start pulse.
void BareDevice::launch(const DeviceProgram& program, std::uint32_t start, std::uint32_t kernel) {
  tlm::tlm_generic_payload payload;
  auto write = [&](unsigned reg, std::uint32_t value) {
    sc_core::sc_time delay;
    payload.set_command(tlm::TLM_WRITE_COMMAND);
    payload.set_address(std::uint64_t{reg} * 4);
    payload.set_data_ptr(reinterpret_cast<std::uint8_t*>(&value));
    payload.set_data_length(4);
    payload.set_streaming_width(4);
    payload.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
    gpu_.cp.dcr->b_transport(payload, delay);
  };
  auto write3 = [&](unsigned reg, const kmu::Dim3& values) {
    for (unsigned axis = 0; axis < 3; ++axis) write(reg + axis, values[axis]);
  };
  kmu::Dim3 block = program.block;
  if (block[0] == 0) block[0] = config_.gpu.core.threads;
  if (kmu::any_zero(program.grid) || kmu::any_zero(block)) user_error("--grid and --block: no dimension may be 0");
  for (std::size_t i = 0; i < program.arguments.size(); ++i)
    bench_->memory.write(GYRE_DEV_USER_BASE + 4 * i, &program.arguments[i], 4);
  write(GYRE_DCR_STARTUP_ADDR0, start);
  write(GYRE_DCR_STARTUP_ADDR1, 0);
  write(GYRE_DCR_KERNEL_ENTRY0, kernel);
  write(GYRE_DCR_KERNEL_ENTRY1, 0);
  write(GYRE_DCR_STARTUP_ARG0, program.arguments.empty() ? 0 : GYRE_DEV_USER_BASE);
  write(GYRE_DCR_STARTUP_ARG1, 0);
  write3(GYRE_DCR_BLOCK_DIM_X, block);
  write3(GYRE_DCR_GRID_DIM_X, program.grid);
  write(GYRE_DCR_LMEM_SIZE, program.lmem);
  write(GYRE_DCR_BLOCK_SIZE, static_cast<std::uint32_t>(std::min<std::uint64_t>(kmu::volume(block), ~0u)));
  write3(GYRE_DCR_WARP_STEP_X, kmu::warp_step(block, config_.gpu.core.threads));
  write3(GYRE_DCR_CLUSTER_DIM_X, {1, 1, 1});
  if (!gpu_.kmu.start(0)) user_error("the launch is refused: {}", gpu_.kmu.refusal());
}

// Bytes between rd and wr of every slot, in the order of the slots.
void BareDevice::drain_console() {
  for (unsigned slot = 0; slot < GYRE_DEV_CONSOLE_SLOTS; ++slot) {
    const std::uint32_t written = bench_->word(GYRE_DEV_CONSOLE_WR + 4 * slot);
    std::uint32_t read = bench_->word(GYRE_DEV_CONSOLE_RD + 4 * slot);
    if (written == read) continue;
    // A program that ignores rd has overwritten what was there before.
    if (written - read > GYRE_DEV_CONSOLE_SLOT_BYTES) read = written - GYRE_DEV_CONSOLE_SLOT_BYTES;
    std::string text;
    for (; read != written; ++read) {
      char byte = 0;
      bench_->memory.read(
          GYRE_DEV_CONSOLE_DATA + slot * GYRE_DEV_CONSOLE_SLOT_BYTES + read % GYRE_DEV_CONSOLE_SLOT_BYTES, &byte, 1);
      text += byte;
    }
    bench_->memory.write(GYRE_DEV_CONSOLE_RD + 4 * slot, &read, 4);
    std::fwrite(text.data(), 1, text.size(), stdout);
  }
  std::fflush(stdout);
}

RunOutcome BareDevice::run(const DeviceProgram& program, const std::function<void(const RunOutcome&)>& progress,
                           debug::Debugger* debugger) {
  if (debugger != nullptr && debugger->empty()) debugger = nullptr;
  RunOutcome outcome;
  if (!start(program, debugger))
    outcome.diagnosis = "ended by the debugger";
  else if (run_until_over({ctx_, debugger, progress, kSlice, {}, [this] { drain_console(); }, [this] { return ctx_.busy.idle(); },
                           [this] { return ctx_.progress + ctx_.counters.sum("instructions"); },
                           [this](const std::string& why) { return diagnose(why); }, "the device is not idle"},
                          outcome))
    finish(outcome);
  tell_end(debugger, outcome);
  return outcome;
}

bool BareDevice::start(const DeviceProgram& program, debug::Debugger* debugger) {
  const tools::ElfImage image = read_image(program.image, config_.gpu.core.xlen);
  names_.device.add(program.image);
  const std::uint32_t kernel = program.legacy ? 0 : find_kernel(image, program.kernel);
  kernel::simulate(0);  // completes the elaboration: memory can be reached from here on
  for (const auto& segment : image.segments)
    if (!segment.data.empty())
      bench_->memory.write(segment.address, segment.data.data(), static_cast<unsigned>(segment.data.size()));
  gpu_.select_counters(GYRE_MPM_CORE);  // no host will name a class
  if (program.legacy) {
    gpu_.for_each_core([&](core::SimtCore& core) { core.start_bare(image.entry, 0); });
  } else {
    launch(program, image.entry, kernel);
  }
  if (debugger != nullptr) debugger->begin();
  return debugger == nullptr || !debugger->killed();
}

// The device is idle.
void BareDevice::finish(RunOutcome& outcome) {
  drain_console();
  outcome.simulated_ps = ctx_.busy.last_stamp() * config_.gpu.period_ps();
  std::uint64_t lost = 0;
  for (unsigned slot = 0; slot < GYRE_DEV_CONSOLE_SLOTS; ++slot) lost += bench_->word(GYRE_DEV_CONSOLE_LOST + 4 * slot);
  if (lost != 0) kernel::log_warn("console", "the program dropped {} bytes that did not fit into its slot", lost);
  if (ctx_.faults.valid()) {
    outcome.diagnosis = diagnose("the device is idle after a fault");
    return;
  }
  outcome.exited = true;
  outcome.exit_code = static_cast<int>(std::min(bench_->word(GYRE_DEV_EXIT_CODE), 255u));
}

std::string BareDevice::diagnose(const std::string& why) const {
  std::string text = fmt::format("{} at {:.6f} ms", why, static_cast<double>(kernel::kernel_now()) * 1e-9);
  if (ctx_.faults.valid()) {
    text += fmt::format("\n  fault: {}; {} faults in all", ctx_.faults.describe_first(), ctx_.faults.count());
  }
  if (!ctx_.busy.idle()) text += "\n" + gpu_.describe_wait();
  return text;
}

RunReport BareDevice::report(const RunOutcome& outcome) const {
  RunReport report = gpu_report(ctx_, outcome);
  report.scene = "device program";
  return report;
}

}  // namespace gyre::platform
