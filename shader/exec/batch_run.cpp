// One loop over lanes for every operation. Everything that rounds is the scalar executor's own expression.
#include "batch_run.h"

#include <cstring>

#include "compat_math.h"
#include "precise_math.h"
#include "scalar_ops.h"

namespace gyre::shader::GYRE_BATCH_NS {
namespace {

using Mask = std::int32_t;

// f over whole blocks of lanes; rows are the same or do not overlap.
template <class F>
inline void each(int n, F f) {
  for (int block = 0; block < n; block += kBatchBlock) {
#pragma GCC ivdep
    for (int i = block; i < block + kBatchBlock; ++i) f(i);
  }
}

class Run {
 public:
  Run(const float* immediates, const BatchInputs& in, const BatchOutputs& out, float* registers, Mask* live, int n)
      : immediates_(immediates), in_(in), out_(out), registers_(registers), live_(live), n_(n) {
    each_lane([&](int i) { active_[i] = live_[i]; });
  }

  void run(const std::vector<BatchOp>& code) {
    const int size = static_cast<int>(code.size());
    for (int at = 0; at < size; ++at) {
      const BatchOp& op = code[static_cast<std::size_t>(at)];
      switch (op.op) {
        case Op::kIf: at = begin_if(op, at); break;
        case Op::kElse: at = other_part(op, at); break;
        case Op::kEndIf: end_if(); break;
        case Op::kDiscard:
          if (discard()) return;
          break;
        default: ordinary(op);
      }
    }
  }

 private:
  template <class F>
  void each_lane(F f) { each(n_, f); }
  float* row(int temp, int lane) { return registers_ + (4 * temp + lane) * kBatchLanes; }

  // ---- control flow: a stack of lane masks
  struct Level {
    Mask outer[kBatchLanes], other[kBatchLanes];
    bool diverged;  // was the outer part masked already
  };

  // Nobody takes the part: go to its end.
  int begin_if(const BatchOp& op, int at) {
    Level& level = levels_[depth_++];
    const float* const condition = row(op.a, 0);
    level.diverged = masked_;
    Mask none = 0, all = -1;
    for (int i = 0; i < n_; ++i) {
      const Mask yes = condition[i] == 0.0f ? 0 : -1;
      level.outer[i] = active_[i];
      level.other[i] = active_[i] & ~yes;
      active_[i] &= yes;
      none |= active_[i];
      all &= yes | ~live_[i];
    }
    if (all == 0) masked_ = true;
    return none == 0 ? op.target - 1 : at;
  }
  int other_part(const BatchOp& op, int at) {
    Level& level = levels_[depth_ - 1];
    Mask none = 0, all = -1;
    for (int i = 0; i < n_; ++i) {
      active_[i] = level.other[i] & live_[i];
      none |= active_[i];
      all &= active_[i] | ~live_[i];
    }
    masked_ = all == 0;
    return none == 0 ? op.target - 1 : at;
  }
  void end_if() {
    const Level& level = levels_[--depth_];
    for (int i = 0; i < n_; ++i) active_[i] = level.outer[i] & live_[i];
    masked_ = level.diverged;
  }
  // True: no lane is left.
  bool discard() {
    Mask left = 0;
    for (int i = 0; i < n_; ++i) {
      if (out_.discard != nullptr) out_.discard[i] |= active_[i];
      live_[i] &= ~active_[i];
      active_[i] = 0;
      left |= live_[i];
    }
    // Outputs of lanes that have ended must stay.
    ended_ = true;
    return left == 0;
  }

