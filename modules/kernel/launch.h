// Launch messages and the links they travel on (launch.md §5).
#pragma once

#include <systemc>

#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>

#include "sim_time.h"

namespace gyre::kernel {

constexpr unsigned kMaxThreads = 32;              // lanes per warp the model is built for
constexpr unsigned kMaxQuads = kMaxThreads / 4;   // quads in one fragment wave

// The rasterizer's output unit: a covered 2x2 quad (Rasterizer §2.4). Position in quads (pixel / 2).
struct QuadStamp {
  std::uint16_t x = 0;
  std::uint16_t y = 0;
  std::uint8_t mask = 0;  // bit s: sub-pixel s at (2x + (s & 1), 2y + (s >> 1)) is covered
  std::uint16_t pid = 0;
};

enum class LaunchKind : std::uint8_t { kCompute, kFragment };

struct ComputeArgs {
  std::array<std::uint32_t, 3> grid_dim{};   // CTAs
  std::array<std::uint32_t, 3> block_idx{};
  std::array<std::uint32_t, 3> block_dim{};  // threads
  std::uint32_t block_size = 0;
  std::array<std::uint32_t, 3> warp_step{};
  std::uint32_t cluster_size = 1;
  bool first_of_cluster = true;
};

struct FragmentArgs {
  std::uint32_t count = 0;  // covered quads, 1..NT/4
  std::array<QuadStamp, kMaxQuads> quads{};
};

struct LaunchMessage {
  LaunchKind kind = LaunchKind::kCompute;
  bool eop = true;               // last CTA of its cluster; always set for fragments
  std::uint32_t dest = 0;        // fragment: global index of the owner core
  std::uint64_t pc = 0;          // STARTUP_ADDR
  std::uint64_t entry = 0;       // kernel or fragment shader
  std::uint64_t param = 0;       // argument pointer
  std::uint8_t ctx_id = 0;
  std::uint32_t aligned_lmem = 0;  // bytes per CTA, multiple of 64
  ComputeArgs compute;
  FragmentArgs fragment;
};

// A link with back-pressure. `stamp` is the GPU cycle the message is offered; each level adds its own latency.
// try_put never blocks: refused, the producer syncs its clock, waits for space_event, goes on at space_stamp.
class LaunchSink : public virtual sc_core::sc_interface {
 public:
  virtual bool try_put(const LaunchMessage& message, Cycle stamp) = 0;
  virtual const sc_core::sc_event& space_event() const = 0;
  virtual Cycle space_stamp() const = 0;
};

// The frame kick of a grid-less launch, taken by every raster engine.
class KickSink : public virtual sc_core::sc_interface {
 public:
  virtual void kick(std::uint8_t ctx_id, Cycle stamp) = 0;
};

// Start pulse from the CP to the KMU. False: refused (LAUNCH_INVALID), nothing was started.
class LaunchControl : public virtual sc_core::sc_interface {
 public:
  virtual bool start(Cycle stamp) = 0;
};

// Bounded FIFO of {payload, stamp}. Order is function, stamps are time: never sorted. Every place has a date of its own
// from which it is free: where agents run ahead of each other, a message is as late as the place it takes, and no later.
class LaunchQueue {
 public:
  explicit LaunchQueue(std::size_t depth) : free_(depth, 0) {}

  bool full() const { return free_.empty(); }
  bool empty() const { return items_.empty(); }
  // There must be room. The message stands in the queue from `stamp` on, or from when its place is free; one a cycle.
  void push(const LaunchMessage& message, Cycle stamp) {
    const Cycle at = std::max({stamp, free_.front(), next_push_});
    next_push_ = at + 1;
    items_.push_back({message, at});
    free_.pop_front();
    data_event_.notify(sc_core::SC_ZERO_TIME);
  }
  const LaunchMessage& head() const { return items_.front().message; }
  Cycle head_stamp() const { return items_.front().stamp; }
  void pop(Cycle stamp) {
    items_.pop_front();
    free_.push_back(last_pop_ = stamp);
    space_event_.notify(sc_core::SC_ZERO_TIME);
  }
  const sc_core::sc_event& data_event() const { return data_event_; }
  const sc_core::sc_event& space_event() const { return space_event_; }
  // The date of the place the next message takes.
  Cycle space_stamp() const { return full() ? last_pop_ : free_.front(); }

 private:
  struct Item {
    LaunchMessage message;
    Cycle stamp;
  };
  std::deque<Item> items_;
  std::deque<Cycle> free_;  // places: from when on, in the order they are taken
  Cycle last_pop_ = 0, next_push_ = 0;
  sc_core::sc_event data_event_{"data"};
  sc_core::sc_event space_event_{"space"};
};

}  // namespace gyre::kernel
