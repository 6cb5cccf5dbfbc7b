// What is due when: items by date, those of one date in the order they came. Made for dates that come nearly in order.
#pragma once

#include <cstdint>

#include "ring.h"

namespace gyre::kernel {

template <class T>
class DueQueue {
 public:
  static constexpr std::uint64_t kNever = ~std::uint64_t{0};

  bool empty() const { return items_.empty(); }
  std::size_t size() const { return items_.size(); }
  // The earliest date, or kNever.
  std::uint64_t next() const { return items_.empty() ? kNever : items_.front().at; }

  void push(std::uint64_t at, T item) {
    std::size_t i = items_.size();
    items_.push_back({at, item});
    if (i == 0 || items_[i - 1].at <= at) return;
    for (; i != 0 && items_[i - 1].at > at; --i) items_[i] = items_[i - 1];
    items_[i] = {at, item};
  }
  // Requires !empty(). Takes the earliest.
  T pop() {
    const T item = items_.front().item;
    items_.pop_front();
    return item;
  }

 private:
  struct Item {
    std::uint64_t at;
    T item;
  };
  Ring<Item> items_;
};

}  // namespace gyre::kernel
