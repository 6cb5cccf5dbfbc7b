# expect: 3
# The then side uses the token's register for something else.
    .include "macros.inc"
    kernel case_kernel
    split t2, t1
    beqz t1, 1f
    li t2, 0
1:  join t2
    ret
    end_kernel case_kernel
