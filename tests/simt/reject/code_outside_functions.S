# expect: 0
# A label without .type is invisible to the walk.
    .include "macros.inc"
    kernel case_kernel
    ret
    end_kernel case_kernel
hidden:
    beqz a0, hidden
    ret
