// Payloads for transactions that outlive a call: they come back when nobody holds them any more.
#pragma once

#include <tlm>

#include <memory>
#include <vector>

namespace gyre::kernel {

// Each has a data buffer and one byte enable of its own.
class PayloadPool : public tlm::tlm_mm_interface {
 public:
  static constexpr unsigned kBytes = 64;

  // A read or write of `bytes` <= kBytes at `address`, ready to be sent. `dates_only`: a write that changes nothing.
  tlm::tlm_generic_payload& get(bool write, std::uint64_t address, unsigned bytes, bool dates_only) {
    if (free_.empty()) {
      items_.push_back(std::make_unique<Item>());
      items_.back()->set_mm(this);
      free_.push_back(items_.back().get());
    }
    Item& payload = *free_.back();
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
    return payload;
  }
  void free(tlm::tlm_generic_payload* payload) override {
    payload->reset();
    free_.push_back(static_cast<Item*>(payload));
  }
  bool all_home() const { return free_.size() == items_.size(); }

 private:
  struct Item : tlm::tlm_generic_payload {
    unsigned char data[kBytes] = {};
    unsigned char disabled = TLM_BYTE_DISABLED;
  };
  std::vector<std::unique_ptr<Item>> items_;
  std::vector<Item*> free_;
};

}  // namespace gyre::kernel
