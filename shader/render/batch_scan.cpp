#include "batch_scan.h"

#include <immintrin.h>

#include <cstring>

#include "pixel_pack.h"

namespace gyre::shader::GYRE_BATCH_NS {
namespace {

constexpr std::uint32_t kFullBlock = (1u << kBatchBlock) - 1;

// Pixels of one row, side by side.
struct Strip {
  alignas(64) float e[3][kBatchBlock], b[3][kBatchBlock], iw[kBatchBlock], z[kBatchBlock], depth[kBatchBlock];
  alignas(64) std::int32_t covered[kBatchBlock];
};

// Bit i: flags[i] is -1, not 0.
inline std::uint32_t bits_of(const std::int32_t* flags) {
#if defined(__AVX512DQ__)
  return _mm512_movepi32_mask(_mm512_load_si512(flags));
#elif defined(__AVX2__)
  const auto half = [flags](int at) { return static_cast<std::uint32_t>(_mm256_movemask_ps(_mm256_load_ps(reinterpret_cast<const float*>(flags + at)))); };
  return half(0) | half(8) << 8;
#else
  const auto quarter = [flags](int at) { return static_cast<std::uint32_t>(_mm_movemask_ps(_mm_load_ps(reinterpret_cast<const float*>(flags + at)))); };
  return quarter(0) | quarter(4) << 4 | quarter(8) << 8 | quarter(12) << 12;
#endif
}

// Barycentrics and 1/w of covered pixels; what the edges say comes first, so blocks outside cost no division.
template <bool kTopLeft>
inline std::uint32_t cover(const Triangle& t, int x, int x_end, float py, Strip* out) {
  if (kTopLeft) {
#pragma GCC ivdep
    for (int i = 0; i < kBatchBlock; ++i) {
      const float px = static_cast<float>(x + i) + 0.5f;
      out->e[0][i] = t.edges[0].at(px, py);
      out->e[1][i] = t.edges[1].at(px, py);
      out->e[2][i] = t.edges[2].at(px, py);
      out->covered[i] = (covers_top_left(t, out->e[0][i], out->e[1][i], out->e[2][i]) & (x + i <= x_end)) ? -1 : 0;
    }
    if (bits_of(out->covered) == 0) return 0;
#pragma GCC ivdep
    for (int i = 0; i < kBatchBlock; ++i) {
      const float b[3] = {out->e[0][i] / t.den, out->e[1][i] / t.den, out->e[2][i] / t.den};
      const float iw = sample_iw(t, b);
      out->b[0][i] = b[0];
      out->b[1][i] = b[1];
      out->b[2][i] = b[2];
      out->iw[i] = iw;
      out->covered[i] &= iw == 0.0f ? 0 : -1;
    }
    return bits_of(out->covered);
  }
#pragma GCC ivdep
  for (int i = 0; i < kBatchBlock; ++i) {
    const float px = static_cast<float>(x + i) + 0.5f;
    float b[3];
    const bool inside = covers(t, false, t.edges[0].at(px, py), t.edges[1].at(px, py), t.edges[2].at(px, py), b);
    const float iw = sample_iw(t, b);
    out->b[0][i] = b[0];
    out->b[1][i] = b[1];
    out->b[2][i] = b[2];
    out->iw[i] = iw;
    out->covered[i] = (inside & !(iw == 0.0f) & (x + i <= x_end)) ? -1 : 0;
  }
  return bits_of(out->covered);
}

inline std::uint32_t nearer(const Triangle& t, const RasterRules& rules, const Surface& surface, std::size_t at, int room, Strip* strip) {
  const bool window = rules.window_depth;
#pragma GCC ivdep
  for (int i = 0; i < kBatchBlock; ++i) {
    const float b[3] = {strip->b[0][i], strip->b[1][i], strip->b[2][i]};
    strip->z[i] = sample_z(t, window, b, strip->iw[i]);
  }
  if (!rules.depth_test) return kFullBlock;
  const float* depth = surface.depth + at;
  if (room < kBatchBlock) {
    std::memcpy(strip->depth, depth, sizeof(float) * static_cast<std::size_t>(room));
    depth = strip->depth;
  }
#pragma GCC ivdep
  for (int i = 0; i < kBatchBlock; ++i) strip->covered[i] = strip->z[i] >= depth[i] ? 0 : -1;
  return bits_of(strip->covered);
}

void append(const Strip& strip, std::uint32_t mask, std::int32_t at, FragmentBatch* batch) {
  int lane = batch->count;
  if (mask == kFullBlock) {
    for (int k = 0; k < 3; ++k) std::memcpy(batch->b[k] + lane, strip.b[k], sizeof strip.b[k]);
    std::memcpy(batch->iw + lane, strip.iw, sizeof strip.iw);
    std::memcpy(batch->z + lane, strip.z, sizeof strip.z);
    for (int i = 0; i < kBatchBlock; ++i) batch->at[lane + i] = at + i;
    batch->count = lane + kBatchBlock;
    return;
  }
  for (; mask != 0; mask &= mask - 1, ++lane) {
    const int i = __builtin_ctz(mask);
    batch->b[0][lane] = strip.b[0][i];
    batch->b[1][lane] = strip.b[1][i];
    batch->b[2][lane] = strip.b[2][i];
    batch->iw[lane] = strip.iw[i];
    batch->z[lane] = strip.z[i];
    batch->at[lane] = at + i;
  }
  batch->count = lane;
}

template <bool kTopLeft>
bool collect_by(const Triangle& triangle, const RasterRules& rules, const Surface& surface, ScanBin* bin, ScanCursor* cursor,
                FragmentBatch* batch) {
  const Triangle t = triangle;  // a copy nobody else can write
  Strip strip;
  for (; cursor->y <= cursor->y_end; ++cursor->y, cursor->x = cursor->x_begin) {
    const int y = cursor->y;
    const float py = static_cast<float>(y) + 0.5f;
    std::uint64_t* const waiting = &bin->waiting[y - bin->y0];
    for (; cursor->x <= cursor->x_end; cursor->x += kBatchBlock) {
      if (batch->count >= kBatchLanes) return true;
      const int x = cursor->x;
      std::uint32_t mask = cover<kTopLeft>(t, x, cursor->x_end, py, &strip);
      if (mask == 0) continue;
      if ((*waiting >> (x - bin->x0) & mask) != 0) return true;
      const std::size_t at = static_cast<std::size_t>(y) * static_cast<std::size_t>(surface.width) + static_cast<std::size_t>(x);
      mask &= nearer(t, rules, surface, at, surface.width - x, &strip);
      *waiting |= std::uint64_t{mask} << (x - bin->x0);
      append(strip, mask, static_cast<std::int32_t>(at), batch);
    }
  }
  return batch->count >= kBatchLanes;
}

bool collect(const Triangle& t, const RasterRules& rules, const Surface& surface, ScanBin* bin, ScanCursor* cursor, FragmentBatch* batch) {
  return rules.top_left ? collect_by<true>(t, rules, surface, bin, cursor, batch) : collect_by<false>(t, rules, surface, bin, cursor, batch);
}

// Whole blocks from `begin` on: what is written behind `end` is written again when it counts.
void interpolate_lanes(const Triangle& t, const std::vector<int>& rows, int begin, int end, FragmentBatch* batch) {
  const float w[3] = {t.iw[0], t.iw[1], t.iw[2]};
  for (const int row : rows) {
    const float v0 = t.varyings[0][row], v1 = t.varyings[1][row], v2 = t.varyings[2][row];
    float* const out = batch->varyings + row * kBatchRow;
    for (int block = begin; block < end; block += kBatchBlock) {
#pragma GCC ivdep
      for (int i = block; i < block + kBatchBlock; ++i)
        out[i] = interpolate(batch->b[0][i], batch->b[1][i], batch->b[2][i], v0, v1, v2, w, batch->iw[i]);
    }
  }
}

void coordinates(int width, int count, FragmentBatch* batch) {
  float* const to = batch->fragcoord;
  for (int block = 0; block < count; block += kBatchBlock) {
#pragma GCC ivdep
    for (int i = block; i < block + kBatchBlock; ++i) {
      to[i] = static_cast<float>(batch->at[i] % width) + 0.5f;
      to[kBatchRow + i] = static_cast<float>(batch->at[i] / width) + 0.5f;
      to[2 * kBatchRow + i] = batch->z[i];
      to[3 * kBatchRow + i] = 1.0f / batch->iw[i];
    }
  }
}

// packed_clamped() without what the range makes needless.
inline std::uint32_t level_of(float c) {
  c = c > 0.0f ? c : 0.0f;
  c = c < 1.0f ? c : 1.0f;
  return static_cast<std::uint32_t>(static_cast<std::int32_t>(c * 255.0f + 0.5f));
}

void write(const RasterRules& rules, const Surface& surface, int count, const FragmentBatch& batch) {
  const float *const r = batch.color, *const g = r + kBatchRow, *const b = g + kBatchRow, *const a = b + kBatchRow;
  alignas(64) std::uint32_t packed[kBatchLanes];
  if (rules.clamp_color) {
#pragma GCC ivdep
    for (int i = 0; i < kBatchLanes; ++i) packed[i] = level_of(a[i]) << 24 | level_of(r[i]) << 16 | level_of(g[i]) << 8 | level_of(b[i]);
  } else {
    for (int i = 0; i < count; ++i) {
      const float rgba[4] = {r[i], g[i], b[i], a[i]};
      packed[i] = pack_pixel(rgba, false);
    }
  }
  for (int block = 0; block < count; block += kBatchBlock) {
    const std::int32_t first = batch.at[block];
    std::int32_t apart = 0;  // neither discarded nor away from its neighbour: 0
    for (int i = 0; i < kBatchBlock; ++i) apart |= (batch.at[block + i] - first - i) | batch.discard[block + i];
    if (apart == 0 && block + kBatchBlock <= count) {
      std::memcpy(surface.color + first, packed + block, kBatchBlock * sizeof packed[0]);
      if (rules.depth_write) std::memcpy(surface.depth + first, batch.z + block, kBatchBlock * sizeof batch.z[0]);
      continue;
    }
    for (int i = block; i < block + kBatchBlock && i < count; ++i) {
      if (batch.discard[i] != 0) continue;
      surface.color[batch.at[i]] = packed[i];
      if (rules.depth_write) surface.depth[batch.at[i]] = batch.z[i];
    }
  }
}

}  // namespace

extern const ScanLoops kScanLoops;
const ScanLoops kScanLoops = {collect, interpolate_lanes, coordinates, write};

}  // namespace gyre::shader::GYRE_BATCH_NS
