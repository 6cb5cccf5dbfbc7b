#include "protocol_rules.h"

#include <fmt/format.h>

namespace gyre::kernel {
namespace {

using tlm::tlm_phase;

bool is_base(const tlm_phase& phase) {
  return phase == tlm::BEGIN_REQ || phase == tlm::END_REQ || phase == tlm::BEGIN_RESP || phase == tlm::END_RESP;
}

std::string named(const tlm_phase& phase) { return phase.get_name(); }

}  // namespace

void ProtocolRules::say(const Payload& payload, const std::string& what) {
  said_(fmt::format("{} of {} bytes at {:#x}: {}",
                    payload.is_write()  ? "write"
                    : payload.is_read() ? "read"
                                        : "ignored command",
                    payload.get_data_length(), payload.get_address(), what));
}

void ProtocolRules::attributes(const Payload& payload) {
  if (payload.get_response_status() != tlm::TLM_INCOMPLETE_RESPONSE)
    say(payload, "the response status is not TLM_INCOMPLETE_RESPONSE at the start");
  if (payload.is_dmi_allowed()) say(payload, "the DMI hint is set at the start");
  if (payload.get_command() == tlm::TLM_IGNORE_COMMAND) return;
  if (payload.get_data_ptr() == nullptr) say(payload, "no data pointer");
  if (payload.get_data_length() == 0) say(payload, "the data length is 0");
  if (payload.get_streaming_width() == 0) say(payload, "the streaming width is 0");
  if (payload.get_byte_enable_ptr() != nullptr && payload.get_byte_enable_length() == 0)
    say(payload, "the byte enables have length 0");
}

void ProtocolRules::answered(const Payload& payload) {
  if (payload.get_response_status() == tlm::TLM_INCOMPLETE_RESPONSE)
    say(payload, "answered without a response status");
}

void ProtocolRules::time(Transaction& transaction, const tlm_phase& phase, const sc_core::sc_time& delay) {
  const sc_core::sc_time at = sc_core::sc_time_stamp() + delay;
  if (at < transaction.last)
    said_(fmt::format("{} takes effect at {}, before the phase in front of it ({})", named(phase), at.to_string(),
                      transaction.last.to_string()));
  else
    transaction.last = at;
}

void ProtocolRules::unchanged(const Transaction& transaction, const Payload& payload) {
  if (payload.get_command() != transaction.command || payload.get_data_ptr() != transaction.data ||
      payload.get_data_length() != transaction.length)
    say(payload, "command, data pointer or length were changed on the way");
}

ProtocolRules::Transaction* ProtocolRules::find(const Payload& payload, const char* phase) {
  const auto it = open_.find(&payload);
  if (it != open_.end()) return &it->second;
  say(payload, fmt::format("{} of a transaction that has not begun or is over", phase));
  return nullptr;
}

void ProtocolRules::end_request(const Payload& payload, const sc_core::sc_time& delay) {
  Transaction* const transaction = find(payload, "END_REQ");
  if (transaction == nullptr) return;
  if (transaction->stage != Stage::kBeginReq) {
    say(payload, "END_REQ twice, or after BEGIN_RESP");
    return;
  }
  time(*transaction, tlm::END_REQ, delay);
  transaction->stage = Stage::kEndReq;
  if (requesting_ == &payload) requesting_ = nullptr;
}

void ProtocolRules::begin_response(const Payload& payload, const sc_core::sc_time& delay) {
  Transaction* const transaction = find(payload, "BEGIN_RESP");
  if (transaction == nullptr) return;
  if (transaction->stage == Stage::kBeginResp) {
    say(payload, "BEGIN_RESP twice");
    return;
  }
  if (responding_ != nullptr && responding_ != &payload)
    say(payload, "BEGIN_RESP before the END_RESP of the response in front of it (exclusion rule)");
  time(*transaction, tlm::BEGIN_RESP, delay);
  unchanged(*transaction, payload);
  answered(payload);
  transaction->stage = Stage::kBeginResp;
  if (requesting_ == &payload) requesting_ = nullptr;  // BEGIN_RESP implies END_REQ
  responding_ = &payload;
}

void ProtocolRules::end_response(const Payload& payload, const sc_core::sc_time& delay) {
  Transaction* const transaction = find(payload, "END_RESP");
  if (transaction == nullptr) return;
  if (transaction->stage != Stage::kBeginResp) say(payload, "END_RESP before BEGIN_RESP");
  time(*transaction, tlm::END_RESP, delay);
  finish(payload);
}

void ProtocolRules::finish(const Payload& payload) {
  open_.erase(&payload);
  if (requesting_ == &payload) requesting_ = nullptr;
  if (responding_ == &payload) responding_ = nullptr;
}

void ProtocolRules::forward(const Payload& payload, const tlm_phase& phase, const sc_core::sc_time& delay) {
  if (phase == tlm::END_RESP) {
    end_response(payload, delay);
  } else if (phase == tlm::BEGIN_REQ) {
    if (requesting_ != nullptr)
      say(payload, requesting_ == &payload ? "BEGIN_REQ twice"
                                           : "BEGIN_REQ before the END_REQ of the request in front of it (exclusion rule)");
    else if (open_.count(&payload) != 0)
      say(payload, "BEGIN_REQ of a transaction that is under way");
    attributes(payload);
    if (!payload.has_mm() || payload.get_ref_count() < 1)
      say(payload, "nb_transport with a payload that has no memory manager or that nobody holds");
    open_.insert_or_assign(&payload, Transaction{Stage::kBeginReq, sc_core::sc_time_stamp() + delay, payload.get_command(),
                                                 payload.get_data_ptr(), payload.get_data_length()});
    requesting_ = &payload;
  } else if (is_base(phase)) {
    say(payload, named(phase) + " on the forward path");
  }
}

void ProtocolRules::forward_done(const Payload& payload, const tlm_phase& sent, tlm::tlm_sync_enum answer,
                                 const tlm_phase& phase, const sc_core::sc_time& delay) {
  if (!is_base(sent) || answer == tlm::TLM_ACCEPTED) return;
  if (answer == tlm::TLM_COMPLETED) {
    if (sent != tlm::BEGIN_REQ) return;  // END_RESP ended it anyway
    if (const auto it = open_.find(&payload); it != open_.end()) {
      if (it->second.stage != Stage::kBeginReq)
        say(payload, "TLM_COMPLETED after a later phase was sent");
      time(it->second, sent, delay);
      unchanged(it->second, payload);
    }
    answered(payload);
    finish(payload);
    return;
  }
  if (sent == tlm::BEGIN_REQ && phase == tlm::END_REQ)
    end_request(payload, delay);
  else if (sent == tlm::BEGIN_REQ && phase == tlm::BEGIN_RESP)
    begin_response(payload, delay);
  else
    say(payload, fmt::format("{} answered with TLM_UPDATED and {}", named(sent), named(phase)));
}

void ProtocolRules::backward(const Payload& payload, const tlm_phase& phase, const sc_core::sc_time& delay) {
  if (phase == tlm::END_REQ)
    end_request(payload, delay);
  else if (phase == tlm::BEGIN_RESP)
    begin_response(payload, delay);
  else if (is_base(phase))
    say(payload, named(phase) + " on the backward path");
}

void ProtocolRules::backward_done(const Payload& payload, const tlm_phase& sent, tlm::tlm_sync_enum answer,
                                  const tlm_phase& phase, const sc_core::sc_time& delay) {
  if (!is_base(sent) || answer == tlm::TLM_ACCEPTED) return;
  if (sent == tlm::BEGIN_RESP && (answer == tlm::TLM_COMPLETED || phase == tlm::END_RESP))
    end_response(payload, delay);
  else
    say(payload, fmt::format("{} answered with {}", named(sent),
                             answer == tlm::TLM_COMPLETED ? "TLM_COMPLETED" : "TLM_UPDATED and " + named(phase)));
}

void ProtocolRules::blocking(const Payload& payload) {
  if (open_.count(&payload) != 0) say(payload, "b_transport with a payload that nb_transport is using");
  attributes(payload);
}

void ProtocolRules::blocking_done(const Payload& payload) { answered(payload); }

}  // namespace gyre::kernel
