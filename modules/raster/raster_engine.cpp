#include "raster_engine.h"

#include <algorithm>
#include <cassert>
#include <cstring>

#include "csr.h"
#include "error.h"
#include "log.h"
#include "owner.h"
#include "stripe.h"

namespace gyre::raster {
namespace {

using kernel::kNever;
constexpr Cycle kKickFork = 1;

const GpuConfig& checked(const GpuConfig& config) {
  const RasterConfig& raster = config.raster;
  const unsigned threads = config.core.threads;
  if (threads == 0 || threads % 4 != 0 || threads > kernel::kMaxThreads)
    user_error("gpu.core.threads is {}: the rasterizer needs a multiple of 4 up to {} (a quad is four lanes)", threads,
               kernel::kMaxThreads);
  if (raster.bin_log < 1 || raster.bin_log > 10) user_error("gpu.raster.bin_log is {}: use 1 to 10", raster.bin_log);
  if (raster.block_log < 1 || raster.block_log > raster.bin_log)
    user_error("gpu.raster.block_log is {}: use 1 to gpu.raster.bin_log ({})", raster.block_log, raster.bin_log);
  if (raster.slices < 1) user_error("gpu.raster.slices is 0: use 1 or more");
  return config;
}

}  // namespace

RasterEngine::RasterEngine(sc_core::sc_module_name module_name, kernel::Context& ctx, unsigned cluster,
                           unsigned engine_in_cluster)
    : sc_module(module_name),
      memory("memory", kernel::MemSource::kRaster, ctx.config.gpu.period_ps()),
      ctx_(ctx),
      config_(checked(ctx.config.gpu)),
      index_(cluster * config_.raster.cores + engine_in_cluster),
      node_(ctx.busy.add_node(name())),
      clock_(ctx.gpu_clock()),
      fetch_(name(), ctx, memory),
      depth_(ctx, memory),
      packer_(config_.core.threads / 4),
      launcher_(ctx, cluster, clock_),
      frame_row_(name(), "draws") {
  slices_.reserve(config_.raster.slices);
  for (unsigned i = 0; i < config_.raster.slices; ++i) slices_.emplace_back(config_, depth_);
  for (unsigned i = 0; i < config_.raster.slices; ++i)
    slice_rows_.emplace_back(name(), fmt::format("walk, slice {}", i));
  dcr.register_b_transport(this, &RasterEngine::write_register);
  register_counters();
  SC_THREAD(run);
}

void RasterEngine::kick(std::uint8_t ctx_id, Cycle stamp) {
  assert(!armed_ && "the device is drained between frames");
  ctx_.busy.take(node_);
  armed_ = true;
  ctx_id_ = ctx_id;
  kick_stamp_ = stamp;
  draw_ = registers_.draw_state(config_.raster.earlyz);
  if (index_ == 0 && ctx_.lints.on(kernel::Lint::kDcrUnset))  // every engine sees the same registers: say it once
    registers_.for_each_unset(config_.raster.earlyz, [&](unsigned number) {
      ctx_.lints.about_register(kernel::Lint::kDcrUnset, name(), number,
                                "the draw uses it and nobody has written it; registers are not reset: write it once");
    });
  kick_event_.notify(sc_core::SC_ZERO_TIME);
}

void RasterEngine::run() {
  for (;;) {
    clock_.wait_until(kick_event_, [this] { return armed_; });
    clock_.advance_to(kick_stamp_ + kKickFork);
    const Cycle start = clock_.now();
    draw_frame();
    if (ctx_.timeline != nullptr)
      ctx_.timeline->slice(frame_row_, "draw", start * clock_.period(), clock_.now_ps(),
                           fmt::format(R"("context":{},"bins of the draw":{})", ctx_id_, draw_.tile_count));
    armed_ = false;
    ++frames_;
    ctx_.busy.give(node_, clock_.now());
  }
}

void RasterEngine::draw_frame() {
  const Cycle start = clock_.now();
  const Stripe stripe = stripe_of(index_, config_.raster_engines(), draw_.tile_count);
  if (stripe.count == 0) return;
  if (draw_.prim_stride % 4 != 0) {
    ctx_.faults.raise({GYRE_FAULT_UNIT_STATE, 0xFFFF, GYRE_MPM_RASTER, 0, GYRE_DCR_RASTER_PBUF_STRIDE});
    return;
  }
  fetch_.start(draw_, stripe, start);
  for (Slice& slice : slices_) slice.start(start);
  launcher_.start(draw_, ctx_id_);
  packer_.clear();
  packer_free_ = packer_idle_since_ = start;
  packing_.wait_for_input(start);
  next_slice_ = merge_next_ = 0;

  // A small event loop of its own: always the step with the earliest date, so that stages that overlap in hardware
  // see each other in the order of time although one thread runs them all.
  for (;;) {
    const Next next = next_step();
    if (next.step == Step::kDone) {
      if (drained()) break;
      wait(date_event_);
      clock_.catch_up();
      continue;
    }
    if (waits_for_dates_ && next.at > clock_.now()) {
      wait(sc_core::sc_time::from_value(next.at * clock_.period()) - sc_core::sc_time_stamp(), date_event_);
      clock_.catch_up();
      continue;
    }
    clock_.advance_to(next.at);
    switch (next.step) {
      case Step::kFetch:
        fetch_.step(clock_.now());
        break;
      case Step::kDispatch:
        dispatch(next.slice, next.at);
        break;
      case Step::kMerge:
        merge(next.slice, next.at);
        break;
      case Step::kFlush:
        flush(next.at);
        break;
      case Step::kDone:
        break;
    }
    if (clock_.quantum_spent() && !waits_for_dates_) clock_.sync();
  }
  clock_.advance_to(std::max(fetch_.time(), packer_free_));
  for (const Slice& slice : slices_) clock_.advance_to(slice.free_at());
}

void RasterEngine::set_clients(kernel::AtClient* raster, std::function<bool(std::uint64_t)> raster_has,
                               kernel::AtClient* merger, const memory::LineReader& raster_lines,
                               const memory::LineReader& merger_lines) {
  const auto answered = [this] { date_event_.notify(sc_core::SC_ZERO_TIME); };
  fetch_.set_client(raster, std::move(raster_has), raster_lines, answered);
  depth_.set_client(merger, merger_lines, answered);
  memory.set_timed(raster != nullptr);
  waits_for_dates_ = true;
}

// Without a step that has a date: nothing is left, or dates are under way.
bool RasterEngine::drained() const {
  if (!waits_for_dates_) return true;
  for (const Slice& slice : slices_)
    if (!slice.empty() || slice.free_at() == kUnknown) return false;
  return fetch_.done() && fetch_.time() != kUnknown;
}

RasterEngine::Next RasterEngine::next_step() const {
  Next best{Step::kDone, kNever, 0};

  // A slice without work takes the next record: the first idle one in turn, or the one that is idle first.
  const std::size_t n = slices_.size();
  std::size_t chosen = n;
  const Record* record = fetch_.front();
  const Cycle wanted = record != nullptr ? record->ready : fetch_.time();
  Cycle chosen_at = kUnknown;
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t s = (next_slice_ + i) % n;
    if (!slices_[s].empty()) continue;
    const Cycle at = std::max(wanted, slices_[s].free_at());
    if (at < chosen_at) {
      chosen_at = at;
      chosen = s;
    }
  }
  if (chosen != n) {
    if (record != nullptr)
      best = {Step::kDispatch, chosen_at, chosen};
    else if (!waits_for_dates_ && !fetch_.done())
      best = {Step::kFetch, fetch_.time(), 0};
  }
  if (waits_for_dates_ && fetch_.can_step() && fetch_.time() < best.at) best = {Step::kFetch, fetch_.time(), 0};

