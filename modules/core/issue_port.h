// The issue port of a core in the approximate style: one instruction a cycle (timing.md §1).
#pragma once

#include <array>
#include <cstdint>

namespace gyre::core {

// Which cycles are taken, over a window. Warps that run ahead of kernel time take theirs in advance, the others go in
// between. Cycles before the window count as free.
class IssuePort {
 public:
  // The first free cycle at or after `at`.
  std::uint64_t first_free(std::uint64_t at) const {
    for (std::uint64_t word = at / 64, from = at % 64;; ++word, from = 0) {
      const Word& w = words_[word % kWords];
      const std::uint64_t free = (w.number == word ? ~w.taken : ~std::uint64_t{0}) & ~std::uint64_t{0} << from;
      if (free != 0) return word * 64 + static_cast<unsigned>(__builtin_ctzll(free));
    }
  }
  void take(std::uint64_t at) {
    Word& w = words_[at / 64 % kWords];
    if (w.number > at / 64) return;  // before the window
    if (w.number != at / 64) w = {at / 64, 0};
    w.taken |= std::uint64_t{1} << at % 64;
  }

 private:
  static constexpr unsigned kWords = 32;
  struct Word {
    std::uint64_t number = 0, taken = 0;
  };
  std::array<Word, kWords> words_{};
};

}  // namespace gyre::core
