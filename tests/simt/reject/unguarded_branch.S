# expect: 5
# An ordinary branch on a lane number.
    .include "macros.inc"
    kernel case_kernel
    beqz t1, 1f
    sw t0, 0(a0)
1:  ret
    end_kernel case_kernel
