// A core on a test bench: memory with or without direct access, an aperture that records, a launcher.
#pragma once

#include <tlm_utils/simple_target_socket.h>

#include <cstring>
#include <functional>
#include <systemc>
#include <vector>

#include "assembler.h"
#include "device_map.h"
#include "fork_case.h"
#include "simt_core.h"
#include "simulate.h"

namespace gyre::test {

constexpr u32 kImage = 0x80000000u, kData = 0x00010000u, kKernel = 0x80001000u;

struct Export {
  u32 address, value;
  kernel::Cycle stamp;
};

// Memory at [0x40, 4 MiB), [0x80000000, + 4 MiB) and the top 2 MiB below the LMEM window; 1-cycle delay per
// transaction.
struct TestMemory : sc_core::sc_module {
  tlm_utils::simple_target_socket<TestMemory, kernel::kMemoryBusBits> socket{"socket"};
  bool dmi;
  kernel::Picoseconds period;
  std::vector<Export> exports;
  std::uint64_t transactions = 0;
  kernel::Cycle om_cycles = 0;  // delay annotated to every aperture write

  TestMemory(sc_core::sc_module_name name, bool allow_dmi, kernel::Picoseconds period_ps)
      : sc_module(name), dmi(allow_dmi), period(period_ps) {
    low.resize(4 << 20);
    image.resize(4 << 20);
    high.resize(0x1F0000);
    socket.register_b_transport(this, &TestMemory::b_transport);
    socket.register_get_direct_mem_ptr(this, &TestMemory::get_dmi);
  }
  std::uint8_t* at(std::uint64_t a, std::uint64_t bytes) {
    if (a >= 0x40 && a + bytes <= low.size()) return low.data() + a;
    if (a >= kImage && a + bytes <= kImage + image.size()) return image.data() + (a - kImage);
    if (a >= 0xFFE00000u && a + bytes <= 0xFFE00000ull + high.size()) return high.data() + (a - 0xFFE00000u);
    return nullptr;
  }
  u32 word(u32 a) {
    u32 v = 0;
    std::memcpy(&v, at(a, 4), 4);
    return v;
  }
  void put(u32 a, u32 v) { std::memcpy(at(a, 4), &v, 4); }
  void load(u32 a, const std::vector<u32>& words) {
    if (!words.empty()) std::memcpy(at(a, words.size() * 4), words.data(), words.size() * 4);
  }

  void b_transport(tlm::tlm_generic_payload& p, sc_core::sc_time& delay) {
    ++transactions;
    const u32 a = static_cast<u32>(p.get_address());
    kernel::MemAttributes* attributes = nullptr;
    p.get_extension(attributes);
    delay += sc_core::sc_time::from_value(period);
    p.set_response_status(tlm::TLM_OK_RESPONSE);
    const std::uint8_t* enables = p.get_byte_enable_ptr();
    if (attributes->om) {
      GYRE_CHECK(a >= GYRE_DEV_APERTURE_BASE && a < GYRE_DEV_APERTURE_END && p.is_write());
      GYRE_CHECK((a & ~63u) == ((a + p.get_data_length() - 1) & ~63u));
      delay += sc_core::sc_time::from_value(period * om_cycles);
      for (unsigned i = 0; i < p.get_data_length(); i += 4) {
        if (enables != nullptr && enables[i] == 0) continue;
        u32 v;
        std::memcpy(&v, p.get_data_ptr() + i, 4);
        exports.push_back({a + i, v, (kernel::kernel_now() + delay.value()) / period});
      }
      return;
    }
    std::uint8_t* memory = at(a, p.get_data_length());
    if (memory == nullptr) {
      p.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
      return;
    }
    for (unsigned i = 0; i < p.get_data_length(); ++i) {
      if (enables != nullptr && enables[i] == 0) continue;
      if (p.is_write())
        memory[i] = p.get_data_ptr()[i];
      else
        p.get_data_ptr()[i] = memory[i];
    }
  }
  bool get_dmi(tlm::tlm_generic_payload& p, tlm::tlm_dmi& d) {
    const std::uint64_t a = p.get_address();
    auto give = [&](std::uint64_t begin, std::vector<std::uint8_t>& bytes, std::uint64_t skip) {
      d.set_start_address(begin + skip);
      d.set_end_address(begin + bytes.size() - 1);
      d.set_dmi_ptr(bytes.data() + skip);
      d.allow_read_write();
      return dmi;
    };
    if (a >= 0x40 && a < low.size()) return give(0, low, 0x40);
    if (a >= kImage && a < kImage + image.size()) return give(kImage, image, 0);
    if (a >= 0xFFE00000u && a < 0xFFFF0000u) return give(0xFFE00000u, high, 0);
    d.set_start_address(a & ~std::uint64_t{63});
    d.set_end_address(a | 63);
    return false;
  }
  std::vector<std::uint8_t> low, image, high;
};

// Texels are a hash of what the core sent; ready `latency` cycles after the request.
struct TestTexture : sc_core::sc_module, kernel::TexturePort {
  kernel::Cycle latency = 40;
  explicit TestTexture(sc_core::sc_module_name name) : sc_module(name) {}
  static u32 texel(unsigned stage, u32 u, u32 v, u32 lod) { return u * 3 + v * 5 + lod * 7 + stage * 11; }
  kernel::Cycle sample(unsigned stage, u32 mask, const u32* u, const u32* v, const u32* lod, u32* texels,
                       kernel::Cycle at, Done = {}) override {
    for (unsigned l = 0; l < 32; ++l)
      if ((mask >> l & 1) != 0) texels[l] = texel(stage, u[l], v[l], lod[l]);
    return at + latency;
  }
};

struct RigConfig {
  unsigned threads = 4, warps = 4;
  std::uint64_t quantum_ps = 1'000'000;
  bool dmi = true;
  bool texture = true;
  unsigned launch_queue = 3;
};

struct Launch {
  kernel::LaunchMessage message;
  kernel::Cycle stamp = 0;
};

struct Rig : sc_core::sc_module {
  MachineConfig config;
  kernel::Context ctx;
  core::SimtCore core;
  TestMemory memory;
  TestTexture texture;
  std::vector<Launch> launches;
  std::uint64_t refused = 0;
  kernel::Cycle last_offer = 0;

