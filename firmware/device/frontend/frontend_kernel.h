/* What the three kernels share: where the thread stands, and phases with barriers. */
#ifndef GYRE_FIRMWARE_FRONTEND_KERNEL_H
#define GYRE_FIRMWARE_FRONTEND_KERNEL_H

#include "stages.h"

SIMT_INLINE gyre_place_in_grid gyre_here(void) {
  gyre_place_in_grid at;
  at.thread = simt_thread_x();
  at.threads = simt_block_dim_x();
  at.cta = simt_block_x();
  at.ctas = simt_grid_dim_x();
  return at;
}

#endif
