// Colour words that wait for their depth word at the entry of the output merger (om.md §10.2).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "calendar.h"

namespace gyre::om {

// The hold table: at most one open record a lane behind the ingress. Depth words come almost always in the order of
// their colour words, so the search starts at the oldest record.
class HoldTable {
 public:
  struct Open {
    std::uint32_t record;
    std::uint32_t colour;
  };

  explicit HoldTable(std::size_t capacity) : capacity_(capacity) { entries_.reserve(2 * capacity); }

  bool full() const { return size() == capacity_; }
  std::size_t size() const { return entries_.size() - head_; }
  const Open& oldest() const { return entries_[head_]; }

  void open(std::uint32_t record, std::uint32_t colour) {
    if (entries_.size() == 2 * capacity_) {
      entries_.erase(entries_.begin(), entries_.begin() + static_cast<std::ptrdiff_t>(head_));
      head_ = 0;
    }
    entries_.push_back({record, colour});
  }
  void drop_oldest() {
    if (++head_ == entries_.size()) {
      entries_.clear();
      head_ = 0;
    }
  }
  // False: no record of that number is open.
  bool close(std::uint32_t record, std::uint32_t& colour) {
    for (std::size_t i = head_; i < entries_.size(); ++i) {
      if (entries_[i].record != record) continue;
      colour = entries_[i].colour;
      if (i == head_)
        drop_oldest();
      else
        entries_.erase(entries_.begin() + static_cast<std::ptrdiff_t>(i));
      return true;
    }
    return false;
  }

 private:
  std::size_t capacity_;
  std::size_t head_ = 0;
  std::vector<Open> entries_;
};

// One ingress a socket: unpacks a beat at one word a cycle.
struct Ingress {
  explicit Ingress(std::size_t capacity) : held(capacity) {}
  HoldTable held;
  kernel::Calendar words;
};

}  // namespace gyre::om
