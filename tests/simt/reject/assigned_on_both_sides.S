# expect: 5
# Two definitions of one register meet at the JOIN.
    .include "macros.inc"
    kernel case_kernel
    split t2, t1
    beqz t1, 1f
    li t4, 2
    j 2f
1:  li t4, 3
2:  join t2
    beq t4, x0, 3f
    sw t0, 0(a0)
3:  ret
    end_kernel case_kernel
