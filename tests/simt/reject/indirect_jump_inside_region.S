# expect: 4
# Where the then side goes cannot be known.
    .include "macros.inc"
    kernel case_kernel
    lw t3, 0(a0)
    split t2, t1
    beqz t1, 1f
    jr t3
1:  join t2
    ret
    end_kernel case_kernel
