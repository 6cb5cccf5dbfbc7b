# expect: 5
# A branch on a value loaded through a pointer that differs by lane.
    .include "macros.inc"
    kernel case_kernel
    slli t2, t0, 2
    add t2, a0, t2
    lw t3, 0(t2)
    beqz t3, 1f
    sw t0, 0(a0)
1:  ret
    end_kernel case_kernel
