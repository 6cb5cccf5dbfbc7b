// Initiators as somebody else would write them: nothing of ours but the sockets' width.
#pragma once

#include <tlm_utils/peq_with_get.h>
#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/tlm_quantumkeeper.h>

#include <cstdint>
#include <cstring>
#include <functional>
#include <random>
#include <stdexcept>
#include <memory>
#include <vector>

namespace gyre::test {

struct Access {
  bool write;
  std::uint64_t address;
  std::uint32_t value;  // written, or expected to be read
};

// Payloads that come back when nobody holds them.
class Pool : public tlm::tlm_mm_interface {
 public:
  tlm::tlm_generic_payload* get() {
    if (free_.empty()) {
      all_.push_back(std::make_unique<Item>());
      all_.back()->payload.set_mm(this);
      free_.push_back(&all_.back()->payload);
    }
    auto* payload = free_.back();
    free_.pop_back();
    return payload;
  }
  void free(tlm::tlm_generic_payload* payload) override {
    payload->reset();
    free_.push_back(payload);
  }
  bool all_home() const { return free_.size() == all_.size(); }
  std::size_t made() const { return all_.size(); }

 private:
  struct Item {
    tlm::tlm_generic_payload payload;
  };
  std::vector<std::unique_ptr<Item>> all_;
  std::vector<tlm::tlm_generic_payload*> free_;
};

inline void fill(tlm::tlm_generic_payload& payload, const Access& access, std::uint32_t* word) {
  payload.set_command(access.write ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND);
  payload.set_address(access.address);
  payload.set_data_ptr(reinterpret_cast<unsigned char*>(word));
  payload.set_data_length(4);
  payload.set_streaming_width(4);
  payload.set_byte_enable_ptr(nullptr);
  payload.set_dmi_allowed(false);
  payload.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
}

// Loosely timed: blocking calls, a quantum keeper.
template <unsigned kBits>
class LtInitiator : public sc_core::sc_module {
 public:
  tlm_utils::simple_initiator_socket<LtInitiator, kBits> socket{"socket"};
  std::vector<Access> script;
  std::size_t done = 0, wrong = 0;

  SC_HAS_PROCESS(LtInitiator);
  explicit LtInitiator(sc_core::sc_module_name module_name) : sc_module(module_name) { SC_THREAD(run); }

 private:
  void run() {
    tlm_utils::tlm_quantumkeeper keeper;
    tlm_utils::tlm_quantumkeeper::set_global_quantum(sc_core::sc_time(1, sc_core::SC_US));
    keeper.reset();
    for (const Access& access : script) {
      tlm::tlm_generic_payload payload;
      std::uint32_t word = access.write ? access.value : 0;
      fill(payload, access, &word);
      sc_core::sc_time delay = keeper.get_local_time();
      socket->b_transport(payload, delay);
      keeper.set(delay);
      wrong += payload.is_response_error() || word != access.value;
      ++done;
      if (keeper.need_sync()) keeper.sync();
    }
  }
};

// Approximately timed: up to `outstanding` transactions under way; ends responses after `think`, in three styles by turns
// (a call, an update with a delay, TLM_COMPLETED).
template <unsigned kBits>
class AtInitiator : public sc_core::sc_module {
 public:
  tlm_utils::simple_initiator_socket<AtInitiator, kBits> socket{"socket"};
  std::vector<Access> script;
  unsigned outstanding = 4;
  sc_core::sc_time think;
  std::size_t done = 0, wrong = 0, most = 0;
  sc_core::sc_time finished;
  Pool pool;

  SC_HAS_PROCESS(AtInitiator);
  explicit AtInitiator(sc_core::sc_module_name module_name) : sc_module(module_name), ends_("ends") {
    socket.register_nb_transport_bw(this, &AtInitiator::backward);
    SC_THREAD(issue);
    SC_THREAD(end_responses);
  }

