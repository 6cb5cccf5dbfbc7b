// The TLM-2.0 base protocol on one socket, as rules a record of its calls is held against (IEEE 1666, base protocol).
#pragma once

#include <tlm>

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace gyre::kernel {

// Told of every call on a socket, when it is made and when it returns; says what was wrong. A call that broke a rule is
// followed as far as it makes sense, so that one mistake is reported once.
class ProtocolRules {
 public:
  using Payload = tlm::tlm_generic_payload;
  // `said`: called for each violation with one line.
  explicit ProtocolRules(std::function<void(const std::string&)> said) : said_(std::move(said)) {}

  // nb_transport_fw and nb_transport_bw.
  void forward(const Payload& payload, const tlm::tlm_phase& phase, const sc_core::sc_time& delay);
  void forward_done(const Payload& payload, const tlm::tlm_phase& sent, tlm::tlm_sync_enum answer,
                    const tlm::tlm_phase& phase, const sc_core::sc_time& delay);
  void backward(const Payload& payload, const tlm::tlm_phase& phase, const sc_core::sc_time& delay);
  void backward_done(const Payload& payload, const tlm::tlm_phase& sent, tlm::tlm_sync_enum answer,
                     const tlm::tlm_phase& phase, const sc_core::sc_time& delay);
  // b_transport.
  void blocking(const Payload& payload);
  void blocking_done(const Payload& payload);

  // Transactions that have begun and not ended: 0 when a socket is quiet.
  std::size_t open() const { return open_.size(); }

 private:
  enum class Stage { kBeginReq, kEndReq, kBeginResp };
  struct Transaction {
    Stage stage;
    sc_core::sc_time last;  // effective time of its last phase
    // What nobody may change on the way.
    tlm::tlm_command command;
    const unsigned char* data;
    unsigned length;
  };

  void attributes(const Payload& payload);
  void time(Transaction& transaction, const tlm::tlm_phase& phase, const sc_core::sc_time& delay);
  void unchanged(const Transaction& transaction, const Payload& payload);
  void answered(const Payload& payload);
  // The phase as it takes effect, wherever it came from.
  void end_request(const Payload& payload, const sc_core::sc_time& delay);
  void begin_response(const Payload& payload, const sc_core::sc_time& delay);
  void end_response(const Payload& payload, const sc_core::sc_time& delay);
  void finish(const Payload& payload);
  Transaction* find(const Payload& payload, const char* phase);
  void say(const Payload& payload, const std::string& what);

  std::function<void(const std::string&)> said_;
  std::map<const Payload*, Transaction> open_;  // looked up only, never walked
  const Payload* requesting_ = nullptr;         // between BEGIN_REQ and END_REQ
  const Payload* responding_ = nullptr;         // between BEGIN_RESP and END_RESP
};

}  // namespace gyre::kernel
