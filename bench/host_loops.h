// The loops the host CPU's speed is measured with.
#pragma once

#include "asm.h"

namespace gyre::test {

// Bitwise CRC-32 of 4 KiB, `rounds` times: about 230,000 instructions a round.
inline Asm crc_loop(unsigned rounds) {
  Asm a;
  a.li(s0, rounds);
  a.li(s1, 0xEDB88320);
  a.label("round");
  a.li(t0, 0x80010000);
  a.li(t1, 0x80011000);
  a.li(a0, 0xFFFFFFFF);
  a.label("byte");
  a.lbu(t2, t0);
  a.op(4, 0, a0, a0, t2);
  a.li(t3, 8);
  a.label("bit");
  a.word(enc::i(0x13, 7, t4, a0, 1));
  a.op(0, 0x20, t4, zero, t4);
  a.op(7, 0, t4, t4, s1);
  a.word(enc::i(0x1B, 5, a0, a0, 1));
  a.op(4, 0, a0, a0, t4);
  a.addi(t3, t3, -1);
  a.bne(t3, zero, "bit");
  a.addi(t0, t0, 1);
  a.bne(t0, t1, "byte");
  a.addi(s0, s0, -1);
  a.bne(s0, zero, "round");
  return a;
}

// 64 × 64 matrix multiplication of 32-bit integers, `rounds` times: about 1.9 million instructions a round.
inline Asm matrix_loop(unsigned rounds) {
  Asm a;
  a.li(s0, rounds);
  a.li(s1, 0x80010000);
  a.li(s2, 0x80020000);
  a.li(s3, 0x80030000);
  a.li(s8, 64);
  a.li(s9, 256);  // bytes a row
  a.label("round");
  a.li(s4, 0);
  a.label("row");
  a.li(s5, 0);
  a.label("column");
  a.op(0, 1, t0, s4, s9);
  a.add(t0, t0, s1);        // a[row][0]
  a.add(t3, t0, s9);        // its end
  a.word(enc::i(0x13, 1, t1, s5, 2));
  a.add(t1, t1, s2);        // b[0][column]
  a.li(t2, 0);
  a.label("inner");
  a.lw(t4, t0);
  a.lw(t5, t1);
  a.word(enc::r(0x3B, 0, 1, t4, t4, t5));
  a.word(enc::r(0x3B, 0, 0, t2, t2, t4));
  a.addi(t0, t0, 4);
  a.add(t1, t1, s9);
  a.bne(t0, t3, "inner");
  a.op(0, 1, t0, s4, s9);
  a.add(t0, t0, s3);
  a.word(enc::i(0x13, 1, t1, s5, 2));
  a.add(t0, t0, t1);
  a.sw(t2, t0);
  a.addi(s5, s5, 1);
  a.bne(s5, s8, "column");
  a.addi(s4, s4, 1);
  a.bne(s4, s8, "row");
  a.addi(s0, s0, -1);
  a.bne(s0, zero, "round");
  return a;
}

// Ends the run through the finisher.
inline void leave(Asm& a) {
  a.li(t6, 0x100000);
  a.li(t5, 0x5555);
  a.sw(t5, t6);
}

}  // namespace gyre::test
