# expect: 1 5
# Something stands between SPLIT and its branch.
    .include "macros.inc"
    kernel case_kernel
    split t2, t1
    addi t0, t0, 1
    beqz t1, 1f
    sw t0, 0(a0)
1:  join t2
    ret
    end_kernel case_kernel
