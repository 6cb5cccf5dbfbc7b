// The vector loops of the batched renderer, compiled for x86-64, x86-64-v3 and x86-64-v4 (like batch_run.h).
#pragma once

#include "batch_plan.h"
#include "raster.h"

namespace gyre::shader {

constexpr int kBin = 64;  // pixels a side, the width of a word of `waiting`

constexpr int kCollect =
    kBatchLanes + kBin + kBatchBlock;  // a row of pixels fits behind all lanes but the last, and a block more

// Fragments that wait for the fragment shader, one a lane. What lies behind kBatchLanes waits for the next run.
struct FragmentBatch {
  alignas(64) float b[3][kCollect], iw[kCollect], z[kCollect];
  alignas(64) std::int32_t at[kCollect];  // index of the pixel in the surface
  alignas(64) float fragcoord[4 * kBatchRow];
  alignas(64) float varyings[32 * kBatchRow];
  alignas(64) float color[4 * kBatchRow];
  alignas(64) std::int32_t discard[kBatchLanes];
  int count = 0;
};

// The bin being drawn.
struct ScanBin {
  int x0 = 0, y0 = 0;
  std::uint64_t waiting[kBin] = {};  // bit x of row y: the pixel waits in the batch
};

// The rows of a triangle in a bin that are still to be scanned.
struct ScanCursor {
  int y = 0, y_end = 0;
  int x_begin = 0, x_end = 0;  // pixels of the triangle's box in the bin, ends inclusive
};

struct ScanLoops {
  // Adds fragments of the triangle to the batch. False: the triangle is done. True: the batch must run first, because
  // kBatchLanes lanes are there or the next pixel waits already.
  bool (*collect)(const Triangle& t, const RasterRules& rules, const Surface& surface, ScanBin* bin, ScanCursor* cursor,
                  FragmentBatch* batch);
  // Varyings of lanes begin..end-1, which belong to one triangle; `rows`: those the shader reads.
  void (*interpolate)(const Triangle& t, const std::vector<int>& rows, int begin, int end, FragmentBatch* batch);
  // Fragment coordinates of lanes 0..count-1.
  void (*coordinates)(int width, int count, FragmentBatch* batch);
  // Colours and depths of lanes 0..count-1 go into the surface.
  void (*write)(const RasterRules& rules, const Surface& surface, int count, const FragmentBatch& batch);
};

namespace base {
extern const ScanLoops kScanLoops;
}
namespace v3 {
extern const ScanLoops kScanLoops;
}
namespace v4 {
extern const ScanLoops kScanLoops;
}

}  // namespace gyre::shader
