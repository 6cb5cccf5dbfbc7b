# A barrier that another core never reaches.
    .option norvc
    .section .text.start, "ax", @progbits
    .globl _start
_start:
    li t0, 0x80000000
    li t1, 5
    .insn r 0x0B, 4, 0, x0, t0, t1
