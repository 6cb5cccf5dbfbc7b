#include "at_client.h"

#include <tlm_utils/simple_initiator_socket.h>

#include <string>

namespace gyre::kernel {

struct AtClient::Channel {
  struct Item {
    Cycle at;
    std::uint64_t sequence;
    std::uint64_t address;
    unsigned words, group;
    Kind kind;
    bool operator<(const Item& other) const {  // the greatest is the first to leave
      return at != other.at ? at > other.at : sequence > other.sequence;
    }
  };

  Channel(AtClient& client, const std::string& name)
      : out(name.c_str()),
        requests([this](auto&... args) { return out->nb_transport_fw(args...); },
                 [this, &client](auto& payload) { client.accepted(*this, payload); },
                 [&client](auto& payload) { client.answered(payload); }) {
    out.register_nb_transport_bw(this, &Channel::backward);
    sc_core::sc_spawn_options options;
    options.spawn_method();
    options.dont_initialize();
    options.set_sensitivity(&due);
    sc_core::sc_spawn([this, &client] { client.pump(*this); }, (name + "_due").c_str(), &options);
  }
  tlm::tlm_sync_enum backward(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& delay) {
    return requests.backward(payload, phase, delay);
  }

  tlm_utils::simple_initiator_socket<Channel, kMemoryBusBits> out;
  AtRequests requests;
  std::priority_queue<Item> queue;
  sc_core::sc_event due;
};

AtClient::AtClient(sc_core::sc_module_name module_name, unsigned banks, unsigned line_shift, Picoseconds period,
                   MemSource source, unsigned core)
    : sc_module(module_name), line_shift_(line_shift), period_(period), source_(source), core_(core) {
  for (unsigned bank = 0; bank < banks; ++bank)
    channels_.push_back(std::make_unique<Channel>(*this, "out" + std::to_string(bank)));
}

AtClient::~AtClient() = default;

tlm::tlm_initiator_socket<kMemoryBusBits>& AtClient::socket(unsigned channel) { return channels_[channel]->out; }

unsigned AtClient::open_group(unsigned requests, Done done) {
  if (free_groups_.empty()) {
    free_groups_.push_back(static_cast<unsigned>(groups_.size()));
    groups_.emplace_back();
  }
  const unsigned index = free_groups_.back();
  free_groups_.pop_back();
  groups_[index] = {std::move(done), requests, requests};
  ++waiting_;
  ++open_;
  return index;
}

void AtClient::group(Kind kind, const MemoryAccess* list, unsigned lines, Cycle at, Done done) {
  const unsigned index = open_group(lines, std::move(done));
  for (unsigned i = 0; i < lines; ++i) add(kind, list[i], at, index);
}

void AtClient::words(Kind kind, const std::uint32_t* address, unsigned count, Cycle at, Done done) {
  const unsigned index = open_group(count, std::move(done));
  for (unsigned i = 0; i < count; ++i) add(kind, {address[i], 1}, at + i, index);
}

void AtClient::add(Kind kind, MemoryAccess access, Cycle at, unsigned group) {
  Channel& channel = *channels_[access.address >> line_shift_ & (channels_.size() - 1)];
  channel.queue.push({at, sequence_++, access.address, access.count, group, kind});
  pump(channel);
}

void AtClient::pump(Channel& channel) {
  if (!channel.requests.free() || channel.queue.empty()) return;
  const Channel::Item item = channel.queue.top();
  const Picoseconds at = item.at * period_, kernel = kernel_now();
  if (at > kernel) {
    channel.due.notify(sc_core::sc_time::from_value(at - kernel));
    return;
  }
  channel.queue.pop();
  const bool write = item.kind == kWrite || item.kind == kWriteIo || item.kind == kAtomic;
  PooledPayload& payload = pool_.get(write, item.address & ~std::uint64_t{3}, 4, true);
  payload.attributes.source = source_;
  payload.attributes.core = core_;
  payload.attributes.io = item.kind == kReadIo || item.kind == kWriteIo;
  payload.attributes.atomic = item.kind == kAtomic;
  payload.attributes.words = item.words;
  payload.tag = item.group;
  channel.requests.send(payload);
}

void AtClient::accepted(Channel& channel, tlm::tlm_generic_payload& payload) {
  const unsigned index = static_cast<unsigned>(static_cast<PooledPayload&>(payload).tag);
  const bool whole = --groups_[index].unsent == 0;
  if (whole) close(index);
  pump(channel);
  if (!whole) return;
  --waiting_;
  if (taken) taken();
}

void AtClient::answered(tlm::tlm_generic_payload& payload) {
  const unsigned index = static_cast<unsigned>(static_cast<PooledPayload&>(payload).tag);
  if (--groups_[index].unanswered != 0) return;
  // The callback may open groups.
  const Done done = std::move(groups_[index].done);
  close(index);
  --open_;
  done(now());
}

// An answer may come before the request is over.
void AtClient::close(unsigned index) {
  if (groups_[index].unsent == 0 && groups_[index].unanswered == 0) free_groups_.push_back(index);
}

}  // namespace gyre::kernel
