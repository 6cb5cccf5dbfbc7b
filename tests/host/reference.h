// The reference the host CPU is judged by: one instruction at a time, written straight from the instruction listings
// of the RISC-V manual, slow and plain. RV64IMAFDC in machine mode without CSRs but frm (csrrw x0, frm, rs1).
#pragma once

#include <cstdint>
#include <cstring>
#include <vector>

#include "reference_fp.h"

namespace gyre::test {

struct Reference {
  static constexpr std::uint64_t kBase = 0x80000000;
  std::uint64_t x[32] = {};
  std::uint64_t pc = kBase;
  std::uint64_t retired = 0;
  FpReference fp;
  std::vector<std::uint8_t> memory;
  bool reserved = false;
  std::uint64_t reserved_address = 0;
  // Last trap; cause 0 = none (misaligned fetch cannot happen with C).
  unsigned cause = 0;
  std::uint64_t tval = 0;

  explicit Reference(std::size_t bytes) : memory(bytes) {}

  bool inside(std::uint64_t address, unsigned bytes) const {
    return address >= kBase && address - kBase < memory.size() && memory.size() - (address - kBase) >= bytes;
  }
  std::uint64_t get(std::uint64_t address, unsigned bytes) const {
    std::uint64_t value = 0;
    for (unsigned i = 0; i < bytes; ++i) value |= std::uint64_t{memory[address - kBase + i]} << (8 * i);
    return value;
  }
  void put(std::uint64_t address, unsigned bytes, std::uint64_t value) {
    for (unsigned i = 0; i < bytes; ++i) memory[address - kBase + i] = static_cast<std::uint8_t>(value >> (8 * i));
  }
  static std::uint64_t sx(std::uint64_t value, unsigned bits) {
    return static_cast<std::uint64_t>(static_cast<std::int64_t>(value << (64 - bits)) >> (64 - bits));
  }

  // Executes one instruction; false: it trapped (cause, tval), pc stays.
  bool step() {
    cause = 0;
    if (!inside(pc, 2)) return trap(1, pc);
    const auto low = static_cast<std::uint32_t>(get(pc, 2));
    bool ok;
    std::uint64_t next;
    if ((low & 3) != 3) {
      next = pc + 2;
      ok = compressed(low, next);
    } else {
      if (!inside(pc + 2, 2)) return trap(1, pc);
      next = pc + 4;
      ok = full(low | static_cast<std::uint32_t>(get(pc + 2, 2)) << 16, next);
    }
    x[0] = 0;
    if (!ok) return false;
    pc = next;
    ++retired;
    return true;
  }

 private:
  bool trap(unsigned why, std::uint64_t value) {
    cause = why;
    tval = value;
    return false;
  }
  bool load(unsigned rd, std::uint64_t address, unsigned bytes, bool is_signed) {
    if (!inside(address, bytes)) return trap(5, address);
    const std::uint64_t value = get(address, bytes);
    x[rd] = is_signed ? sx(value, 8 * bytes) : value;
    return true;
  }
  bool load_fp(unsigned rd, std::uint64_t address, unsigned bytes) {
    if (!inside(address, bytes)) return trap(5, address);
    fp.load(rd, get(address, bytes), bytes);
    return true;
  }
  bool store(std::uint64_t address, unsigned bytes, std::uint64_t value) {
    if (!inside(address, bytes)) return trap(7, address);
    put(address, bytes, value);
    return true;
  }

