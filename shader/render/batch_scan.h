// The vector loops of the batched renderer, compiled for every x86-64 and for x86-64-v3 (like batch_run.h).
#pragma once

#include "batch_plan.h"
#include "raster.h"

namespace gyre::shader {

// Pixels of one row, side by side.
struct PixelStrip {
  alignas(64) float b[3][kBatchBlock];
  alignas(64) float iw[kBatchBlock], z[kBatchBlock];
  alignas(64) std::int32_t covered[kBatchBlock];
};

// Fragments that wait for the fragment shader, one a lane.
struct FragmentBatch {
  alignas(64) float b[3][kBatchLanes], iw[kBatchLanes], z[kBatchLanes];
  alignas(64) float fragcoord[4 * kBatchLanes];
  alignas(64) float varyings[32 * kBatchLanes];
  alignas(64) float color[4 * kBatchLanes];
  alignas(64) std::int32_t discard[kBatchLanes];
  alignas(64) std::uint32_t packed[kBatchLanes];
  std::int32_t x[kBatchLanes], y[kBatchLanes];
  int count = 0;
};

struct ScanLoops {
  // kBatchBlock pixels from x on; those after x_end are not covered. True when one is covered.
  bool (*strip)(const Triangle& t, const RasterRules& rules, int x, int x_end, int y, PixelStrip* out);
  // Varyings of lanes begin..end-1, which belong to one triangle; `slots`: those the shader reads.
  void (*interpolate)(const Triangle& t, const std::vector<int>& slots, int begin, int end, FragmentBatch* batch);
  // Fragment coordinates and nothing else, lanes 0..count-1.
  void (*coordinates)(FragmentBatch* batch);
  void (*pack)(FragmentBatch* batch);  // clamped colours
};

namespace base {
extern const ScanLoops kScanLoops;
}
namespace v3 {
extern const ScanLoops kScanLoops;
}

}  // namespace gyre::shader
