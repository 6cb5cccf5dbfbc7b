// The flattened device tree that firmware gets in a1 (host.md §3).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace gyre::host {

struct DeviceTreeInput {
  std::uint64_t ram_base = 0;
  std::uint64_t ram_bytes = 0;
  std::uint64_t timebase_hz = 0;
  std::uint64_t clock_hz = 0;
  std::string isa;       // "rv64imac_zicsr_zifencei"
  std::string bootargs;  // /chosen/bootargs; empty: none
};

// A version-17 blob of what is wired at the addresses of abi/host_map.h.
std::vector<std::uint8_t> make_device_tree(const DeviceTreeInput& input);

}  // namespace gyre::host
