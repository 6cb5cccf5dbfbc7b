# expect: 5
# The helper's loop runs on an argument that differs by lane at one of its two calls.
    .include "macros.inc"
    .text
    .type helper, @function
helper:
1:  addi a1, a1, -1
    bnez a1, 1b
    ret
    .size helper, . - helper
    kernel case_kernel
    addi sp, sp, -16
    sw ra, 12(sp)
    li a1, 4
    call helper
    csrr a1, 0xCC0
    call helper
    lw ra, 12(sp)
    addi sp, sp, 16
    ret
    end_kernel case_kernel
