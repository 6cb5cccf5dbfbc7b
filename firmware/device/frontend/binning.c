/* gyre_binning: stages BCOUNT, BEMIT, BHIST, BSCATTER on any 1-D grid, BSCAN and BBASE on one CTA (frontend.md §10). */
#include "frontend_kernel.h"

SIMT_KERNEL void gyre_binning(const gyre_pipe_arg* arg) {
  const gyre_place_in_grid at = gyre_here();
  const uint32_t stage = arg->stage;
  if (stage == GYRE_STAGE_BCOUNT) { /* uniform: kernel argument */
    gyre_stage_bcount(arg, &at);
  } else if (stage == GYRE_STAGE_BSCAN) { /* uniform: kernel argument */
    gyre_stage_bscan(arg, &at, 0);
    simt_barrier();
    gyre_stage_bscan(arg, &at, 1);
    simt_barrier();
    gyre_stage_bscan(arg, &at, 2);
  } else if (stage == GYRE_STAGE_BEMIT) { /* uniform: kernel argument */
    gyre_stage_bemit(arg, &at);
  } else if (stage == GYRE_STAGE_BHIST) { /* uniform: kernel argument */
    gyre_stage_bhist(arg, &at, 0);
    simt_barrier();
    gyre_stage_bhist(arg, &at, 1);
  } else if (stage == GYRE_STAGE_BBASE) { /* uniform: kernel argument */
    gyre_stage_bbase(arg, &at, 0);
    simt_barrier();
    gyre_stage_bbase(arg, &at, 1);
    simt_barrier();
    gyre_stage_bbase(arg, &at, 2);
  } else if (stage == GYRE_STAGE_BSCATTER) { /* uniform: kernel argument */
    gyre_stage_bscatter(arg, &at, 0);
    simt_barrier();
    gyre_stage_bscatter(arg, &at, 1);
  }
}
