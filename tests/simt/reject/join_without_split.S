# expect: 3
# Nothing is open.
    .include "macros.inc"
    kernel case_kernel
    join t1
    ret
    end_kernel case_kernel
