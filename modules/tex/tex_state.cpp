#include "tex_state.h"

namespace gyre::tex {
namespace {
constexpr std::uint32_t kAddressBits = 0x03FFFFFFu;  // 64-byte blocks of a 4 GiB space
constexpr unsigned kWindowEnd = 0x060u;
constexpr std::uint8_t kLogStride[GYRE_TEX_FORMATS] = {2, 1, 1, 1, 1, 0, 0};
}  // namespace

int TexBank::misaligned_level() const {
  const std::uint32_t mask = (1u << log_stride) - 1;
  for (unsigned level = 0; level < GYRE_TEX_LEVELS; ++level)
    if ((mip_offset[level] & mask) != 0) return static_cast<int>(level);
  return -1;
}

DcrWrite TexState::write(unsigned reg, std::uint32_t value) {
  if (reg < GYRE_DCR_TEX_STAGE || reg >= kWindowEnd) return DcrWrite::kNotMine;
  if (reg > GYRE_DCR_TEX_BORDER) return DcrWrite::kReserved;
  if (reg == GYRE_DCR_TEX_STAGE) {
    if (value >= GYRE_TEX_STAGES) return DcrWrite::kBadValue;
    stage_ = value;
    for (auto& written : written_) written |= 1u;
    return DcrWrite::kDone;
  }
  written_[stage_] |= 1u << (reg - GYRE_DCR_TEX_STAGE);
  return write_bank(banks_[stage_], reg, value);
}

DcrWrite TexState::write_bank(TexBank& bank, unsigned reg, std::uint32_t value) {
  switch (reg) {
    case GYRE_DCR_TEX_ADDR:
      bank.base = std::uint64_t{value & kAddressBits} << 6;
      return (value & ~kAddressBits) != 0 ? DcrWrite::kBadValue : DcrWrite::kDone;
    case GYRE_DCR_TEX_LOGDIM:
      bank.log_width = value & 15;
      bank.log_height = (value >> 16) & 15;
      return (value & ~0x000F000Fu) != 0 ? DcrWrite::kBadValue : DcrWrite::kDone;
    case GYRE_DCR_TEX_FORMAT: {
      const bool good = value < GYRE_TEX_FORMATS;
      bank.format = static_cast<std::uint8_t>(good ? value : GYRE_TEX_FORMAT_A8R8G8B8);
      bank.log_stride = kLogStride[bank.format];
      return good ? DcrWrite::kDone : DcrWrite::kBadValue;
    }
    case GYRE_DCR_TEX_FILTER:
      bank.bilinear = (value & GYRE_TEX_FILTER_BILINEAR) != 0;
      bank.mip_linear = (value & GYRE_TEX_FILTER_MIP_LINEAR) != 0;
      return DcrWrite::kDone;
    case GYRE_DCR_TEX_WRAP:
      bank.wrap_u = value & 3;
      bank.wrap_v = (value >> 16) & 3;
      return DcrWrite::kDone;
    case GYRE_DCR_TEX_BORDER:
      bank.border = value;
      return DcrWrite::kDone;
    default:
      bank.mip_offset[reg - GYRE_DCR_TEX_MIPOFF0] = value;
      return DcrWrite::kDone;
  }
}

std::uint32_t TexState::used(unsigned stage, std::uint32_t levels) const {
  constexpr auto bit = [](unsigned reg) { return 1u << (reg - GYRE_DCR_TEX_STAGE); };
  const TexBank& bank = banks_[stage];
  std::uint32_t set = bit(GYRE_DCR_TEX_STAGE) | bit(GYRE_DCR_TEX_ADDR) | bit(GYRE_DCR_TEX_LOGDIM) |
                      bit(GYRE_DCR_TEX_FORMAT) | bit(GYRE_DCR_TEX_FILTER) | bit(GYRE_DCR_TEX_WRAP);
  if (bank.wrap_u == GYRE_TEX_WRAP_BORDER || bank.wrap_v == GYRE_TEX_WRAP_BORDER) set |= bit(GYRE_DCR_TEX_BORDER);
  return set | levels << (GYRE_DCR_TEX_MIPOFF0 - GYRE_DCR_TEX_STAGE);
}

void TexState::poison() {
  for (TexBank& bank : banks_)
    for (unsigned reg = GYRE_DCR_TEX_ADDR; reg <= GYRE_DCR_TEX_BORDER; ++reg) write_bank(bank, reg, 0xFFFFFFFFu);
}

}  // namespace gyre::tex
