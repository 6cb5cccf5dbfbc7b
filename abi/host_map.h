/* Host CPU address map, interrupts and the display controller (host.md). */
#ifndef GYRE_ABI_HOST_MAP_H
#define GYRE_ABI_HOST_MAP_H

#define GYRE_HOST_ROM_BASE 0x00001000u /* reset vector and device tree */
#define GYRE_HOST_ROM_BYTES 0xF000u
#define GYRE_HOST_FINISHER_BASE 0x00100000u /* sifive,test1 */
#define GYRE_HOST_FINISHER_BYTES 0x1000u
#define GYRE_HOST_CLINT_BASE 0x02000000u /* sifive,clint0 */
#define GYRE_HOST_CLINT_BYTES 0x10000u
#define GYRE_HOST_PLIC_BASE 0x0C000000u /* sifive,plic-1.0.0: 31 sources; context 0 machine, 1 supervisor */
#define GYRE_HOST_PLIC_BYTES 0x600000u
#define GYRE_HOST_UART_BASE 0x10000000u /* ns16550a, 3,686,400 Hz */
#define GYRE_HOST_UART_BYTES 0x100u
#define GYRE_HOST_DISPLAY_BASE 0x10010000u
#define GYRE_HOST_DISPLAY_BYTES 0x1000u
#define GYRE_HOST_CP_BASE 0x20000000u /* cp.h */
#define GYRE_HOST_CP_BYTES 0x1000u
#define GYRE_HOST_RAM_BASE 0x80000000u /* host.ram_bytes */

/* CLINT: byte offsets */
#define GYRE_CLINT_MSIP 0x0000u     /* RW: bit 0 software interrupt */
#define GYRE_CLINT_MTIMECMP 0x4000u /* RW: u64, timer interrupt at and after this time; resets to all ones */
#define GYRE_CLINT_MTIME 0xBFF8u    /* RW: u64, ticks of host.timebase_hz */

/* PLIC: byte offsets */
#define GYRE_PLIC_PRIORITY 0x0u   /* RW: u32 a source, 0..7, 0 = never */
#define GYRE_PLIC_PENDING 0x1000u /* R: bit a source */
#define GYRE_PLIC_ENABLE 0x2000u  /* RW: bit a source, of context 0 */
#define GYRE_PLIC_ENABLE_STRIDE 0x80u
#define GYRE_PLIC_CONTEXT 0x200000u /* RW: +0 threshold, +4 claim and complete, of context 0 */
#define GYRE_PLIC_CONTEXT_STRIDE 0x1000u

/* PLIC sources */
#define GYRE_IRQ_CP 1u
#define GYRE_IRQ_DISPLAY 2u
#define GYRE_IRQ_UART 10u

/* Finisher: words written to its base */
#define GYRE_FINISHER_PASS 0x5555u  /* exit code 0 */
#define GYRE_FINISHER_FAIL 0x3333u  /* (code << 16) | FAIL: exit code */
#define GYRE_FINISHER_RESET 0x7777u /* ends the run as "reset" */

/* Display controller registers: 32-bit, byte offsets (host.md §4) */
#define GYRE_DISP_ID 0x00u /* R: reads GYRE_DISP_ID_VALUE */
#define GYRE_DISP_ID_VALUE 0x47595245u
#define GYRE_DISP_CTRL 0x04u    /* RW: bit 0 scan-out, bit 1 vertical-blank interrupt enable */
#define GYRE_DISP_STATUS 0x08u  /* RW1C: bit 0 vertical blank, bit 1 underrun or bus error */
#define GYRE_DISP_WIDTH 0x0Cu   /* RW: pixels, 1..8192 */
#define GYRE_DISP_HEIGHT 0x10u  /* RW: pixels, 1..8192 */
#define GYRE_DISP_STRIDE 0x14u  /* RW: bytes */
#define GYRE_DISP_FORMAT 0x18u  /* RW: 0 = A8R8G8B8 */
#define GYRE_DISP_BASE_LO 0x1Cu /* RW: host address of the frame */
#define GYRE_DISP_BASE_HI 0x20u /* RW */
#define GYRE_DISP_PRESENT 0x24u /* W: any write captures the frame once */
#define GYRE_DISP_FRAME 0x28u   /* R: frames presented */
#define GYRE_DISP_REFRESH 0x2Cu /* RW: Hz, 1..1000 */

#endif
