#include "batch_scan.h"

#include "pixel_pack.h"

namespace gyre::shader::GYRE_BATCH_NS {
namespace {

bool strip(const Triangle& triangle, const RasterRules& rules, int x, int x_end, int y, PixelStrip* out) {
  const Triangle t = triangle;  // a copy nobody else can write
  const float py = static_cast<float>(y) + 0.5f;
  const bool top_left = rules.top_left, window = rules.window_depth;
  std::int32_t any = 0;
#pragma GCC ivdep
  for (int i = 0; i < kBatchBlock; ++i) {
    const float px = static_cast<float>(x + i) + 0.5f;
    float b[3];
    const bool inside = covers(t, top_left, t.edges[0].at(px, py), t.edges[1].at(px, py), t.edges[2].at(px, py), b);
    const float iw = sample_iw(t, b);
    out->b[0][i] = b[0];
    out->b[1][i] = b[1];
    out->b[2][i] = b[2];
    out->iw[i] = iw;
    out->covered[i] = (inside & !(iw == 0.0f) & (x + i <= x_end)) ? -1 : 0;
    any |= out->covered[i];
  }
  if (any == 0) return false;
#pragma GCC ivdep
  for (int i = 0; i < kBatchBlock; ++i) {
    const float b[3] = {out->b[0][i], out->b[1][i], out->b[2][i]};
    out->z[i] = sample_z(t, window, b, out->iw[i]);
  }
  return true;
}

void interpolate_lanes(const Triangle& triangle, const std::vector<int>& slots, int begin, int end, FragmentBatch* batch) {
  const float w[3] = {triangle.iw[0], triangle.iw[1], triangle.iw[2]};
  for (const int slot : slots) {
    for (int k = 4 * slot; k < 4 * slot + 4; ++k) {
      const float v0 = triangle.varyings[0][k], v1 = triangle.varyings[1][k], v2 = triangle.varyings[2][k];
      float* const out = batch->varyings + k * kBatchLanes;
#pragma GCC ivdep
      for (int i = begin; i < end; ++i) out[i] = interpolate(batch->b[0][i], batch->b[1][i], batch->b[2][i], v0, v1, v2, w, batch->iw[i]);
    }
  }
}

void coordinates(FragmentBatch* batch) {
  float* const to = batch->fragcoord;
#pragma GCC ivdep
  for (int i = 0; i < kBatchLanes; ++i) {
    to[i] = static_cast<float>(batch->x[i]) + 0.5f;
    to[kBatchLanes + i] = static_cast<float>(batch->y[i]) + 0.5f;
    to[2 * kBatchLanes + i] = batch->z[i];
    to[3 * kBatchLanes + i] = 1.0f / batch->iw[i];
  }
}

void pack(FragmentBatch* batch) {
  const float* const c = batch->color;
#pragma GCC ivdep
  for (int i = 0; i < kBatchLanes; ++i)
    batch->packed[i] = packed_clamped(c[3 * kBatchLanes + i]) << 24 | packed_clamped(c[i]) << 16 | packed_clamped(c[kBatchLanes + i]) << 8 |
                       packed_clamped(c[2 * kBatchLanes + i]);
}

}  // namespace

extern const ScanLoops kScanLoops;
const ScanLoops kScanLoops = {strip, interpolate_lanes, coordinates, pack};

}  // namespace gyre::shader::GYRE_BATCH_NS