 private:
  void issue() {
    words_.resize(script.size());
    index_.clear();
    for (std::size_t i = 0; i < script.size(); ++i) {
      while (under_way_ >= outstanding) wait(changed_);
      auto* payload = pool.get();
      payload->acquire();
      words_[i] = script[i].write ? script[i].value : 0;
      fill(*payload, script[i], &words_[i]);
      index_.push_back({payload, i});
      most = std::max<std::size_t>(most, ++under_way_);
      tlm::tlm_phase phase = tlm::BEGIN_REQ;
      sc_core::sc_time delay;
      request_ = payload;
      const auto answer = socket->nb_transport_fw(*payload, phase, delay);
      if (answer == tlm::TLM_COMPLETED) {
        request_ = nullptr;
        complete(*payload);
      } else if (answer == tlm::TLM_UPDATED) {
        if (delay != sc_core::SC_ZERO_TIME) wait(delay);
        request_ = nullptr;
        if (phase == tlm::BEGIN_RESP) ends_.notify(*payload, think);
      }
      while (request_ != nullptr) wait(changed_);
    }
  }
  tlm::tlm_sync_enum backward(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& delay) {
    if (request_ == &payload && (phase == tlm::END_REQ || phase == tlm::BEGIN_RESP)) {
      request_ = nullptr;
      changed_.notify(sc_core::SC_ZERO_TIME);
    }
    if (phase != tlm::BEGIN_RESP) return tlm::TLM_ACCEPTED;
    switch (styles_++ % 3) {
      case 0:
        ends_.notify(payload, delay + think);
        return tlm::TLM_ACCEPTED;
      case 1:
        phase = tlm::END_RESP;
        delay += think;
        complete(payload);
        return tlm::TLM_UPDATED;
      default:
        complete(payload);
        return tlm::TLM_COMPLETED;
    }
  }
  void end_responses() {
    for (;;) {
      wait(ends_.get_event());
      while (auto* payload = ends_.get_next_transaction()) {
        tlm::tlm_phase phase = tlm::END_RESP;
        sc_core::sc_time delay;
        socket->nb_transport_fw(*payload, phase, delay);
        complete(*payload);
      }
    }
  }
  void complete(tlm::tlm_generic_payload& payload) {
    for (std::size_t k = 0; k < index_.size(); ++k) {
      if (index_[k].first != &payload) continue;
      const std::size_t i = index_[k].second;
      wrong += payload.is_response_error() || words_[i] != script[i].value;
      index_.erase(index_.begin() + static_cast<std::ptrdiff_t>(k));
      break;
    }
    ++done;
    finished = sc_core::sc_time_stamp();
    --under_way_;
    changed_.notify(sc_core::SC_ZERO_TIME);
    payload.release();
  }

  std::vector<std::uint32_t> words_;
  std::vector<std::pair<tlm::tlm_generic_payload*, std::size_t>> index_;
  tlm::tlm_generic_payload* request_ = nullptr;
  unsigned under_way_ = 0, styles_ = 0;
  sc_core::sc_event changed_;
  tlm_utils::peq_with_get<tlm::tlm_generic_payload> ends_;
};

// Words in [base, base + 4 * words): every one is written before it is read. Reads follow writes of their word only after
// `distance` other accesses, so that they may be under way together and still have one answer.
inline std::vector<Access> random_script(unsigned seed, std::uint64_t base, unsigned words, unsigned length, unsigned distance) {
  std::mt19937 random(seed);
  std::vector<std::uint32_t> memory(words, 0);
  std::vector<long> touched(words, -1000000);
  std::vector<Access> script;
  while (script.size() < length) {
    const unsigned word = static_cast<unsigned>(random() % words);
    if (static_cast<long>(script.size()) - touched[word] <= static_cast<long>(distance)) continue;
    const bool write = random() % 2 == 0;
    if (write) memory[word] = static_cast<std::uint32_t>(random());
    touched[word] = static_cast<long>(script.size());
    script.push_back({write, base + 4ull * word, memory[word]});
  }
  return script;
}

}  // namespace gyre::test
