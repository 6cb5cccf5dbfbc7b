# expect: 0
# No return.
    .include "macros.inc"
    kernel case_kernel
    sw t0, 0(a0)
    end_kernel case_kernel
