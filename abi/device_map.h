/* Device (GPU) address map and machine-wide constants (isa.md §11, om.md §3).
 * Shared by firmware, device code, model and RTL: C11, no dependencies. */
#ifndef GYRE_ABI_DEVICE_MAP_H
#define GYRE_ABI_DEVICE_MAP_H

#define GYRE_DEV_NULL_END 0x00000040u      /* [0, NULL_END) is unmapped: access fault */
#define GYRE_DEV_IO_BASE 0x00000040u       /* uncached IO region */
#define GYRE_DEV_IO_END 0x00010000u        /* first byte past the IO region; user memory starts here */
#define GYRE_DEV_CONSOLE_WR 0x00000040u    /* u32 wr[64] */
#define GYRE_DEV_CONSOLE_RD 0x00000140u    /* u32 rd[64] */
#define GYRE_DEV_CONSOLE_DATA 0x00000240u  /* u8 data[64][512] */
#define GYRE_DEV_CONSOLE_LOST 0x00008240u  /* u32 lost[64] */
#define GYRE_DEV_CONSOLE_SLOTS 64u
#define GYRE_DEV_CONSOLE_SLOT_BYTES 512u
#define GYRE_DEV_EXIT_CODE 0x00008348u     /* u32 exit code word of non-KMU programs */
#define GYRE_DEV_USER_BASE 0x00010000u     /* first byte software may allocate */
#define GYRE_DEV_IMAGE_BASE 0x80000000u    /* usual link address of kernel images */
#define GYRE_DEV_SHADER_BASE 0x80100000u   /* image of a package's shaders, behind the kernel image */
#define GYRE_DEV_APERTURE_BASE 0xE0000000u /* OM export aperture, write only */
#define GYRE_DEV_APERTURE_END 0xF0000000u
#define GYRE_DEV_PAGE_TABLE_BASE 0xF0000000u
#define GYRE_DEV_STACK_TOP 0xFFFF0000u     /* hart h: 8 KiB below STACK_TOP - h * STACK_BYTES */
#define GYRE_DEV_STACK_BYTES 8192u
#define GYRE_DEV_LMEM_BASE 0xFFFF0000u     /* local memory window of each core */
#define GYRE_DEV_LMEM_BYTES 16384u         /* default size; configurable */
#define GYRE_DEV_BLOCK_BYTES 64u           /* memory fabric word */

#endif
