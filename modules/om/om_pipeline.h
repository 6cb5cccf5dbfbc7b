// The pipeline of an OM core in the approximate style: a bounded queue, the same-pixel interlock, read credits, and
// words that travel to the ocache (om.md §11, §12).
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <systemc>
#include <vector>

#include "activity.h"
#include "alarm.h"
#include "at_client.h"
#include "busy.h"
#include "cache.h"

namespace gyre::om {

// What a fragment asks of memory, once its function is done.
struct FragmentWork {
  kernel::Cycle arrive = 0;  // at the queue in front of the issue stage
  bool bypass = false;       // one word, no interlock
  std::uint8_t bucket = 0;   // of the interlock
  unsigned reads = 0, writes = 0, compute = 0;
  memory::MemoryAccess read[2]{}, write[2]{};
};

// Fragments issue in order, one a cycle, when nothing of their bucket is under way and their reads have credits.
class OmPipeline : public sc_core::sc_module {
 public:
  static constexpr unsigned kQueue = 8;  // fragments between ingress and issue: buffer 2, skid 2, request buffer

  // `credits`: fragments with reads outstanding; and bypassed words that wait for the ocache.
  OmPipeline(sc_core::sc_module_name name, kernel::AtClient& memory, kernel::Picoseconds period, unsigned credits,
             kernel::BusyTree& busy);

  // A beat is taken as a whole: it may go over the queue's end, once.
  bool full() const { return queue_.size() >= kQueue; }
  void push(const FragmentWork& work);
  // Called when a place in the queue has become free.
  std::function<void()> space;

  // Of the issue stage. Blocked on memory: no credit, or the ocache does not take what is there; on output: the interlock.
  const kernel::Activity& activity() const { return ledger_.activity(); }
  // Adds up the cycles fragments wait for their issue, and the latency of the words that are read.
  void count_into(std::uint64_t& stalls, std::uint64_t& read_latency) {
    stalls_ = &stalls;
    read_latency_ = &read_latency;
  }

 private:
  struct Bucket {
    bool busy = false;
    kernel::Cycle free = 0;
  };

  void step();
  bool may_issue(const FragmentWork& work, kernel::Cycle& at);
  void issue(const FragmentWork& work, kernel::Cycle at);
  void read_done(unsigned slot, kernel::Cycle last);
  void finish(kernel::Cycle at) { busy_.give(node_, at); }
  void step_at(kernel::Cycle at) { alarm_.set(at * period_); }
  kernel::Cycle now() const { return kernel::cycle_now(period_); }

  kernel::AtClient& memory_;
  const kernel::Picoseconds period_;
  const unsigned credits_;
  kernel::BusyTree& busy_;
  const kernel::BusyTree::Node node_;

  std::deque<FragmentWork> queue_;
  kernel::Cycle issue_free_ = 0;
  kernel::Ledger ledger_;
  kernel::Doing reason_ = kernel::Doing::kMemory;  // why the fragment in front has not been issued
  std::array<Bucket, 64> buckets_{};
  unsigned reading_ = 0;              // fragments
  std::deque<kernel::Cycle> leaving_;  // those whose words have come hold their credit until these dates
  std::vector<FragmentWork> issued_;
  std::vector<unsigned> free_slots_;
  std::uint64_t unread_ = 0;
  std::uint64_t *stalls_ = &unread_, *read_latency_ = &unread_;
  kernel::Alarm alarm_{"step", [this] { step(); }};
};

}  // namespace gyre::om