  // Merging must not let a record overtake an earlier record of its bin that still has work in another slice.
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t s = (merge_next_ + i) % n;
    const Slice& slice = slices_[s];
    if (slice.empty()) continue;
    Cycle at = slice.head().ready;
    bool blocked = false;
    for (std::size_t j = 0; j < n; ++j) {
      const Slice& other = slices_[j];
      if (j == s || other.bin() != slice.bin() || other.order() >= slice.order()) continue;
      blocked |= !other.empty();
      at = std::max(at, other.free_at());
    }
    at = std::max(at, packer_free_);
    if (!blocked && at < best.at) best = {Step::kMerge, at, s};
  }

  if (!packer_.empty()) {
    const Cycle at = packer_idle_since_ + config_.raster.packer_idle;
    if (at < best.at) best = {Step::kFlush, at, 0};
  }
  return best;
}

void RasterEngine::dispatch(std::size_t slice, Cycle at) {
  // Early-Z reads what others write: let kernel time reach ours before a batch of reads (design §4 rule 5).
  if (draw_.early_z) clock_.sync();
  slices_[slice].accept(*fetch_.front(), draw_, at);
  if (ctx_.timeline != nullptr && slices_[slice].free_at() != kUnknown) {
    const Record& record = *fetch_.front();
    ctx_.timeline->slice(slice_rows_[slice], fmt::format("primitive {}", record.pid), at * clock_.period(),
                         slices_[slice].free_at() * clock_.period(),
                         fmt::format(R"("bin x":{},"bin y":{})", record.x, record.y));
  }
  fetch_.pop(at);
  next_slice_ = (slice + 1) % slices_.size();
}

