# expect: 5
# One side keeps what was computed from the counter of the iteration before.
    .include "macros.inc"
    kernel case_kernel
    li t5, 8
    andi t3, t5, 3
1:  split t2, t1
    bnez t1, 2f
    andi t3, t5, 3
2:  join t2
    beqz t3, 3f
    sw x0, 0(a0)
3:  addi t5, t5, -1
    bnez t5, 1b
    ret
    end_kernel case_kernel
