# expect: 5
# Memory may change between the two passes of a region.
    .include "macros.inc"
    kernel case_kernel
    split t2, t1
    beqz t1, 1f
    sw t0, 0(a0)
1:  lw t4, 0(a0)
    join t2
    beqz t4, 2f
    sw t0, 4(a0)
2:  ret
    end_kernel case_kernel
