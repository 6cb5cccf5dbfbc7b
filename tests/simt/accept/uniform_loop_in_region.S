# expect: none
# A vote and a loop inside a region, each pass on its own.
    .include "macros.inc"
    kernel case_kernel
    lw t3, 0(a0)
    split t2, t1
    beqz t1, 2f
1:  addi t3, t3, -1
    bnez t3, 1b
    vote_any t4, t0
    beqz t4, 2f
    sw t0, 0(a0)
2:  join t2
    ret
    end_kernel case_kernel
