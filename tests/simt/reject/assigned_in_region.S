# expect: 5
# A constant assigned on one side is no longer uniform after the JOIN.
    .include "macros.inc"
    kernel case_kernel
    li t4, 1
    split t2, t1
    beqz t1, 1f
    li t4, 2
1:  join t2
    beq t4, x0, 2f
    sw t0, 0(a0)
2:  ret
    end_kernel case_kernel
