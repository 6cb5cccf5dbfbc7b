# expect: 1
# A branch that does not test the predicate for zero can part the lanes of one side.
    .include "macros.inc"
    kernel case_kernel
    split t2, t1
    blt t1, t0, 1f
    sw t0, 0(a0)
1:  join t2
    ret
    end_kernel case_kernel
