#include "slice.h"

#include <algorithm>

#include "block_walk.h"
#include "csr.h"
#include "device_map.h"
#include "early_z.h"
#include "tile_walk.h"

namespace gyre::raster {
namespace {

constexpr Cycle kDepthLatency = 2;  // ocache hit
constexpr Cycle kBlockStage = 1;    // a block's quads are there one cycle after its square

unsigned bits(unsigned mask) { return static_cast<unsigned>(__builtin_popcount(mask)); }

}  // namespace

Cycle DepthReader::cull(Quad& quad, const gyre_plane& plane, const DrawState& draw, Cycle at, SliceCounters& counters,
                        const std::function<kernel::AtClient::Done()>& done) {
  const unsigned covered = bits(quad.mask);
  Cycle when = port_.take(at, covered);
  const Cycle asked = when - covered;  // the first word; one a cycle
  memory::MemoryAccess words[4];
  unsigned lines = 0;
  const unsigned kept = early_z_mask(quad, plane, draw.depth_func, [&](std::uint32_t x, std::uint32_t y) {
    const std::uint64_t address = draw.depth_buffer + std::uint64_t{y} * draw.depth_pitch + std::uint64_t{x} * 4;
    std::uint32_t word = 0;
    if (lines != 0 && (words[lines - 1].address ^ address) < GYRE_DEV_BLOCK_BYTES)
      ++words[lines - 1].count;
    else
      words[lines++] = {address, 1};
    if (memory_.read(address, &word, sizeof word, &when)) return word;
    ctx_.faults.raise({GYRE_FAULT_UNIT_ACCESS, 0xFFFF, GYRE_MPM_RASTER, 0, static_cast<std::uint32_t>(address)});
    return depth_at(plane, x, y);  // unreadable depth culls nothing: the output merger decides
  });
  counters.early_z_reads += covered;
  counters.early_z_culled += bits(quad.mask & ~kept);
  quad.mask = static_cast<std::uint8_t>(kept);
  const Cycle hit = when + kDepthLatency;
  if (client_ != nullptr && lines != 0) {
    activity_.work(asked, covered);
    if (watched_.may_be_old()) watch_words(words, lines);
    client_->read(words, lines, asked, [this, hit, told = done()](Cycle last) {
      activity_.wait(kernel::Doing::kMemory, hit, last + 1);
      told(last + 1);
      answered_();
    });
    return asked;
  }
  activity_.work(asked, covered);
  if (cache_ == nullptr || lines == 0) return hit;
  when = std::max(when, cache_->read_lines(words, lines, asked) + 1);
  activity_.wait(kernel::Doing::kMemory, hit, when);
  if (watched_.may_be_old()) watch_words(words, lines);
  return when;
}

void DepthReader::watch_words(const memory::MemoryAccess* words, unsigned lines) {
  for (unsigned i = 0; i < lines; ++i) {
    const auto address = static_cast<std::uint32_t>(words[i].address);
    if (watched_.read(address, memory::LineWatch::words_of(address, 4 * words[i].count)) != 0)
      ctx_.lints.about_register(kernel::Lint::kStaleLine, memory_.name(), GYRE_DCR_OM_ZBUF_ADDR,
                                fmt::format("early-Z reads old depth at {:#x}: {}; flush the caches between the write of a "
                                            "depth buffer and the draw",
                                            address, watched_.story(address)));
  }
}

void Slice::start(Cycle at) {
  settle(walk_);
  quads_.clear();
  waves_.clear();
  head_ = entered_ = 0;
  buffered_ = 0;
  walk_end_ = worked_ = at;
  walk_.wait_for_input(at);
  stall_ = 0;
  bin_ = order_ = 0;
  readings_.clear();
  resolved_ = 0;
}

void Slice::accept(const Record& record, const DrawState& draw, Cycle at) {
  settle(walk_);
  walk_.wait_for_input(at);
  const std::uint64_t blocks = counters_.blocks;
  quads_.clear();
  waves_.clear();
  head_ = entered_ = 0;
  bin_ = record.bin;
  order_ = record.order;
  stall_ = 0;

  const BinEdges bin = at_bin(record.edges, record.x, record.y, config_.raster.bin_log);
  const unsigned block_log = config_.raster.block_log;
  const std::uint32_t wave_quads = config_.core.threads;
  readings_.clear();
  resolved_ = 0;
  const bool later = draw.early_z && depth_.later();
  std::uint64_t extra = 0;  // a block of several waves holds the block engine longer
  Cycle last = at;          // early-Z answers in order
  auto block = [&](std::uint32_t x, std::uint32_t y, const std::int32_t* e, unsigned edges, std::uint64_t squares) {
    ++counters_.blocks;
    const std::size_t begin = quads_.size();
    walk_block(bin, block_log, draw.window, x, y, e, edges, [&](Quad quad) {
      quad.pid = record.pid;
      quads_.push_back(quad);
    });
    const std::size_t end = quads_.size();
    counters_.quads += end - begin;
    std::size_t out = begin;
    for (std::size_t first = begin; first < end; first += wave_quads) {
      if (first != begin) ++extra;
      const std::size_t stop = std::min(end, first + wave_quads);
      Cycle ready = at + squares + extra + kBlockStage;
      const std::size_t wave_begin = out;
      if (later) readings_.emplace_back();
      const auto done = [this] {
        ++readings_.back().pending;
        return [this, reading = readings_.size() - 1](Cycle when) { answered(reading, when); };
      };
      for (std::size_t i = first; i < stop; ++i) {
        Quad quad = quads_[i];
        counters_.pixels += bits(quad.mask);
        if (draw.early_z) ready = std::max(ready, depth_.cull(quad, record.depth, draw, ready, counters_, done));
        if (quad.mask != 0) quads_[out++] = quad;
      }
      if (later) {
        readings_.back().ready = ready;
        if (out != wave_begin) readings_.back().wave = static_cast<std::uint32_t>(waves_.size());
        ready = kUnknown;
      } else {
        last = ready = std::max(last, ready);
      }
      if (out != wave_begin)
        waves_.push_back({static_cast<std::uint32_t>(wave_begin), static_cast<std::uint32_t>(out - wave_begin), ready});
    }
    quads_.resize(out);
  };
  TileWalk<decltype(block)> walk(bin, block_log, block);
  walk.run();
  counters_.squares += walk.squares();
  worked_ = at + walk.squares() + extra;
  walk_end_ = std::max(last, worked_);
  block_cycles_ += counters_.blocks - blocks + extra;
  if (later) {
    walked_ = walk_end_;
    last_ = at;
    walk_end_ = kUnknown;
    resolve();
  }
  fill_buffer(at);
}

void Slice::answered(std::size_t reading, Cycle at) {
  readings_[reading].ready = std::max(readings_[reading].ready, at);
  --readings_[reading].pending;
  resolve();
}

// Early-Z answers in order.
void Slice::resolve() {
  for (; resolved_ != readings_.size() && readings_[resolved_].pending == 0; ++resolved_) {
    last_ = std::max(last_, readings_[resolved_].ready);
    if (readings_[resolved_].wave != kNone) waves_[readings_[resolved_].wave].ready = last_;
    fill_buffer(last_);
  }
  if (resolved_ == readings_.size()) walk_end_ = std::max(walked_, last_);
}

void Slice::pop(Cycle at) {
  buffered_ -= waves_[head_].count;
  ++head_;
  fill_buffer(at);
}

void Slice::fill_buffer(Cycle at) {
  while (entered_ < waves_.size()) {
    BlockWave& wave = waves_[entered_];
    if (wave.ready == kUnknown) return;
    if (buffered_ != 0 && buffered_ + wave.count > config_.raster.quad_fifo) return;
    // A wave that found no room enters when room appears, and everything behind it is late by the same time.
    if (wave.ready + stall_ < at) stall_ = at - wave.ready;
    wave.ready += stall_;
    buffered_ += wave.count;
    ++entered_;
  }
}

}  // namespace gyre::raster
