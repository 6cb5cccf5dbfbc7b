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

// mask ? x : y, mask 0 or -1. Written with bits: for `m[i] ? x[i] : y[i]` GCC 12 loads under a mask, and for AVX2 takes
// the mask of the wrong half of the block.
inline float choose(Mask mask, float x, float y) {
  Mask xb, yb;
  std::memcpy(&xb, &x, sizeof xb);
  std::memcpy(&yb, &y, sizeof yb);
  const Mask bits = (xb & mask) | (yb & ~mask);
  float out;
  std::memcpy(&out, &bits, sizeof out);
  return out;
}
inline Mask is_true(float x) { return x != 0.0f ? -1 : 0; }

template <class F>
inline void unary(const BoundStep& step, int n, F f) {
  const float* const a = step.in[0];
  float* const d = step.dst;
  each(n, [=](int i) { d[i] = f(a[i]); });
}
template <class F>
inline void binary(const BoundStep& step, int n, F f) {
  const float *const a = step.in[0], *const b = step.in[1];
  float* const d = step.dst;
  each(n, [=](int i) { d[i] = f(a[i], b[i]); });
}
// Functions that are not worth a vector: lane by lane.
template <class F>
void slow(const BoundStep& step, int n, F f) {
  for (int i = 0; i < n; ++i) step.dst[i] = f(i);
}

bool all_near(const float* x, int n) {
  Mask near = -1;
  for (int i = 0; i < n; ++i) near &= trig_is_near(x[i]) ? -1 : 0;
  return near != 0;
}
void sine(const BoundStep& step, int n) {
  const float* const a = step.in[0];
  if (all_near(a, n))
    unary(step, n, [](float x) { return precise_sin_near(x); });
  else
    slow(step, n, [a](int i) { return precise_sin(a[i]); });
}
void cosine(const BoundStep& step, int n) {
  const float* const a = step.in[0];
  if (all_near(a, n))
    unary(step, n, [](float x) { return precise_cos_near(x); });
  else
    slow(step, n, [a](int i) { return precise_cos(a[i]); });
}

void dot3(const BoundStep& step, int n) {
  const float* const* const in = step.in;
  const float *const a0 = in[0], *const b0 = in[1], *const a1 = in[2], *const b1 = in[3], *const a2 = in[4],
                     *const b2 = in[5];
  float* const d = step.dst;
  each(n, [=](int i) { d[i] = 0.0f + a0[i] * b0[i] + a1[i] * b1[i] + a2[i] * b2[i]; });
}
void dot4(const BoundStep& step, int n) {
  const float* const* const in = step.in;
  const float *const a0 = in[0], *const b0 = in[1], *const a1 = in[2], *const b1 = in[3], *const a2 = in[4],
                     *const b2 = in[5], *const a3 = in[6], *const b3 = in[7];
  float* const d = step.dst;
  each(n, [=](int i) { d[i] = 0.0f + a0[i] * b0[i] + a1[i] * b1[i] + a2[i] * b2[i] + a3[i] * b3[i]; });
}

// texel_index() without what the range of its operand makes needless.
inline std::int32_t index_of(float u, float last) {
  u = u > 0.0f ? u : 0.0f;
  u = u < 1.0f ? u : 1.0f;
  return static_cast<std::int32_t>(u * last + 0.5f);
}
void texel(const BoundStep& step, const TextureView& texture, int n) {
  const float *const u = step.in[0], *const v = step.in[1];
  const float last_x = static_cast<float>(texture.width - 1), last_y = static_cast<float>(texture.height - 1);
  const std::int32_t width = texture.width;
  alignas(64) std::int32_t at[kBatchLanes];
  each(n, [&](int i) { at[i] = index_of(v[i], last_y) * width + index_of(u[i], last_x); });
  for (int i = 0; i < n; ++i)
    std::memcpy(step.dst + i, texture.texels + at[i], sizeof(float));  // words, until their lanes are taken
}

// x / 255 for x = 0..255. With a fused multiply-add the division is two steps of correction; a test compares all
// values.
inline float over_255(float x) {
#ifdef __FMA__
  constexpr float kInverse = 1.0f / 255.0f;
  const float q = x * kInverse;
  return __builtin_fmaf(__builtin_fmaf(-q, 255.0f, x), kInverse, q);
#else
  return x / 255.0f;
#endif
}
template <int kShift>
inline void texel_lane_at(const BoundStep& step, int n) {
  unary(step, n, [](float word) {
    std::int32_t bits;
    std::memcpy(&bits, &word, sizeof bits);
    return over_255(static_cast<float>(static_cast<std::int32_t>(static_cast<std::uint32_t>(bits) >> kShift & 255)));
  });
}

// op_trunc() without branches. GCC takes a rounding instruction for the two conversions, which makes -0 of -0.5 where
// an int has no -0: hence the choice of 0.
inline float trunc_lane(float a) {
  float c = a > -2147483648.0f ? a : -2147483648.0f;
  c = c < 2147483520.0f ? c : 2147483520.0f;
  const float t = ((c < 1.0f) & (c > -1.0f)) ? 0.0f : static_cast<float>(static_cast<std::int32_t>(c));
  const float high = a >= 2147483648.0f ? 2147483648.0f : t;
  return a == a ? high : 0.0f;
}

bool none(const float* x, int n) {
  Mask any = 0;
  for (int i = 0; i < n; ++i) any |= is_true(x[i]);
  return any == 0;
}
bool all(const float* x, int n) {
  Mask every = -1;
  for (int i = 0; i < n; ++i) every &= is_true(x[i]);
  return every != 0;
}

