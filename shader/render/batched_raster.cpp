// The batched renderer: the target is cut into bins, a bin is one task and draws its triangles in order, fragments are
// collected into batches. Pixels never depend on the bins, the batches or the threads: a pixel that is still waiting in
// a batch makes the batch run before the next triangle looks at its depth.
#include <bitset>
#include <memory>

#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>

#include "batch_run.h"
#include "batch_scan.h"
#include "pixel_pack.h"
#include "raster.h"

namespace gyre::shader {
namespace {

constexpr int kBin = 64;  // pixels a side

struct Draw {
  const Surface& surface;
  const TriangleList& list;
  const FragmentSource& source;
  const ScanLoops& loops;
  BatchPlan plan;
  std::vector<int> slots;
  bool fragcoord = false;  // does the shader read it
};

// One thread's registers and waiting fragments.
class Worker {
 public:
  explicit Worker(const Draw& draw) : draw_(draw) {
    in_.varyings = batch_.varyings;
    in_.varying_map = draw.source.program->varying_map().data();
    in_.fragcoord = batch_.fragcoord;
    in_.uniforms = draw.source.program->words(Stage::kFragment);
    in_.texture = draw.source.texture;
    in_.math = draw.source.math;
    out_.color = batch_.color;
    out_.discard = batch_.discard;
    for (float& v : batch_.varyings) v = 0.0f;
    for (int i = 0; i < kBatchLanes; ++i) {
      batch_.iw[i] = 1.0f;
      batch_.z[i] = batch_.b[0][i] = batch_.b[1][i] = batch_.b[2][i] = 0.0f;
      batch_.x[i] = batch_.y[i] = 0;
    }
    machine_.prepare(draw.plan, in_);
  }

  void bin(int bin_x, int bin_y, const std::vector<std::uint32_t>& triangles) {
    x0_ = bin_x * kBin;
    y0_ = bin_y * kBin;
    for (const std::uint32_t index : triangles) triangle(draw_.list.triangles()[index]);
    flush();
  }
  std::uint64_t shaded() const { return shaded_; }

 private:
  void triangle(const Triangle& t) {
    const int x_begin = std::max(t.box.x0, x0_), x_end = std::min(t.box.x1, x0_ + kBin - 1);
    const int y_begin = std::max(t.box.y0, y0_), y_end = std::min(t.box.y1, y0_ + kBin - 1);
    triangle_ = &t;
    segment_ = batch_.count;
    for (int y = y_begin; y <= y_end; ++y)
      for (int x = x_begin; x <= x_end; x += kBatchBlock)
        if (draw_.loops.strip(t, draw_.list.rules(), x, x_end, y, &strip_)) take(x, y);
    close_segment();
  }

  void take(int x, int y) {
    const Surface& surface = draw_.surface;
    const std::size_t row = static_cast<std::size_t>(y) * static_cast<std::size_t>(surface.width);
    const std::size_t at = static_cast<std::size_t>((y - y0_) * kBin + x - x0_);
    for (int i = 0; i < kBatchBlock; ++i) {
      if (strip_.covered[i] == 0) continue;
      if (waiting_[at + static_cast<std::size_t>(i)]) {
        flush();
        break;
      }
    }
    const bool test = draw_.list.rules().depth_test;
    for (int i = 0; i < kBatchBlock; ++i) {
      if (strip_.covered[i] == 0) continue;
      if (test && strip_.z[i] >= surface.depth[row + static_cast<std::size_t>(x + i)]) continue;
      const int lane = batch_.count++;
      batch_.b[0][lane] = strip_.b[0][i];
      batch_.b[1][lane] = strip_.b[1][i];
      batch_.b[2][lane] = strip_.b[2][i];
      batch_.iw[lane] = strip_.iw[i];
      batch_.z[lane] = strip_.z[i];
      batch_.x[lane] = x + i;
      batch_.y[lane] = y;
      waiting_.set(at + static_cast<std::size_t>(i));
      if (batch_.count == kBatchLanes) flush();
    }
  }

  void close_segment() {
    if (batch_.count > segment_) draw_.loops.interpolate(*triangle_, draw_.slots, segment_, batch_.count, &batch_);
    segment_ = batch_.count;
  }

