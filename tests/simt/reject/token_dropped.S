# expect: 1 3
# The token goes to x0.
    .include "macros.inc"
    kernel case_kernel
    split x0, t1
    beqz t1, 1f
    sw t0, 0(a0)
1:  join x0
    ret
    end_kernel case_kernel
