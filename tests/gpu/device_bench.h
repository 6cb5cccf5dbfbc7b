// A device without host and driver: a test writes its memory and registers, starts programs and draws, reads counters.
#pragma once

#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>

#include <string>

#include "assembler.h"
#include "dcr.h"
#include "fork_case.h"
#include "gpu.h"
#include "memory_port.h"
#include "simulate.h"

namespace gyre::test {

constexpr u32 kCode = 0x80000000;

struct DeviceBench : sc_core::sc_module {
  MachineConfig config;
  kernel::Context ctx;
  gpu::Gpu device;
  tlm_utils::simple_target_socket<DeviceBench, kernel::kMemoryBusBits> no_host{"no_host"};
  tlm_utils::simple_initiator_socket<DeviceBench, kernel::kHostBusBits> no_driver{"no_driver"};
  kernel::MemoryPort memory;

  DeviceBench(sc_core::sc_module_name name, const MachineConfig& machine)
      : sc_module(name),
        config(machine),
        ctx{config},
        device("gpu", ctx),
        memory("memory", kernel::MemSource::kHost, config.gpu.period_ps()) {
    no_host.register_b_transport(this, &DeviceBench::refuse);
    device.cp.host_memory.socket.bind(no_host);
    no_driver.bind(device.cp.registers);
    memory.socket.bind(device.memory.target);
  }
  void refuse(tlm::tlm_generic_payload& payload, sc_core::sc_time&) {
    payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
  }

  void write_dcr(unsigned reg, u32 value) { dcr(tlm::TLM_WRITE_COMMAND, reg, value); }
  // A counter, as the host reads it; from now on kernels read this class.
  u32 read(unsigned cls, unsigned index, unsigned core) {
    return dcr(tlm::TLM_READ_COMMAND, GYRE_DCR_MPM_VALUE, cls << 22 | index << 16 | core);
  }
  std::uint64_t read_whole(unsigned cls, unsigned index, unsigned core) {
    return std::uint64_t{read(cls, index | 0x20, core)} << 32 | read(cls, index, core);
  }
  void load(u32 address, const std::vector<u32>& words) {
    GYRE_CHECK(memory.write(address, words.data(), static_cast<unsigned>(words.size() * 4)));
  }
  core::SimtCore& core(unsigned index) {
    core::SimtCore* found = nullptr;
    device.for_each_core([&](core::SimtCore& c) {
      if (c.engine().core_id == index) found = &c;
    });
    GYRE_CHECK(found != nullptr);
    return *found;
  }
  // Until nothing happens any more; everybody has finished, nobody has complained.
  void settle() {
    kernel::simulate();
    GYRE_CHECK(ctx.busy.idle() && !ctx.faults.valid());
  }
  // Runs what is at kCode on one lane of a core.
  void run_program(unsigned index) {
    core(index).start_bare(kCode, kernel::cycle_now(config.gpu.period_ps()));
    settle();
  }

 private:
  u32 dcr(tlm::tlm_command command, unsigned reg, u32 word) {
    tlm::tlm_generic_payload payload;
    sc_core::sc_time delay;
    payload.set_command(command);
    payload.set_address(reg * 4);
    payload.set_data_ptr(reinterpret_cast<std::uint8_t*>(&word));
    payload.set_data_length(4);
    payload.set_streaming_width(4);
    device.cp.dcr->b_transport(payload, delay);
    GYRE_CHECK(payload.is_response_ok());
    return word;
  }
};

}  // namespace gyre::test
