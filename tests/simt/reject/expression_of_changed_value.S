# expect: 5
# The same operation on both sides, but one side changes the value it is made of first.
    .include "macros.inc"
    kernel case_kernel
    lw t5, 4(a0)
    split t2, t1
    beqz t1, 1f
    addi t5, t5, 1
    andi t3, t5, 3
    j 2f
1:  andi t3, t5, 3
2:  join t2
    beqz t3, 3f
    sw x0, 0(a0)
3:  ret
    end_kernel case_kernel
