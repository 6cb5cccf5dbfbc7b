# expect: none
# One uniform definition reaches the JOIN on all paths: it stays uniform.
    .include "macros.inc"
    kernel case_kernel
    split t2, t1
    beqz t1, 1f
    sw t0, 0(a0)
1:  li t4, 3
    addi t4, t4, 2
    join t2
2:  addi t4, t4, -1
    bnez t4, 2b
    ret
    end_kernel case_kernel
