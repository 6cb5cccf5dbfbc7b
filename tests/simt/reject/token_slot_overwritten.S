# expect: 3
# The spilled token is overwritten.
    .include "macros.inc"
    kernel case_kernel
    addi sp, sp, -16
    split t2, t1
    beqz t1, 1f
    sw x0, 0(a0)
1:  sw t2, 8(sp)
    sw t0, 8(sp)
    lw t2, 8(sp)
    join t2
    addi sp, sp, 16
    ret
    end_kernel case_kernel
