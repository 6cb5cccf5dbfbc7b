#include "interpreter.h"

#include <cstring>

#include "compat_math.h"
#include "precise_math.h"
#include "scalar_ops.h"

namespace gyre::shader {
namespace {

using Temp = float[4];

struct Machine {
  Temp tmp[kMaxTemps];
  const Shader& shader;
  const ExecInputs& in;
  const ExecOutputs& out;

  void multiply(Temp* dst, const Temp* matrix, const Temp& vector, int n) const {
    for (int c = 0; c < n; ++c) {
      float sum = 0.0f;
      for (int k = 0; k < n; ++k) sum += matrix[k][c] * vector[k];
      (*dst)[c] = sum;
    }
  }

  void load(Temp* dst, const float* source, int count) {
    if (source != nullptr) std::memcpy(dst, source, sizeof(Temp) * static_cast<std::size_t>(count));
  }

  float transcendental(Op op, float x) const {
    const bool precise = in.math == Math::kPrecise;
    if (op == Op::kSin) return precise ? precise_sin(x) : compat_sin(x);
    if (op == Op::kCos) return precise ? precise_cos(x) : compat_cos(x);
    return precise ? precise_rsq(x) : compat_rsq(x);
  }

  // One lane of the component-wise operations.
  float lane_result(Op op, float x, float y) const {
    switch (op) {
      case Op::kMov: return x;
      case Op::kAdd: return x + y;
      case Op::kSub: return x - y;
      case Op::kMul: return x * y;
      case Op::kMax: return op_max(x, y);
      case Op::kMin: return op_min(x, y);
      case Op::kAbs: return op_abs(x);
      case Op::kRcp: return op_rcp(x);
      default: return transcendental(op, x);
    }
  }

  void sample(Temp* dst, const Temp& at) const {
    if (in.texture == nullptr) {
      std::memset(dst, 0, sizeof(Temp));
      return;
    }
    const std::uint32_t texel = fetch_texel(*in.texture, at[0], at[1]);
    for (int k = 0; k < 4; ++k) (*dst)[k] = texel_lane(texel, k);
  }

  void load_varying(Temp* dst, int slot) {
    if (in.varying_map != nullptr && in.varying_map[slot] >= 0) slot = in.varying_map[slot];
    if (in.varyings != nullptr) load(dst, in.varyings + 4 * slot, 1);
  }

  void ordinary(const Instruction& ins) {
    const auto op = static_cast<Op>(ins.op);
    Temp* const dst = &tmp[ins.dst < 0 ? 0 : ins.dst];
    const Temp* const a = &tmp[ins.a < 0 ? 0 : ins.a];
    const Temp* const b = &tmp[ins.b < 0 ? 0 : ins.b];
    switch (op) {
      case Op::kConst:
        for (int k = 0; k < 4; ++k) (*dst)[k] = k < ins.ncomp ? shader.immediates[static_cast<std::size_t>(ins.aux + k)] : 0.0f;
        break;
      case Op::kSwz: {
        Temp source;
        std::memcpy(source, *a, sizeof source);
        const int n = lanes_of(ins);
        for (int k = 0; k < 4; ++k) (*dst)[k] = k < n ? source[ins.aux >> (2 * k) & 3] : 0.0f;
        break;
      }
      case Op::kSetLane: (*dst)[ins.aux & 3] = (*a)[ins.aux2 & 3]; break;
      case Op::kMov: case Op::kAdd: case Op::kSub: case Op::kMul: case Op::kMax: case Op::kMin: case Op::kAbs:
      case Op::kRcp: case Op::kSin: case Op::kCos:
        for (int k = 0, n = lanes_of(ins); k < n; ++k) (*dst)[k] = lane_result(op, (*a)[k], (*b)[k]);
        break;
      case Op::kRsq: (*dst)[0] = transcendental(op, (*a)[0]); break;
      case Op::kDot: {
        float sum = 0.0f;
        for (int k = 0, n = width_of(ins); k < n; ++k) sum += (*a)[k] * (*b)[k];
        (*dst)[0] = sum;
        break;
      }
      case Op::kPow: (*dst)[0] = in.math == Math::kPrecise ? precise_pow((*a)[0], (*b)[0]) : compat_pow((*a)[0], (*b)[0]); break;
      case Op::kTrunc: (*dst)[0] = op_trunc((*a)[0]); break;
      case Op::kCmp: (*dst)[0] = op_compare(ins.aux, (*a)[0], (*b)[0]); break;
      case Op::kMulMv: {
        Temp result = {0, 0, 0, 0};
        multiply(&result, a, *b, width_of(ins));
        std::memcpy(*dst, result, sizeof result);
        break;
      }
      case Op::kMulMm: {
        const int n = width_of(ins);
        Temp columns[4];
        for (int j = 0; j < n; ++j) multiply(&columns[j], a, b[j], n);
        for (int j = 0; j < n; ++j)
          for (int c = 0; c < n; ++c) dst[j][c] = columns[j][c];
        break;
      }
      case Op::kSample: sample(dst, *a); break;
      case Op::kLoadAttr: if (in.attributes != nullptr) load(dst, in.attributes + 4 * ins.aux, 1); break;
      case Op::kLoadVar: load_varying(dst, ins.aux); break;
      case Op::kLoadUni: if (in.uniforms != nullptr) load(dst, in.uniforms + 4 * ins.aux, ins.aux2); break;
      case Op::kLoadFcoord: load(dst, in.fragcoord, 1); break;
      case Op::kStorePos: if (out.position != nullptr) std::memcpy(out.position, *a, sizeof(Temp)); break;
      case Op::kStoreVar: if (out.varyings != nullptr) std::memcpy(out.varyings + 4 * ins.aux, *a, sizeof(Temp)); break;
      case Op::kStoreColor: if (out.color != nullptr) std::memcpy(out.color, *a, sizeof(Temp)); break;
      default: break;
    }
  }

  int run() {
    bool parent[kMaxControlNesting];  // was the surrounding code skipped already
    int depth = 0;
    bool skip = false;
    for (const Instruction& ins : shader.code) {
      switch (static_cast<Op>(ins.op)) {
        case Op::kIf:
          if (depth == kMaxControlNesting) return -1;
          parent[depth++] = skip;
          if (!skip) skip = tmp[ins.a][0] == 0.0f;
          break;
        case Op::kElse:
          if (depth == 0) return -1;
          if (!parent[depth - 1]) skip = !skip;
          break;
        case Op::kEndIf:
          if (depth == 0) return -1;
          skip = parent[--depth];
          break;
        case Op::kDiscard:
          if (skip) break;
          if (out.discard != nullptr) *out.discard = true;
          return 0;
        default:
          if (!skip) ordinary(ins);
      }
    }
    return 0;
  }
};

}  // namespace

int exec_ir(const Shader& shader, const ExecInputs& in, const ExecOutputs& out) {
  Machine machine{{}, shader, in, out};
  if (out.position != nullptr) {
    out.position[0] = out.position[1] = out.position[2] = 0.0f;
    out.position[3] = 1.0f;
  }
  if (out.color != nullptr) out.color[0] = out.color[1] = out.color[2] = out.color[3] = 0.0f;
  if (out.discard != nullptr) *out.discard = false;
  return machine.run();
}

}  // namespace gyre::shader
