// Payloads for transactions that outlive a call: they come back when nobody holds them any more.
#pragma once

#include <tlm>

#include <cstdint>
#include <memory>
#include <vector>

#include "mem_attributes.h"

namespace gyre::kernel {

// Has a data buffer, one byte enable and attributes of its own. `tag` belongs to who took it out of the pool.
struct PooledPayload : tlm::tlm_generic_payload {
  static constexpr unsigned kBytes = 64;

  PooledPayload() { set_extension(&attributes); }
  ~PooledPayload() override { clear_extension(&attributes); }  // it is a member
  PooledPayload(const PooledPayload&) = delete;

  unsigned char data[kBytes] = {};
  unsigned char disabled = TLM_BYTE_DISABLED;
  MemAttributes attributes;
  std::uint64_t tag = 0;
};

class PayloadPool : public tlm::tlm_mm_interface {
 public:
  static constexpr unsigned kBytes = PooledPayload::kBytes;

  // A read or write of `bytes` <= kBytes at `address`, ready to be sent, with fresh attributes. `dates_only`: nothing
  // moves; whoever does not know the attribute sees a write without an enabled byte.
  PooledPayload& get(bool write, std::uint64_t address, unsigned bytes, bool dates_only) {
    if (free_.empty()) {
      items_.push_back(std::make_unique<PooledPayload>());
      items_.back()->set_mm(this);
      free_.push_back(items_.back().get());
    }
    PooledPayload& payload = *free_.back();
    free_.pop_back();
    payload.set_command(write ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND);
    payload.set_address(address);
    payload.set_data_ptr(payload.data);
    payload.set_data_length(bytes);
    payload.set_streaming_width(bytes);
    payload.set_byte_enable_ptr(write && dates_only ? &payload.disabled : nullptr);
    payload.set_byte_enable_length(write && dates_only ? 1 : 0);
    payload.set_dmi_allowed(false);
    payload.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
    payload.attributes.source = MemSource::kUnknown;
    payload.attributes.core = 0;
    payload.attributes.io = payload.attributes.om = payload.attributes.timed = payload.attributes.atomic = false;
    payload.attributes.dates_only = dates_only;
    payload.attributes.words = 1;
    return payload;
  }
  void free(tlm::tlm_generic_payload* payload) override {
    payload->reset();
    free_.push_back(static_cast<PooledPayload*>(payload));
  }
  bool all_home() const { return free_.size() == items_.size(); }

 private:
  std::vector<std::unique_ptr<PooledPayload>> items_;
  std::vector<PooledPayload*> free_;
};

}  // namespace gyre::kernel