// What a discard needs; most shaders have none.
class Lanes {
 public:
  Lanes(const BatchState& state, int n) : state_(state), n_(n) {}
  void take_live() {
    each(n_, [&](int i) { mask_[i] = state_.live[i]; });
  }
  void narrow(const float* x, bool truth) {
    const Mask flip = truth ? 0 : -1;
    each(n_, [&](int i) { mask_[i] &= is_true(x[i]) ^ flip; });
  }
  void store(float* to, const float* x, const Mask* mask) {
    each(n_, [&](int i) { to[i] = choose(mask[i], x[i], to[i]); });
  }
  void store_masked(float* to, const float* x) { store(to, x, mask_); }
  void store_live(float* to, const float* x) { store(to, x, state_.live); }
  // True when no lane is left.
  bool end() {
    Mask left = 0;
    for (int i = 0; i < n_; ++i) {
      if (state_.discard != nullptr) state_.discard[i] |= mask_[i];
      state_.live[i] &= ~mask_[i];
      left |= state_.live[i];
    }
    return left == 0;
  }

 private:
  const BatchState& state_;
  int n_;
  alignas(64) Mask mask_[kBatchLanes];
};

}  // namespace

void batch_run(const BoundStep* code, int size, const BatchState& state, int n) {
  Lanes lanes(state, n);
  for (int at = 0; at < size; ++at) {
    const BoundStep& step = code[at];
    const float *const a = step.in[0], *const b = step.in[1], *const c = step.in[2];
    float* const d = step.dst;
    switch (step.op) {
      case RowOp::kConstant:
      case RowOp::kUniform:
      case RowOp::kInput:
        break;  // filled before
      case RowOp::kCopy:
      case RowOp::kStore:
        unary(step, n, [](float x) { return x; });
        break;
      case RowOp::kAbs:
        unary(step, n, [](float x) { return op_abs(x); });
        break;
      case RowOp::kRcp:
        unary(step, n, [](float x) { return op_rcp(x); });
        break;
      case RowOp::kRsq:
        unary(step, n, [](float x) { return precise_rsq(x); });
        break;
      case RowOp::kTrunc:
        unary(step, n, [](float x) { return trunc_lane(x); });
        break;
      case RowOp::kSin:
        sine(step, n);
        break;
      case RowOp::kCos:
        cosine(step, n);
        break;
      case RowOp::kCompatRsq:
        slow(step, n, [a](int i) { return compat_rsq(a[i]); });
        break;
      case RowOp::kCompatSin:
        slow(step, n, [a](int i) { return compat_sin(a[i]); });
        break;
      case RowOp::kCompatCos:
        slow(step, n, [a](int i) { return compat_cos(a[i]); });
        break;
      case RowOp::kTexelLane:
        if (step.extra == 0)
          texel_lane_at<16>(step, n);
        else if (step.extra == 1)
          texel_lane_at<8>(step, n);
        else if (step.extra == 2)
          texel_lane_at<0>(step, n);
        else
          texel_lane_at<24>(step, n);
        break;
      case RowOp::kAdd:
        binary(step, n, [](float x, float y) { return x + y; });
        break;
      case RowOp::kSub:
        binary(step, n, [](float x, float y) { return x - y; });
        break;
      case RowOp::kMul:
        binary(step, n, [](float x, float y) { return x * y; });
        break;
      case RowOp::kMax:
        binary(step, n, [](float x, float y) { return op_max(x, y); });
        break;
      case RowOp::kMin:
        binary(step, n, [](float x, float y) { return op_min(x, y); });
        break;
      case RowOp::kLess:
        binary(step, n, [](float x, float y) { return op_compare(kLess, x, y); });
        break;
      case RowOp::kGreater:
        binary(step, n, [](float x, float y) { return op_compare(kGreater, x, y); });
        break;
      case RowOp::kLessEqual:
        binary(step, n, [](float x, float y) { return op_compare(kLessEqual, x, y); });
        break;
      case RowOp::kGreaterEqual:
        binary(step, n, [](float x, float y) { return op_compare(kGreaterEqual, x, y); });
        break;
      case RowOp::kEqual:
        binary(step, n, [](float x, float y) { return op_compare(kEqual, x, y); });
        break;
      case RowOp::kNotEqual:
        binary(step, n, [](float x, float y) { return op_compare(kNotEqual, x, y); });
        break;
      case RowOp::kPow:
        slow(step, n, [a, b](int i) { return precise_pow(a[i], b[i]); });
        break;
      case RowOp::kCompatPow:
        slow(step, n, [a, b](int i) { return compat_pow(a[i], b[i]); });
        break;
      case RowOp::kTexel:
        texel(step, *state.texture, n);
        break;
      case RowOp::kMulAdd:
        each(n, [=](int i) { d[i] = a[i] * b[i] + c[i]; });
        break;
      case RowOp::kSelect:
        each(n, [=](int i) { d[i] = choose(is_true(a[i]), b[i], c[i]); });
        break;
      case RowOp::kDot3:
        dot3(step, n);
        break;
      case RowOp::kDot4:
        dot4(step, n);
        break;
      case RowOp::kSkipIfNone:
        if (none(a, n)) at = step.target - 1;
        break;
      case RowOp::kSkipIfAll:
        if (all(a, n)) at = step.target - 1;
        break;
      case RowOp::kMaskLive:
        lanes.take_live();
        break;
      case RowOp::kMaskAnd:
        lanes.narrow(a, true);
        break;
      case RowOp::kMaskAndNot:
        lanes.narrow(a, false);
        break;
      case RowOp::kStoreMasked:
        lanes.store_masked(d, a);
        break;
      case RowOp::kMaskedLive:
        lanes.store_live(d, a);
        break;
      case RowOp::kEndLanes:
        if (lanes.end()) at = step.target - 1;
        break;
    }
  }
}

}  // namespace gyre::shader::GYRE_BATCH_NS
