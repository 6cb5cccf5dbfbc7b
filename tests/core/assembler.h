// A tiny assembler for test programs: encoders, labels, and the dispatch window every kernel image starts with.
#pragma once

#include <cstdint>
#include <vector>

#include "csr.h"

namespace gyre::test {

using u32 = std::uint32_t;

namespace enc {
inline u32 r(u32 op, u32 f3, u32 f7, u32 rd, u32 rs1, u32 rs2) {
  return f7 << 25 | rs2 << 20 | rs1 << 15 | f3 << 12 | rd << 7 | op;
}
inline u32 r4(u32 op, u32 f3, u32 f2, u32 rd, u32 rs1, u32 rs2, u32 rs3) {
  return rs3 << 27 | f2 << 25 | rs2 << 20 | rs1 << 15 | f3 << 12 | rd << 7 | op;
}
inline u32 i(u32 op, u32 f3, u32 rd, u32 rs1, int imm) {
  return static_cast<u32>(imm) << 20 | rs1 << 15 | f3 << 12 | rd << 7 | op;
}
inline u32 s(u32 op, u32 f3, u32 rs1, u32 rs2, int imm) {
  const u32 v = static_cast<u32>(imm);
  return ((v >> 5) & 127) << 25 | rs2 << 20 | rs1 << 15 | f3 << 12 | (v & 31) << 7 | op;
}
inline u32 b(u32 f3, u32 rs1, u32 rs2, int imm) {
  const u32 v = static_cast<u32>(imm);
  return ((v >> 12) & 1) << 31 | ((v >> 5) & 63) << 25 | rs2 << 20 | rs1 << 15 | f3 << 12 | ((v >> 1) & 15) << 8 |
         ((v >> 11) & 1) << 7 | 0x63;
}
inline u32 j(u32 rd, int imm) {
  const u32 v = static_cast<u32>(imm);
  return ((v >> 20) & 1) << 31 | ((v >> 1) & 0x3FF) << 21 | ((v >> 11) & 1) << 20 | ((v >> 12) & 255) << 12 | rd << 7 |
         0x6F;
}
// Atomics on words; LR and SC among them.
constexpr u32 kLr = 2, kSc = 3;
inline u32 amo(u32 funct5, u32 rd, u32 address, u32 operand) { return r(0x2F, 2, funct5 << 2, rd, address, operand); }
}  // namespace enc

// Register names used by the tests.
enum : u32 {
  zero = 0,
  ra = 1,
  sp = 2,
  gp = 3,
  tp = 4,
  t0 = 5,
  t1 = 6,
  t2 = 7,
  s0 = 8,
  s1 = 9,
  a0 = 10,
  a1 = 11,
  a2 = 12,
  a3 = 13,
  a4 = 14,
  a5 = 15,
  a6 = 16,
  a7 = 17,
  s2 = 18,
  s3 = 19,
  s4 = 20,
  s5 = 21,
  s6 = 22,
  s7 = 23,
  s8 = 24,
  s9 = 25,
  s10 = 26,
  s11 = 27,
  t3 = 28,
  t4 = 29,
  t5 = 30,
  t6 = 31
};

class Asm {
 public:
  explicit Asm(u32 base) : base_(base) {}

  u32 here() const { return base_ + 4 * static_cast<u32>(words.size()); }
  Asm& word(u32 w) {
    words.push_back(w);
    return *this;
  }

  // ---- labels
  int label() {
    labels_.push_back(~0u);
    return static_cast<int>(labels_.size()) - 1;
  }
  void bind(int l) { labels_[static_cast<std::size_t>(l)] = here(); }
  int bound() {
    const int l = label();
    bind(l);
    return l;
  }
  void branch(u32 f3, u32 rs1, u32 rs2, int l) {
    fix_.push_back({words.size(), l});
    word(enc::b(f3, rs1, rs2, 0));
  }
  void jump(u32 rd, int l) {
    fix_.push_back({words.size(), l});
    word(enc::j(rd, 0));
  }
  void beq(u32 a, u32 b, int l) { branch(0, a, b, l); }
  void bne(u32 a, u32 b, int l) { branch(1, a, b, l); }
  void blt(u32 a, u32 b, int l) { branch(4, a, b, l); }
  void beqz(u32 a, int l) { beq(a, zero, l); }
  void bnez(u32 a, int l) { bne(a, zero, l); }
  // Resolves the labels.
  const std::vector<u32>& finish() {
    for (const auto& f : fix_) {
      const int offset =
          static_cast<int>(labels_[static_cast<std::size_t>(f.label)] - (base_ + 4 * static_cast<u32>(f.at)));
      u32& w = words[f.at];
      w = (w & 0x7F) == 0x63 ? (enc::b((w >> 12) & 7, (w >> 15) & 31, (w >> 20) & 31, offset))
                             : enc::j((w >> 7) & 31, offset);
    }
    fix_.clear();
    return words;
  }

