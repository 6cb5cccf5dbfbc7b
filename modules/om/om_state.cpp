#include "om_state.h"

namespace gyre::om {
namespace {

constexpr std::uint32_t kAddressBits = 0x03FFFFFFu;  // 64-byte blocks of a 4 GiB space
constexpr std::uint32_t kPitchBits = 0x0003FFFCu;    // words only: the hardware adds pixels as word indices

// Front in the low half-word, back in the high half-word.
void split(std::uint32_t value, std::uint32_t mask, std::uint8_t& front, std::uint8_t& back) {
  front = static_cast<std::uint8_t>(value & mask);
  back = static_cast<std::uint8_t>(value >> 16 & mask);
}

DcrWrite checked(std::uint32_t value, std::uint32_t allowed) {
  return (value & ~allowed) != 0 ? DcrWrite::kBadValue : DcrWrite::kDone;
}

constexpr std::uint32_t bit(unsigned reg) { return 1u << (reg - GYRE_DCR_OM_CBUF_ADDR); }

bool constant(std::uint8_t factor) {
  return factor >= GYRE_FACTOR_CONST_RGB && factor <= GYRE_FACTOR_ONE_MINUS_CONST_A;
}

BlendKind classify(const Target& t) {
  if (!t.blend_enabled) return BlendKind::kNone;
  if (t.mode_rgb == GYRE_BLEND_LOGICOP && t.mode_a == GYRE_BLEND_LOGICOP) return BlendKind::kLogic;
  if (t.mode_rgb == GYRE_BLEND_ADD && t.mode_a == GYRE_BLEND_ADD && t.src_rgb == GYRE_FACTOR_SRC_A &&
      t.src_a == GYRE_FACTOR_SRC_A && t.dst_rgb == GYRE_FACTOR_ONE_MINUS_SRC_A &&
      t.dst_a == GYRE_FACTOR_ONE_MINUS_SRC_A)
    return BlendKind::kSrcAlpha;
  return BlendKind::kGeneric;
}

}  // namespace

DcrWrite OmState::write(unsigned reg, std::uint32_t value) {
  if (reg < GYRE_DCR_OM_CBUF_ADDR || reg > GYRE_DCR_OM_RT_SELECT) return DcrWrite::kNotMine;
  const auto field = [this](int face) -> StencilFace& { return faces_[static_cast<std::size_t>(face)]; };
  DcrWrite result = DcrWrite::kDone;
  switch (reg) {
    case GYRE_DCR_OM_ZBUF_ADDR:
      zbuf_base_ = std::uint64_t{value & kAddressBits} << 6;
      result = checked(value, kAddressBits);
      break;
    case GYRE_DCR_OM_ZBUF_PITCH:
      zbuf_pitch_ = value & kPitchBits;
      result = checked(value, kPitchBits);
      break;
    case GYRE_DCR_OM_DEPTH_FUNC:
      depth_func_ = value & 7;
      break;
    case GYRE_DCR_OM_DEPTH_WRITEMASK:
      depth_writemask_ = (value & 1) != 0;
      break;
    case GYRE_DCR_OM_STENCIL_FUNC:
      split(value, 7, field(0).func, field(1).func);
      break;
    case GYRE_DCR_OM_STENCIL_ZPASS:
      split(value, 7, field(0).zpass, field(1).zpass);
      break;
    case GYRE_DCR_OM_STENCIL_ZFAIL:
      split(value, 7, field(0).zfail, field(1).zfail);
      break;
    case GYRE_DCR_OM_STENCIL_FAIL:
      split(value, 7, field(0).fail, field(1).fail);
      break;
    case GYRE_DCR_OM_STENCIL_REF:
      split(value, 0xFF, field(0).ref, field(1).ref);
      break;
    case GYRE_DCR_OM_STENCIL_MASK:
      split(value, 0xFF, field(0).mask, field(1).mask);
      break;
    case GYRE_DCR_OM_STENCIL_WRITEMASK:
      split(value, 0xFF, field(0).writemask, field(1).writemask);
      break;
    case GYRE_DCR_OM_EARLYZ_SAFE:
      earlyz_safe_ = (value & 1) != 0;
      break;
    case GYRE_DCR_OM_APERTURE_XBITS:
      aperture_.xbits = value & 15;
      result = checked(value, 15);
      break;
    case GYRE_DCR_OM_APERTURE_YBITS:
      aperture_.ybits = value & 15;
      result = checked(value, 15);
      break;
    case GYRE_DCR_OM_APERTURE_RECORD_SHIFT:
      if (value != 2 && value != 3) return DcrWrite::kBadValue;
      aperture_.record_shift = static_cast<std::uint8_t>(value);
      break;
    case GYRE_DCR_OM_APERTURE_DEPTH_ONLY:
      aperture_.depth_only = (value & 1) != 0;
      break;
    case GYRE_DCR_OM_RT_SELECT:
      if (value >= GYRE_OM_MAX_RT) return DcrWrite::kBadValue;
      rt_select_ = static_cast<std::uint8_t>(value);
      break;
    default:
      target_written_[rt_select_] |= bit(reg);
      result = write_target(reg, value);
      derive();
      return result;
  }
  written_ |= bit(reg);
  derive();
  return result;
}

DcrWrite OmState::write_target(unsigned reg, std::uint32_t value) {
  Target& t = targets_[rt_select_];
  switch (reg) {
    case GYRE_DCR_OM_CBUF_ADDR:
      t.base = std::uint64_t{value & kAddressBits} << 6;
      return checked(value, kAddressBits);
    case GYRE_DCR_OM_CBUF_PITCH:
      t.pitch = value & kPitchBits;
      return checked(value, kPitchBits);
    case GYRE_DCR_OM_CBUF_WRITEMASK:
      t.writemask = value & 15;
      return DcrWrite::kDone;
    case GYRE_DCR_OM_BLEND_MODE:
      split(value, 7, t.mode_rgb, t.mode_a);
      return DcrWrite::kDone;
    case GYRE_DCR_OM_BLEND_FUNC:
      t.src_rgb = value & 15;
      t.src_a = value >> 8 & 15;
      t.dst_rgb = value >> 16 & 15;
      t.dst_a = value >> 24 & 15;
      return DcrWrite::kDone;
    case GYRE_DCR_OM_BLEND_CONST:
      t.constant = value;
      return DcrWrite::kDone;
    default:
      t.logic_op = value & 15;
      return DcrWrite::kDone;
  }
}

std::uint32_t OmState::used(unsigned rt) const {
  const Target& t = targets_[rt];
  std::uint32_t set = bit(GYRE_DCR_OM_RT_SELECT) | bit(GYRE_DCR_OM_CBUF_WRITEMASK) | bit(GYRE_DCR_OM_DEPTH_FUNC) |
                      bit(GYRE_DCR_OM_DEPTH_WRITEMASK) | bit(GYRE_DCR_OM_STENCIL_FUNC) |
                      bit(GYRE_DCR_OM_STENCIL_ZPASS) | bit(GYRE_DCR_OM_STENCIL_ZFAIL) |
                      bit(GYRE_DCR_OM_APERTURE_XBITS) | bit(GYRE_DCR_OM_APERTURE_YBITS) |
                      bit(GYRE_DCR_OM_APERTURE_RECORD_SHIFT);
  if (aperture_.record_shift == 2) set |= bit(GYRE_DCR_OM_APERTURE_DEPTH_ONLY);
  if (t.writemask != 0) {
    set |= bit(GYRE_DCR_OM_CBUF_ADDR) | bit(GYRE_DCR_OM_CBUF_PITCH) | bit(GYRE_DCR_OM_BLEND_MODE) |
           bit(GYRE_DCR_OM_BLEND_FUNC);
    if (t.mode_rgb == GYRE_BLEND_LOGICOP || t.mode_a == GYRE_BLEND_LOGICOP) set |= bit(GYRE_DCR_OM_LOGIC_OP);
    if (constant(t.src_rgb) || constant(t.src_a) || constant(t.dst_rgb) || constant(t.dst_a))
      set |= bit(GYRE_DCR_OM_BLEND_CONST);
  }
  if (ds_enabled_) set |= bit(GYRE_DCR_OM_ZBUF_ADDR) | bit(GYRE_DCR_OM_ZBUF_PITCH);
  for (const StencilFace& f : faces_) {
    if (!f.enabled) continue;
    const bool compares = f.func != GYRE_CMP_ALWAYS && f.func != GYRE_CMP_NEVER;
    set |= bit(GYRE_DCR_OM_STENCIL_WRITEMASK);
    if (f.func != GYRE_CMP_ALWAYS) set |= bit(GYRE_DCR_OM_STENCIL_FAIL);
    if (compares) set |= bit(GYRE_DCR_OM_STENCIL_MASK);
    if (compares || f.zpass == GYRE_STENCIL_REPLACE || f.zfail == GYRE_STENCIL_REPLACE ||
        (f.fail == GYRE_STENCIL_REPLACE && f.func != GYRE_CMP_ALWAYS))
      set |= bit(GYRE_DCR_OM_STENCIL_REF);
  }
  return set;
}

void OmState::poison() {
  for (unsigned rt = GYRE_OM_MAX_RT; rt-- > 0;) {
    write(GYRE_DCR_OM_RT_SELECT, rt);
    for (unsigned reg = GYRE_DCR_OM_CBUF_ADDR; reg < GYRE_DCR_OM_RT_SELECT; ++reg) write(reg, 0xFFFFFFFFu);
  }
  written_ = 0;
  target_written_ = {};
}

void OmState::derive() {
  depth_enabled_ = !(depth_func_ == GYRE_CMP_ALWAYS && !depth_writemask_);
  depth_writes_ = depth_enabled_ && depth_writemask_;
  for (StencilFace& f : faces_) {
    // The fail operation does not count: ALWAYS cannot fail.
    f.enabled = !(f.func == GYRE_CMP_ALWAYS && f.zpass == GYRE_STENCIL_KEEP && f.zfail == GYRE_STENCIL_KEEP);
    f.writes = f.enabled && f.writemask != 0;
  }
  ds_enabled_ = depth_enabled_ || stencil_enabled();
  for (Target& t : targets_) {
    t.byte_mask = 0;
    for (unsigned byte = 0; byte < 4; ++byte)
      if ((t.writemask >> byte & 1) != 0) t.byte_mask |= 0xFFu << (8 * byte);
    t.blend_enabled = !(t.mode_rgb == GYRE_BLEND_ADD && t.mode_a == GYRE_BLEND_ADD && t.src_rgb == GYRE_FACTOR_ONE &&
                        t.src_a == GYRE_FACTOR_ONE && t.dst_rgb == GYRE_FACTOR_ZERO && t.dst_a == GYRE_FACTOR_ZERO);
    t.kind = classify(t);
    const bool colour = t.writemask != 0;
    if (ds_enabled_ ? (ds_writes() || colour) : (t.blend_enabled && colour))
      t.mode = DrawMode::kReadModifyWrite;
    else
      t.mode = !ds_enabled_ && colour ? DrawMode::kBypass : DrawMode::kDrop;
  }
}

}  // namespace gyre::om
