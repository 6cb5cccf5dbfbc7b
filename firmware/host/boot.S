# Reset entry and trap entry of the host firmware (host.md §3): machine mode, one hart, C in `main`.

    .section .text.boot, "ax", @progbits
    .globl _start
    .type _start, @function
_start:
    .option push
    .option norelax
    la gp, __global_pointer$
    .option pop
    csrw mie, zero
    csrci mstatus, 8
    la sp, __stack_top
    la tp, __tls_base
    la t0, __bss_start
    la t1, __bss_end
1:  bgeu t0, t1, 2f
    sd zero, 0(t0)
    addi t0, t0, 8
    j 1b
2:  la t0, trap_entry
    csrw mtvec, t0
    # a0 = hart, a1 = device tree
    call board_init
    call main
    call board_exit
3:  j 3b
    .size _start, . - _start

    # Interrupts and exceptions: the registers a C function may change are kept on the interrupted stack.
    .section .text, "ax", @progbits
    .balign 4
    .type trap_entry, @function
trap_entry:
    addi sp, sp, -128
    sd ra, 0(sp)
    sd t0, 8(sp)
    sd t1, 16(sp)
    sd t2, 24(sp)
    sd t3, 32(sp)
    sd t4, 40(sp)
    sd t5, 48(sp)
    sd t6, 56(sp)
    sd a0, 64(sp)
    sd a1, 72(sp)
    sd a2, 80(sp)
    sd a3, 88(sp)
    sd a4, 96(sp)
    sd a5, 104(sp)
    sd a6, 112(sp)
    sd a7, 120(sp)
    csrr a0, mcause
    csrr a1, mepc
    csrr a2, mtval
    call board_trap
    ld ra, 0(sp)
    ld t0, 8(sp)
    ld t1, 16(sp)
    ld t2, 24(sp)
    ld t3, 32(sp)
    ld t4, 40(sp)
    ld t5, 48(sp)
    ld t6, 56(sp)
    ld a0, 64(sp)
    ld a1, 72(sp)
    ld a2, 80(sp)
    ld a3, 88(sp)
    ld a4, 96(sp)
    ld a5, 104(sp)
    ld a6, 112(sp)
    ld a7, 120(sp)
    addi sp, sp, 128
    mret
    .size trap_entry, . - trap_entry

    # uint64_t semihost_call(uint64_t operation, void* block): the three instructions stand uncompressed in one page.
    .globl semihost_call
    .type semihost_call, @function
    .option norvc
    .balign 16
semihost_call:
    slli x0, x0, 0x1f
    ebreak
    srai x0, x0, 7
    ret
    .size semihost_call, . - semihost_call
