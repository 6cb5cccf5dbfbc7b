# An illegal instruction.
    .option norvc
    .section .text.start, "ax", @progbits
    .globl _start
_start:
    nop
    .word 0
