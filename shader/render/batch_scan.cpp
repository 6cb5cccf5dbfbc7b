#include "batch_scan.h"

#include <immintrin.h>

#include <cstring>

#include "pixel_pack.h"

namespace gyre::shader::GYRE_BATCH_NS {
namespace {

// Pixels of one row of a bin, side by side.
struct Strip {
  alignas(64) float e[3][kBin], b[3][kBin], iw[kBin], z[kBin], depth[kBin];
  alignas(64) std::int32_t flags[kBin];
};

// Bit i: flags[i] is -1, not 0.
inline std::uint32_t bits_of(const std::int32_t* flags) {
#if defined(__AVX512DQ__)
  return _mm512_movepi32_mask(_mm512_load_si512(flags));
#elif defined(__AVX2__)
  const auto half = [flags](int at) {
    return static_cast<std::uint32_t>(_mm256_movemask_ps(_mm256_load_ps(reinterpret_cast<const float*>(flags + at))));
  };
  return half(0) | half(8) << 8;
#else
  const auto quarter = [flags](int at) {
    return static_cast<std::uint32_t>(_mm_movemask_ps(_mm_load_ps(reinterpret_cast<const float*>(flags + at))));
  };
  return quarter(0) | quarter(4) << 4 | quarter(8) << 8 | quarter(12) << 12;
#endif
}

// f(i) for the pixels of blocks begin..end-1, then the bits of their flags.
template <class F>
inline std::uint64_t flagged(int begin, int end, Strip* strip, F f) {
  std::uint64_t bits = 0;
  for (int block = begin; block < end; ++block) {
#pragma GCC ivdep
    for (int i = block * kBatchBlock; i < (block + 1) * kBatchBlock; ++i) strip->flags[i] = f(i) ? -1 : 0;
    bits |= std::uint64_t{bits_of(strip->flags + block * kBatchBlock)} << (block * kBatchBlock);
  }
  return bits;
}

inline int first_block(std::uint64_t mask) { return __builtin_ctzll(mask) / kBatchBlock; }
inline int last_block(std::uint64_t mask) { return (63 - __builtin_clzll(mask)) / kBatchBlock; }

// Covered pixels of the row, from x on, with barycentrics and 1/w. What the edges say comes first: a row outside costs
// no division.
template <bool kTopLeft>
inline std::uint64_t cover(const Triangle& t, int x, int count, float py, Strip* out) {
  const int blocks = (count + kBatchBlock - 1) / kBatchBlock;
  int begin = 0, end = blocks;
  std::uint64_t mask = count == kBin ? ~std::uint64_t{0} : (std::uint64_t{1} << count) - 1;
  if (kTopLeft) {
    mask &= flagged(0, blocks, out, [&](int i) {
      const float px = static_cast<float>(x + i) + 0.5f;
      const float e0 = t.edges[0].at(px, py), e1 = t.edges[1].at(px, py), e2 = t.edges[2].at(px, py);
      out->e[0][i] = e0;
      out->e[1][i] = e1;
      out->e[2][i] = e2;
      return covers_top_left(t, e0, e1, e2);
    });
    if (mask == 0) return 0;
    begin = first_block(mask);
    end = last_block(mask) + 1;
    return mask & flagged(begin, end, out, [&](int i) {
             const float b[3] = {out->e[0][i] / t.den, out->e[1][i] / t.den, out->e[2][i] / t.den};
             const float iw = sample_iw(t, b);
             out->b[0][i] = b[0];
             out->b[1][i] = b[1];
             out->b[2][i] = b[2];
             out->iw[i] = iw;
             return !(iw == 0.0f);
           });
  }
  return mask & flagged(begin, end, out, [&](int i) {
           const float px = static_cast<float>(x + i) + 0.5f;
           float b[3];
           const bool inside = covers(t, false, t.edges[0].at(px, py), t.edges[1].at(px, py), t.edges[2].at(px, py), b);
           const float iw = sample_iw(t, b);
           out->b[0][i] = b[0];
           out->b[1][i] = b[1];
           out->b[2][i] = b[2];
           out->iw[i] = iw;
           return inside & !(iw == 0.0f);
         });
}

// Of the pixels of `mask`, those the depth test lets through. `room`: pixels from x to the end of the surface's row.
inline std::uint64_t nearer(const Triangle& t, const RasterRules& rules, const float* depth, int room,
                            std::uint64_t mask, Strip* strip) {
  const int begin = first_block(mask), end = last_block(mask) + 1;
  const bool window = rules.window_depth;
  for (int block = begin; block < end; ++block) {
#pragma GCC ivdep
    for (int i = block * kBatchBlock; i < (block + 1) * kBatchBlock; ++i) {
      const float b[3] = {strip->b[0][i], strip->b[1][i], strip->b[2][i]};
      strip->z[i] = sample_z(t, window, b, strip->iw[i]);
    }
  }
  if (!rules.depth_test) return mask;
  if (room < end * kBatchBlock) {
    std::memcpy(strip->depth, depth, sizeof(float) * static_cast<std::size_t>(room));
    depth = strip->depth;
  }
  return mask & flagged(begin, end, strip, [&](int i) { return !(strip->z[i] >= depth[i]); });
}

// Those lanes of 16 whose bit is set, packed at `to`; what stands behind them there may change.
inline void pack_lanes(float* to, const float* from, std::uint32_t bits) {
#if defined(__AVX512F__)
  _mm512_storeu_ps(to, _mm512_maskz_compress_ps(static_cast<__mmask16>(bits), _mm512_load_ps(from)));
#else
  for (; bits != 0; bits &= bits - 1) *to++ = from[__builtin_ctz(bits)];
#endif
}

// Pixels of the mask become lanes; `at`: the surface's index of pixel 0.
void append(const Strip& strip, std::uint64_t mask, std::int32_t at, FragmentBatch* batch) {
  int lane = batch->count;
  for (int first = 0; mask != 0; first += kBatchBlock, mask >>= kBatchBlock) {
    const auto bits = static_cast<std::uint32_t>(mask & 0xFFFF);
    if (bits == 0) continue;
    const float* const sources[] = {strip.b[0] + first, strip.b[1] + first, strip.b[2] + first, strip.iw + first,
                                    strip.z + first};
    float* const targets[] = {batch->b[0] + lane, batch->b[1] + lane, batch->b[2] + lane, batch->iw + lane,
                              batch->z + lane};
    if (bits == 0xFFFF) {
      for (int k = 0; k < 5; ++k) std::memcpy(targets[k], sources[k], kBatchBlock * sizeof(float));
      for (int i = 0; i < kBatchBlock; ++i) batch->at[lane + i] = at + first + i;
      lane += kBatchBlock;
      continue;
    }
    for (int k = 0; k < 5; ++k) pack_lanes(targets[k], sources[k], bits);
    for (std::uint32_t left = bits; left != 0; left &= left - 1) batch->at[lane++] = at + first + __builtin_ctz(left);
  }
  batch->count = lane;
}

template <bool kTopLeft>
bool collect_by(const Triangle& triangle, const RasterRules& rules, const Surface& surface, ScanBin* bin,
                ScanCursor* cursor, FragmentBatch* batch) {
  const Triangle t = triangle;  // a copy nobody else can write
  Strip strip;
  const int x = cursor->x_begin, count = cursor->x_end - x + 1;
  for (; cursor->y <= cursor->y_end; ++cursor->y) {
    if (batch->count >= kBatchLanes) return true;
    const int y = cursor->y;
    std::uint64_t mask = cover<kTopLeft>(t, x, count, static_cast<float>(y) + 0.5f, &strip);
    if (mask == 0) continue;
    std::uint64_t* const waiting = &bin->waiting[y - bin->y0];
    if ((*waiting >> (x - bin->x0) & mask) != 0) return true;
    const std::size_t at =
        static_cast<std::size_t>(y) * static_cast<std::size_t>(surface.width) + static_cast<std::size_t>(x);
    mask = nearer(t, rules, surface.depth + at, surface.width - x, mask, &strip);
    *waiting |= mask << (x - bin->x0);
    append(strip, mask, static_cast<std::int32_t>(at), batch);
  }
  return batch->count >= kBatchLanes;
}

bool collect(const Triangle& t, const RasterRules& rules, const Surface& surface, ScanBin* bin, ScanCursor* cursor,
             FragmentBatch* batch) {
  return rules.top_left ? collect_by<true>(t, rules, surface, bin, cursor, batch)
                        : collect_by<false>(t, rules, surface, bin, cursor, batch);
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
    for (int i = 0; i < kBatchLanes; ++i)
      packed[i] = level_of(a[i]) << 24 | level_of(r[i]) << 16 | level_of(g[i]) << 8 | level_of(b[i]);
  } else {
    for (int i = 0; i < count; ++i) {
      const float rgba[4] = {r[i], g[i], b[i], a[i]};
      packed[i] = pack_pixel(rgba, false);
    }
  }
  for (int block = 0; block < count; block += kBatchBlock) {
    const std::int32_t first = batch.at[block];
    alignas(64) std::int32_t apart[kBatchBlock];  // discarded, or not beside its neighbour
    for (int i = 0; i < kBatchBlock; ++i)
      apart[i] = ((batch.at[block + i] - first - i) | batch.discard[block + i]) != 0 ? -1 : 0;
    if (bits_of(apart) == 0 && block + kBatchBlock <= count) {
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
