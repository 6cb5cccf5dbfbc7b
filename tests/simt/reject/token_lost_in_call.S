# expect: 3
# The token is in a register the call does not keep.
    .include "macros.inc"
    .text
    .type helper, @function
helper:
    addi a0, a0, 4
    ret
    .size helper, . - helper
    kernel case_kernel
    addi sp, sp, -16
    sw ra, 12(sp)
    split t2, t1
    beqz t1, 1f
    call helper
1:  join t2
    lw ra, 12(sp)
    addi sp, sp, 16
    ret
    end_kernel case_kernel
