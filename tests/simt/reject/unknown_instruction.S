# expect: 0
# Not an instruction of the machine.
    .include "macros.inc"
    kernel case_kernel
    .word 0x0000007F
    ret
    end_kernel case_kernel
