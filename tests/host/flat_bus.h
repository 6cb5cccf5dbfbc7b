// Memory at 0x8000_0000 and nothing else: enough bus for a hart without SystemC.
#pragma once

#include <algorithm>
#include <cstring>
#include <vector>

#include "hart.h"

namespace gyre::test {

struct FlatBus : host::HartBus {
  static constexpr std::uint64_t kBase = 0x80000000;
  std::vector<std::uint8_t> memory;
  bool windows = true;  // offer direct access
  unsigned asked = 0;   // times a window was asked for
  unsigned semihost_calls = 0;
  std::uint64_t ticks = 0;

  explicit FlatBus(std::size_t bytes) : memory(bytes) {}

  bool inside(std::uint64_t address, std::uint64_t bytes) const {
    return address >= kBase && address - kBase < memory.size() && memory.size() - (address - kBase) >= bytes;
  }
  bool direct(std::uint64_t address, bool, host::Window& window) override {
    ++asked;
    if (!windows || !inside(address, 1)) return false;
    window = {kBase, kBase + memory.size() - 1, memory.data(), true};
    return true;
  }
  bool read(std::uint64_t address, unsigned bytes, std::uint64_t& value) override {
    value = 0;
    return debug(address, &value, bytes, false);
  }
  bool write(std::uint64_t address, unsigned bytes, std::uint64_t value) override {
    return debug(address, &value, bytes, true);
  }
  bool debug(std::uint64_t address, void* data, std::uint64_t bytes, bool write) override {
    if (!inside(address, bytes)) return false;
    if (write) std::memcpy(memory.data() + (address - kBase), data, bytes);
    else std::memcpy(data, memory.data() + (address - kBase), bytes);
    return true;
  }
  std::uint64_t time() override { return ticks; }
  void semihost(host::Hart&) override { ++semihost_calls; }

  void load(const std::vector<std::uint8_t>& code, std::uint64_t address = kBase) {
    std::copy(code.begin(), code.end(), memory.begin() + static_cast<std::ptrdiff_t>(address - kBase));
  }
};

}  // namespace gyre::test
