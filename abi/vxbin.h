/* Device binary file (isa.md §12): what tools/elf2vxbin writes and the firmware loads. Little-endian, packed:
 *
 *   u64 min_vma, max_vma        device addresses; max exclusive
 *   u8  image[max_vma - min_vma]   zero-initialised data included
 *   char names[]                symbol footer: function names, no terminators
 *   gyre_vxbin_symbol symbols[N]
 *   u32 N
 *   u8  magic[8]                "VXSYMTAB"
 *
 * The footer is read from the end. A file without it holds one kernel "main" at min_vma. min_vma is the start address
 * of every warp (__vx_cta_entry). */
#ifndef GYRE_ABI_VXBIN_H
#define GYRE_ABI_VXBIN_H

#include <stdint.h>

#define GYRE_VXBIN_MAGIC "VXSYMTAB"
#define GYRE_VXBIN_MAGIC_BYTES 8u
#define GYRE_VXBIN_HEADER_BYTES 16u
#define GYRE_VXBIN_FOOTER_BYTES 12u /* N and magic */

typedef struct gyre_vxbin_symbol { /* 16 bytes; not aligned in the file */
  uint32_t name_offset;            /* from the start of names */
  uint16_t name_bytes;
  uint16_t pad_;
  uint64_t pc;
} gyre_vxbin_symbol;

#endif
