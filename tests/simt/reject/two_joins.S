# expect: 4
# Each side has a JOIN of its own.
    .include "macros.inc"
    kernel case_kernel
    split t2, t1
    beqz t1, 1f
    sw t0, 0(a0)
    join t2
    ret
1:  sw x0, 0(a0)
    join t2
    ret
    end_kernel case_kernel