  // ---- results: straight into the register, or into scratch rows and from there into the active lanes
  float* target(const BatchOp& op, int lane, bool overlaps) { return masked_ || overlaps ? scratch_[lane] : row(op.dst, lane); }
  void commit(const BatchOp& op, int lane, bool overlaps) {
    if (masked_) merge(row(op.dst, lane), scratch_[lane]);
    else if (overlaps) std::memcpy(row(op.dst, lane), scratch_[lane], sizeof(float) * static_cast<std::size_t>(n_));
  }
  void merge(float* to, const float* from) {
    each_lane([&](int i) { to[i] = active_[i] != 0 ? from[i] : to[i]; });
  }
  void copy_out(float* to, const float* from) {
    if (masked_ || ended_) merge(to, from);
    else std::memcpy(to, from, sizeof(float) * static_cast<std::size_t>(n_));
  }

  template <class F>
  void unary(const BatchOp& op, int lanes, F f) {
    for (int k = 0; k < lanes; ++k) {
      const float* const a = row(op.a, k);
      float* const d = target(op, k, false);
      each_lane([=](int i) { d[i] = f(a[i]); });
      commit(op, k, false);
    }
  }
  template <class F>
  void binary(const BatchOp& op, int lanes, F f) {
    for (int k = 0; k < lanes; ++k) {
      const float *const a = row(op.a, k), *const b = row(op.b, k);
      float* const d = target(op, k, false);
      each_lane([=](int i) { d[i] = f(a[i], b[i]); });
      commit(op, k, false);
    }
  }
  // Scalar functions that are not worth a vector: lane by lane.
  template <class F>
  void slow(const BatchOp& op, int lanes, F f) {
    for (int k = 0; k < lanes; ++k) {
      const float *const a = row(op.a, k), *const b = row(op.b < 0 ? op.a : op.b, k);
      float* const d = target(op, k, false);
      for (int i = 0; i < n_; ++i) d[i] = active_[i] != 0 ? f(a[i], b[i]) : d[i];
      commit(op, k, false);
    }
  }
  bool all_near(const BatchOp& op) {
    bool near = true;
    for (int k = 0; k < op.lanes; ++k)
      for (int i = 0; i < n_; ++i) near &= trig_is_near(row(op.a, k)[i]);
    return near;
  }
  void trigonometry(const BatchOp& op) {
    const bool sine = op.op == Op::kSin;
    if (in_.math == Math::kCompat) return slow(op, op.lanes, [sine](float x, float) { return sine ? compat_sin(x) : compat_cos(x); });
    if (!all_near(op)) return slow(op, op.lanes, [sine](float x, float) { return sine ? precise_sin(x) : precise_cos(x); });
    if (sine) unary(op, op.lanes, [](float x) { return precise_sin_near(x); });
    else unary(op, op.lanes, [](float x) { return precise_cos_near(x); });
  }

  void dot(const BatchOp& op) {
    float* const d = target(op, 0, false);
    const float* a[4];
    const float* b[4];
    for (int k = 0; k < 4; ++k) {
      a[k] = row(op.a, k);
      b[k] = row(op.b, k);
    }
    if (op.width == 3) each_lane([=](int i) { d[i] = 0.0f + a[0][i] * b[0][i] + a[1][i] * b[1][i] + a[2][i] * b[2][i]; });
    else each_lane([=](int i) { d[i] = 0.0f + a[0][i] * b[0][i] + a[1][i] * b[1][i] + a[2][i] * b[2][i] + a[3][i] * b[3][i]; });
    commit(op, 0, false);
  }

  void multiply(float* d, int matrix, int lane, int vector, int n) {
    const float* m[4];
    const float* v[4];
    for (int k = 0; k < n; ++k) {
      m[k] = row(matrix + k, lane);
      v[k] = row(vector, k);
    }
    if (n == 3) each_lane([=](int i) { d[i] = 0.0f + m[0][i] * v[0][i] + m[1][i] * v[1][i] + m[2][i] * v[2][i]; });
    else each_lane([=](int i) { d[i] = 0.0f + m[0][i] * v[0][i] + m[1][i] * v[1][i] + m[2][i] * v[2][i] + m[3][i] * v[3][i]; });
  }
  void matrix_vector(const BatchOp& op) {
    for (int c = 0; c < 4; ++c) {
      if (c < op.width) multiply(scratch_[c], op.a, c, op.b, op.width);
      else std::memset(scratch_[c], 0, sizeof scratch_[c]);
    }
    for (int c = 0; c < 4; ++c) commit(op, c, true);
  }
  void matrix_matrix(const BatchOp& op) {
    for (int j = 0; j < op.width; ++j)
      for (int c = 0; c < op.width; ++c) multiply(scratch_[4 * j + c], op.a, c, op.b + j, op.width);
    for (int j = 0; j < op.width; ++j)
      for (int c = 0; c < op.width; ++c) commit(op, 4 * j + c, true);
  }