  void flush() {
    close_segment();
    if (batch_.count == 0) return;
    if (draw_.fragcoord) draw_.loops.coordinates(&batch_);
    machine_.run(draw_.plan, in_, out_, batch_.count);
    const RasterRules& rules = draw_.list.rules();
    if (rules.clamp_color) {
      draw_.loops.pack(&batch_);
    } else {
      for (int i = 0; i < batch_.count; ++i) {
        const float rgba[4] = {batch_.color[i], batch_.color[kBatchLanes + i], batch_.color[2 * kBatchLanes + i], batch_.color[3 * kBatchLanes + i]};
        batch_.packed[i] = pack_pixel(rgba, false);
      }
    }
    for (int i = 0; i < batch_.count; ++i) {
      const int x = batch_.x[i], y = batch_.y[i];
      waiting_.reset(static_cast<std::size_t>((y - y0_) * kBin + x - x0_));
      if (batch_.discard[i] != 0) continue;
      const std::size_t at = static_cast<std::size_t>(y) * static_cast<std::size_t>(draw_.surface.width) + static_cast<std::size_t>(x);
      draw_.surface.color[at] = batch_.packed[i];
      if (rules.depth_write) draw_.surface.depth[at] = batch_.z[i];
    }
    shaded_ += static_cast<std::uint64_t>(batch_.count);
    batch_.count = segment_ = 0;
  }

  const Draw& draw_;
  BatchMachine machine_;
  BatchInputs in_;
  BatchOutputs out_;
  FragmentBatch batch_;
  PixelStrip strip_;
  std::bitset<kBin * kBin> waiting_;
  const Triangle* triangle_ = nullptr;
  int segment_ = 0;  // first lane of the current triangle
  int x0_ = 0, y0_ = 0;
  std::uint64_t shaded_ = 0;
};

}  // namespace

std::uint64_t raster_batched(const Surface& surface, const TriangleList& list, const FragmentSource& source, int threads) {
  if (list.triangles().empty()) return 0;
  Draw draw{surface, list, source, has_v3() ? v3::kScanLoops : base::kScanLoops, make_batch_plan(source.program->fragment()),
            varying_slots_read(*source.program)};
  for (const BatchOp& op : draw.plan.code) draw.fragcoord |= op.op == Op::kLoadFcoord;
  const int columns = (surface.width + kBin - 1) / kBin, rows = (surface.height + kBin - 1) / kBin;
  std::vector<std::vector<std::uint32_t>> bins(static_cast<std::size_t>(columns) * static_cast<std::size_t>(rows));
  for (std::size_t i = 0; i < list.triangles().size(); ++i) {
    const PixelRect& box = list.triangles()[i].box;
    for (int y = box.y0 / kBin; y <= box.y1 / kBin; ++y)
      for (int x = box.x0 / kBin; x <= box.x1 / kBin; ++x)
        bins[static_cast<std::size_t>(y * columns + x)].push_back(static_cast<std::uint32_t>(i));
  }
  const auto run_bin = [&](Worker* worker, std::size_t index) {
    if (!bins[index].empty()) worker->bin(static_cast<int>(index) % columns, static_cast<int>(index) / columns, bins[index]);
  };
  if (threads <= 1) {
    const auto worker = std::make_unique<Worker>(draw);
    for (std::size_t i = 0; i < bins.size(); ++i) run_bin(worker.get(), i);
    return worker->shaded();
  }
  std::vector<std::unique_ptr<Worker>> workers(static_cast<std::size_t>(threads));
  oneapi::tbb::task_arena arena(threads);
  arena.execute([&] {
    oneapi::tbb::parallel_for(std::size_t{0}, bins.size(), [&](std::size_t index) {
      auto& worker = workers[static_cast<std::size_t>(oneapi::tbb::this_task_arena::current_thread_index())];
      if (!worker) worker = std::make_unique<Worker>(draw);
      run_bin(worker.get(), index);
    });
  });
  std::uint64_t shaded = 0;
  for (const auto& worker : workers) shaded += worker ? worker->shaded() : 0;
  return shaded;
}

}  // namespace gyre::shader
