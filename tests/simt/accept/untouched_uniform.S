# expect: none
# A loop bound made before the region and not written in it.
    .include "macros.inc"
    kernel case_kernel
    lw t4, 0(a0)
    split t2, t1
    beqz t1, 1f
    sw t0, 4(a0)
1:  join t2
2:  addi t4, t4, -1
    bnez t4, 2b
    ret
    end_kernel case_kernel
