# expect: 4
# The region never closes.
    .include "macros.inc"
    kernel case_kernel
    split t2, t1
    beqz t1, 1f
    sw t0, 0(a0)
1:  ret
    end_kernel case_kernel
