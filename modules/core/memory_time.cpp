// What caches do to the dates of a core's fetches, loads and stores. Data has moved already.
#include "device_map.h"
#include "engine.h"
#include "memory_requests.h"

namespace gyre::core {
namespace {

using kernel::Cycle;

constexpr std::uint32_t kLine = GYRE_DEV_BLOCK_BYTES;
constexpr Cycle kPostedWindow = 64;  // cycles of posted traffic that may be queued before the warp feels it

// Compressed instructions: a fetch is a word all the same.
unsigned fetches(std::uint32_t begin, std::uint32_t end) { return std::max(1u, (end - begin) / 4); }

Engine& engine(Machine& m) { return static_cast<Engine&>(m); }

}  // namespace

void Engine::set_caches(memory::Cache* instructions, bool shared_icache, memory::Cache* data) {
  icache = instructions;
  shared_icache_ = shared_icache;
  lsu.dcache = data;
  watch_caches({data, false}, {instructions, false});
  memory.set_timed(data != nullptr);
  if (mmu != nullptr) mmu->set_cache(data);
  memory_epoch_ = ~std::uint64_t{0};  // windows are made again
  set_row_times();
}

void Engine::set_requests(std::unique_ptr<MemoryRequests> path) {
  requests = std::move(path);
  watch_caches(requests->data_lines(), requests->code_lines());
  memory.set_timed(requests->has_data());
  memory_epoch_ = ~std::uint64_t{0};
  set_row_times();
}

bool Engine::timed() const { return lsu.dcache != nullptr || (requests != nullptr && requests->has_data()); }

// Rows and gathers of one kind of memory, from the fast paths.
void Engine::set_row_times() {
  if (requests != nullptr)
    set_row_requests();
  else
    set_row_dates();
}

void Engine::local_row(Warp& w, const Inst& inst, std::uint32_t first, unsigned stride) {
  std::uint32_t address[kMaxLanes];
  for (unsigned l = 0; l < threads; ++l) address[l] = first + l * stride;
  local_lanes(w, inst, address);
}

void Engine::local_lanes(Warp& w, const Inst& inst, const std::uint32_t* address) {
  set_ready(w, inst, w.issue + windows[kLmemWindow].latency + lsu.local_conflicts(address, w.mask));
}

void Engine::set_row_dates() {
  load_row_time = [](Machine& m, Warp& w, const Inst& i, std::uint32_t first, unsigned stride) {
    Engine& e = engine(m);
    Cycle ready = 0;
    if (__builtin_expect(first < GYRE_DEV_LMEM_BASE && !e.lsu.dcache->may_be_old() &&
                             e.lsu.load_row_hit(first, stride, w.mask, w.issue, ready), 1))
      set_ready(w, i, ready);
    else
      e.load_row(w, i, first, stride);
  };
  store_row_time = [](Machine& m, Warp& w, std::uint32_t first, unsigned stride) {
    Engine& e = engine(m);
    if (first >= GYRE_DEV_LMEM_BASE) return;
    const Cycle accepted = e.lsu.store_row(first, stride, w.issue);
    if (e.lines != nullptr) e.watch_row(w, first, stride, true);
    e.posted(w, accepted);
  };
  load_lanes_time = [](Machine& m, Warp& w, const Inst& i, const std::uint32_t* address, unsigned bytes) {
    Engine& e = engine(m);
    if (address[w.hal] >= GYRE_DEV_LMEM_BASE) return e.local_lanes(w, i, address);
    set_ready(w, i, e.lsu.load_lanes(address, w.mask, bytes, w.issue));
    if (e.lsu.dcache->may_be_old()) e.watch_lanes(w, address, w.mask, bytes, false);
    e.wait_for_pool(w);
  };
  store_lanes_time = [](Machine& m, Warp& w, const std::uint32_t* address, unsigned bytes) {
    Engine& e = engine(m);
    if (address[w.hal] >= GYRE_DEV_LMEM_BASE) {
      w.local += e.lsu.local_conflicts(address, w.mask);
      return;
    }
    const Cycle accepted = e.lsu.store_lanes(address, w.mask, bytes, w.issue);
    if (e.lines != nullptr) e.watch_lanes(w, address, w.mask, bytes, true);
    e.posted(w, accepted);
  };
}

void Engine::load_row(Warp& w, const Inst& inst, std::uint32_t first, unsigned stride) {
  if (first >= GYRE_DEV_LMEM_BASE) return local_row(w, inst, first, stride);
  set_ready(w, inst, lsu.load_row(first, stride, w.mask, w.issue));
  if (lsu.dcache->may_be_old()) watch_row(w, first, stride, false);
  wait_for_pool(w);
}

void Engine::set_row_requests() {
  load_row_time = [](Machine& m, Warp& w, const Inst& i, std::uint32_t first, unsigned stride) {
    Engine& e = engine(m);
    if (first >= GYRE_DEV_LMEM_BASE) return e.local_row(w, i, first, stride);
    e.requests->load(w, i, e.lsu.plan_row(first, stride, w.mask));
    if (e.data_lines_.may_be_old()) e.watch_row(w, first, stride, false);
  };
  store_row_time = [](Machine& m, Warp& w, std::uint32_t first, unsigned stride) {
    Engine& e = engine(m);
    if (first >= GYRE_DEV_LMEM_BASE) return;
    e.requests->store_words(w, e.lsu.plan_row(first, stride, w.mask));
    if (e.lines != nullptr) e.watch_row(w, first, stride, true);
  };
  load_lanes_time = [](Machine& m, Warp& w, const Inst& i, const std::uint32_t* address, unsigned bytes) {
    Engine& e = engine(m);
    if (address[w.hal] >= GYRE_DEV_LMEM_BASE) return e.local_lanes(w, i, address);
    e.requests->load(w, i, e.lsu.plan_lanes(address, w.mask, bytes));
    if (e.data_lines_.may_be_old()) e.watch_lanes(w, address, w.mask, bytes, false);
  };
  store_lanes_time = [](Machine& m, Warp& w, const std::uint32_t* address, unsigned bytes) {
    Engine& e = engine(m);
    if (address[w.hal] >= GYRE_DEV_LMEM_BASE) {
      w.local += e.lsu.local_conflicts(address, w.mask);
      return;
    }
    e.requests->store_words(w, e.lsu.plan_lanes(address, w.mask, bytes));
    if (e.lines != nullptr) e.watch_lanes(w, address, w.mask, bytes, true);
  };
}

// Posted traffic does not hold the warp until the path is backed up.
void Engine::posted(Warp& w, Cycle accepted) {
  ctx.busy.note(accepted);
  w.stores_until = std::max(w.stores_until, accepted);
  if (accepted <= w.local + kPostedWindow) return;
  count.lsu_stalls += accepted - kPostedWindow - w.local;
  w.local = accepted - kPostedWindow;
}

void Engine::wait_for_pool(Warp& w) {
  count.lsu_stalls += lsu.waited();
  w.local += lsu.waited();
}

Engine::LaneKinds Engine::kinds(std::uint32_t mask, const std::uint32_t* address) const {
  LaneKinds k;
  for (; mask != 0; mask &= mask - 1) {
    const unsigned l = static_cast<unsigned>(__builtin_ctz(mask));
    (address[l] >= GYRE_DEV_LMEM_BASE ? k.local : address[l] < GYRE_DEV_IO_END ? k.io : k.cached) |= 1u << l;
  }
  return k;
}

Cycle Engine::timed_load(Warp& w, const std::uint32_t* address, unsigned bytes, Cycle delay) {
  const LaneKinds k = kinds(w.mask, address);
  const Cycle issue = w.issue + delay;
  Cycle ready = 0;
  if (k.local != 0) ready = issue + config.latency_lmem + kPipeOverhead + lsu.local_conflicts(address, k.local);
  if (requests != nullptr) {
    if (k.cached != 0) requests->load_words(lsu.plan_lanes(address, k.cached, bytes), issue);
    if (k.cached != 0 && data_lines_.may_be_old()) watch_lanes(w, address, k.cached, bytes, false);
    if (k.io != 0) requests->load_io(address, k.io, issue);
    return ready;
  }
  if (k.cached != 0) ready = std::max(ready, lsu.load_lanes(address, k.cached, bytes, issue));
  if (k.cached != 0 && lsu.dcache->may_be_old()) watch_lanes(w, address, k.cached, bytes, false);
  if (k.cached != 0) wait_for_pool(w);
  if (k.io != 0) ready = std::max(ready, lsu.load_io(address, k.io, issue));
  if (k.io != 0) wait_for_pool(w);
  return ready;
}

void Engine::begin_load(Warp& w, const Inst& inst) {
  if (requests != nullptr) requests->begin_load(w, inst);
}

void Engine::end_load(Warp& w, const Inst& inst, Cycle ready) {
  if (requests != nullptr)
    requests->end_load(w, inst, ready);
  else
    set_ready(w, inst, ready);
}

Cycle Engine::timed_store(Warp& w, const std::uint32_t* address, unsigned bytes) {
  const LaneKinds k = kinds(w.mask, address);
  Cycle accepted = w.issue;
  if (k.local != 0) w.local += lsu.local_conflicts(address, k.local);
  if (requests != nullptr) {
    if (k.cached != 0) requests->store_words(w, lsu.plan_lanes(address, k.cached, bytes));
    if (k.cached != 0 && lines != nullptr) watch_lanes(w, address, k.cached, bytes, true);
    if (k.io != 0) requests->store_io(w, address, k.io);
    return accepted;
  }
  if (k.cached != 0) accepted = lsu.store_lanes(address, k.cached, bytes, w.issue);
  if (k.cached != 0 && lines != nullptr) watch_lanes(w, address, k.cached, bytes, true);
  if (k.io != 0) accepted = std::max(accepted, lsu.store_io(address, k.io, w.issue));
  return accepted;
}

// The lines hit. Uses that matter to replacement are not skipped, nor fetches of halfwords counted by bytes.
void Engine::note_cached(std::uint32_t begin, std::uint32_t end) {
  if (config.isa_c || fetch_offset_ != 0 || icache->uses_matter() || begin >> 12 != fetch_page_ || (end - 1) >> 12 != fetch_page_) return;
  if (fetched_->cached_version != icache->version()) fetched_->cached_lines = 0;
  fetched_->cached_version = icache->version();
  fetched_->cached_lines |= lines_of_page(begin, end);
}

void Engine::fetch_lines(Warp& w, std::uint32_t begin, std::uint32_t end) {
  std::uint32_t at = begin;
  if (!shared_icache_) {  // lines that have been there since before the first fetch hit, whenever theirs is
    for (std::uint32_t stop;; at = stop) {
      stop = std::min(end, (at | (kLine - 1)) + 1);
      if (!icache->fetch_hit(at, fetches(at, stop), fetched_since_)) break;
      if (stop != end) continue;
      if (icache->may_be_old()) watch_fetch(w, begin, end);
      return note_cached(begin, end);
    }
  }
  const Cycle since = fetched_since_, hit = icache->latency();  // a hit is in the fetch interval
  const Cycle spent = w.issue > since ? w.issue - since : 0;
  Cycle late = 0;
  for (std::uint32_t stop; at < end; at = stop) {
    stop = std::min(end, (at | (kLine - 1)) + 1);
    const Cycle when = at == begin ? since : since + spent * (at - begin) / (end - begin) + late;
    const Cycle back = icache->fetch(at, fetches(at, stop), shared_icache_, when);
    if (back - when > hit) late += back - when - hit;
  }
  if (icache->may_be_old()) watch_fetch(w, begin, end);
  if (late == 0) return;
  count.fetch_stalls += late;
  w.issue += late;
  w.local += late;
}

}  // namespace gyre::core
