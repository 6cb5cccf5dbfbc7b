// State of the output merger behind the DCR window 0x080..0x097, with what a draw derives from it (om.md §4, §6.3,
// §7.3, §8). Everything derived is computed when a register is written, never for a fragment.
#pragma once

#include <array>
#include <cstdint>

#include "aperture.h"
#include "dcr.h"
#include "gfx.h"

namespace gyre::om {

// What an OM core does with the fragments of one attachment (om.md §8).
enum class DrawMode : std::uint8_t {
  kDrop,    // nothing can be written: consumed without memory access
  kBypass,  // colour write with byte enables, no read, no interlock
  kReadModifyWrite,
};

enum class BlendKind : std::uint8_t {
  kNone,      // result = source
  kSrcAlpha,  // ADD, SRC_A / ONE_MINUS_SRC_A on all channels
  kLogic,     // LOGICOP on all channels
  kGeneric,
};

struct StencilFace {
  std::uint8_t func = 0;                        // GYRE_CMP_*
  std::uint8_t zpass = 0, zfail = 0, fail = 0;  // GYRE_STENCIL_*
  std::uint8_t ref = 0, mask = 0, writemask = 0;
  // derived
  bool enabled = false;  // the test or an operation can have an effect
  bool writes = false;   // enabled and some bit writable
};

struct Target {
  std::uint64_t base = 0;   // bytes
  std::uint32_t pitch = 0;  // bytes a row, multiple of 4
  std::uint8_t writemask = 0;
  std::uint8_t mode_rgb = 0, mode_a = 0;                        // GYRE_BLEND_*
  std::uint8_t src_rgb = 0, src_a = 0, dst_rgb = 0, dst_a = 0;  // GYRE_FACTOR_*
  std::uint8_t logic_op = 0;                                    // GYRE_LOGIC_*
  std::uint32_t constant = 0;                                   // A8R8G8B8
  // derived
  std::uint32_t byte_mask = 0;  // write mask as 0xFF bytes
  bool blend_enabled = false;
  BlendKind kind = BlendKind::kNone;
  DrawMode mode = DrawMode::kDrop;

  std::uint64_t address(std::uint32_t x, std::uint32_t y) const {
    return base + std::uint64_t{y} * pitch + std::uint64_t{x} * 4;
  }
};

enum class DcrWrite {
  kNotMine,  // outside 0x080..0x097: ignored
  kDone,
  kBadValue,  // RT_SELECT >= 4 and RECORD_SHIFT other than 2, 3: ignored; other fields: masked to their width
};

class OmState {
 public:
  OmState() { derive(); }
  DcrWrite write(unsigned reg, std::uint32_t value);
  // All registers to all ones, as if never programmed (RT_SELECT 0, RECORD_SHIFT unprogrammed).
  void poison();

  const ApertureGeometry& aperture() const { return aperture_; }
  const Target& target(unsigned rt) const { return targets_[rt]; }
  const StencilFace& face(unsigned face) const { return faces_[face]; }
  unsigned depth_func() const { return depth_func_; }
  bool depth_enabled() const { return depth_enabled_; }
  bool depth_writes() const { return depth_writes_; }
  bool stencil_enabled() const { return faces_[0].enabled || faces_[1].enabled; }
  // The depth/stencil word has to be read.
  bool ds_enabled() const { return ds_enabled_; }
  // A fragment can change the depth/stencil word.
  bool ds_writes() const { return depth_writes_ || faces_[0].writes || faces_[1].writes; }
  bool earlyz_safe() const { return earlyz_safe_; }
  std::uint64_t depth_address(std::uint32_t x, std::uint32_t y) const {
    return zbuf_base_ + std::uint64_t{y} * zbuf_pitch_ + std::uint64_t{x} * 4;
  }
  // Bit r: register 0x080 + r was written since power-on; those of a bank: for this attachment.
  std::uint32_t written(unsigned rt) const { return written_ | target_written_[rt]; }
  // Bit r: what a fragment of this attachment does depends on register 0x080 + r, with the values of the others.
  std::uint32_t used(unsigned rt) const;

 private:
  DcrWrite write_target(unsigned reg, std::uint32_t value);
  void derive();

  std::array<Target, GYRE_OM_MAX_RT> targets_{};
  std::array<StencilFace, 2> faces_{};
  ApertureGeometry aperture_;
  std::uint64_t zbuf_base_ = 0;
  std::uint32_t zbuf_pitch_ = 0;
  std::uint32_t written_ = 0;
  std::array<std::uint32_t, GYRE_OM_MAX_RT> target_written_{};
  std::uint8_t depth_func_ = 0;
  std::uint8_t rt_select_ = 0;
  bool depth_writemask_ = false;
  bool earlyz_safe_ = false;
  bool depth_enabled_ = false, depth_writes_ = false, ds_enabled_ = false;
};

}  // namespace gyre::om
