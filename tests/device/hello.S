# Legacy start: warp 0, lane 0 of every core. Prints through the console of isa.md §11, more than a slot holds; exit code 42.
#include "device_map.h"
    .option norvc
    .option norelax
    .section .text.start, "ax", @progbits
    .globl _start
_start:
    csrr s0, mhartid
    andi s0, s0, 63
    slli s1, s0, 2
    li s2, GYRE_DEV_CONSOLE_WR
    add s2, s2, s1                  # wr[slot]
    slli s3, s0, 9
    li t0, GYRE_DEV_CONSOLE_DATA
    add s3, s3, t0                  # data[slot]
    csrr s6, 0xCC2                  # CORE_ID: the line number
    li s7, 30                       # lines
next_line:
    la s4, text
next_byte:
    lbu t1, 0(s4)
    beqz t1, line_done
    li t2, '#'
    bne t1, t2, put
    addi t1, s6, '0'
put:
    lw t2, 0(s2)
    lw t3, GYRE_DEV_CONSOLE_RD - GYRE_DEV_CONSOLE_WR(s2)
    sub t3, t2, t3
    li t4, GYRE_DEV_CONSOLE_SLOT_BYTES
    bgeu t3, t4, put                # patient: wait for the reader
    andi t3, t2, GYRE_DEV_CONSOLE_SLOT_BYTES - 1 & 0x7FF
    add t3, t3, s3
    sb t1, 0(t3)
    fence
    addi t2, t2, 1
    sw t2, 0(s2)
    addi s4, s4, 1
    j next_byte
line_done:
    addi s7, s7, -1
    bnez s7, next_line
    li t0, GYRE_DEV_EXIT_CODE
    li t1, 42
    sw t1, 0(t0)
    .insn r 0x0B, 0, 0, x0, x0, x0
text:
    .asciz "hello from core #, warp 0, lane 0\n"
