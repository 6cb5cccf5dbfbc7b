# expect: 1
# SPLIT writes its own predicate.
    .include "macros.inc"
    kernel case_kernel
    split t1, t1
    beqz t1, 1f
    sw t0, 0(a0)
1:  join t1
    ret
    end_kernel case_kernel
