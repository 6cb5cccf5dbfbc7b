# expect: 2 3 4
# The outer region closes before the inner one.
    .include "macros.inc"
    kernel case_kernel
    andi t3, t0, 2
    split t2, t1
    beqz t1, 2f
    split t4, t3
    beqz t3, 1f
    sw t0, 0(a0)
1:  join t2
    join t4
2:  ret
    end_kernel case_kernel
