// The CTA dispatcher of a core: slots, admission, warp activation, prologue rule (launch.md §6 - §9).
#pragma once

#include <algorithm>
#include <vector>

#include "engine.h"
#include "launch.h"

namespace gyre::core {

class CtaDispatcher : public RetireListener {
 public:
  explicit CtaDispatcher(Engine& engine);

  // The date from which it may do what it does next, accept the head of the queue or start a warp; kNever: a message has
  // to come or a warp to end first. It may lie in the past of the simulator's time, where a sender or the core has run late.
  kernel::Cycle next(const kernel::LaunchQueue& queue) const;
  // Does it. next() must not be kNever.
  void advance(kernel::LaunchQueue& queue);
  // A CTA is half activated: it waits for free warps.
  bool activating() const { return active_; }
  void warp_retired(const Warp& warp, kernel::Cycle stamp) override;

 private:
  struct Slot {
    std::uint32_t stride = 0;
    std::uint32_t remaining = 0;  // warps that have not retired
    kernel::Cycle free_at = 0;    // kNever: taken
    kernel::Cycle last = 0;       // latest retirement of its warps
  };

  struct Admission {
    unsigned slot;
    kernel::Cycle when;  // kNever: a CTA has to end first
  };
  // Where and when the message is accepted, not before `when`.
  Admission admission(const kernel::LaunchMessage& message, kernel::Cycle when) const;
  unsigned usable_slots(std::uint32_t stride) const;
  void begin(const kernel::LaunchMessage& message, kernel::Cycle when);
  // The inactive warp that the next one of the CTA gets; nullptr: all are active.
  Warp* free_warp() const;
  void start_warp(Warp& w);
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
  kernel::LaunchMessage message_;
  unsigned slot_ = 0, rank_ = 0, warps_ = 0;
  std::uint32_t threads_ = 0;  // of the CTA
  std::uint32_t base_[3] = {0, 0, 0};
};

}  // namespace gyre::core