void RasterEngine::merge(std::size_t slice, Cycle at) {
  Slice& source = slices_[slice];
  const BlockWave wave = source.head();
  const Quad* quads = source.quads(wave);
  const std::uint32_t cores = config_.cores_per_cluster();
  packer_free_ = std::max(packer_free_, at);
  packing_.wait_for_input(packer_free_);
  for (std::uint32_t i = 0; i < wave.count; ++i) {
    const Quad& quad = quads[i];
    const std::uint32_t owner = owner_core(quad.x, quad.y, config_.raster.bin_log, cores);
    if (packer_.conflicts(quad, owner)) flush(packer_free_);
    packer_.append(quad, owner);
    ++packer_free_;  // one quad is scanned a cycle
    packing_.spend(kernel::Doing::kBusy, packer_free_);
    packer_idle_since_ = packer_free_;
    if (packer_.full()) flush(packer_free_);
  }
  source.pop(packer_free_);
  merge_next_ = (slice + 1) % slices_.size();
}

void RasterEngine::flush(Cycle at) {
  packing_.wait_for_input(at);
  launcher_.launch(packer_.wave(), at, *launch[0]);
  packer_.clear();
  packer_free_ = std::max(packer_free_, clock_.now());
  packing_.spend(kernel::Doing::kOutput, packer_free_);
}

void RasterEngine::write_register(tlm::tlm_generic_payload& payload, sc_core::sc_time&) {
  if (payload.get_data_length() != 4 || payload.get_byte_enable_ptr() != nullptr) {
    payload.set_response_status(tlm::TLM_BURST_ERROR_RESPONSE);
    return;
  }
  std::uint32_t value = 0;
  if (payload.is_write()) {
    std::memcpy(&value, payload.get_data_ptr(), sizeof value);
    registers_.write(static_cast<std::uint32_t>(payload.get_address() / 4), value);
  } else if (payload.is_read()) {
    std::memcpy(payload.get_data_ptr(), &value, sizeof value);  // no RASTER register answers reads
  }
  payload.set_response_status(tlm::TLM_OK_RESPONSE);
}

void RasterEngine::register_counters() {
  auto add = [&](const char* counter, const std::uint64_t& value) {
    ctx_.counters.add(std::string(name()) + "." + counter, &value);
  };
  // MPM class 12 in order of its indices (isa.md §8).
  const FetchCounters& fetch = fetch_.counters();
  add("reads", fetch.reads);
  add("read_latency", fetch.read_latency);
  add("stalls", launcher_.counters().stalls);
  add("rcache_reads", fetch.rcache_reads);
  add("rcache_misses", fetch.rcache_misses);
  add("frames", frames_);
  add("bins", fetch.bins);
  add("empty_bins", fetch.empty_bins);
  add("primitives", fetch.primitives);
  add("dropped", fetch.dropped);
  add("pid_alias", fetch.pid_alias);
  add("waves", launcher_.counters().waves);
  add("lanes_filled", launcher_.counters().lanes_filled);
  for (std::size_t i = 0; i < slices_.size(); ++i) {
    const SliceCounters& slice = slices_[i].counters();
    const std::string prefix = "slice" + std::to_string(i) + ".";
    add((prefix + "squares").c_str(), slice.squares);
    add((prefix + "blocks").c_str(), slice.blocks);
    add((prefix + "quads").c_str(), slice.quads);
    add((prefix + "pixels").c_str(), slice.pixels);
    add((prefix + "early_z_reads").c_str(), slice.early_z_reads);
    add((prefix + "early_z_culled").c_str(), slice.early_z_culled);
  }
  auto unit = [&](const std::string& stage, const char* kind, std::function<kernel::Activity()> activity) {
    ctx_.utilisation.add(std::string(name()) + "." + stage, kind, 1, [activity](Cycle) { return activity(); });
  };
  unit("fetch", "raster fetch", [this] { return fetch_.activity(); });
  for (std::size_t i = 0; i < slices_.size(); ++i) {
    unit(fmt::format("slice{}.walk", i), "raster walk", [this, i] { return slices_[i].walk_activity(); });
    unit(fmt::format("slice{}.blocks", i), "raster blocks", [this, i] { return slices_[i].block_activity(); });
  }
  if (config_.raster.earlyz) unit("early_z", "raster early-Z", [this] { return depth_.activity(); });
  unit("packer", "raster packer", [this] { return packing_.activity(); });
  unit("launch", "raster launch", [this] { return launcher_.activity(); });
}

std::uint64_t RasterEngine::mpm(unsigned index) const {
  const FetchCounters& fetch = fetch_.counters();
  switch (index) {
    case 0x03: return fetch.reads;
    case 0x04: return fetch.read_latency;
    case 0x05: return launcher_.counters().stalls;
    case 0x06: return fetch.rcache_reads;
    case 0x07: return fetch.rcache_misses;
    default: return 0;
  }
}

}  // namespace gyre::raster
