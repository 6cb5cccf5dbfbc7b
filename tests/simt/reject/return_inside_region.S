# expect: 4
# The then side returns; the else side joins.
    .include "macros.inc"
    kernel case_kernel
    split t2, t1
    beqz t1, 1f
    ret
1:  join t2
    ret
    end_kernel case_kernel
