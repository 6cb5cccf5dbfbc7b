# expect: none
# The same constant from two definitions is one value.
    .include "macros.inc"
    kernel case_kernel
    split t2, t1
    beqz t1, 1f
    li t4, 5
    sw t0, 0(a0)
    j 2f
1:  li t4, 5
2:  join t2
3:  addi t4, t4, -1
    bnez t4, 3b
    ret
    end_kernel case_kernel
