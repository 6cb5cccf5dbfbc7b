/* gyre_expand: VS records -> setup vertices (frontend.md §3). Any 1-D grid. */
#include "frontend_kernel.h"

SIMT_KERNEL void gyre_expand(const gyre_expand_arg* arg) {
  const gyre_place_in_grid at = gyre_here();
  gyre_expand_run(arg, &at);
}