  // ---- instructions
  void op(u32 f3, u32 f7, u32 rd, u32 a, u32 b) { word(enc::r(0x33, f3, f7, rd, a, b)); }
  void opi(u32 f3, u32 rd, u32 a, int imm) { word(enc::i(0x13, f3, rd, a, imm)); }
  void addi(u32 rd, u32 a, int imm) { opi(0, rd, a, imm); }
  void slli(u32 rd, u32 a, int n) { opi(1, rd, a, n); }
  void srli(u32 rd, u32 a, int n) { opi(5, rd, a, n); }
  void andi(u32 rd, u32 a, int imm) { opi(7, rd, a, imm); }
  void mv(u32 rd, u32 a) { addi(rd, a, 0); }
  void add(u32 rd, u32 a, u32 b) { op(0, 0, rd, a, b); }
  void sub(u32 rd, u32 a, u32 b) { op(0, 0x20, rd, a, b); }
  void mul(u32 rd, u32 a, u32 b) { op(0, 1, rd, a, b); }
  void slt(u32 rd, u32 a, u32 b) { op(2, 0, rd, a, b); }
  void li(u32 rd, u32 value) {
    const u32 high = (value + 0x800) & 0xFFFFF000u;
    if (high != 0) word(high | rd << 7 | 0x37);
    const int low = static_cast<int>(value - high);
    if (low != 0 || high == 0) addi(rd, high != 0 ? rd : 0u, low);
  }
  void lw(u32 rd, u32 a, int imm = 0) { word(enc::i(0x03, 2, rd, a, imm)); }
  void sw(u32 b, u32 a, int imm = 0) { word(enc::s(0x23, 2, a, b, imm)); }
  void csrr(u32 rd, u32 csr) { word(csr << 20 | 2 << 12 | rd << 7 | 0x73); }
  void csrw(u32 csr, u32 rs) { word(csr << 20 | rs << 15 | 1 << 12 | 0x73); }
  void ret() { word(enc::i(0x67, 0, 0, ra, 0)); }
  // custom0
  void tmc(u32 a) { word(enc::r(0x0B, 0, 0, 0, a, 0)); }
  void wspawn(u32 n, u32 pc) { word(enc::r(0x0B, 1, 0, 0, n, pc)); }
  void split(u32 rd, u32 a) { word(enc::r(0x0B, 2, 0, rd, a, 0)); }
  void split_n(u32 rd, u32 a) { word(enc::r(0x0B, 2, 0, rd, a, 1)); }
  void join(u32 a) { word(enc::r(0x0B, 3, 0, 0, a, 0)); }
  void bar(u32 id, u32 n) { word(enc::r(0x0B, 4, 0, 0, id, n)); }
  void pred(u32 a, u32 restore) { word(enc::r(0x0B, 5, 0, 0, a, restore)); }
  void pred_n(u32 a, u32 restore) { word(enc::r(0x0B, 5, 0, 1, a, restore)); }
  void bar_arrive(u32 rd, u32 id, u32 n) { word(enc::r(0x0B, 6, 0, rd, id, n)); }
  void bar_wait(u32 id, u32 phase) { word(enc::r(0x0B, 6, 0, 0, id, phase)); }
  void wsync() { word(enc::r(0x0B, 7, 0, 0, 0, 0)); }
  void vote(u32 f3, u32 rd, u32 a) { word(enc::r(0x0B, f3, 1, rd, a, 0)); }
  void shfl(u32 f3, u32 rd, u32 a, u32 b) { word(enc::r(0x0B, f3, 1, rd, a, b)); }
  void wgather(u32 s, u32 rd, u32 a, u32 b, u32 c) { word(enc::r4(0x2B, 0, s, rd, a, b, c)); }
  void om_export(u32 words_mask, u32 address, u32 colour, u32 depth) {
    word(enc::r4(0x2B, 3, words_mask, 0, address, colour, depth));
  }
  void tex(u32 stage, u32 rd, u32 u, u32 v, u32 lod) { word(enc::r4(0x2B, 5, stage, rd, u, v, lod)); }

  // __vx_cta_entry: the five-instruction dispatch window (isa.md §12).
  void entry() {
    csrr(s11, GYRE_CSR_CTA_ENTRY);
    csrr(a0, GYRE_CSR_MSCRATCH);
    word(enc::i(0x67, 0, ra, s11, 0));
    wsync();
    tmc(zero);
  }

  std::vector<u32> words;

 private:
  struct Fix {
    std::size_t at;
    int label;
  };
  u32 base_;
  std::vector<u32> labels_;
  std::vector<Fix> fix_;
};

}  // namespace gyre::test
