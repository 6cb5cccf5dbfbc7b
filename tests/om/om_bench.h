// A merger with two sockets' steers in front of it and device memory behind, driven like an LSU drives it.
#pragma once

#include <array>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "csr.h"
#include "device_memory.h"
#include "fork_case.h"
#include "log.h"
#include "om_program.h"
#include "om_steer.h"
#include "output_merger.h"
#include "simulate.h"

namespace gyre::test {

// Refuses DMI, so every access of the unit behind it is a transaction.
struct NoDmi : sc_core::sc_module {
  tlm_utils::simple_target_socket<NoDmi, kernel::kMemoryBusBits> target{"target"};
  tlm_utils::simple_initiator_socket<NoDmi, kernel::kMemoryBusBits> memory{"memory"};
  explicit NoDmi(sc_core::sc_module_name name) : sc_module(name) {
    target.register_b_transport(this, &NoDmi::b_transport);
    target.register_get_direct_mem_ptr(this, &NoDmi::get_direct_mem_ptr);
  }
  void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) { memory->b_transport(payload, delay); }
  bool get_direct_mem_ptr(tlm::tlm_generic_payload&, tlm::tlm_dmi& dmi) {
    dmi.set_start_address(0);
    dmi.set_end_address(~0ull);
    return false;
  }
};

struct OmBench : sc_core::sc_module {
  static constexpr std::uint32_t kColour = 0x100000, kDepth = 0x400000;  // attachment r at kColour + r * 0x40000

  tlm_utils::simple_initiator_socket<OmBench, kernel::kDcrBusBits> dcr{"dcr"};
  MachineConfig config;
  kernel::Context ctx{config, {}, {}, {}, 0};
  memory::DeviceMemory device{"device", ctx};
  om::OutputMerger merger{"merger", ctx, 0};
  om::OmSteer steer0{"steer0", ctx, &merger, 0}, steer1{"steer1", ctx, &merger, 1};
  kernel::MemoryPort lsu0{"lsu0", kernel::MemSource::kLsu, 2500, 0}, lsu1{"lsu1", kernel::MemSource::kLsu, 2500, 1};
  std::unique_ptr<NoDmi> no_dmi;
  kernel::Cycle accepted = 0;  // date the last store left the LSU

  OmBench(sc_core::sc_module_name name, bool dmi = true, unsigned cores = 1, unsigned banks = 1)
      : OmBench(name, with(cores, banks), dmi) {}
  OmBench(sc_core::sc_module_name name, const MachineConfig& machine, bool dmi = true)
      : sc_module(name), config(machine) {
    dcr.bind(merger.dcr);
    lsu0.socket.bind(steer0.target);
    lsu1.socket.bind(steer1.target);
    steer0.memory.bind(device.target);
    steer1.memory.bind(device.target);
    if (dmi) {
      merger.memory.socket.bind(device.target);
    } else {
      no_dmi = std::make_unique<NoDmi>("no_dmi");
      merger.memory.socket.bind(no_dmi->target);
      no_dmi->memory.bind(device.target);
    }
  }
  static MachineConfig with(unsigned cores, unsigned banks) {
    MachineConfig config;
    config.gpu.sockets = 2;
    config.gpu.om.cores = cores;
    config.gpu.ocache.banks = banks;
    return config;
  }

