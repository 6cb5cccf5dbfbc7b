#include "fetch.h"

#include <algorithm>

#include "csr.h"
#include "log.h"

namespace gyre::raster {
namespace {

constexpr std::uint32_t kMaxPosition = 32768;  // pixels; stamps carry 14-bit quad coordinates
constexpr Cycle kHitLatency = 2;               // rcache
constexpr Cycle kMissPath = 2 + 1 + 2;         // tag and MSHR, arbiter, fill and replay; memory comes on top
constexpr Cycle kMultiply = 3;                 // pid x stride, and again the edge evaluation

constexpr unsigned kEdgeBytes = sizeof(gyre_edge) * 3;
constexpr unsigned kEdgeDepthBytes = kEdgeBytes + sizeof(gyre_plane);

}  // namespace

Fetch::Fetch(std::string name, kernel::Context& ctx, kernel::MemoryPort& memory)
    : name_(std::move(name)),
      ctx_(ctx),
      memory_(memory),
      config_(ctx.config.gpu),
      queue_(std::max(1u, config_.raster.mem_queue)),
      credits_(std::max(1u, config_.raster.mem_fifo)) {}

void Fetch::start(const DrawState& draw, const Stripe& stripe, Cycle at) {
  draw_ = &draw;
  records_.clear();
  headers_left_ = stripe.count;
  pids_left_ = 0;
  header_address_ = draw.tile_buffer + std::uint64_t{stripe.first} * sizeof(gyre_bin_header);
  header_step_ = std::uint64_t{stripe.step} * sizeof(gyre_bin_header);
  pids_base_ = draw.tile_buffer + std::uint64_t{draw.tile_count} * sizeof(gyre_bin_header);
  bins_ = orders_ = 0;
  time_ = last_ready_ = bin_done_ = at;
  ledger_.wait_for_input(at);
  std::fill(queue_.begin(), queue_.end(), at);
  std::fill(credits_.begin(), credits_.end(), at);
  // Software flushes between the kernels that write the buffers and the draw that reads them (memory.md §7).
  tags_.invalidate();
}

void Fetch::set_client(kernel::AtClient* client, std::function<bool(std::uint64_t)> present,
                       const memory::LineReader& lines, std::function<void()> answered) {
  client_ = client;
  watched_ = lines;
  present_ = std::move(present);
  answered_ = std::move(answered);
}

void Fetch::step(Cycle at) {
  if (client_ != nullptr) time_ = std::max(time_, at);
  if (pids_left_ != 0)
    read_primitive();
  else
    read_header();
}

void Fetch::pop(Cycle at) {
  records_.pop_front();
  credits_[credit_next_] = at;
  credit_next_ = (credit_next_ + 1) % credits_.size();
}

void Fetch::read_header() {
  gyre_bin_header header;
  const std::uint64_t address = header_address_;
  --headers_left_;
  header_address_ += header_step_;
  Cycle done = time_;
  ledger_.spend(kernel::Doing::kBusy, time_ + 1);
  if (!read(address, &header, sizeof header, time_, &done)) {
    access_fault(address);
    time_ = done + 1;
    ledger_.spend(kernel::Doing::kMemory, time_);
    // Nothing of a 32-bit space is left above: do not walk headers that cannot exist.
    if (address > 0xFFFFFFFFu) headers_left_ = 0;
    return;
  }
  ++counters_.bins;
  if (client_ != nullptr) {
    const Cycle issue = time_;
    time_ = kUnknown;
    ++under_way_;
    send(address, sizeof header, issue, [this](Cycle answered) {
      --under_way_;
      bin_done_ = time_ = answered + 1;
      ledger_.spend(kernel::Doing::kMemory, time_);
      answered_();
    });
  } else {
    bin_done_ = time_ = done + 1;
    ledger_.spend(kernel::Doing::kMemory, time_);
  }
  begin_bin(header);
}

void Fetch::begin_bin(const gyre_bin_header& header) {
  if (header.pids_count == 0) {
    ++counters_.empty_bins;
    return;
  }
  const unsigned bin_log = config_.raster.bin_log;
  bin_.x = (header.bin_xy & 0xFFFF) << bin_log;
  bin_.y = (header.bin_xy >> 16) << bin_log;
  if (bin_.x >= kMaxPosition || bin_.y >= kMaxPosition) {
    ctx_.faults.raise({GYRE_FAULT_UNIT_STATE, 0xFFFF, GYRE_MPM_RASTER, 0, GYRE_DCR_RASTER_TBUF_ADDR});
    return;
  }
  bin_.bin = bins_++;
  pids_left_ = header.pids_count;
  pid_address_ = pids_base_ + std::uint64_t{header.pids_offset} * 4;
}

void Fetch::read_primitive() {
  const std::uint64_t address = pid_address_;
  pid_address_ += 4;
  --pids_left_;
  // The pid that takes this credit was the one mem_fifo records ago.
  const Cycle issue = std::max(time_, credits_[(credit_next_ + records_.size()) % credits_.size()]);
  ledger_.spend(kernel::Doing::kOutput, issue);
  ledger_.spend(kernel::Doing::kBusy, issue + 1);
  std::uint32_t pid = 0;
  Cycle pid_done = issue, done = issue;
  std::uint64_t failed = address;
  bool ok = read(address, &pid, sizeof pid, issue, &pid_done);
  Record record = bin_;
  if (ok) {
    if (pid > 0xFFFF) {
      ++counters_.pid_alias;
      if (!alias_reported_)
        kernel::log_warn(name_,
                         "pid-alias: primitive {} does not fit the 16-bit pid of a stamp; use fewer than 65537 "
                         "primitives a draw",
                         pid);
      alias_reported_ = true;
    }
    record.pid = static_cast<std::uint16_t>(pid);
    failed = draw_->prim_buffer + std::uint64_t{record.pid} * draw_->prim_stride;
    gyre_prim prim;  // only the slice the hardware reads is filled
    static_assert(offsetof(gyre_prim, depth) == kEdgeBytes);
    const unsigned bytes = draw_->early_z ? kEdgeDepthBytes : kEdgeBytes;
    ok = read(failed, &prim, bytes, pid_done + kMultiply, &done);
    if (ok) {
      std::copy(prim.edges, prim.edges + 3, record.edges);
      record.depth = draw_->early_z ? prim.depth : gyre_plane{};
      requests_.push_back({failed, bytes, kUnknown});
    }
  }
  time_ = issue + 1;
  if (ok) {
    ++counters_.primitives;
    record.order = orders_++;
    record.ready = kUnknown;
    records_.push_back(record);
  } else {
    ++counters_.dropped;
    access_fault(failed);
  }
  if (client_ == nullptr) {
    bin_done_ = std::max({bin_done_, pid_done, done});
    if (ok) {
      requests_.back().done = done;
      resolve();
    }
  } else if (ok) {
    ++under_way_;
    const std::uint64_t sequence = first_request_ + requests_.size() - 1;
    send(address, sizeof pid, issue, [this, sequence](Cycle answered) { pid_answered(sequence, answered + 1); });
  }
  end_of_bin();
}

// Back to the next header, once every answer of this bin is there.
void Fetch::end_of_bin() {
  if (pids_left_ != 0) {
    if (pid_address_ > 0xFFFFFFFFu) pids_left_ = 0;
    return;
  }
  if (under_way_ == 0) {
    time_ = std::max(time_ == kUnknown ? next_time_ : time_, bin_done_ + 1);
    ledger_.spend(kernel::Doing::kMemory, time_);
  } else if (time_ != kUnknown) {
    next_time_ = time_;
    time_ = kUnknown;
  }
}

void Fetch::pid_answered(std::uint64_t sequence, Cycle done) {
  const Request& request = requests_[sequence - first_request_];
  send(request.address, request.bytes, done + kMultiply, [this, sequence](Cycle answered) { record_answered(sequence, answered + 1); });
}

void Fetch::record_answered(std::uint64_t sequence, Cycle done) {
  requests_[sequence - first_request_].done = done;
  --under_way_;
  bin_done_ = std::max(bin_done_, done);
  resolve();
  if (pids_left_ == 0) end_of_bin();
  answered_();
}

// Records become known in order, one a cycle.
void Fetch::resolve() {
  while (!requests_.empty() && requests_.front().done != kUnknown) {
    Record& record = records_[records_.size() - requests_.size()];
    last_ready_ = record.ready = std::max(last_ready_ + 1, requests_.front().done + kMultiply);
    requests_.pop_front();
    ++first_request_;
  }
}

void Fetch::send(std::uint64_t address, unsigned bytes, Cycle at, kernel::AtClient::Done done) {
  counters_.rcache_reads += bytes / 4;
  ++counters_.reads;
  const std::vector<memory::MemoryAccess>& list = words(address, bytes);
  for (const memory::MemoryAccess& access : list)
    if (!present_(access.address)) counters_.rcache_misses += access.count;
  client_->read(list.data(), static_cast<unsigned>(list.size()), at, [this, at, done = std::move(done)](Cycle last) {
    counters_.read_latency += last + 1 - at;
    done(last);
  });
}

// Approximate: function only, the request is sent by the caller.
bool Fetch::read(std::uint64_t address, void* data, unsigned bytes, Cycle at, Cycle* done) {
  if (client_ == nullptr) return request(address, data, bytes, at, done);
  if (watched_.may_be_old()) {
    words(address, bytes);
    watch_lines(bytes > sizeof(gyre_bin_header));
  }
  return memory_.read(address, data, bytes);
}

bool Fetch::request(std::uint64_t address, void* data, unsigned bytes, Cycle at, Cycle* done) {
  Cycle& slot = queue_[queue_next_];
  queue_next_ = (queue_next_ + 1) % queue_.size();
  at = std::max(at, slot);
  if (cache_ != nullptr) return cached_request(address, data, bytes, at, done, slot);
  const Cycle served = port_.take(at, bytes / 4);
  Cycle when = served;
  const bool ok = memory_.read(address, data, bytes, &when);

  bool hit = true;
  const std::uint64_t last = address + bytes - 1;
  for (std::uint64_t line = address / GYRE_DEV_BLOCK_BYTES; line <= last / GYRE_DEV_BLOCK_BYTES; ++line) {
    ++counters_.rcache_reads;
    if (tags_.touch(line * GYRE_DEV_BLOCK_BYTES)) continue;
    ++counters_.rcache_misses;
    hit = false;
  }
  // Direct access adds no time; a memory system that did has already charged the miss.
  if (!hit && when == served) when += kMissPath + config_.dram.latency;
  *done = slot = when + kHitLatency;
  ++counters_.reads;
  counters_.read_latency += *done - at;
  return ok;
}

const std::vector<memory::MemoryAccess>& Fetch::words(std::uint64_t address, unsigned bytes) {
  lines_.clear();
  const std::uint64_t end = address + bytes;
  for (std::uint64_t word = address; word < end;) {
    const std::uint64_t stop = std::min(end, (word / GYRE_DEV_BLOCK_BYTES + 1) * GYRE_DEV_BLOCK_BYTES);
    lines_.push_back({word, static_cast<unsigned>((stop - word + 3) / 4)});
    word = stop;
  }
  return lines_;
}

bool Fetch::cached_request(std::uint64_t address, void* data, unsigned bytes, Cycle at, Cycle* done, Cycle& slot) {
  const bool ok = memory_.read(address, data, bytes);
  const std::vector<memory::MemoryAccess>& list = words(address, bytes);
  const std::uint64_t misses = cache_->counters().read_misses;
  *done = slot = cache_->read_lines(list.data(), static_cast<unsigned>(list.size()), at) + 1;
  if (watched_.may_be_old()) watch_lines(bytes > sizeof(gyre_bin_header));
  counters_.rcache_reads += bytes / 4;
  counters_.rcache_misses += cache_->counters().read_misses - misses;
  ++counters_.reads;
  counters_.read_latency += *done - at;
  return ok;
}

void Fetch::watch_lines(bool primitive) {
  for (const memory::MemoryAccess& line : lines_) {
    const auto address = static_cast<std::uint32_t>(line.address);
    const unsigned old = watched_.read(address, memory::LineWatch::words_of(address, 4 * line.count));
    if (old == 0) continue;
    const std::uint32_t at = (address & ~63u) + 4 * static_cast<unsigned>(__builtin_ctz(old));
    ctx_.lints.about_register(kernel::Lint::kStaleLine, name_,
                              primitive ? GYRE_DCR_RASTER_PBUF_ADDR : GYRE_DCR_RASTER_TBUF_ADDR,
                              fmt::format("the word of the buffer at {:#x} is old: {}; flush the caches between the kernels "
                                          "that write the buffer and the draw",
                                          at, watched_.story(at)));
    return;
  }
}

void Fetch::access_fault(std::uint64_t address) {
  ctx_.faults.raise({GYRE_FAULT_UNIT_ACCESS, 0xFFFF, GYRE_MPM_RASTER, 0, static_cast<std::uint32_t>(address)});
}

}  // namespace gyre::raster
