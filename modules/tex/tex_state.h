// Texture state of one sampler: two stage banks behind the DCR window 0x040..0x05F (tex.md §4).
#pragma once

#include <array>
#include <cstdint>

#include "dcr.h"
#include "gfx.h"

namespace gyre::tex {

// One stage, decoded from its registers.
struct TexBank {
  std::uint64_t base = 0;      // bytes, multiple of 64
  std::uint8_t log_width = 0;  // level 0, 0..15
  std::uint8_t log_height = 0;
  std::uint8_t format = 0;      // GYRE_TEX_FORMAT_*, always valid
  std::uint8_t log_stride = 2;  // log2 of the bytes of a texel
  bool bilinear = false;
  bool mip_linear = false;
  std::uint8_t wrap_u = 0;  // GYRE_TEX_WRAP_*
  std::uint8_t wrap_v = 0;
  std::uint32_t border = 0;                                 // A8R8G8B8
  std::array<std::uint32_t, GYRE_TEX_LEVELS> mip_offset{};  // bytes from base

  // First level whose offset is not a multiple of the texel size (an error, tex.md §9), or -1.
  int misaligned_level() const;
};

enum class DcrWrite {
  kNotMine,  // outside 0x040..0x05F: ignored
  kDone,
  kReserved,  // 0x057..0x05F: ignored, worth a warning
  kBadValue,  // tex.md §14: stage >= 2 ignored; format > 6 becomes A8R8G8B8; log dimension > 15 masked
};

class TexState {
 public:
  DcrWrite write(unsigned reg, std::uint32_t value);
  // All registers to all ones, as if never programmed; finds draws that rely on the power-on zeros.
  void poison();

  const TexBank& bank(unsigned stage) const { return banks_[stage]; }
  unsigned selected() const { return stage_; }
  // Bit r: register 0x040 + r of this stage was written since power-on (bit 0: TEX_STAGE).
  std::uint32_t written(unsigned stage) const { return written_[stage]; }
  // The same bits: what a sample of `levels` (bit = level) depends on, with the values of the others.
  std::uint32_t used(unsigned stage, std::uint32_t levels) const;

 private:
  DcrWrite write_bank(TexBank& bank, unsigned reg, std::uint32_t value);

  std::array<TexBank, GYRE_TEX_STAGES> banks_{};
  std::array<std::uint32_t, GYRE_TEX_STAGES> written_{};
  unsigned stage_ = 0;
};

}  // namespace gyre::tex
