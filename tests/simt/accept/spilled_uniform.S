# expect: none
# Spilled and reloaded on one side only: still the same value.
    .include "macros.inc"
    kernel case_kernel
    addi sp, sp, -16
    lw t4, 0(a0)
    sw t4, 4(sp)
    split t2, t1
    beqz t1, 1f
    addi t4, t0, 7
    sw t4, 4(a0)
    lw t4, 4(sp)
1:  join t2
2:  addi t4, t4, -1
    bnez t4, 2b
    addi sp, sp, 16
    ret
    end_kernel case_kernel
