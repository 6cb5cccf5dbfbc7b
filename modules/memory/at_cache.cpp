#include "at_cache.h"

#include <algorithm>
#include <cstring>
#include <deque>

namespace gyre::memory {

using kernel::Cycle;

// One input: at most one request stands at the pipeline's port, those of b_transport may queue behind it.
struct AtCache::Client {
  struct Arrival {
    Payload* payload;
    sc_core::sc_event* blocked;
  };

  Client(AtCache& cache, unsigned index)
      : cache(cache), index(index), responses([this](auto&... args) { return send(args...); }, [](Payload&) {}) {}

  tlm::tlm_sync_enum send(Payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& delay) {
    return cache.in[static_cast<int>(index)]->nb_transport_bw(payload, phase, delay);
  }
  void end_request(Payload& payload) {
    tlm::tlm_phase phase = tlm::END_REQ;
    sc_core::sc_time delay;
    send(payload, phase, delay);
  }
  void due(Payload& payload, const tlm::tlm_phase&) { cache.arrive(*this, payload, nullptr); }

  AtCache& cache;
  const unsigned index;
  std::deque<Arrival> arrivals;
  Arrival offered{};
  kernel::AtResponses responses;
  tlm_utils::peq_with_cb_and_phase<Client> requests{this, &Client::due};
};

AtCache::AtCache(sc_core::sc_module_name module_name, const CacheSetup& setup, kernel::Picoseconds period, unsigned queue)
    : sc_module(module_name),
      period_(period),
      setup_(setup),
      queue_(queue),
      requests_([this](auto&... args) { return out->nb_transport_fw(args...); }, [this](Payload&) { taken_below(); },
                [this](Payload& payload) {
                  if (payload.is_write()) return;
                  pipeline_->filled(payload.get_address());
                  schedule();
                }) {
  in.register_nb_transport_fw(this, &AtCache::forward);
  in.register_b_transport(this, &AtCache::blocking);
  in.register_get_direct_mem_ptr(this, &AtCache::direct);
  in.register_transport_dbg(this, &AtCache::debug);
  out.register_nb_transport_bw(this, &AtCache::backward);
  out.register_invalidate_direct_mem_ptr(this, &AtCache::withdraw);
  SC_HAS_PROCESS(AtCache);
  SC_METHOD(step);
  sensitive << step_;
  dont_initialize();
  SC_METHOD(answer_due);
  sensitive << answer_;
  dont_initialize();
  SC_METHOD(send_down);
  sensitive << down_;
  dont_initialize();
}

AtCache::~AtCache() = default;

void AtCache::end_of_elaboration() {
  pipeline_ = std::make_unique<CachePipeline>(setup_, static_cast<unsigned>(in.size()), queue_);
  for (unsigned port = 0; port < in.size(); ++port) clients_.push_back(std::make_unique<Client>(*this, port));
}

void AtCache::withdraw(sc_dt::uint64 begin, sc_dt::uint64 end) {
  for (int port = 0; port < static_cast<int>(in.size()); ++port) in[port]->invalidate_direct_mem_ptr(begin, end);
}

tlm::tlm_sync_enum AtCache::forward(int port, Payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& delay) {
  Client& client = *clients_[static_cast<unsigned>(port)];
  if (phase == tlm::BEGIN_REQ) {
    payload.acquire();
    client.requests.notify(payload, phase, delay);
  } else if (phase == tlm::END_RESP) {
    client.responses.end(payload, delay);
  }
  return tlm::TLM_ACCEPTED;
}

tlm::tlm_sync_enum AtCache::backward(Payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& delay) {
  return requests_.backward(payload, phase, delay);
}

void AtCache::blocking(int port, Payload& payload, sc_core::sc_time& delay) {
  wait(delay);
  delay = sc_core::SC_ZERO_TIME;
  sc_core::sc_event done;
  arrive(*clients_[static_cast<unsigned>(port)], payload, &done);
  wait(done);
}

void AtCache::arrive(Client& client, Payload& payload, sc_core::sc_event* blocked) {
  client.arrivals.push_back({&payload, blocked});
  ++open_;
  offer_next(client);
}

unsigned AtCache::enter(Client& client, Payload& payload, sc_core::sc_event* blocked) {
  if (free_entries_.empty()) {
    free_entries_.push_back(static_cast<unsigned>(entries_.size()));
    entries_.emplace_back();
  }
  const unsigned tag = free_entries_.back();
  free_entries_.pop_back();
  entries_[tag] = {&payload, &client, blocked};
  return tag;
}

void AtCache::offer_next(Client& client) {
  while (!client.arrivals.empty() && pipeline_->free(client.index)) {
    client.offered = client.arrivals.front();
    client.arrivals.pop_front();
    Payload& payload = *client.offered.payload;
    const unsigned tag = enter(client, payload, client.offered.blocked);
    if (move_data(payload)) {
      pipeline_->offer(client.index, {payload.get_address(), payload.is_write(), tag}, now());
      schedule();
      return;
    }
    if (client.offered.blocked == nullptr) client.end_request(payload);
    due_.emplace(now() + setup_.geometry.latency, tag);
    notify_at(answer_, due_.begin()->first);
  }
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
  if (out->transport_dbg(access) != length) {
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
    out->transport_dbg(access);
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
    entry.client->responses.ready(*entry.payload);
}

void AtCache::notify_at(sc_core::sc_event& event, Cycle cycle) {
  const kernel::Picoseconds at = cycle * period_, kernel = kernel::kernel_now();
  event.notify(sc_core::sc_time::from_value(at > kernel ? at - kernel : 0));
}

void AtCache::schedule() {
  if (pipeline_->can_step()) notify_at(step_, stepped_ == now() ? now() + 1 : now());
}

void AtCache::step() {
  if (stepped_ == now()) return schedule();
  stepped_ = now();
  taken_.clear();
  answers_.clear();
  pipeline_->step(stepped_, taken_, answers_);
  for (const auto& answer : answers_) due_.emplace(answer.at, answer.tag);
  if (!due_.empty()) notify_at(answer_, due_.begin()->first);
  for (const unsigned port : taken_) {
    Client& client = *clients_[port];
    if (client.offered.blocked == nullptr) client.end_request(*client.offered.payload);
    offer_next(client);
  }
  send_down();
  schedule();
}

void AtCache::answer_due() {
  while (!due_.empty() && due_.begin()->first <= now()) {
    const unsigned tag = due_.begin()->second;
    due_.erase(due_.begin());
    answer(tag);
  }
  if (!due_.empty()) notify_at(answer_, due_.begin()->first);
}

void AtCache::send_down() {
  const CachePipeline::Downward* const next = pipeline_->down();
  if (next == nullptr || !requests_.free()) return;
  const Cycle at = std::max(next->at, next_down_);
  if (at > now()) return notify_at(down_, at);
  next_down_ = now() + 1;
  sent_ = *next;
  requests_.send(pool_.get(sent_.write, sent_.address, Cache::kSectorBytes, true));
}

void AtCache::taken_below() {
  pipeline_->pop();
  if (sent_.answers) answer(sent_.tag);
  send_down();
  schedule();
}

}  // namespace gyre::memory
