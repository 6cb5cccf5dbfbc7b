# expect: 4
# PRED is for hand-written loops, allowed by an option.
    .include "macros.inc"
    kernel case_kernel
    csrr t2, 0xCC4
1:  addi t0, t0, -1
    snez t3, t0
    pred t3, t2
    vote_any t4, t3
    bnez t4, 1b
    ret
    end_kernel case_kernel