  static bool alu64(unsigned f7, unsigned f3, std::uint64_t a, std::uint64_t b, std::uint64_t& out) {
    const auto sa = static_cast<std::int64_t>(a), sb = static_cast<std::int64_t>(b);
    const auto wide_a = static_cast<__int128>(sa), wide_b = static_cast<__int128>(sb);
    const auto wide_ua = static_cast<__int128>(static_cast<unsigned __int128>(a));
    const auto wide_ub = static_cast<__int128>(static_cast<unsigned __int128>(b));
    const bool overflow = sa == INT64_MIN && sb == -1;
    switch (f7 << 3 | f3) {
      case 0x00: out = a + b; return true;
      case 0x01: out = a << (b & 63); return true;
      case 0x02: out = sa < sb; return true;
      case 0x03: out = a < b; return true;
      case 0x04: out = a ^ b; return true;
      case 0x05: out = a >> (b & 63); return true;
      case 0x06: out = a | b; return true;
      case 0x07: out = a & b; return true;
      case 0x100: out = a - b; return true;
      case 0x105: out = static_cast<std::uint64_t>(sa >> (b & 63)); return true;
      case 0x08: out = a * b; return true;
      case 0x09: out = static_cast<std::uint64_t>(wide_a * wide_b >> 64); return true;
      case 0x0A: out = static_cast<std::uint64_t>(wide_a * wide_ub >> 64); return true;
      case 0x0B: out = static_cast<std::uint64_t>(static_cast<unsigned __int128>(wide_ua) * b >> 64); return true;
      case 0x0C: out = b == 0 ? ~0ull : overflow ? a : static_cast<std::uint64_t>(sa / sb); return true;
      case 0x0D: out = b == 0 ? ~0ull : a / b; return true;
      case 0x0E: out = b == 0 ? a : overflow ? 0 : static_cast<std::uint64_t>(sa % sb); return true;
      case 0x0F: out = b == 0 ? a : a % b; return true;
      default: return false;
    }
  }
  static bool alu32(unsigned f7, unsigned f3, std::uint64_t a, std::uint64_t b, std::uint64_t& out) {
    const auto ua = static_cast<std::uint32_t>(a), ub = static_cast<std::uint32_t>(b);
    const auto sa = static_cast<std::int32_t>(ua), sb = static_cast<std::int32_t>(ub);
    const bool overflow = sa == INT32_MIN && sb == -1;
    std::uint32_t r;
    switch (f7 << 3 | f3) {
      case 0x00: r = ua + ub; break;
      case 0x01: r = ua << (ub & 31); break;
      case 0x05: r = ua >> (ub & 31); break;
      case 0x100: r = ua - ub; break;
      case 0x105: r = static_cast<std::uint32_t>(sa >> (ub & 31)); break;
      case 0x08: r = ua * ub; break;
      case 0x0C: r = ub == 0 ? ~0u : overflow ? ua : static_cast<std::uint32_t>(sa / sb); break;
      case 0x0D: r = ub == 0 ? ~0u : ua / ub; break;
      case 0x0E: r = ub == 0 ? ua : overflow ? 0 : static_cast<std::uint32_t>(sa % sb); break;
      case 0x0F: r = ub == 0 ? ua : ua % ub; break;
      default: return false;
    }
    out = sx(r, 32);
    return true;
  }

  bool full(std::uint32_t w, std::uint64_t& next) {
    const unsigned opcode = w & 0x7F, rd = w >> 7 & 31, f3 = w >> 12 & 7, rs1 = w >> 15 & 31, rs2 = w >> 20 & 31,
                   f7 = w >> 25;
    const std::uint64_t a = x[rs1], b = x[rs2], i = sx(w >> 20, 12), s = sx((w >> 25 << 5) | rd, 12);
    const std::uint64_t branch = sx((w >> 31 << 12) | (w >> 7 & 1) << 11 | (w >> 25 & 0x3F) << 5 | (w >> 8 & 15) << 1, 13);
    const std::uint64_t jump = sx((w >> 31 << 20) | (w >> 12 & 0xFF) << 12 | (w >> 20 & 1) << 11 | (w >> 21 & 0x3FF) << 1, 21);
    std::uint64_t out = 0;
    switch (opcode) {
      case 0x37: x[rd] = sx(w & 0xFFFFF000u, 32); return true;
      case 0x17: x[rd] = pc + sx(w & 0xFFFFF000u, 32); return true;
      case 0x6F: x[rd] = pc + 4; next = pc + jump; return true;
      case 0x67:
        if (f3 != 0) break;
        next = (a + i) & ~1ull;
        x[rd] = pc + 4;
        return true;
      case 0x63: {
        const auto sa = static_cast<std::int64_t>(a), sb = static_cast<std::int64_t>(b);
        if (f3 == 2 || f3 == 3) break;
        const bool taken = f3 == 0 ? a == b : f3 == 1 ? a != b : f3 == 4 ? sa < sb : f3 == 5 ? sa >= sb : f3 == 6 ? a < b : a >= b;
        if (taken) next = pc + branch;
        return true;
      }
      case 0x03: if (f3 == 7) break; return load(rd, a + i, 1u << (f3 & 3), f3 < 4);
      case 0x23: if (f3 > 3) break; return store(a + s, 1u << f3, b);
      case 0x13:
        if (f3 == 1) { if (w >> 26 != 0) break; x[rd] = a << (w >> 20 & 63); return true; }
        if (f3 == 5) {
          if (w >> 26 != 0 && w >> 26 != 16) break;
          x[rd] = w >> 26 == 0 ? a >> (w >> 20 & 63) : static_cast<std::uint64_t>(static_cast<std::int64_t>(a) >> (w >> 20 & 63));
          return true;
        }
        alu64(0, f3, a, i, out);
        x[rd] = out;
        return true;
      case 0x1B:
        if (f3 == 0) { x[rd] = sx(a + i, 32); return true; }
        if ((f3 == 1 && f7 == 0) || (f3 == 5 && (f7 == 0 || f7 == 0x20))) { alu32(f7, f3, a, rs2, out); x[rd] = out; return true; }
        break;
      case 0x33: if (!alu64(f7, f3, a, b, out)) break; x[rd] = out; return true;
      case 0x3B: if (!alu32(f7, f3, a, b, out)) break; x[rd] = out; return true;
      case 0x0F: if (f3 > 1) break; return true;
      case 0x2F: return atomic(w);
      case 0x07: if (f3 != 2 && f3 != 3) break; return load_fp(rd, a + i, 1u << f3);
      case 0x27: if (f3 != 2 && f3 != 3) break; return store(a + s, 1u << f3, fp.f[rs2]);
      case 0x43: case 0x47: case 0x4B: case 0x4F: case 0x53: if (!fp.execute(w, x)) break; return true;
      case 0x73:
        if (w == 0x73) return trap(11, 0);
        if (w == 0x00100073) return trap(3, pc);
        if ((w & ~(31u << 15)) == 0x00201073) { fp.frm = a & 7; return true; }
        break;
      default: break;
    }
    return trap(2, w);
  }

