/* The environment the public RISC-V ISA test programs expect, for one lane of a SIMT core in bare-device legacy mode
 * (isa.md §12): warp 0, lane 0 starts at the image base; the exit code word is 0 or (number of the failed test) * 2 + 1. */
#ifndef GYRE_PUBLIC_ISA_RISCV_TEST_H
#define GYRE_PUBLIC_ISA_RISCV_TEST_H

#include "device_map.h"

#define RVTEST_RV32U .macro init; .endm
#define RVTEST_RV64U RVTEST_RV32U
#define RVTEST_RV32UF .macro init; csrwi fcsr, 0; .endm
#define RVTEST_RV64UF RVTEST_RV32UF

#define TESTNUM gp

#define RVTEST_CODE_BEGIN               \
    .section .text.init, "ax";          \
    .globl _start;                      \
_start:                                 \
    li TESTNUM, 0;                      \
    init

#define GYRE_EXIT(code)                 \
    fence;                              \
    li t5, GYRE_DEV_EXIT_CODE;          \
    sw code, 0(t5);                     \
    .balign 4;                          \
    .insn r 0x0B, 0, 0, x0, x0, x0

#define RVTEST_PASS                     \
    li t6, 0;                           \
    GYRE_EXIT(t6)

#define RVTEST_FAIL                     \
    slli t6, TESTNUM, 1;                \
    ori t6, t6, 1;                      \
    GYRE_EXIT(t6)

#define RVTEST_CODE_END
#define EXTRA_DATA
#define RVTEST_DATA_BEGIN .balign 16;
#define RVTEST_DATA_END

#endif
