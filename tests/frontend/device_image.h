// The device image of the build on the test bench of the core: kernels by name, launches one after the other.
#pragma once

#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <vector>

#include "gyre_paths.h"
#include "rig.h"
#include "vxbin.h"

namespace gyre::test {

struct DeviceImage {
  std::uint32_t base = 0;
  std::vector<std::uint8_t> bytes;
  std::map<std::string, std::uint32_t> symbols;

  // `name`: device, device_O1, device_O3.
  static DeviceImage read(const std::string& name) {
    std::ifstream in(std::string(GYRE_FIRMWARE_DIR) + "/" + name + ".vxbin", std::ios::binary);
    const std::vector<char> file((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
    GYRE_CHECK(file.size() > GYRE_VXBIN_HEADER_BYTES + GYRE_VXBIN_FOOTER_BYTES);
    std::uint64_t range[2];
    std::memcpy(range, file.data(), sizeof range);
    DeviceImage image;
    image.base = static_cast<std::uint32_t>(range[0]);
    const char* body = file.data() + GYRE_VXBIN_HEADER_BYTES;
    const std::size_t size = range[1] - range[0];
    image.bytes.assign(body, body + size);
    std::uint32_t count;
    std::memcpy(&count, file.data() + file.size() - GYRE_VXBIN_FOOTER_BYTES, 4);
    const char* table = file.data() + file.size() - GYRE_VXBIN_FOOTER_BYTES - count * sizeof(gyre_vxbin_symbol);
    for (std::uint32_t i = 0; i < count; ++i) {
      gyre_vxbin_symbol s;
      std::memcpy(&s, table + i * sizeof s, sizeof s);
      image.symbols[std::string(body + size + s.name_offset, s.name_bytes)] = static_cast<std::uint32_t>(s.pc);
    }
    return image;
  }
  std::uint32_t at(const std::string& name) const {
    const auto it = symbols.find(name);
    if (it == symbols.end()) throw std::runtime_error("the image has no symbol " + name);
    return it->second;
  }
};

// Runs batches of launches; a batch starts when the core has drained the one before. Every divergence fault is an error.
struct DeviceBench : Rig {
  SC_HAS_PROCESS(DeviceBench);
  DeviceImage image;
  std::vector<std::vector<Launch>> batches;

  DeviceBench(const RigConfig& c, const std::string& name) : Rig(c), image(DeviceImage::read(name)) {
    GYRE_CHECK_EQUAL(image.base, kImage);
    std::memcpy(memory.at(kImage, image.bytes.size()), image.bytes.data(), image.bytes.size());
    SC_THREAD(run_batches);
  }
  // Takes what grid() and fragments() queued since the last call as one batch.
  void batch() {
    batches.push_back(std::move(launches));
    launches.clear();
  }
  void run_batches() {
    for (const auto& list : batches) {
      for (const Launch& l : list) {
        while (!core.try_put(l.message, kernel::kernel_now() / config.gpu.period_ps())) {
          sc_core::wait(core.space_event());
        }
      }
      do sc_core::wait(1, sc_core::SC_US);
      while (!ctx.busy.idle());
    }
  }

  // Bump allocator in device memory, 64-byte aligned.
  std::uint32_t next = 0x20000;
  std::uint32_t allocate(std::size_t bytes) {
    const std::uint32_t address = next;
    next += static_cast<std::uint32_t>((bytes + 63) & ~std::size_t{63});
    GYRE_CHECK(next <= memory.low.size());
    return address;
  }
  std::uint32_t upload(const void* data, std::size_t bytes) {
    const std::uint32_t address = allocate(bytes);
    if (bytes != 0) std::memcpy(memory.at(address, bytes), data, bytes);
    return address;
  }
};

}  // namespace gyre::test
