# expect: 5
# A loop counter of the body differs by lane after the JOIN.
    .include "macros.inc"
    kernel case_kernel
    li t4, 0
1:  vote_any t3, t1
    beqz t3, 3f
    split t2, t1
    beqz t1, 2f
    addi t4, t4, 1
    sltu t1, t4, t0
2:  join t2
    j 1b
3:  bnez t4, 4f
    sw t0, 0(a0)
4:  ret
    end_kernel case_kernel
