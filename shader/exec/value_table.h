// Finds a value that was computed before: open addressing over indices, the keys stand in the values. Nobody walks
// through it, so the order of its hashes decides nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace gyre::shader {

// `equal(index)`: is this the value that is looked for?
class ValueTable {
 public:
  ValueTable() : slots_(256, kEmpty) {}

  template <class Equal>
  int find(std::uint64_t hash, Equal equal) const {
    for (std::size_t at = hash & mask();; at = (at + 1) & mask()) {
      if (slots_[at] == kEmpty) return -1;
      if (slots_[at] >= 0 && equal(slots_[at])) return slots_[at];
    }
  }
  // `hash_of(index)` gives the hash of a value that is in the table.
  template <class HashOf>
  void insert(int index, std::uint64_t hash, HashOf hash_of) {
    if (2 * (used_ + 1) > slots_.size()) grow(hash_of);
    place(index, hash);
    ++used_;
  }
  void erase(int index, std::uint64_t hash) {
    for (std::size_t at = hash & mask(); slots_[at] != kEmpty; at = (at + 1) & mask())
      if (slots_[at] == index) slots_[at] = kErased;
  }

 private:
  static constexpr int kEmpty = -1, kErased = -2;
  std::size_t mask() const { return slots_.size() - 1; }
  void place(int index, std::uint64_t hash) {
    std::size_t at = hash & mask();
    while (slots_[at] >= 0) at = (at + 1) & mask();
    slots_[at] = index;
  }
  template <class HashOf>
  void grow(HashOf hash_of) {
    std::vector<int> old(2 * slots_.size(), kEmpty);
    old.swap(slots_);
    for (const int index : old)
      if (index >= 0) place(index, hash_of(index));
  }

  std::vector<int> slots_;  // a power of two of them
  std::size_t used_ = 0;    // filled at some time
};

}  // namespace gyre::shader
