// An independent scalar sampler, written from tex.md step by step: no SWAR, no sharing with the product.
#pragma once

#include <cstdint>
#include <functional>

namespace gyre::test {

struct RefTexture {
  int log_w = 0, log_h = 0, format = 0, wrap_u = 0, wrap_v = 0;
  bool bilinear = false, mip_linear = false;
  std::uint64_t base = 0;
  std::uint32_t mip[16] = {};
  std::uint32_t border = 0;
};
using ReadByte = std::function<int(std::uint64_t)>;

inline int ref_lerp(int a, int b, int f) {
  const int p = a * (255 - f) + b * f + 128;
  return (p + p / 256) / 256;
}
inline int ref_level_lerp(int a, int b, int g) { return (a * (256 - g) + b * g) / 256; }

struct RefColour {
  int c[4];  // b g r a
};
inline std::uint32_t pack(const RefColour& x) {
  return static_cast<std::uint32_t>(x.c[0]) | static_cast<std::uint32_t>(x.c[1]) << 8 |
         static_cast<std::uint32_t>(x.c[2]) << 16 | static_cast<std::uint32_t>(x.c[3]) << 24;
}
inline RefColour unpack(std::uint32_t x) {
  return {{int(x & 255), int(x >> 8 & 255), int(x >> 16 & 255), int(x >> 24)}};
}

inline int ref_bytes(int format) { return format == 0 ? 4 : format >= 5 ? 1 : 2; }

inline RefColour ref_decode(int format, std::uint32_t t) {
  const auto bits = [t](int hi, int lo) { return int(t >> lo) & ((1 << (hi - lo + 1)) - 1); };
  const auto five = [](int x) { return (x * 8) + x / 4; };
  const auto six = [](int x) { return (x * 4) + x / 16; };
  switch (format) {
    case 1:
      return {{five(bits(4, 0)), six(bits(10, 5)), five(bits(15, 11)), 255}};
    case 2:
      return {{five(bits(4, 0)), five(bits(9, 5)), five(bits(14, 10)), bits(15, 15) * 255}};
    case 3:
      return {{bits(3, 0) * 17, bits(7, 4) * 17, bits(11, 8) * 17, bits(15, 12) * 17}};
    case 4:
      return {{bits(7, 0), bits(7, 0), bits(7, 0), bits(15, 8)}};
    case 5:
      return {{bits(7, 0), bits(7, 0), bits(7, 0), 255}};
    case 6:
      return {{255, 255, 255, bits(7, 0)}};
    default:
      return unpack(t);
  }
}

inline std::int64_t ref_wrap(std::int64_t c, int mode) {
  const std::int64_t one = 1 << 23;
  switch (mode) {
    case 1:
      return ((c % one) + one) % one;
    case 2: {
      const std::int64_t m = ((c % (2 * one)) + 2 * one) % (2 * one);
      return m < one ? m : 2 * one - 1 - m;
    }
    default:
      return c < 0 ? 0 : c >= one ? one - 1 : c;
  }
}

inline RefColour ref_level(const RefTexture& t, std::int64_t u, std::int64_t v, int level, const ReadByte& read) {
  const std::int64_t one = 1 << 23;
  const int lw = t.log_w > level ? t.log_w - level : 0, lh = t.log_h > level ? t.log_h - level : 0;
  const std::int64_t du = t.bilinear ? (one / 2) >> lw : 0, dv = t.bilinear ? (one / 2) >> lh : 0;
  const std::int64_t us[2] = {u - du, u + du}, vs[2] = {v - dv, v + dv};
  const auto tap = [&](int i, int j) {
    const std::int64_t x = ref_wrap(us[i], t.wrap_u) >> (23 - lw), y = ref_wrap(vs[j], t.wrap_v) >> (23 - lh);
    const bool out_u = t.wrap_u == 3 && (us[i] < 0 || us[i] >= one);
    const bool out_v = t.wrap_v == 3 && (vs[j] < 0 || vs[j] >= one);
    if (out_u || out_v) return unpack(t.border);
    const int bytes = ref_bytes(t.format);
    const std::uint64_t address = t.base + t.mip[level] + static_cast<std::uint64_t>((y << lw) + x) * bytes;
    std::uint32_t texel = 0;
    for (int b = 0; b < bytes; ++b) texel |= static_cast<std::uint32_t>(read(address + b)) << (8 * b);
    return ref_decode(t.format, texel);
  };
  if (!t.bilinear) return tap(0, 0);
  // Weight of the high tap: how far the low coordinate is into its texel, counted upward whatever the wrap mode does.
  const auto weight = [&](std::int64_t c, int log) { return int(((c % one) + one) % one >> (15 - log)) & 255; };
  const int alpha = weight(us[0], lw), beta = weight(vs[0], lh);
  const RefColour t0 = tap(0, 0), t1 = tap(1, 0), t2 = tap(0, 1), t3 = tap(1, 1);
  RefColour out;
  for (int c = 0; c < 4; ++c)
    out.c[c] = ref_lerp(ref_lerp(t0.c[c], t1.c[c], alpha), ref_lerp(t2.c[c], t3.c[c], alpha), beta);
  return out;
}

// u, v small enough not to overflow 32 bits.
inline std::uint32_t ref_sample(const RefTexture& t, std::int32_t u, std::int32_t v, std::uint32_t lod,
                                const ReadByte& read) {
  if (!t.mip_linear) return pack(ref_level(t, u, v, int(lod % 16), read));
  const int l0 = int(lod / 256 % 16), l1 = l0 < 15 ? l0 + 1 : 15, g = int(lod % 256);
  const RefColour a = ref_level(t, u, v, l0, read), b = ref_level(t, u, v, l1, read);
  RefColour out;
  for (int c = 0; c < 4; ++c) out.c[c] = ref_level_lerp(a.c[c], b.c[c], g);
  return pack(out);
}

}  // namespace gyre::test
