/* gyre_setup: stages SETUP and EMIT on any 1-D grid, SCAN on one CTA (frontend.md §1). */
#include "frontend_kernel.h"

SIMT_KERNEL void gyre_setup(const gyre_pipe_arg* arg) {
  const gyre_place_in_grid at = gyre_here();
  const uint32_t stage = arg->stage;
  if (stage == GYRE_STAGE_SETUP) { /* uniform: kernel argument */
    gyre_stage_setup(arg, &at);
  } else if (stage == GYRE_STAGE_SCAN) { /* uniform: kernel argument */
    gyre_stage_scan(arg, &at, 0);
    simt_barrier();
    gyre_stage_scan(arg, &at, 1);
    simt_barrier();
    gyre_stage_scan(arg, &at, 2);
  } else if (stage == GYRE_STAGE_EMIT) { /* uniform: kernel argument */
    gyre_stage_emit(arg, &at);
  }
}
