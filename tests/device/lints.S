# Kernels with one fault each, and the same without it. The line at fault ends with `# FAULT name_of_the_kernel`; where
# that is an .insn, which gets no line number from the assembler, the instruction before it.
#include "device_map.h"
    .option norvc
    .option norelax

    .macro kernel name
    .globl \name
    .type \name, @function
\name:
    .endm
    .macro end name
    ret
    .size \name, . - \name
    .endm
    .macro split token, cond
    .insn r 0x0B, 2, 0, \token, \cond, x0
    .endm
    .macro join token
    .insn r 0x0B, 3, 0, x0, \token, x0
    .endm
    .macro tmc mask
    .insn r 0x0B, 0, 0, x0, \mask, x0
    .endm

    .text
# Lanes 1 and up take the branch and lane 0 would not.
kernel divergent
    csrr t0, 0xCC0
    bnez t0, 1f                     # FAULT divergent
    nop
1:
end divergent

kernel divergent_right
    csrr t0, 0xCC0
    andi t0, t0, 1
    split t2, t0
    beqz t0, 1f
    nop
1:  join t2
    csrr t0, 0xCC2                  # CORE_ID: the same in all lanes
    bnez t0, 2f
    nop
2:
end divergent_right

kernel early_end
    csrr t0, 0xCC0
    andi t0, t0, 1                  # FAULT early_end
    split t2, t0
    tmc x0
end early_end

kernel wrong_join
    csrr t0, 0xCC0
    andi t0, t0, 1
    split t2, t0
    li t2, 7                        # FAULT wrong_join
    join t2
end wrong_join

kernel extra_join
    li t2, 1                        # FAULT extra_join
    join t2
end extra_join

kernel deep_split
    csrr t3, 0xFC0                  # NUM_THREADS: as many splits as there are places, and one
    csrr t0, 0xCC0
    andi t0, t0, 1                  # FAULT deep_split
1:  split t2, t0
    li t1, -1
    tmc t1
    addi t3, t3, -1
    bnez t3, 1b
end deep_split

kernel unaligned_load
    csrr t0, 0xCC0
    lla t1, words
    add t1, t1, t0
    lw t1, 0(t1)                    # FAULT unaligned_load
end unaligned_load

kernel unaligned_store
    lla t1, words
    sh t0, 3(t1)                    # FAULT unaligned_store
end unaligned_store

kernel unaligned_right
    csrr t0, 0xCC0
    lla t1, words
    add t1, t1, t0
    lbu t2, 0(t1)
    sb t2, 0(t1)
    lla t1, words
    lhu t2, 2(t1)
    sh t2, 2(t1)
end unaligned_right

kernel null_load
    lw t1, 8(zero)                  # FAULT null_load
end null_load

kernel null_store
    csrr t0, 0xCC0
    sltiu t1, t0, 2
    split t2, t1
    beqz t1, 1f
    sw t0, 0(zero)                  # FAULT null_store
1:  join t2
end null_store

kernel behind_local_memory
    li t0, GYRE_DEV_LMEM_BASE
    lw t1, -4(t0)
    li t1, 0x8000
    add t0, t0, t1
    lw t1, 0(t0)                    # FAULT behind_local_memory
end behind_local_memory

kernel aperture_load
    li t0, GYRE_DEV_APERTURE_BASE
    lw t1, 0(t0)                    # FAULT aperture_load
end aperture_load

kernel bad_jump
    li t0, 0x10
    jalr ra, 0(t0)                  # goes to nowhere
end bad_jump

kernel odd_jump
    lla t0, words
    jalr ra, 2(t0)
end odd_jump

# The same fault, over and over and in several places.
kernel many
    li t3, 40
1:  csrr t0, 0xCC0
    bnez t0, 2f                     # FAULT many
2:  addi t3, t3, -1
    bnez t3, 1b
    .rept 30
    bnez t0, 3f
3:  nop
    .endr
end many

    .data
    .align 2
words:
    .word 1, 2, 3, 4
