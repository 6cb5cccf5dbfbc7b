#include <optional>

#include "device_map.h"
#include "interpolation.h"
#include "lower.h"
#include "sample_tex_unit.h"
#include "stage_entry.h"

namespace gyre::shader::gpu {
namespace {

using ROp = riscv::Op;

class FragmentPort final : public Port {
 public:
  FragmentPort(Builder* b, const VaryingPlan& plan, Sampling sampling) : plan_(plan), sampling_(sampling) {
    slots_ = b->param(false, 10);
    pixel_.emplace(b, slots_);
    consts_ = b->op(ROp::kLw, slots_, {}, 8 * GYRE_FRAG_SLOT_CONST);
    uniforms_ = b->op(ROp::kLw, consts_, {}, 8 * GYRE_CONST_UNIFORMS);
  }

  bool has_varyings() const override { return true; }
  bool has_fragcoord() const override { return true; }
  VReg varying(Builder& b, int slot, int lane) override {
    int first = 0;
    for (const CarriedVarying& v : plan_.varyings) {
      if (v.fragment_slot == slot) return lane < v.lanes ? pixel_->varying(b, first + lane) : b.real(0.0f);
      first += v.lanes;
    }
    return b.real(0.0f);
  }
  VReg fragcoord(Builder& b, int lane) override { return pixel_->fragcoord(b, lane); }
  VReg uniform(Builder& b, int slot, int lane) override { return b.op(ROp::kFlw, uniforms_, {}, 16 * slot + 4 * lane); }
  std::array<VReg, 4> sample(Builder& b, VReg u, VReg v, bool divergent) override {
    if (sampling_ == Sampling::kTexUnit) {
      const VReg descriptors = b.op(ROp::kLw, slots_, {}, 8 * GYRE_FRAG_SLOT_TEX);
      return sample_tex_unit(b, b.addi(descriptors, sizeof(gyre_tex_desc)), u, v, divergent);
    }
    const VReg texture = b.op(ROp::kLw, consts_, {}, 8 * GYRE_CONST_TEXTURE);
    auto field = [&](std::size_t offset) { return b.op(ROp::kLw, texture, {}, static_cast<int>(offset)); };
    return sample_software(b, field(offsetof(gyre_soft_texture, texels)), field(offsetof(gyre_soft_texture, width)),
                           field(offsetof(gyre_soft_texture, height)), u, v);
  }

  // Colour and depth leave as a pair record (om.md §3), for lanes that are covered and were not discarded.
  void finish(Builder& b, const Results& results) {
    const VReg colour = packed(b, results.color), depth = pixel_->depth(b);
    const VReg geometry = b.op(ROp::kLw, slots_, {}, 8 * GYRE_FRAG_SLOT_APERTURE);
    const VReg row = b.or_(b.sll(pixel_->facing(b), b.srli(geometry, 8)), pixel_->y());
    const VReg record = b.or_(b.sll(row, geometry), pixel_->x());
    const VReg address = b.add(b.li(GYRE_DEV_APERTURE_BASE), b.sll(record, b.srli(geometry, 16)));
    b.push(Kind::kIf, {}, b.and_(pixel_->covered(), results.alive));
    Insn i;
    i.op = ROp::kOmExport;
    i.a = address, i.b = colour, i.c = depth, i.imm = 3;
    b.function().code.push_back(i);
    b.push(Kind::kEndIf);
    b.push(Kind::kReturn);
  }

 private:
  static VReg packed(Builder& b, const std::array<VReg, 4>& rgba) {
    static constexpr int kShift[4] = {16, 8, 0, 24};
    VReg word = kZeroReg;
    for (std::size_t k = 0; k < 4; ++k) {
      const VReg limited =
          b.op(ROp::kFminS, b.op(ROp::kFmaxS, rgba[k], b.real(0.0f)), b.real(1.0f));  // a NaN becomes 0
      const VReg channel = b.truncate(b.fadd(b.fmul(limited, b.real(255.0f)), b.real(0.5f)));
      word = b.or_(word, kShift[k] == 0 ? channel : b.slli(channel, kShift[k]));
    }
    return word;
  }

  const VaryingPlan& plan_;
  const Sampling sampling_;
  VReg slots_, consts_, uniforms_;
  std::optional<Interpolation> pixel_;
};

}  // namespace

Function fragment_kernel(const std::string& name, const Program& program, const VaryingPlan& plan, bool precise,
                         Sampling sampling) {
  Function f;
  f.name = name;
  f.kernel = true;
  Builder b(&f);
  FragmentPort port(&b, plan, sampling);
  port.finish(b, lower(program.fragment(), precise ? Math::kPrecise : Math::kCompat, &port, &b));
  tidy(&f);
  return f;
}

}  // namespace gyre::shader::gpu
