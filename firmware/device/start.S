# Entry of every warp (isa.md §12). The first instruction is the image base, which DCR STARTUP_ADDR names.
# A warp slot that is used again for the same launch starts 20 bytes before the end, at the dispatch window, so the
# window is exactly five 4-byte instructions and ends with the TMC that retires the warp.

    .option norvc
    .option norelax
    .section .text.start, "ax", @progbits
    .globl _start
    .globl __vx_cta_entry
    .type _start, @function
_start:
__vx_cta_entry:
#ifdef GYRE_START_SATP
    lui t0, GYRE_START_SATP
    csrw satp, t0                   # the page that runs here stands for itself
#endif
    # stack of this hart: 8 KiB below 0xFFFF0000 - mhartid * 8192
    csrr t0, mhartid
    slli t0, t0, 13
    lui t1, 0xFFFF0
    sub sp, t1, t0
dispatch_window:
    csrr s11, 0xCE1                 # CTA_ENTRY: kernel or fragment shader
    csrr a0, mscratch               # argument pointer
    jalr ra, 0(s11)
    .insn r 0x0B, 7, 0, x0, x0, x0  # WSYNC
    .insn r 0x0B, 0, 0, x0, x0, x0  # TMC x0
    .size _start, . - _start
