#include <algorithm>
#include <cstddef>

#include "csr.h"
#include "gfx.h"
#include "lower.h"
#include "stage_entry.h"

namespace gyre::shader::gpu {
namespace {

using ROp = riscv::Op;

class VertexPort final : public Port {
 public:
  explicit VertexPort(Builder* b) {
    arg_ = b->param(false, 10);
    auto csr = [&](int number) { return b->op(ROp::kCsrrs, kZeroReg, {}, number); };
    const VReg thread =
        b->add(b->mul(csr(GYRE_CSR_CTA_BLOCK_ID_X), csr(GYRE_CSR_CTA_BLOCK_DIM_X)), csr(GYRE_CSR_CTA_THREAD_ID_X));
    const VReg last = b->addi(field(*b, offsetof(gyre_vs_arg, num_verts)), -1);
    index_ = select(*b, b->sltu(thread, last), thread, last);
    attributes_ = element(*b, offsetof(gyre_vs_arg, attribs), offsetof(gyre_vs_arg, astride));
    record_ = element(*b, offsetof(gyre_vs_arg, vsrec), offsetof(gyre_vs_arg, vstride));
    uniforms_ = b->op(ROp::kLw, field(*b, offsetof(gyre_vs_arg, consts)), {}, 8 * GYRE_CONST_UNIFORMS);
  }

  bool has_attributes() const override { return true; }
  VReg attribute(Builder& b, int slot, int lane) override {
    return b.op(ROp::kFlw, attributes_, {}, 16 * slot + 4 * lane);
  }
  VReg uniform(Builder& b, int slot, int lane) override { return b.op(ROp::kFlw, uniforms_, {}, 16 * slot + 4 * lane); }
  // A vertex shader has no texture (csir.md §13).
  std::array<VReg, 4> sample(Builder& b, VReg, VReg, bool) override { return sample_nothing(b); }

  void finish(Builder& b, const Results& results, const VaryingPlan& plan) {
    auto four = [&](int offset, const std::array<VReg, 4>& values, int lanes) {
      for (int k = 0; k < lanes; ++k) b.store(ROp::kFsw, record_, values[static_cast<std::size_t>(k)], offset + 4 * k);
    };
    four(0, results.position, 4);
    int offset = 16;
    for (const CarriedVarying& v : plan.varyings) {
      const auto slot = static_cast<std::size_t>(v.vertex_slot);
      const VReg zero = results.stored[slot] ? VReg{} : b.real(0.0f);
      four(offset, results.stored[slot] ? results.varyings[slot] : std::array<VReg, 4>{zero, zero, zero, zero},
           v.lanes);
      offset += 16;
    }
    b.push(Kind::kReturn);
  }

 private:
  VReg field(Builder& b, std::size_t offset) const { return b.op(ROp::kLw, arg_, {}, static_cast<int>(offset)); }
  VReg element(Builder& b, std::size_t address, std::size_t stride) const {
    return b.add(field(b, address), b.mul(index_, field(b, stride)));
  }

  VReg arg_, index_, attributes_, record_, uniforms_;
};

}  // namespace

int VaryingPlan::lanes() const {
  int sum = 0;
  for (const CarriedVarying& v : varyings) sum += v.lanes;
  return sum;
}

bool plan_varyings(const Program& program, VaryingPlan* plan, std::string* error) {
  plan->varyings.clear();
  bool read[kMaxVaryings] = {};
  for (const Instruction& ins : program.fragment().code)
    if (static_cast<Op>(ins.op) == Op::kLoadVar) read[ins.aux] = true;
  for (int slot = 0; slot < kMaxVaryings; ++slot) {
    if (!read[slot]) continue;
    const int mapped = program.varying_map()[static_cast<std::size_t>(slot)];
    int lanes = 4;
    for (const InterfaceEntry& entry : program.fragment().interface)
      if (entry.kind == InterfaceKind::kVarying && entry.slot == slot) lanes = type_lanes(entry.type);
    plan->varyings.push_back({mapped >= 0 ? mapped : slot, slot, lanes});
  }
  if (plan->lanes() <= VaryingPlan::kMaxLanes) return true;
  *error = "the fragment shader reads " + std::to_string(plan->lanes()) +
           " varying components; the GPU's front end carries " + std::to_string(VaryingPlan::kMaxLanes);
  return false;
}

Function vertex_kernel(const std::string& name, const Program& program, const VaryingPlan& plan, bool precise) {
  Function f;
  f.name = name;
  f.kernel = true;
  Builder b(&f);
  VertexPort port(&b);
  port.finish(b, lower(program.vertex(), precise ? Math::kPrecise : Math::kCompat, &port, &b), plan);
  tidy(&f);
  return f;
}

}  // namespace gyre::shader::gpu
