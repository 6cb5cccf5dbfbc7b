// The batched renderer: the target is cut into bins, a bin is one task and draws its triangles in order, fragments are
// collected into batches. Pixels never depend on the bins, the batches or the threads: a pixel that is still waiting in
// a batch makes the batch run before the next triangle looks at its depth.
#include <oneapi/tbb/info.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>

#include <algorithm>
#include <cstring>
#include <memory>

#include "batch_run.h"
#include "batch_scan.h"
#include "raster.h"

namespace gyre::shader {
namespace {

struct Draw {
  const Surface& surface;
  const TriangleList& list;
  const FragmentSource& source;
  const ScanLoops& loops;
  BatchPlan plan;
};

BatchInputs inputs_of(const FragmentSource& source, const FragmentBatch& batch) {
  BatchInputs in;
  in.varyings = batch.varyings;
  in.varying_map = source.program->varying_map().data();
  in.fragcoord = batch.fragcoord;
  in.uniforms = source.program->words(Stage::kFragment);
  in.texture = source.texture;
  in.math = source.math;
  return in;
}

BatchOutputs outputs_of(FragmentBatch* batch) {
  BatchOutputs out;
  out.color = batch->color;
  out.discard = batch->discard;
  return out;
}

// One thread's registers and waiting fragments.
class Worker {
 public:
  explicit Worker(const Draw& draw) : draw_(draw) {
    for (int row = 0; row < 32; ++row)
      if ((draw.plan.varyings_read >> row & 1) != 0) rows_.push_back(row);
    machine_.prepare(draw.plan, inputs_of(draw.source, batch_), outputs_of(&batch_));
  }

  void bin(int bin_x, int bin_y, const std::uint32_t* begin, const std::uint32_t* end) {
    bin_.x0 = bin_x * kBin;
    bin_.y0 = bin_y * kBin;
    for (; begin != end; ++begin) triangle(draw_.list.triangles()[*begin]);
    flush();
  }
  std::uint64_t shaded() const { return shaded_; }

 private:
  void triangle(const Triangle& t) {
    ScanCursor cursor;
    cursor.x_begin = std::max(t.box.x0, bin_.x0);
    cursor.x_end = std::min(t.box.x1, bin_.x0 + kBin - 1);
    cursor.y = std::max(t.box.y0, bin_.y0);
    cursor.y_end = std::min(t.box.y1, bin_.y0 + kBin - 1);
    triangle_ = &t;
    segment_ = batch_.count;
    while (draw_.loops.collect(t, draw_.list.rules(), draw_.surface, &bin_, &cursor, &batch_)) flush();
    close_segment();
  }

  void close_segment() {
    const int end = std::min(batch_.count, kBatchLanes);
    if (end > segment_) draw_.loops.interpolate(*triangle_, rows_, segment_, end, &batch_);
    segment_ = end;
  }

  // Runs what fits; lanes behind that are moved to the front.
  void flush() {
    close_segment();
    const int count = segment_;
    if (count == 0) return;
    if (draw_.plan.fragcoord_read) draw_.loops.coordinates(draw_.surface.width, count, &batch_);
    machine_.run(count);
    draw_.loops.write(draw_.list.rules(), draw_.surface, count, batch_);
    shaded_ += static_cast<std::uint64_t>(count);
    std::memset(bin_.waiting, 0, sizeof bin_.waiting);
    const int left = batch_.count - count;
    if (left > 0) {  // pixels of one row
      const std::size_t bytes = sizeof(float) * static_cast<std::size_t>(left);
      for (auto& b : batch_.b) std::memmove(b, b + count, bytes);
      std::memmove(batch_.iw, batch_.iw + count, bytes);
      std::memmove(batch_.z, batch_.z + count, bytes);
      std::memmove(batch_.at, batch_.at + count, bytes);
      const int y = batch_.at[0] / draw_.surface.width, first = y * draw_.surface.width + bin_.x0;
      for (int i = 0; i < left; ++i) bin_.waiting[y - bin_.y0] |= std::uint64_t{1} << (batch_.at[i] - first);
    }
    batch_.count = left;
    segment_ = 0;
  }

  const Draw& draw_;
  BatchMachine machine_;
  FragmentBatch batch_{};
  ScanBin bin_;
  std::vector<int> rows_;  // of the varyings the shader reads
  const Triangle* triangle_ = nullptr;
  int segment_ = 0;  // first lane of the current triangle
  std::uint64_t shaded_ = 0;
};

// The triangles of every bin, in order; of bin i from starts[i] to starts[i + 1].
struct Bins {
  int columns = 0, rows = 0;
  std::vector<std::size_t> starts;
  std::vector<std::uint32_t> triangles;

  Bins(const Surface& surface, const std::vector<Triangle>& list)
      : columns((surface.width + kBin - 1) / kBin), rows((surface.height + kBin - 1) / kBin) {
    starts.assign(static_cast<std::size_t>(columns) * static_cast<std::size_t>(rows) + 1, 0);
    for (const Triangle& t : list) each(t, [this](std::size_t bin) { ++starts[bin + 1]; });
    for (std::size_t i = 1; i < starts.size(); ++i) starts[i] += starts[i - 1];
    triangles.resize(starts.back());
    std::vector<std::size_t> next = starts;
    for (std::size_t i = 0; i < list.size(); ++i)
      each(list[i], [&](std::size_t bin) { triangles[next[bin]++] = static_cast<std::uint32_t>(i); });
  }
  std::size_t count() const { return starts.size() - 1; }

 private:
  template <class F>
  void each(const Triangle& t, F f) const {
    for (int y = t.box.y0 / kBin; y <= t.box.y1 / kBin; ++y)
      for (int x = t.box.x0 / kBin; x <= t.box.x1 / kBin; ++x) f(static_cast<std::size_t>(y * columns + x));
  }
};

}  // namespace

std::uint64_t raster_batched(const Surface& surface, const TriangleList& list, const FragmentSource& source,
                             int threads) {
  if (list.triangles().empty()) return 0;
  const auto shape = std::make_unique<FragmentBatch>();  // the plan is the same for every worker
  const Draw draw{surface, list, source, *for_isa(&base::kScanLoops, &v3::kScanLoops, &v4::kScanLoops),
                  make_batch_plan(source.program->fragment(), inputs_of(source, *shape), outputs_of(shape.get()))};
  const Bins bins(surface, list.triangles());
  const auto run_bin = [&](Worker* worker, std::size_t index) {
    const std::size_t begin = bins.starts[index], end = bins.starts[index + 1];
    if (begin == end) return;
    worker->bin(static_cast<int>(index) % bins.columns, static_cast<int>(index) / bins.columns,
                bins.triangles.data() + begin, bins.triangles.data() + end);
  };
  // More threads than processors gain nothing, and oneTBB says so on standard error.
  threads = std::min(threads, oneapi::tbb::info::default_concurrency());
  if (threads <= 1) {
    const auto worker = std::make_unique<Worker>(draw);
    for (std::size_t i = 0; i < bins.count(); ++i) run_bin(worker.get(), i);
    return worker->shaded();
  }
  std::vector<std::unique_ptr<Worker>> workers(static_cast<std::size_t>(threads));
  oneapi::tbb::task_arena arena(threads);
  arena.execute([&] {
    oneapi::tbb::parallel_for(std::size_t{0}, bins.count(), [&](std::size_t index) {
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
