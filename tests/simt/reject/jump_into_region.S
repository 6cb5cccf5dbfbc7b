# expect: 2
# A uniform branch enters the region past its SPLIT.
    .include "macros.inc"
    kernel case_kernel
    lw t3, 0(a0)
    bnez t3, 1f
    split t2, t1
    beqz t1, 2f
1:  sw t0, 0(a0)
2:  join t2
    ret
    end_kernel case_kernel
