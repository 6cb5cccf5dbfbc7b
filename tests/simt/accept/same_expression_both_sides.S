# expect: none
# Each side computes the same thing from a uniform value, in other registers and by another way round.
    .include "macros.inc"
    kernel case_kernel
    lw t5, 4(a0)
    split t2, t1
    beqz t1, 1f
    andi t3, t5, 3
    addi t3, t3, 8
    j 2f
1:  andi t4, t5, 3
    addi t4, t4, 8
    mv t3, t4
2:  join t2
    beqz t3, 3f
    sw x0, 0(a0)
3:  ret
    end_kernel case_kernel
