# expect: 3
# The JOIN uses a copy of the token of the iteration before.
    .include "macros.inc"
    kernel case_kernel
    lw t3, 0(a0)
    li t4, 0
1:  split t2, t1
    beqz t1, 2f
    sw t0, 0(a0)
2:  join t4
    mv t4, t2
    addi t3, t3, -1
    bnez t3, 1b
    ret
    end_kernel case_kernel
