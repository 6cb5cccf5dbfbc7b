// An independent scalar output merger, written from om.md channel by channel.
#pragma once

#include <algorithm>
#include <cstdint>

namespace gyre::test {

// Registers as software writes them, attachment 0 only unless said otherwise.
struct RefOm {
  std::uint32_t depth_func = 0, depth_write = 0;
  std::uint32_t func[2] = {}, zpass[2] = {}, zfail[2] = {}, fail[2] = {};
  std::uint32_t ref[2] = {}, mask[2] = {}, writemask[2] = {};
  std::uint32_t mode_rgb = 0, mode_a = 0, src_rgb = 1, src_a = 1, dst_rgb = 0, dst_a = 0;
  std::uint32_t constant = 0, logic = 0, colour_mask = 15;
};

inline bool ref_compare(std::uint32_t code, std::uint32_t a, std::uint32_t b) {
  switch (code) {
    case 0:
      return true;
    case 1:
      return false;
    case 2:
      return a < b;
    case 3:
      return a <= b;
    case 4:
      return a == b;
    case 5:
      return a >= b;
    case 6:
      return a > b;
    default:
      return a != b;
  }
}

inline std::uint32_t ref_stencil(std::uint32_t code, std::uint32_t ref, std::uint32_t v) {
  const std::uint32_t table[8] = {
      v, 0, ref, std::min(v + 1, 255u), v == 0 ? 0 : v - 1, 255 - v, (v + 1) % 256, (v + 255) % 256};
  return table[code];
}

inline int ref_channel(std::uint32_t word, int channel) { return int(word >> (8 * channel)) & 255; }

// Channel 0 B, 1 G, 2 R, 3 A.
inline int ref_factor(std::uint32_t code, int channel, std::uint32_t src, std::uint32_t dst, std::uint32_t cst) {
  const int sa = ref_channel(src, 3), da = ref_channel(dst, 3);
  int value = 0;
  switch (code & ~1u) {
    case 0:
      return code == 1 ? 255 : 0;
    case 2:
      value = ref_channel(src, channel);
      break;
    case 4:
      value = ref_channel(dst, channel);
      break;
    case 6:
      value = sa;
      break;
    case 8:
      value = da;
      break;
    case 10:
      value = ref_channel(cst, channel);
      break;
    case 12:
      value = ref_channel(cst, 3);
      break;
    default:
      if (code == 15) return 0;
      return channel == 3 ? 255 : std::min(sa, 255 - da);
  }
  return (code & 1) != 0 ? 255 - value : value;
}

inline int ref_round(int t) { return (t + t / 256) / 256; }

inline bool ref_logic_bit(std::uint32_t code, bool s, bool d) {
  switch (code) {
    case 0:
      return false;
    case 1:
      return s && d;
    case 2:
      return s && !d;
    case 3:
      return s;
    case 4:
      return !s && d;
    case 5:
      return d;
    case 6:
      return s != d;
    case 7:
      return s || d;
    case 8:
      return !(s || d);
    case 9:
      return s == d;
    case 10:
      return !d;
    case 11:
      return s || !d;
    case 12:
      return !s;
    case 13:
      return !s || d;
    case 14:
      return !(s && d);
    default:
      return true;
  }
}

inline std::uint32_t ref_blend(const RefOm& om, std::uint32_t src, std::uint32_t dst) {
  std::uint32_t out = 0;
  for (int channel = 0; channel < 4; ++channel) {
    const bool alpha = channel == 3;
    const std::uint32_t mode = alpha ? om.mode_a : om.mode_rgb;
    const int s = ref_channel(src, channel), d = ref_channel(dst, channel);
    const int ps = s * ref_factor(alpha ? om.src_a : om.src_rgb, channel, src, dst, om.constant);
    const int pd = d * ref_factor(alpha ? om.dst_a : om.dst_rgb, channel, src, dst, om.constant);
    int result = s;
    switch (mode) {
      case 0:
        result = ref_round(std::min(ps + pd + 128, 0xFF00));
        break;
      case 1:
        result = ref_round(std::max(ps - pd + 128, 0));
        break;
      case 2:
        result = ref_round(std::max(pd - ps + 128, 0));
        break;
      case 3:
        result = std::min(s, d);
        break;
      case 4:
        result = std::max(s, d);
        break;
      case 5:
        result = 0;
        for (int bit = 0; bit < 8; ++bit)
          result |= int(ref_logic_bit(om.logic, (s >> bit & 1) != 0, (d >> bit & 1) != 0)) << bit;
        break;
      default:
        break;
    }
    out |= static_cast<std::uint32_t>(result) << (8 * channel);
  }
  return out;
}

// One fragment on stored words, exactly the text of om.md §6.4 and §7.5.
inline void ref_fragment(const RefOm& om, int face, std::uint32_t depth, std::uint32_t colour, std::uint32_t& z_word,
                         std::uint32_t& c_word) {
  const std::uint32_t z = z_word % (1u << 24), s = z_word >> 24, dref = depth % (1u << 24);
  const bool depth_en = om.depth_func != 0 || om.depth_write != 0;
  bool stencil_en[2];
  for (int f = 0; f < 2; ++f) stencil_en[f] = om.func[f] != 0 || om.zpass[f] != 0 || om.zfail[f] != 0;
  const bool ds_en = depth_en || stencil_en[0] || stencil_en[1];
  bool pass = true;
  if (ds_en) {
    const bool spass = ref_compare(om.func[face], om.ref[face] & om.mask[face], s & om.mask[face]);
    const bool dpass = ref_compare(om.depth_func, dref, z);
    pass = spass && dpass;
    std::uint32_t new_s = s, new_z = z;
    if (stencil_en[face]) {
      const std::uint32_t v = ref_stencil(!spass   ? om.fail[face]
                                          : !dpass ? om.zfail[face]
                                                   : om.zpass[face],
                                          om.ref[face], s);
      for (std::uint32_t bit = 1; bit < 256; bit *= 2)
        if ((om.writemask[face] & bit) != 0) new_s = (new_s & ~bit) | (v & bit);
    }
    if (depth_en && pass && om.depth_write != 0) new_z = dref;
    z_word = new_s << 24 | new_z;
  }
  if (!pass) return;
  const std::uint32_t result = ref_blend(om, colour, c_word);
  for (int byte = 0; byte < 4; ++byte)
    if ((om.colour_mask >> byte & 1) != 0) {
      const std::uint32_t m = 0xFFu << (8 * byte);
      c_word = (c_word & ~m) | (result & m);
    }
}

}  // namespace gyre::test
