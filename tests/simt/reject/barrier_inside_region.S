# expect: 5
# Each pass of the warp would arrive at the barrier.
    .include "macros.inc"
    kernel case_kernel
    csrr t3, 0xCD0
    csrr t4, 0xCD2
    split t2, t1
    beqz t1, 1f
    bar t3, t4
1:  join t2
    ret
    end_kernel case_kernel
