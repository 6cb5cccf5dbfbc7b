# expect: none
# The assembler widens the branch of a large body to bnez over a jump.
    .include "macros.inc"
    kernel case_kernel
    split t2, t1
    bnez t1, 1f
    j 2f
1:  sw t0, 0(a0)
    .rept 2000
    addi t0, t0, 1
    .endr
2:  join t2
    ret
    end_kernel case_kernel