  bool atomic(std::uint32_t w) {
    const unsigned rd = w >> 7 & 31, f3 = w >> 12 & 7, f5 = w >> 27, rs2 = w >> 20 & 31, bytes = f3 == 3 ? 8 : 4;
    const std::uint64_t address = x[w >> 15 & 31], b = x[rs2];
    if (f3 != 2 && f3 != 3) return trap(2, w);
    if (f5 == 2 ? rs2 != 0 : f5 != 3 && f5 != 1 && f5 % 4 != 0) return trap(2, w);
    const bool is_load = f5 == 2;
    if (address % bytes != 0) return trap(is_load ? 4 : 6, address);
    if (!inside(address, bytes)) return trap(is_load ? 5 : 7, address);
    const std::uint64_t old = sx(get(address, bytes), 8 * bytes);
    if (is_load) {
      reserved = true;
      reserved_address = address;
    } else if (f5 == 3) {
      const bool success = reserved && reserved_address == address;
      reserved = false;
      if (success) put(address, bytes, b);
      x[rd] = success ? 0 : 1;
      return true;
    } else {
      const auto so = static_cast<std::int64_t>(old), sb = static_cast<std::int64_t>(sx(b, 8 * bytes));
      const std::uint64_t uo = get(address, bytes), ub = bytes == 8 ? b : b & 0xFFFFFFFFu;
      const std::uint64_t result = f5 == 0 ? uo + ub : f5 == 1 ? ub : f5 == 4 ? uo ^ ub : f5 == 8 ? uo | ub :
                                   f5 == 12 ? uo & ub : f5 == 16 ? (so < sb ? uo : ub) : f5 == 20 ? (so > sb ? uo : ub) :
                                   f5 == 24 ? (uo < ub ? uo : ub) : (uo > ub ? uo : ub);
      put(address, bytes, result);
    }
    x[rd] = old;
    return true;
  }