  void sample(const BatchOp& op) {
    if (in_.texture == nullptr) return spread(op, nullptr, 0);
    const TextureView texture = *in_.texture;
    const float *const u = row(op.a, 0), *const v = row(op.a, 1);
    alignas(64) std::int32_t at[kBatchLanes];
    alignas(64) std::uint32_t texel[kBatchLanes];
    each_lane([&](int i) { at[i] = texel_index(v[i], texture.height) * texture.width + texel_index(u[i], texture.width); });
    for (int i = 0; i < n_; ++i) texel[i] = texture.texels[at[i]];
    for (int k = 0; k < 4; ++k) {
      float* const d = target(op, k, false);
      each_lane([&](int i) { d[i] = texel_lane(texel[i], k); });
      commit(op, k, false);
    }
  }

  // dst = the same four values in every lane; values beyond `count` are 0.
  void spread(const BatchOp& op, const float* values, int count) {
    for (int k = 0; k < 4; ++k) {
      const float value = k < count ? values[k] : 0.0f;
      float* const d = target(op, k, false);
      each_lane([=](int i) { d[i] = value; });
      commit(op, k, false);
    }
  }
  void rows(const BatchOp& op, const float* source, int slot) {
    if (source == nullptr) {
      if (op.fresh) spread(op, nullptr, 0);
      return;
    }
    for (int k = 0; k < 4; ++k) {
      const float* const a = source + (4 * slot + k) * kBatchLanes;
      float* const d = target(op, k, false);
      each_lane([=](int i) { d[i] = a[i]; });
      commit(op, k, false);
    }
  }
  void store(float* to, int slot, int temp) {
    if (to == nullptr) return;
    for (int k = 0; k < 4; ++k) copy_out(to + (4 * slot + k) * kBatchLanes, row(temp, k));
  }

  void swizzle(const BatchOp& op, int n) {
    const bool overlaps = op.dst == op.a;
    for (int k = 0; k < 4; ++k) {
      float* const d = target(op, k, overlaps);
      if (k < n) std::memcpy(d, row(op.a, op.aux >> (2 * k) & 3), sizeof(float) * static_cast<std::size_t>(n_));
      else std::memset(d, 0, sizeof(float) * static_cast<std::size_t>(n_));
    }
    for (int k = 0; k < 4; ++k) commit(op, k, overlaps);
  }
  void set_lane(const BatchOp& op) {
    const float* const from = row(op.a, op.aux2 & 3);
    float* const to = row(op.dst, op.aux & 3);
    if (masked_) merge(to, from);
    else std::memmove(to, from, sizeof(float) * static_cast<std::size_t>(n_));
  }

  void compare(const BatchOp& op) {
    switch (op.aux) {
      case kLess: return binary(op, 1, [](float a, float b) { return op_compare(kLess, a, b); });
      case kGreater: return binary(op, 1, [](float a, float b) { return op_compare(kGreater, a, b); });
      case kLessEqual: return binary(op, 1, [](float a, float b) { return op_compare(kLessEqual, a, b); });
      case kGreaterEqual: return binary(op, 1, [](float a, float b) { return op_compare(kGreaterEqual, a, b); });
      case kEqual: return binary(op, 1, [](float a, float b) { return op_compare(kEqual, a, b); });
      default: return binary(op, 1, [](float a, float b) { return op_compare(kNotEqual, a, b); });
    }
  }

