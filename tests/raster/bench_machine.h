// A raster test bench: engines, a flat memory and launch sinks that push back.
#pragma once

#include <tlm_utils/multi_passthrough_target_socket.h>

#include <cstdint>
#include <cstring>
#include <memory>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "raster_engine.h"

namespace gyre::test {

using kernel::Cycle;

// [0, size) is memory. Without DMI every access is a transaction with a delay; now and then the target waits.
struct FlatMemory : sc_core::sc_module {
  tlm_utils::multi_passthrough_target_socket<FlatMemory, kernel::kMemoryBusBits> socket{"socket"};

  FlatMemory(sc_core::sc_module_name name, std::size_t bytes, bool dmi, unsigned seed)
      : sc_module(name), data(bytes), dmi_(dmi), random_(seed) {
    socket.register_b_transport(this, &FlatMemory::access);
    socket.register_get_direct_mem_ptr(this, &FlatMemory::direct);
  }
  void access(int, tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
    const std::uint64_t address = payload.get_address();
    if (address >= data.size() || data.size() - address < payload.get_data_length()) {
      payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
      return;
    }
    if (!dmi_ && random_() % 16 == 0) sc_core::wait(sc_core::sc_time(random_() % 20, sc_core::SC_NS));
    if (!dmi_) delay += sc_core::sc_time(random_() % 100, sc_core::SC_NS);
    if (payload.is_read())
      std::memcpy(payload.get_data_ptr(), data.data() + address, payload.get_data_length());
    else
      std::memcpy(data.data() + address, payload.get_data_ptr(), payload.get_data_length());
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
  }
  bool direct(int, tlm::tlm_generic_payload&, tlm::tlm_dmi& region) {
    region.set_start_address(0);
    region.set_end_address(dmi_ ? data.size() - 1 : ~std::uint64_t{0});
    region.set_dmi_ptr(data.data());
    region.allow_read_write();
    return dmi_;
  }

  std::vector<std::uint8_t> data;

 private:
  bool dmi_;
  std::mt19937 random_;
};

// A consumer behind a short queue. `slowest`: up to so many cycles a message; 0: takes everything at once.
struct Sink : sc_core::sc_module, kernel::LaunchSink {
  SC_HAS_PROCESS(Sink);
  struct Taken {
    kernel::LaunchMessage message;
    Cycle stamp;
  };

  Sink(sc_core::sc_module_name name, kernel::Context& ctx, unsigned slowest, unsigned seed)
      : sc_module(name),
        ctx_(ctx),
        clock_(ctx.gpu_clock()),
        node_(ctx.busy.add_node(this->name())),
        queue_(2),
        slowest_(slowest),
        random_(seed) {
    SC_THREAD(run);
  }
  bool try_put(const kernel::LaunchMessage& message, Cycle stamp) override {
    if (slowest_ == 0) {
      taken.push_back({message, stamp});
      return true;
    }
    if (queue_.full()) {
      refused_ = true;
      return false;
    }
    if (refused_ && stamp < queue_.space_stamp()) throw std::runtime_error("message put before there was room");
    refused_ = false;
    ctx_.busy.take(node_);
    queue_.push(message, stamp);
    return true;
  }
  const sc_core::sc_event& space_event() const override { return queue_.space_event(); }
  Cycle space_stamp() const override { return queue_.space_stamp(); }

  std::vector<Taken> taken;

 private:
  void run() {
    for (;;) {
      clock_.wait_until(queue_.data_event(), [this] { return !queue_.empty(); });
      clock_.advance_to(queue_.head_stamp());
      taken.push_back({queue_.head(), queue_.head_stamp()});
      queue_.pop(clock_.now());
      clock_.advance(1 + random_() % slowest_);
      ctx_.busy.give(node_, clock_.now());
      if (clock_.quantum_spent()) clock_.sync();
    }
  }
  kernel::Context& ctx_;
  kernel::LocalClock clock_;
  kernel::BusyTree::Node node_;
  kernel::LaunchQueue queue_;
  unsigned slowest_;
  bool refused_ = false;
  std::mt19937 random_;
};

using RegisterWrites = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

struct Bench : sc_core::sc_module {
  SC_HAS_PROCESS(Bench);

  // One frame for every entry of `frames`: its writes, a kick, then the drain.
  Bench(sc_core::sc_module_name name, kernel::Context& ctx_ref, std::size_t bytes, bool dmi, unsigned slowest,
        std::vector<RegisterWrites> frames)
      : sc_module(name), ctx(ctx_ref), memory("memory", bytes, dmi, 7), frames_(std::move(frames)) {
    const auto& gpu = ctx.config.gpu;
    for (unsigned i = 0; i < gpu.raster_engines(); ++i) {
      const std::string suffix = std::to_string(i);
      engines.push_back(std::make_unique<raster::RasterEngine>(("raster" + suffix).c_str(), ctx, i / gpu.raster.cores,
                                                               i % gpu.raster.cores));
      sinks.push_back(std::make_unique<Sink>(("sink" + suffix).c_str(), ctx, slowest, 100 + i));
      dcr.push_back(
          std::make_unique<tlm_utils::simple_initiator_socket<Bench, kernel::kDcrBusBits>>(("dcr" + suffix).c_str()));
      dcr.back()->bind(engines.back()->dcr);
      engines.back()->memory.socket.bind(memory.socket);
      engines.back()->launch.bind(*sinks.back());
    }
    SC_THREAD(run);
  }

  std::uint64_t counter(const char* suffix) const { return ctx.counters.sum(suffix); }

  kernel::Context& ctx;
  FlatMemory memory;
  std::vector<std::unique_ptr<raster::RasterEngine>> engines;
  std::vector<std::unique_ptr<Sink>> sinks;
  std::vector<std::unique_ptr<tlm_utils::simple_initiator_socket<Bench, kernel::kDcrBusBits>>> dcr;
  std::vector<Cycle> drained;
  Cycle first_kick = 10;  // not before

 private:
  void run() {
    Cycle stamp = first_kick;
    if (stamp > 10) sc_core::wait(sc_core::sc_time::from_value(stamp * ctx.config.gpu.period_ps()));
    for (std::size_t frame = 0; frame < frames_.size(); ++frame) {
      for (const auto& [number, value] : frames_[frame]) {
        for (auto& socket : dcr) {
          tlm::tlm_generic_payload payload;
          std::uint32_t word = value;
          payload.set_write();
          payload.set_address(std::uint64_t{number} * 4);
          payload.set_data_ptr(reinterpret_cast<std::uint8_t*>(&word));
          payload.set_data_length(4);
          payload.set_streaming_width(4);
          sc_core::sc_time delay;
          (*socket)->b_transport(payload, delay);
          if (!payload.is_response_ok()) throw std::runtime_error("register write failed");
        }
      }
      for (auto& engine : engines) engine->kick(static_cast<std::uint8_t>(5 + frame), stamp);
      while (!ctx.busy.idle()) sc_core::wait(ctx.busy.idle_event());
      stamp = ctx.busy.last_stamp();
      drained.push_back(stamp);
    }
  }
  std::vector<RegisterWrites> frames_;
};

}  // namespace gyre::test
