# expect: 1
# The branch reads another register than SPLIT.
    .include "macros.inc"
    kernel case_kernel
    split t2, t1
    beqz t0, 1f
    sw t0, 0(a0)
1:  join t2
    ret
    end_kernel case_kernel