  void ordinary(const BatchOp& op) {
    const bool precise = in_.math == Math::kPrecise;
    switch (op.op) {
      case Op::kConst: return spread(op, immediates_ + op.aux, op.width);
      case Op::kMov: return unary(op, op.lanes, [](float a) { return a; });
      case Op::kSwz: return swizzle(op, op.width);
      case Op::kSetLane: return set_lane(op);
      case Op::kAdd: return binary(op, op.lanes, [](float a, float b) { return a + b; });
      case Op::kSub: return binary(op, op.lanes, [](float a, float b) { return a - b; });
      case Op::kMul: return binary(op, op.lanes, [](float a, float b) { return a * b; });
      case Op::kMax: return binary(op, op.lanes, [](float a, float b) { return op_max(a, b); });
      case Op::kMin: return binary(op, op.lanes, [](float a, float b) { return op_min(a, b); });
      case Op::kAbs: return unary(op, op.lanes, [](float a) { return op_abs(a); });
      case Op::kDot: return dot(op);
      case Op::kRsq:
        if (precise) return unary(op, 1, [](float a) { return precise_rsq(a); });
        return slow(op, 1, [](float a, float) { return compat_rsq(a); });
      case Op::kRcp: return unary(op, op.lanes, [](float a) { return op_rcp(a); });
      case Op::kSin:
      case Op::kCos: return trigonometry(op);
      case Op::kPow:
        if (precise) return slow(op, 1, [](float a, float b) { return precise_pow(a, b); });
        return slow(op, 1, [](float a, float b) { return compat_pow(a, b); });
      case Op::kTrunc: return slow(op, 1, [](float a, float) { return op_trunc(a); });
      case Op::kCmp: return compare(op);
      case Op::kMulMv: return matrix_vector(op);
      case Op::kMulMm: return matrix_matrix(op);
      case Op::kSample: return sample(op);
      case Op::kLoadAttr:
        return rows(op, in_.attributes, op.aux);
      case Op::kLoadVar: {
        const int mapped = in_.varying_map != nullptr ? in_.varying_map[op.aux] : -1;
        return rows(op, in_.varyings, mapped >= 0 ? mapped : op.aux);
      }
      case Op::kLoadUni:
        for (int i = 0; i < op.aux2; ++i) {
          BatchOp one = op;
          one.dst = static_cast<std::int16_t>(op.dst + i);
          if (in_.uniforms != nullptr) spread(one, in_.uniforms + 4 * (op.aux + i), 4);
          else if (op.fresh) spread(one, nullptr, 0);
        }
        return;
      case Op::kLoadFcoord:
        return rows(op, in_.fragcoord, 0);
      case Op::kStorePos: return store(out_.position, 0, op.a);
      case Op::kStoreVar: return store(out_.varyings, op.aux, op.a);
      case Op::kStoreColor: return store(out_.color, 0, op.a);
      default: return;
    }
  }

  const float* immediates_;
  const BatchInputs& in_;
  const BatchOutputs& out_;
  float* registers_;
  Mask* live_;
  int n_;
  int depth_ = 0;
  // A lane that is live is not active. Lanes that have ended or are beyond the count may be written: nobody looks.
  bool masked_ = false;
  bool ended_ = false;   // has a lane ended
  alignas(64) Mask active_[kBatchLanes];
  alignas(64) float scratch_[16][kBatchLanes];
  Level levels_[kMaxControlNesting];
};

}  // namespace

void batch_run(const std::vector<BatchOp>& code, const float* immediates, const BatchInputs& in, const BatchOutputs& out, float* registers,
               std::int32_t* live, int n) {
  Run(immediates, in, out, registers, live, n).run(code);
}

}  // namespace gyre::shader::GYRE_BATCH_NS
