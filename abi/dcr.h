/* Device control registers: 12-bit number, 32-bit data (launch.md §1, tex.md §4, om.md §4).
 * Registers are not reset by a launch or a queue reset; values persist across draws. */
#ifndef GYRE_ABI_DCR_H
#define GYRE_ABI_DCR_H

/* System (read only; the data of a read request selects what is read) */
#define GYRE_DCR_CACHE_FLUSH 0x000u /* read: data[15:0] = core id; answers when its caches are clean */
#define GYRE_DCR_MPM_VALUE 0x001u   /* read: data = {class[31:22], idx[21:16], core[15:0]} */

/* Kernel management unit */
#define GYRE_DCR_STARTUP_ADDR0 0x010u /* start PC of every warp (__vx_cta_entry) */
#define GYRE_DCR_STARTUP_ADDR1 0x011u
#define GYRE_DCR_KERNEL_ENTRY0 0x012u /* kernel function PC */
#define GYRE_DCR_KERNEL_ENTRY1 0x013u
#define GYRE_DCR_STARTUP_ARG0 0x014u /* argument pointer */
#define GYRE_DCR_STARTUP_ARG1 0x015u
#define GYRE_DCR_BLOCK_DIM_X 0x016u
#define GYRE_DCR_BLOCK_DIM_Y 0x017u
#define GYRE_DCR_BLOCK_DIM_Z 0x018u
#define GYRE_DCR_GRID_DIM_X 0x019u /* in CTAs; any grid dimension 0 = draw kick */
#define GYRE_DCR_GRID_DIM_Y 0x01Au
#define GYRE_DCR_GRID_DIM_Z 0x01Bu
#define GYRE_DCR_LMEM_SIZE 0x01Cu  /* bytes per CTA */
#define GYRE_DCR_BLOCK_SIZE 0x01Du /* threads per CTA = X*Y*Z */
#define GYRE_DCR_WARP_STEP_X 0x01Eu
#define GYRE_DCR_WARP_STEP_Y 0x01Fu
#define GYRE_DCR_WARP_STEP_Z 0x020u
#define GYRE_DCR_CLUSTER_DIM_X 0x021u /* CTAs per cluster; 0 is treated as 1; resets to 1 */
#define GYRE_DCR_CLUSTER_DIM_Y 0x022u
#define GYRE_DCR_CLUSTER_DIM_Z 0x023u

/* Texture sampler: 0x041..0x056 go to the bank named by TEX_STAGE */
#define GYRE_DCR_TEX_STAGE 0x040u
#define GYRE_DCR_TEX_ADDR 0x041u    /* byte address >> 6 */
#define GYRE_DCR_TEX_LOGDIM 0x042u  /* {log2 height[31:16], log2 width[15:0]} */
#define GYRE_DCR_TEX_FORMAT 0x043u  /* GYRE_TEX_FORMAT_* */
#define GYRE_DCR_TEX_FILTER 0x044u  /* bit 0 bilinear, bit 1 mip-linear */
#define GYRE_DCR_TEX_WRAP 0x045u    /* {v[31:16], u[15:0]} GYRE_TEX_WRAP_* */
#define GYRE_DCR_TEX_MIPOFF0 0x046u /* byte offset of level 0; 16 registers up to 0x055 */
#define GYRE_DCR_TEX_BORDER 0x056u  /* A8R8G8B8 */
#define GYRE_TEX_STAGES 2u
#define GYRE_TEX_LEVELS 16u

/* Rasterizer */
#define GYRE_DCR_RASTER_TBUF_ADDR 0x060u   /* byte address >> 6 */
#define GYRE_DCR_RASTER_TILE_COUNT 0x061u  /* bin headers */
#define GYRE_DCR_RASTER_PBUF_ADDR 0x062u   /* byte address >> 6 */
#define GYRE_DCR_RASTER_PBUF_STRIDE 0x063u /* bytes, multiple of 4 */
#define GYRE_DCR_RASTER_SCISSOR_X 0x064u   /* {max[31:16], min[15:0]}, max exclusive */
#define GYRE_DCR_RASTER_SCISSOR_Y 0x065u
#define GYRE_DCR_RASTER_FRAG_ENTRY_LO 0x066u
#define GYRE_DCR_RASTER_FRAG_ENTRY_HI 0x067u
#define GYRE_DCR_RASTER_FRAG_PARAM_LO 0x068u
#define GYRE_DCR_RASTER_FRAG_PARAM_HI 0x069u

/* Output merger: (RT) registers are latched in the bank named by OM_RT_SELECT */
#define GYRE_DCR_OM_CBUF_ADDR 0x080u      /* (RT) byte address >> 6 */
#define GYRE_DCR_OM_CBUF_PITCH 0x081u     /* (RT) bytes per row */
#define GYRE_DCR_OM_CBUF_WRITEMASK 0x082u /* (RT) bit i enables byte i: B G R A */
#define GYRE_DCR_OM_ZBUF_ADDR 0x083u      /* byte address >> 6 */
#define GYRE_DCR_OM_ZBUF_PITCH 0x084u
#define GYRE_DCR_OM_DEPTH_FUNC 0x085u      /* GYRE_CMP_* */
#define GYRE_DCR_OM_DEPTH_WRITEMASK 0x086u /* bit 0 */
#define GYRE_DCR_OM_STENCIL_FUNC 0x087u    /* {back[31:16], front[15:0]} as all stencil registers */
#define GYRE_DCR_OM_STENCIL_ZPASS 0x088u
#define GYRE_DCR_OM_STENCIL_ZFAIL 0x089u
#define GYRE_DCR_OM_STENCIL_FAIL 0x08Au
#define GYRE_DCR_OM_STENCIL_REF 0x08Bu
#define GYRE_DCR_OM_STENCIL_MASK 0x08Cu
#define GYRE_DCR_OM_STENCIL_WRITEMASK 0x08Du
#define GYRE_DCR_OM_BLEND_MODE 0x08Eu  /* (RT) {alpha[31:16], rgb[15:0]} GYRE_BLEND_* */
#define GYRE_DCR_OM_BLEND_FUNC 0x08Fu  /* (RT) bytes {dst_a, dst_rgb, src_a, src_rgb} high to low */
#define GYRE_DCR_OM_BLEND_CONST 0x090u /* (RT) A8R8G8B8 */
#define GYRE_DCR_OM_LOGIC_OP 0x091u    /* (RT) */
#define GYRE_DCR_OM_EARLYZ_SAFE 0x092u /* bit 0 arms early-Z in RASTER */
#define GYRE_DCR_OM_APERTURE_XBITS 0x093u
#define GYRE_DCR_OM_APERTURE_YBITS 0x094u
#define GYRE_DCR_OM_APERTURE_RECORD_SHIFT 0x095u /* 2 or 3 */
#define GYRE_DCR_OM_APERTURE_DEPTH_ONLY 0x096u   /* bit 0 */
#define GYRE_DCR_OM_RT_SELECT 0x097u             /* 0..3 */
#define GYRE_OM_MAX_RT 4u

#define GYRE_DCR_COUNT 0x1000u

#endif
