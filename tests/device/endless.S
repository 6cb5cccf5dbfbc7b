# Jumps to itself, for ever: something to attach a debugger to.
    .option norvc
    .option norelax
    .section .text.start, "ax", @progbits
    .globl _start
_start:
    j _start
