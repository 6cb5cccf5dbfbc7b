#include <cstddef>

#include "csr.h"
#include "entry.h"
#include "lower.h"

namespace gyre::shader::gpu {
namespace {

using ROp = riscv::Op;

class BatchPort final : public Port {
 public:
  BatchPort(Builder* b, const Shader& shader, const BatchSources& sources) : sources_(sources) {
    arg_ = b->param(false, 10);
    auto csr = [&](int number) { return b->op(ROp::kCsrrs, kZeroReg, {}, number); };
    const VReg lane =
        b->add(b->mul(csr(GYRE_CSR_CTA_BLOCK_ID_X), csr(GYRE_CSR_CTA_BLOCK_DIM_X)), csr(GYRE_CSR_CTA_THREAD_ID_X));
    const VReg last = b->addi(field(*b, offsetof(BatchArg, count)), -1);
    index_ = select(*b, b->sltu(lane, last), lane, last);
    const bool vertex = shader.stage == Stage::kVertex;
    if (vertex && sources.attributes) attributes_ = array(*b, offsetof(BatchArg, attributes), 128);
    if (!vertex && sources.varyings) varyings_ = array(*b, offsetof(BatchArg, varyings), 128);
    if (!vertex && sources.fragcoord) fragcoord_ = array(*b, offsetof(BatchArg, fragcoord), 16);
    if (sources.uniforms) uniforms_ = field(*b, offsetof(BatchArg, uniforms));
    results_ = array(*b, offsetof(BatchArg, results), sizeof(BatchResult));
  }

  bool has_attributes() const override { return sources_.attributes; }
  bool has_varyings() const override { return sources_.varyings; }
  bool has_fragcoord() const override { return sources_.fragcoord; }
  bool has_uniforms() const override { return sources_.uniforms; }
  VReg attribute(Builder& b, int slot, int lane) override {
    return b.op(ROp::kFlw, attributes_, {}, 16 * slot + 4 * lane);
  }
  VReg varying(Builder& b, int slot, int lane) override {
    if (sources_.varying_map != nullptr && sources_.varying_map[slot] >= 0) slot = sources_.varying_map[slot];
    return b.op(ROp::kFlw, varyings_, {}, 16 * slot + 4 * lane);
  }
  VReg fragcoord(Builder& b, int lane) override { return b.op(ROp::kFlw, fragcoord_, {}, 4 * lane); }
  VReg uniform(Builder& b, int slot, int lane) override { return b.op(ROp::kFlw, uniforms_, {}, 16 * slot + 4 * lane); }
  std::array<VReg, 4> sample(Builder& b, VReg u, VReg v, bool) override {
    if (!sources_.texture) return sample_nothing(b);
    return sample_software(b, field(b, offsetof(BatchArg, texels)), field(b, offsetof(BatchArg, width)),
                           field(b, offsetof(BatchArg, height)), u, v);
  }

  void finish(Builder& b, const Results& results) {
    auto four = [&](std::size_t offset, const std::array<VReg, 4>& values) {
      for (std::size_t k = 0; k < 4; ++k) b.store(ROp::kFsw, results_, values[k], static_cast<int>(offset + 4 * k));
    };
    four(offsetof(BatchResult, position), results.position);
    for (std::size_t v = 0; v < kMaxVaryings; ++v)
      if (results.stored[v]) four(offsetof(BatchResult, varyings) + 16 * v, results.varyings[v]);
    four(offsetof(BatchResult, color), results.color);
    b.store(ROp::kSw, results_, b.xori(results.alive, 1), static_cast<int>(offsetof(BatchResult, discarded)));
    b.push(Kind::kReturn);
  }

 private:
  VReg field(Builder& b, std::size_t offset) const { return b.op(ROp::kLw, arg_, {}, static_cast<int>(offset)); }
  // Address of this invocation's element.
  VReg array(Builder& b, std::size_t offset, std::uint32_t bytes) const {
    return b.add(field(b, offset), b.mul(index_, b.li(bytes)));
  }

  const BatchSources sources_;
  VReg arg_, index_, attributes_, varyings_, fragcoord_, uniforms_, results_;
};

}  // namespace

Function batch_kernel(const std::string& name, const Shader& shader, Math math, const BatchSources& sources) {
  Function f;
  f.name = name;
  f.kernel = true;
  Builder b(&f);
  BatchPort port(&b, shader, sources);
  const Results results = lower(shader, math, &port, &b);
  port.finish(b, results);
  tidy(&f);
  return f;
}

}  // namespace gyre::shader::gpu
