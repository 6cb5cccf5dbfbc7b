// A first-in first-out queue that keeps its memory: nothing is allocated once it has been as long as it gets.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

namespace gyre::kernel {

template <class T>
class Ring {
 public:
  bool empty() const { return size_ == 0; }
  std::size_t size() const { return size_; }
  // The i-th from the front, i < size().
  T& operator[](std::size_t i) { return items_[(first_ + i) & (items_.size() - 1)]; }
  const T& operator[](std::size_t i) const { return items_[(first_ + i) & (items_.size() - 1)]; }
  T& front() { return items_[first_]; }
  const T& front() const { return items_[first_]; }

  void push_back(T item) {
    if (size_ == items_.size()) grow();
    (*this)[size_++] = std::move(item);
  }
  void pop_front() {
    first_ = (first_ + 1) & (items_.size() - 1);
    --size_;
  }

 private:
  void grow() {
    std::vector<T> larger(items_.empty() ? 4 : 2 * items_.size());
    for (std::size_t i = 0; i < size_; ++i) larger[i] = std::move((*this)[i]);
    items_.swap(larger);
    first_ = 0;
  }

  std::vector<T> items_;  // a power of two
  std::size_t first_ = 0, size_ = 0;
};

}  // namespace gyre::kernel
