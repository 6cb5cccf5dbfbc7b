# Legacy start on every core. All warps of all cores pass values round a ring; each round needs a barrier of the
# cluster before the neighbour's value is read and one before it is overwritten. Exit code 77, or 1 after a wrong value.
#include "csr.h"
#include "device_map.h"
    .option norvc
    .option norelax
    .section .text.start, "ax", @progbits
    .globl _start
_start:
    csrr t0, GYRE_CSR_NUM_WARPS
    la t1, worker
    .insn r 0x0B, 1, 0, x0, t0, t1  # WSPAWN
worker:
    csrr s0, GYRE_CSR_CORE_ID
    csrr s1, GYRE_CSR_NUM_CORES
    csrr s2, GYRE_CSR_WARP_ID
    slli s3, s2, 2
    li s4, GYRE_DEV_USER_BASE
    add s3, s3, s4                  # my warp's row: one word a core, 128 bytes apart
    slli t0, s0, 7
    add s5, s3, t0                  # mine
    addi t0, s0, 1
    remu t0, t0, s1
    slli t0, t0, 7
    add s6, s3, t0                  # the next core's
    li s7, 0x80000200               # barrier 2 of the cluster
    li s8, 1                        # round
round:
    li t0, 37
    mul t0, t0, s0
    li t1, 11
    mul t1, t1, s2
    add t0, t0, t1
    mul t0, t0, s8
    andi t0, t0, 255
delay:
    addi t0, t0, -1
    bgtz t0, delay
    sw s8, 0(s5)
    .insn r 0x0B, 4, 0, x0, s7, s1  # BAR
    fence                           # with gpu.core.fence_flush: the next core's word may be in the cache
    lw t0, 0(s6)                    # the neighbour's value
    beq t0, s8, right
    li t1, GYRE_DEV_USER_BASE + 0x8000
    li t2, 1
    sw t2, 0(t1)
right:
    .insn r 0x0B, 6, 0, t3, s7, s1  # BAR.ARRIVE
    .insn r 0x0B, 6, 0, x0, s7, t3  # BAR.WAIT
    addi s8, s8, 1
    li t0, 12
    bne s8, t0, round
    or t0, s0, s2
    bnez t0, out
    li t1, GYRE_DEV_USER_BASE + 0x8000
    lw t0, 0(t1)
    bnez t0, finish
    li t0, 77
finish:
    li t1, GYRE_DEV_EXIT_CODE
    sw t0, 0(t1)
out:
    .insn r 0x0B, 0, 0, x0, x0, x0
