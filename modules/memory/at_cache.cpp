#include "at_cache.h"

#include <algorithm>

#include "ring.h"

namespace gyre::memory {

using kernel::Cycle;
using Kind = CachePipeline::Kind;

namespace {

CachePipeline::Request request_of(const tlm::tlm_generic_payload& payload, const kernel::MemAttributes* attributes,
                                  unsigned tag) {
  CachePipeline::Request request{payload.get_address(), payload.is_write() ? Kind::kWrite : Kind::kRead, 1, tag};
  if (attributes == nullptr) return request;
  if (attributes->atomic)
    request.kind = Kind::kAtomic;
  else if (attributes->io)
    request.kind = payload.is_write() ? Kind::kWriteIo : Kind::kReadIo;
  request.count = attributes->words;
  return request;
}

}  // namespace

// One input: at most one request stands at the pipeline's port, those of b_transport may queue behind it.
struct AtCache::Client {
  Client(AtCache& cache, unsigned index)
      : index(index),
        service([&cache, index](auto&... args) { return cache.in[static_cast<int>(index)]->nb_transport_bw(args...); },
                [&cache, this](Payload& payload) { return cache.arrive(*this, payload, nullptr); }, [](Payload&) {}) {}

  void accept(const Arrival& arrival) {
    if (arrival.blocked == nullptr) service.accept(*arrival.payload);
  }

  const unsigned index;
  kernel::Ring<Arrival> arrivals;  // the front one stands at the port
  kernel::AtService service;
};

struct AtCache::Way {
  Way(AtCache& cache, unsigned index)
      : index(index),
        requests([&cache, index](auto&... args) { return cache.out[static_cast<int>(index)]->nb_transport_fw(args...); },
                 [&cache, this](Payload&) { cache.taken_below(*this); },
                 [&cache](Payload& payload) { cache.answered_below(payload); }) {}