  bool compressed(std::uint32_t c, std::uint64_t& next) {
    const unsigned f3 = c >> 13, rd = c >> 7 & 31, rs2 = c >> 2 & 31, rdp = 8 + (c >> 2 & 7), rs1p = 8 + (c >> 7 & 7);
    const auto bit = [c](unsigned from, unsigned to) { return (c >> from & 1) << to; };
    const std::uint64_t imm6 = sx(bit(12, 5) | (c >> 2 & 31), 6);
    const std::uint64_t w_off = (c >> 10 & 7) << 3 | bit(6, 2) | bit(5, 6), d_off = (c >> 10 & 7) << 3 | bit(6, 7) | bit(5, 6);
    const std::uint64_t j_off = sx(bit(12, 11) | bit(11, 4) | bit(10, 9) | bit(9, 8) | bit(8, 10) | bit(7, 6) | bit(6, 7) |
                                       (c >> 3 & 7) << 1 | bit(2, 5), 12);
    const std::uint64_t b_off = sx(bit(12, 8) | (c >> 10 & 3) << 3 | bit(6, 7) | bit(5, 6) | (c >> 3 & 3) << 1 | bit(2, 5), 9);
    const unsigned shift = static_cast<unsigned>(imm6 & 63);
    switch ((c & 3) << 3 | f3) {
      case 000: {
        const unsigned u = (c >> 7 & 15) << 6 | (c >> 11 & 3) << 4 | bit(5, 3) | bit(6, 2);
        if (u == 0) break;
        x[rdp] = x[2] + u;
        return true;
      }
      case 001: return load_fp(rdp, x[rs1p] + d_off, 8);
      case 005: return store(x[rs1p] + d_off, 8, fp.f[rdp]);
      case 002: return load(rdp, x[rs1p] + w_off, 4, true);
      case 003: return load(rdp, x[rs1p] + d_off, 8, true);
      case 006: return store(x[rs1p] + w_off, 4, x[rdp]);
      case 007: return store(x[rs1p] + d_off, 8, x[rdp]);
      case 010: x[rd] += imm6; return true;
      case 011: if (rd == 0) break; x[rd] = sx(x[rd] + imm6, 32); return true;
      case 012: x[rd] = imm6; return true;
      case 013:
        if (imm6 == 0) break;
        if (rd == 2) x[2] += sx(bit(12, 9) | bit(6, 4) | bit(5, 6) | bit(4, 8) | bit(3, 7) | bit(2, 5), 10);
        else x[rd] = imm6 << 12;
        return true;
      case 014:
        switch (c >> 10 & 3) {
          case 0: x[rs1p] >>= shift; return true;
          case 1: x[rs1p] = static_cast<std::uint64_t>(static_cast<std::int64_t>(x[rs1p]) >> shift); return true;
          case 2: x[rs1p] &= imm6; return true;
          default: break;
        }
        switch ((c >> 12 & 1) << 2 | (c >> 5 & 3)) {
          case 0: x[rs1p] -= x[rdp]; return true;
          case 1: x[rs1p] ^= x[rdp]; return true;
          case 2: x[rs1p] |= x[rdp]; return true;
          case 3: x[rs1p] &= x[rdp]; return true;
          case 4: x[rs1p] = sx(x[rs1p] - x[rdp], 32); return true;
          case 5: x[rs1p] = sx(x[rs1p] + x[rdp], 32); return true;
          default: break;
        }
        break;
      case 015: next = pc + j_off; return true;
      case 016: if (x[rs1p] == 0) next = pc + b_off; return true;
      case 017: if (x[rs1p] != 0) next = pc + b_off; return true;
      case 020: x[rd] <<= shift; return true;
      case 021: return load_fp(rd, x[2] + (bit(12, 5) | (c >> 5 & 3) << 3 | (c >> 2 & 7) << 6), 8);
      case 025: return store(x[2] + ((c >> 10 & 7) << 3 | (c >> 7 & 7) << 6), 8, fp.f[rs2]);
      case 022: if (rd == 0) break; return load(rd, x[2] + (bit(12, 5) | (c >> 4 & 7) << 2 | (c >> 2 & 3) << 6), 4, true);
      case 023: if (rd == 0) break; return load(rd, x[2] + (bit(12, 5) | (c >> 5 & 3) << 3 | (c >> 2 & 7) << 6), 8, true);
      case 024: {
        const bool high = (c >> 12 & 1) != 0;
        if (rs2 != 0) { x[rd] = high ? x[rd] + x[rs2] : x[rs2]; return true; }
        if (rd == 0) { if (high) return trap(3, pc); break; }
        const std::uint64_t target = x[rd] & ~1ull;
        if (high) x[1] = pc + 2;
        next = target;
        return true;
      }
      case 026: return store(x[2] + ((c >> 9 & 15) << 2 | (c >> 7 & 3) << 6), 4, x[rs2]);
      case 027: return store(x[2] + ((c >> 10 & 7) << 3 | (c >> 7 & 7) << 6), 8, x[rs2]);
      default: break;
    }
    return trap(2, c);
  }
};

}  // namespace gyre::test
