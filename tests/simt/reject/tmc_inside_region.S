# expect: 4
# A warp must not change its lanes inside a region.
    .include "macros.inc"
    kernel case_kernel
    split t2, t1
    beqz t1, 1f
    tmc t0
1:  join t2
    ret
    end_kernel case_kernel