  const unsigned index;
  kernel::AtRequests requests;
  CachePipeline::Downward sent;  // the request that waits to be taken below
  Cycle next = 0;                // one request a cycle
};

AtCache::AtCache(sc_core::sc_module_name module_name, const CacheSetup& setup, kernel::Picoseconds period, unsigned queue)
    : sc_module(module_name), period_(period), setup_(setup), pipeline_(std::make_unique<CachePipeline>(setup, 0, 0, queue)) {
  in.register_nb_transport_fw(this, &AtCache::forward);
  in.register_b_transport(this, &AtCache::blocking);
  in.register_get_direct_mem_ptr(this, &AtCache::direct);
  in.register_transport_dbg(this, &AtCache::debug);
  out.register_nb_transport_bw(this, &AtCache::backward);
  out.register_invalidate_direct_mem_ptr(this, &AtCache::withdraw);
  alarm_ = std::make_unique<kernel::Alarm>("work", [this] { work(); });
}

AtCache::~AtCache() = default;

void AtCache::end_of_elaboration() {
  const unsigned ports = static_cast<unsigned>(in.size()), ways = static_cast<unsigned>(out.size());
  pipeline_->connect(ports, ways);
  for (unsigned port = 0; port < ports; ++port) clients_.push_back(std::make_unique<Client>(*this, port));
  for (unsigned way = 0; way < ways; ++way) ways_.push_back(std::make_unique<Way>(*this, way));
}

Cycle AtCache::now() {
  const kernel::Picoseconds ps = kernel::kernel_now();
  if (ps != now_ps_) {
    now_ps_ = ps;
    now_ = kernel::cycle_at(ps, period_);
  }
  return now_;
}

void AtCache::withdraw(int, sc_dt::uint64 begin, sc_dt::uint64 end) {
  for (int port = 0; port < in.get_base_port().size(); ++port) in[port]->invalidate_direct_mem_ptr(begin, end);
}

tlm::tlm_sync_enum AtCache::forward(int port, Payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& delay) {
  return clients_[static_cast<unsigned>(port)]->service.forward(payload, phase, delay);
}

tlm::tlm_sync_enum AtCache::backward(int way, Payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& delay) {
  return ways_[static_cast<unsigned>(way)]->requests.backward(payload, phase, delay);
}

void AtCache::blocking(int port, Payload& payload, sc_core::sc_time& delay) {
  wait(delay);
  delay = sc_core::SC_ZERO_TIME;
  sc_core::sc_event done;
  arrive(*clients_[static_cast<unsigned>(port)], payload, &done);
  wait(done);
}

bool AtCache::arrive(Client& client, Payload& payload, sc_core::sc_event* blocked) {
  ++open_;
  const Cycle today = now();
  const bool taken = client.arrivals.empty() && offer(client, {&payload, blocked}, today);
  if (!taken) client.arrivals.push_back({&payload, blocked});
  changed(today);
  return taken;
}

// Brings a request to its port; true: it has been taken, or has failed.
bool AtCache::offer(Client& client, const Arrival& arrival, Cycle today) {
  Payload& payload = *arrival.payload;
  const auto* attributes = payload.get_extension<kernel::MemAttributes>();
  const unsigned tag = enter(client, arrival);
  if (attributes != nullptr && attributes->dates_only) {
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
  } else if (!move_data(payload)) {
    pipeline_->answers().push(today + setup_.geometry.latency, tag);
    return true;
  }
  return pipeline_->offer(client.index, request_of(payload, attributes, tag), today);
}

unsigned AtCache::enter(Client& client, const Arrival& arrival) {
  if (free_entries_.empty()) {
    free_entries_.push_back(static_cast<unsigned>(entries_.size()));
    entries_.emplace_back();
  }
  const unsigned tag = free_entries_.back();
  free_entries_.pop_back();
  entries_[tag] = {arrival.payload, &client, arrival.blocked};
  return tag;
}

bool AtCache::move_data(Payload& payload) {
  const std::uint64_t address = payload.get_address();
  const unsigned length = payload.get_data_length();
  const unsigned char* enables = payload.get_byte_enable_ptr();
  if (length == 0 || payload.get_streaming_width() < length ||
      address / Cache::kSectorBytes != (address + length - 1) / Cache::kSectorBytes) {
    payload.set_response_status(tlm::TLM_BURST_ERROR_RESPONSE);
    return false;
  }
  // Through the block, so that enables need no help below.
  unsigned char block[Cache::kSectorBytes];
  Payload access;
  access.set_command(tlm::TLM_READ_COMMAND);
  access.set_address(address);
  access.set_data_ptr(block);
  access.set_data_length(length);
  if (out[0]->transport_dbg(access) != length) {
    payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
    return false;
  }
  unsigned char* const data = payload.get_data_ptr();
  bool changed = false;
  for (unsigned i = 0; i < length; ++i) {
    if (enables != nullptr && enables[i % payload.get_byte_enable_length()] != TLM_BYTE_ENABLED) continue;
    changed = true;
    (payload.is_write() ? block : data)[i] = (payload.is_write() ? data : block)[i];
  }
  if (payload.is_write() && changed) {
    access.set_command(tlm::TLM_WRITE_COMMAND);
    out[0]->transport_dbg(access);
  }
  payload.set_response_status(tlm::TLM_OK_RESPONSE);
  return true;
}

void AtCache::answer(unsigned tag) {
  const Entry entry = entries_[tag];
  free_entries_.push_back(tag);
  --open_;
  if (entry.blocked != nullptr)
    entry.blocked->notify(sc_core::SC_ZERO_TIME);
  else
    entry.client->service.ready(*entry.payload);
}

// The next date at which there is something to do.
Cycle AtCache::next_date(Cycle today) {
  Cycle next = pipeline_->answers().next();
  if (pipeline_->waits()) next = std::min(next, pipeline_->next_step(today));
  if (pipeline_->flushing() && pipeline_->walked() > today) next = std::min(next, pipeline_->walked());
  for (std::uint64_t left = pipeline_->ways_in_use(); left != 0; left &= left - 1) {
    const Way& way = *ways_[static_cast<unsigned>(__builtin_ctzll(left))];
    if (way.requests.free()) next = std::min(next, std::max(pipeline_->down(way.index)->at, way.next));
  }
  return next;
}

void AtCache::changed(Cycle today) {
  if (working_) return;
  if (pipeline_->flushing()) return alarm_->set(0);
  if (const Cycle next = next_date(today); next != CachePipeline::kNever) alarm_->set(next * period_);
}

void AtCache::work() {
  working_ = true;
  const Cycle today = now();
  auto& answers = pipeline_->answers();
  Cycle next;
  do {
    while (answers.next() <= today) answer(answers.pop());
    if (pipeline_->waits()) take(today);
    for (std::uint64_t left = pipeline_->ways_in_use(); left != 0; left &= left - 1)
      send_down(*ways_[static_cast<unsigned>(__builtin_ctzll(left))], today);
    while (pipeline_->flushing() && pipeline_->go_on(today)) {
      const auto done = std::move(flushes_.front());
      flushes_.erase(flushes_.begin());
      if (!flushes_.empty()) pipeline_->flush(today);
      done();
    }
    next = next_date(today);
  } while (next <= today);
  working_ = false;
  if (next != CachePipeline::kNever) alarm_->set(next * period_);
}

void AtCache::take(Cycle today) {
  if (pipeline_->next_step(today) > today) return;
  pipeline_->step(today);
  taken_ = pipeline_->taken();
  for (const unsigned port : taken_) {
    Client& client = *clients_[port];
    Arrival arrival = client.arrivals.front();
    client.arrivals.pop_front();
    client.accept(arrival);
    // Those behind it are of b_transport; the next request of the other kind comes in the call.
    while (!client.arrivals.empty() && pipeline_->free(port)) {
      arrival = client.arrivals.front();
      if (!offer(client, arrival, today)) break;
      client.arrivals.pop_front();
      client.accept(arrival);
    }
  }
}

void AtCache::send_down(Way& way, Cycle today) {
  const CachePipeline::Downward* const next = pipeline_->down(way.index);
  if (next == nullptr || !way.requests.free() || std::max(next->at, way.next) > today) return;
  way.next = today + 1;
  way.sent = *next;
  const bool write = next->kind == Kind::kWrite || next->kind == Kind::kWriteIo || next->kind == Kind::kAtomic;
  kernel::PooledPayload& payload = pool_.get(write, next->address, Cache::kSectorBytes, true);
  payload.attributes.atomic = next->kind == Kind::kAtomic;
  payload.attributes.io = next->kind == Kind::kReadIo || next->kind == Kind::kWriteIo;
  payload.attributes.words = next->count;
  payload.tag = std::uint64_t{next->tag} << 8 | static_cast<std::uint64_t>(next->after);
  way.requests.send(payload);
}

void AtCache::taken_below(Way& way) {
  pipeline_->pop(way.index);
  if (way.sent.after == CachePipeline::After::kWhenTaken) answer(way.sent.tag);
  changed(now());
}

void AtCache::answered_below(Payload& payload) {
  const std::uint64_t tag = static_cast<kernel::PooledPayload&>(payload).tag;
  const Cycle today = now();
  pipeline_->answered(static_cast<CachePipeline::After>(tag & 0xFF), payload.get_address(),
                      static_cast<unsigned>(tag >> 8), today);
  changed(today);
}

void AtCache::flush(std::function<void()> done) {
  flushes_.push_back(std::move(done));
  if (flushes_.size() == 1) pipeline_->flush(now());
  alarm_->set(0);
}

}  // namespace gyre::memory
