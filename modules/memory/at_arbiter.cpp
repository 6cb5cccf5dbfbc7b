#include "at_arbiter.h"

#include <algorithm>

namespace gyre::memory {

using kernel::Cycle;
using kernel::kNever;

namespace {

unsigned words_of(const tlm::tlm_generic_payload& payload) {
  const auto* attributes = payload.get_extension<kernel::MemAttributes>();
  return attributes == nullptr ? 1 : attributes->words;
}

}  // namespace

struct AtArbiter::Client {
  Client(AtArbiter& arbiter, unsigned index)
      : index(index),
        service([&arbiter, index](auto&... args) { return arbiter.in[static_cast<int>(index)]->nb_transport_bw(args...); },
                [&arbiter, this](Payload& payload) { return arbiter.arrive(*this, payload); }, [](Payload&) {}) {}

  const unsigned index;
  Payload* request = nullptr;  // waits for its way
  Cycle since = 0;
  kernel::AtService service;
};

struct AtArbiter::Way {
  Way(AtArbiter& arbiter, unsigned index)
      : requests([&arbiter, index](auto&... args) { return arbiter.out[static_cast<int>(index)]->nb_transport_fw(args...); },
                 [&arbiter, this](Payload&) {
                   slice.pop_front();
                   arbiter.changed();
                 },
                 [&arbiter, this](Payload& payload) { arbiter.answered(*this, payload); }) {}

  struct Held {
    Cycle leaves = 0;
    Payload* payload = nullptr;
  };
  kernel::AtRequests requests;
  kernel::Ring<Held> slice;       // the front one may have been sent and wait to be taken
  std::vector<Client*> waiting;
  std::vector<Answer> under_way;  // below, in the order they were taken: answers come nearly in order
  Cycle free_from = 0;
  unsigned turn = 0;              // client looked at first
};

AtArbiter::AtArbiter(sc_core::sc_module_name module_name, Policy policy, unsigned there, unsigned back,
                     kernel::Picoseconds period)
    : sc_module(module_name), policy_(policy), there_(there), back_(back), period_(period) {
  in.register_nb_transport_fw(this, &AtArbiter::forward);
  in.register_b_transport(this, &AtArbiter::blocking);
  in.register_get_direct_mem_ptr(this, &AtArbiter::direct);
  in.register_transport_dbg(this, &AtArbiter::debug);
  out.register_nb_transport_bw(this, &AtArbiter::backward);
  out.register_invalidate_direct_mem_ptr(this, &AtArbiter::withdraw);
  alarm_ = std::make_unique<kernel::Alarm>("work", [this] { work(); });
}

AtArbiter::~AtArbiter() = default;

void AtArbiter::end_of_elaboration() {
  for (unsigned port = 0; port < in.size(); ++port) clients_.push_back(std::make_unique<Client>(*this, port));
  for (unsigned way = 0; way < out.size(); ++way) ways_.push_back(std::make_unique<Way>(*this, way));
}

bool AtArbiter::idle() const {
  return answers_.empty() && std::all_of(ways_.begin(), ways_.end(), [](const auto& way) {
           return way->waiting.empty() && way->under_way.empty() && way->slice.empty();
         });
}

void AtArbiter::withdraw(int, sc_dt::uint64 begin, sc_dt::uint64 end) {
  for (int port = 0; port < in.get_base_port().size(); ++port) in[port]->invalidate_direct_mem_ptr(begin, end);
}

void AtArbiter::blocking(int, Payload& payload, sc_core::sc_time& delay) {
  requests_ += words_of(payload);
  delay += sc_core::sc_time::from_value(there_ * period_);
  out[static_cast<int>(payload.get_address() / 64 % ways_.size())]->b_transport(payload, delay);
  if (!payload.is_write()) delay += sc_core::sc_time::from_value(back_ * period_);
}

tlm::tlm_sync_enum AtArbiter::forward(int port, Payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& delay) {
  return clients_[static_cast<unsigned>(port)]->service.forward(payload, phase, delay);
}

tlm::tlm_sync_enum AtArbiter::backward(int way, Payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& delay) {
  return ways_[static_cast<unsigned>(way)]->requests.backward(payload, phase, delay);
}

// True: it is in the slice.
bool AtArbiter::arrive(Client& client, Payload& payload) {
  Way& way = way_of(payload);
  const bool now_free = way.free_from <= now() && way.waiting.empty() && way.slice.size() < depth();
  if (now_free) {
    take(way, client, payload);
  } else {
    client.request = &payload;
    client.since = now();
    way.waiting.push_back(&client);
  }
  changed();
  return now_free;
}

void AtArbiter::take(Way& way, Client& client, Payload& payload) {
  const unsigned words = words_of(payload);
  requests_ += words;
  way.turn = client.index + 1;
  way.free_from = now() + words;
  way.slice.push_back({now() + there_, &payload});
  way.under_way.push_back({&payload, &client});
  most_ = std::max(most_, static_cast<unsigned>(way.slice.size()));
}

void AtArbiter::arbitrate(Way& way) {
  if (way.waiting.empty() || way.free_from > now() || way.slice.size() >= depth()) return;
  const unsigned ports = static_cast<unsigned>(clients_.size()), turn = policy_ == Policy::kFixed ? 0 : way.turn;
  const auto behind = [&](const Client* c) { return c->index >= turn ? c->index - turn : c->index + ports - turn; };
  const auto first = std::min_element(way.waiting.begin(), way.waiting.end(),
                                      [&](const Client* x, const Client* y) { return behind(x) < behind(y); });
  Client& client = **first;
  way.waiting.erase(first);
  Payload& payload = *client.request;
  stalls_ += now() - client.since;
  take(way, client, payload);
  client.service.accept(payload);
}

void AtArbiter::send(Way& way) {
  if (way.slice.empty() || !way.requests.free() || way.slice.front().leaves > now()) return;
  way.requests.send(*way.slice.front().payload);
}

void AtArbiter::answered(Way& way, Payload& payload) {
  const auto found = std::find_if(way.under_way.begin(), way.under_way.end(),
                                  [&](const Answer& a) { return a.payload == &payload; });
  const Answer answer = *found;
  way.under_way.erase(found);
  const auto* attributes = payload.get_extension<kernel::MemAttributes>();
  const bool waited_for = !payload.is_write() || (attributes != nullptr && attributes->atomic);
  if (back_ == 0 || !waited_for) return answer.client->service.ready(payload);
  answers_.push(now() + back_, answer);
  changed();
}

Cycle AtArbiter::next_date() {
  Cycle next = answers_.next();
  for (const auto& way : ways_) {
    if (!way->slice.empty() && way->requests.free()) next = std::min(next, way->slice.front().leaves);
    if (!way->waiting.empty() && way->slice.size() < depth()) next = std::min(next, way->free_from);
  }
  return next;
}

void AtArbiter::changed() {
  if (working_) return;
  if (const Cycle next = next_date(); next != kNever) alarm_->set(next * period_);
}

void AtArbiter::work() {
  working_ = true;
  Cycle next;
  do {
    while (answers_.next() <= now()) {
      const Answer answer = answers_.pop();
      answer.client->service.ready(*answer.payload);
    }
    for (const auto& way : ways_) {
      send(*way);
      arbitrate(*way);
    }
    next = next_date();
  } while (next <= now());
  working_ = false;
  if (next != kNever) alarm_->set(next * period_);
}

}  // namespace gyre::memory
