// The busy tree: a count of outstanding work with dates (launch.md §10, design §4 rule 6).
#pragma once

#include <systemc>

#include <cstdint>
#include <string>
#include <vector>

#include "sim_time.h"

namespace gyre::kernel {

// Every kick, message, warp, posted store, fragment and DMA burst of the device holds a token. A token is
// returned with the cycle its work finished; the device is idle when no token is out, *at* the largest stamp
// returned, whenever the simulator notices. All stamps are GPU cycles.
class BusyTree {
 public:
  using Node = std::size_t;

  Node add_node(std::string name) {
    nodes_.push_back({std::move(name), 0});
    return nodes_.size() - 1;
  }

  void take(Node node) {
    ++nodes_[node].count;
    ++count_;
  }
  void give(Node node, Cycle stamp) {
    note(stamp);
    --nodes_[node].count;
    if (--count_ == 0) idle_event_.notify(sc_core::SC_ZERO_TIME);
  }
  // Work that is already done in function (a posted fragment) and ends at `stamp` in time.
  void note(Cycle stamp) { last_ = std::max(last_, stamp); }

  bool idle() const { return count_ == 0; }
  Cycle last_stamp() const { return last_; }
  const sc_core::sc_event& idle_event() const { return idle_event_; }

  // "core0 3, raster1 1": who holds tokens, for the hang report.
  std::string describe() const {
    std::string text;
    for (const auto& node : nodes_)
      if (node.count != 0) text += (text.empty() ? "" : ", ") + node.name + " " + std::to_string(node.count);
    return text.empty() ? "nobody" : text;
  }

 private:
  struct Entry {
    std::string name;
    std::uint64_t count;
  };
  std::vector<Entry> nodes_;
  std::uint64_t count_ = 0;
  Cycle last_ = 0;
  sc_core::sc_event idle_event_{"idle"};
};

}  // namespace gyre::kernel
