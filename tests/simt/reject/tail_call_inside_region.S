# expect: 4
# The then side leaves by a tail call.
    .include "macros.inc"
    .text
    .type helper, @function
helper:
    addi a0, a0, 4
    ret
    .size helper, . - helper
    kernel case_kernel
    split t2, t1
    beqz t1, 1f
    tail helper
1:  join t2
    ret
    end_kernel case_kernel
