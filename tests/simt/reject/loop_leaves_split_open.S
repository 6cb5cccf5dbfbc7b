# expect: 2 4
# Every iteration opens a region and none closes one.
    .include "macros.inc"
    kernel case_kernel
    lw t3, 0(a0)
1:  split t2, t1
    beqz t1, 2f
    sw t0, 0(a0)
2:  addi t3, t3, -1
    bnez t3, 1b
    ret
    end_kernel case_kernel