  void write_dcr(unsigned reg, std::uint32_t value) {
    if (sc_core::sc_get_status() == sc_core::SC_ELABORATION) kernel::simulate(0);
    tlm::tlm_generic_payload payload;
    payload.set_command(tlm::TLM_WRITE_COMMAND);
    payload.set_address(reg * 4);
    payload.set_data_ptr(reinterpret_cast<unsigned char*>(&value));
    payload.set_data_length(4);
    payload.set_streaming_width(4);
    sc_core::sc_time delay;
    dcr->b_transport(payload, delay);
    GYRE_CHECK(payload.is_response_ok());
  }
  std::uint32_t pitch(unsigned rt) const { return 64 * 4 + 4 * rt; }  // 64 pixels and a little
  // Buffers, aperture of 64x64 and pass-through state on every attachment.
  void set_up(unsigned shift = 3, bool depth_only = false) {
    for (unsigned rt = 0; rt < 4; ++rt) {
      write_dcr(GYRE_DCR_OM_RT_SELECT, rt);
      write_dcr(GYRE_DCR_OM_CBUF_ADDR, (kColour + rt * 0x40000) >> 6);
      write_dcr(GYRE_DCR_OM_CBUF_PITCH, pitch(rt));
      program({}, [this](unsigned reg, std::uint32_t value) { write_dcr(reg, value); });
      if (depth_only) write_dcr(GYRE_DCR_OM_CBUF_WRITEMASK, 0);
    }
    write_dcr(GYRE_DCR_OM_RT_SELECT, 0);
    write_dcr(GYRE_DCR_OM_ZBUF_ADDR, kDepth >> 6);
    write_dcr(GYRE_DCR_OM_ZBUF_PITCH, 68 * 4);
    write_dcr(GYRE_DCR_OM_APERTURE_XBITS, 6);
    write_dcr(GYRE_DCR_OM_APERTURE_YBITS, 6);
    write_dcr(GYRE_DCR_OM_APERTURE_RECORD_SHIFT, shift);
    write_dcr(GYRE_DCR_OM_APERTURE_DEPTH_ONLY, depth_only ? 1 : 0);
  }
  void state(const RefOm& om, unsigned rt = 0) {
    write_dcr(GYRE_DCR_OM_RT_SELECT, rt);
    program(om, [this](unsigned reg, std::uint32_t value) { write_dcr(reg, value); });
    write_dcr(GYRE_DCR_OM_RT_SELECT, 0);
  }

  std::uint32_t record_address(const om::Pixel& pixel) const {
    return om::encode_address(merger.state().aperture(), pixel);
  }
  kernel::MemoryPort& lsu(unsigned socket) { return socket == 0 ? lsu0 : lsu1; }
  bool store(std::uint32_t address, std::uint32_t word, kernel::Cycle at = 0, unsigned socket = 0) {
    kernel::Cycle when = at;
    const bool ok = lsu(socket).write_transaction(address, &word, 4, nullptr, true, &when);
    GYRE_CHECK(when >= at);
    accepted = when;
    return ok;
  }
  // A colour and depth export of one lane.
  void fragment(const om::Pixel& pixel, std::uint32_t depth, std::uint32_t colour, kernel::Cycle at = 0,
                unsigned socket = 0) {
    GYRE_CHECK(store(record_address(pixel), colour, at, socket));
    GYRE_CHECK(store(record_address(pixel) + 4, depth, at, socket));
  }
  std::uint32_t word(std::uint64_t address) {
    std::uint32_t value = 0;
    GYRE_CHECK(lsu0.read(address, &value, 4));
    return value;
  }
  void set_word(std::uint64_t address, std::uint32_t value) { GYRE_CHECK(lsu0.write(address, &value, 4)); }
  std::uint64_t colour_at(unsigned rt, std::uint32_t x, std::uint32_t y) const {
    return kColour + rt * 0x40000 + std::uint64_t{y} * pitch(rt) + 4 * x;
  }
  std::uint64_t depth_at(std::uint32_t x, std::uint32_t y) const { return kDepth + std::uint64_t{y} * 68 * 4 + 4 * x; }

  // The first fault, which is cleared; fails when there is none.
  std::pair<unsigned, std::uint32_t> fault() {
    GYRE_CHECK(ctx.faults.valid());
    const kernel::Fault first = ctx.faults.first();
    GYRE_CHECK_EQUAL(first.core, 0xFFFFu);
    GYRE_CHECK_EQUAL(first.warp, unsigned{GYRE_MPM_OM});
    ctx.faults.clear();
    return {first.cause, first.value};
  }
};

using FaultPair = std::pair<unsigned, std::uint32_t>;

}  // namespace gyre::test
