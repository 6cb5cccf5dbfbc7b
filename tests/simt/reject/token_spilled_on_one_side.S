# expect: 3
# The token is spilled on the then side only; the other lanes reload an old one (an asm goto result, spilled).
    .include "macros.inc"
    kernel case_kernel
    addi sp, sp, -16
    split t2, t1
    beqz t1, 1f
    sw t2, 8(sp)
    sw x0, 0(a0)
1:  lw t3, 8(sp)
    join t3
    addi sp, sp, 16
    ret
    end_kernel case_kernel