  SC_HAS_PROCESS(Rig);
  static MachineConfig make(const RigConfig& c) {
    MachineConfig m;
    m.sim.quantum_ps = c.quantum_ps;
    m.gpu.core.threads = c.threads;
    m.gpu.core.warps = c.warps;
    m.gpu.core.launch_queue = c.launch_queue;
    return m;
  }
  explicit Rig(const RigConfig& c, std::function<void(MachineConfig&)> tweak = nullptr)
      : sc_module(sc_core::sc_module_name("rig")),
        config([&] {
          MachineConfig m = make(c);
          if (tweak) tweak(m);
          return m;
        }()),
        ctx{config, {}, {}, {}, 0},
        core("core", ctx, 0),
        memory("memory", c.dmi, config.gpu.period_ps()),
        texture("texture") {
    core.memory.socket.bind(memory.socket);
    if (c.texture) core.tex.bind(texture);
    SC_THREAD(feed);
  }
  void feed() {
    kernel::LocalClock clock = ctx.gpu_clock();
    for (const Launch& l : launches) {
      clock.advance_to(l.stamp);
      while (!core.try_put(l.message, clock.now())) {
        ++refused;
        clock.sync();
        if (core.try_put(l.message, clock.now())) break;
        sc_core::wait(core.space_event());
        clock.catch_up();
        clock.advance_to(core.space_stamp());
      }
      last_offer = clock.now();
      clock.advance(1);
    }
  }

  // One-dimensional grid; every axis may be overridden by the caller afterwards.
  void grid(u32 ctas, u32 block, u32 entry = kKernel, u32 param = kData, std::uint8_t ctx_id = 1, u32 lmem = 0) {
    grid3({ctas, 1, 1}, {block, 1, 1}, entry, param, ctx_id, lmem);
  }
  void grid3(std::array<u32, 3> g, std::array<u32, 3> b, u32 entry = kKernel, u32 param = kData,
             std::uint8_t ctx_id = 1, u32 lmem = 0) {
    const u32 nt = config.gpu.core.threads;
    for (u32 z = 0; z < g[2]; ++z)
      for (u32 y = 0; y < g[1]; ++y)
        for (u32 x = 0; x < g[0]; ++x) {
          Launch l;
          kernel::LaunchMessage& m = l.message;
          m.pc = kImage;
          m.entry = entry;
          m.param = param;
          m.ctx_id = ctx_id;
          m.aligned_lmem = (lmem + 63) & ~63u;
          m.compute.grid_dim = g;
          m.compute.block_idx = {x, y, z};
          m.compute.block_dim = b;
          m.compute.block_size = b[0] * b[1] * b[2];
          m.compute.warp_step = {nt % b[0], nt / b[0] % b[1], nt / (b[0] * b[1]) % b[2]};
          launches.push_back(l);
        }
  }
  void fragments(const std::vector<kernel::QuadStamp>& quads, u32 entry = kKernel, u32 param = kData,
                 std::uint8_t ctx_id = 1) {
    Launch l;
    l.message.kind = kernel::LaunchKind::kFragment;
    l.message.pc = kImage;
    l.message.entry = entry;
    l.message.param = param;
    l.message.ctx_id = ctx_id;
    l.message.fragment.count = static_cast<u32>(quads.size());
    for (std::size_t i = 0; i < quads.size(); ++i) l.message.fragment.quads[i] = quads[i];
    launches.push_back(l);
  }
  // Image with the dispatch window at kImage and `kernel` at kKernel.
  void program(Asm& kernel_code) {
    Asm start(kImage);
    start.entry();
    memory.load(kImage, start.finish());
    memory.load(kKernel, kernel_code.finish());
  }
  void run() { kernel::simulate(1000000000000); }
  void run_to_idle() {
    kernel::simulate();
    GYRE_CHECK(ctx.busy.idle());
  }
};

// hartid * 4 style address of this thread's result: a1 := param + 4 * (block * block_dim + thread) for 1-D launches.
inline void result_address(Asm& a, u32 rd, u32 temp) {
  a.csrr(rd, GYRE_CSR_CTA_BLOCK_ID_X);
  a.csrr(temp, GYRE_CSR_CTA_BLOCK_DIM_X);
  a.mul(rd, rd, temp);
  a.csrr(temp, GYRE_CSR_CTA_THREAD_ID_X);
  a.add(rd, rd, temp);
  a.slli(rd, rd, 2);
  a.add(rd, rd, a0);
}

}  // namespace gyre::test
