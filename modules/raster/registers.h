// RASTER device control registers and the ones it snoops (Rasterizer §4, launch.md §1.3).
#pragma once

#include <array>
#include <bitset>
#include <cstdint>

#include "coverage.h"
#include "dcr.h"

namespace gyre::raster {

// What one draw runs with, copied at its kick. Addresses are bytes of device memory.
struct DrawState {
  std::uint64_t tile_buffer = 0;
  std::uint32_t tile_count = 0;
  std::uint64_t prim_buffer = 0;
  std::uint32_t prim_stride = 0;  // bytes
  Scissor window;
  std::uint32_t pc = 0;     // common entry of every warp
  std::uint32_t entry = 0;  // fragment shader
  std::uint32_t param = 0;  // fragment argument block
  bool early_z = false;     // built in, armed by the draw, and the depth function has an order
  std::uint64_t depth_buffer = 0;
  std::uint32_t depth_pitch = 0;  // bytes
  std::uint32_t depth_func = 0;   // GYRE_CMP_*
};

// Never reset: values persist across draws. Unknown numbers are ignored.
class Registers {
 public:
  void write(std::uint32_t number, std::uint32_t value);
  std::uint32_t value(std::uint32_t number) const { return values_[number]; }

  // `early_z`: the engine has an early-Z stage.
  DrawState draw_state(bool early_z) const;

  // f(number) for every register a draw depends on that was never written (lint dcr-unset). High halves of addresses are
  // don't-care on a 32-bit device. `early_z`: the engine has an early-Z stage.
  template <class F>
  void for_each_unset(bool early_z, F f) const {
    for (const Entry& entry : kEntries) {
      if (written_[entry.number] || (entry.early_z && !early_z)) continue;
      // Depth registers matter only once the draw arms early-Z.
      if (entry.early_z && entry.number != GYRE_DCR_OM_EARLYZ_SAFE && (values_[GYRE_DCR_OM_EARLYZ_SAFE] & 1) == 0)
        continue;
      f(entry.number);
    }
  }

 private:
  struct Entry {
    std::uint32_t number;
    bool early_z;  // snooped by the early-Z stage only
  };
  static const std::array<Entry, 13> kEntries;
  static constexpr std::size_t kSize = 0x100;

  std::array<std::uint32_t, kSize> values_{};
  std::bitset<kSize> written_;
};

}  // namespace gyre::raster
