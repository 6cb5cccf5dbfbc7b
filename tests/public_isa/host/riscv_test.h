/* The environment of the public RISC-V ISA test programs on the host CPU: that of the checkout itself (env/p), with
 * a trap vector in front of its own that turns the ecall of a passed or failed test into a write to the test finisher.
 * Exit code 0, or (number of the failed test) * 2 + 1. */
#ifndef GYRE_PUBLIC_ISA_HOST_RISCV_TEST_H
#define GYRE_PUBLIC_ISA_HOST_RISCV_TEST_H

#include "host_map.h"
#include "p/riscv_test.h"

#undef EXTRA_INIT
#define EXTRA_INIT                                                      \
        la t0, gyre_trap_vector;                                        \
        csrw mtvec, t0;

/* No numbered labels: they would catch those of the tests. As in the vector behind: t5 and t6 are free, and an exception nobody handles is a failure. */
#undef EXTRA_DATA
#define EXTRA_DATA                                                      \
        .pushsection .text.init;                                        \
        .balign 64;                                                     \
gyre_trap_vector:                                                       \
        csrr t5, mcause;                                                \
        addi t5, t5, -CAUSE_USER_ECALL;                                 \
        sltiu t6, t5, CAUSE_MACHINE_ECALL - CAUSE_USER_ECALL + 1;       \
        bnez t6, gyre_exit;                                             \
        la t5, mtvec_handler;                                           \
        bnez t5, trap_vector;                                           \
        li TESTNUM, 1337;                                               \
gyre_exit:                                                              \
        li t5, GYRE_FINISHER_PASS;                                      \
        addi t6, TESTNUM, -1;                                           \
        beqz t6, gyre_finish;                                           \
        slli t5, TESTNUM, 16;                                           \
        li t6, 0x3333;                                                  \
        or t5, t5, t6;                                                  \
gyre_finish:                                                            \
        li t6, GYRE_HOST_FINISHER_BASE;                                 \
        sw t5, 0(t6);                                                   \
        j gyre_finish;                                                  \
        .popsection;

#endif
