// The CTA dispatcher of a core: slots, admission, warp activation, prologue rule (launch.md §6 - §9).
#pragma once

#include <vector>

#include "engine.h"
#include "launch.h"

namespace gyre::core {

class CtaDispatcher : public RetireListener {
 public:
  explicit CtaDispatcher(Engine& engine);

  // Accepts messages whose stamp has come and starts warps while there are free ones. `now`: the core's local cycle.
  void step(kernel::LaunchQueue& queue, kernel::Cycle now) {
    while (due(queue, now) && advance(queue, now)) {
    }
  }
  // step() may do something.
  bool due(const kernel::LaunchQueue& queue, kernel::Cycle now) const {
    return active_ || (!refused_ && !queue.empty() && queue.head_stamp() <= now);
  }
  // A CTA is half activated: it waits for free warps.
  bool activating() const { return active_; }
  void warp_retired(const Warp& warp, kernel::Cycle stamp) override;

 private:
  struct Slot {
    bool busy = false;
    std::uint32_t stride = 0;
    std::uint32_t remaining = 0;  // warps that have not retired
    kernel::Cycle free_at = 0;
    kernel::Cycle last = 0;  // latest retirement of its warps
  };

  // Starts warps of the CTA that is being activated, else takes the head of the queue. False: nothing more can be done now.
  bool advance(kernel::LaunchQueue& queue, kernel::Cycle now);
  bool admit(const kernel::LaunchMessage& message, kernel::Cycle& when);
  void begin(const kernel::LaunchMessage& message, kernel::Cycle when);
  void start_warps();
  void fill_compute(Warp& w, std::uint32_t mask);
  void fill_fragment(Warp& w);
  std::uint32_t start_pc(Warp& w, std::uint32_t mask);

  Engine& engine_;
  std::vector<Slot> slots_;
  std::vector<std::uint32_t> initialised_;  // lanes of each warp that ran the prologue under ctx_id_
  std::vector<kernel::Cycle> warp_free_at_;
  std::vector<bool> in_cta_;
  unsigned tail_ = 0;
  int ctx_id_ = -1;
  kernel::Cycle time_ = 0;  // next cycle the activation logic is free
  // The CTA being activated.
  bool active_ = false;
  bool refused_ = false;  // the head of the queue: until a slot is free
  kernel::LaunchMessage message_;
  unsigned slot_ = 0, rank_ = 0, warps_ = 0;
  std::uint32_t threads_ = 0;  // of the CTA
  std::uint32_t base_[3] = {0, 0, 0};
};

}  // namespace gyre::core
