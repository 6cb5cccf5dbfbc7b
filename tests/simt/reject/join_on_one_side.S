# expect: 2 4
# Only one side joins before the paths meet.
    .include "macros.inc"
    kernel case_kernel
    split t2, t1
    beqz t1, 1f
    join t2
1:  ret
    end_kernel case_kernel
