# expect: 5
# A call through a pointer that differs by lane.
    .include "macros.inc"
    kernel case_kernel
    addi sp, sp, -16
    sw ra, 12(sp)
    slli t2, t0, 2
    add t2, a0, t2
    lw t3, 0(t2)
    jalr t3
    lw ra, 12(sp)
    addi sp, sp, 16
    ret
    end_kernel case_kernel
