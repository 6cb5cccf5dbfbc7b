# expect: none
# Tokens in a callee-saved register and in a slot survive a call, and uniform arguments reach the helper.
    .include "macros.inc"
    .text
    .type helper, @function
helper:
1:  addi a1, a1, -1
    bnez a1, 1b
    li a0, 3
    ret
    .size helper, . - helper
    kernel case_kernel
    addi sp, sp, -32
    sw ra, 28(sp)
    sw s0, 24(sp)
    sw s1, 20(sp)
    mv s1, t1
    split s0, s1
    beqz s1, 2f
    andi t3, t0, 2
    split t2, t3
    beqz t3, 1f
    sw t2, 16(sp)
    li a1, 4
    call helper
    lw t2, 16(sp)
1:  join t2
    li a1, 4
    call helper
    beqz a0, 2f
2:  join s0
    lw s1, 20(sp)
    lw s0, 24(sp)
    lw ra, 28(sp)
    addi sp, sp, 32
    ret
    end_kernel case_kernel
