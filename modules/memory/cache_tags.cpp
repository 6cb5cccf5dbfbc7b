#include "cache_tags.h"

#include <algorithm>

namespace gyre::memory {

CacheTags::CacheTags(unsigned sets, unsigned ways, Replacement replacement, std::uint64_t seed)
    : set_mask_(sets - 1),
      ways_(ways),
      replacement_(replacement),
      lines_(std::size_t{sets} * ways, kEmpty),
      valid_(lines_.size()),
      dirty_(lines_.size()),
      came_(lines_.size()),
      turn_(sets),
      in_turn_(replacement == Replacement::kFifo),
      tree_(sets),
      random_(seed * 0x9E3779B97F4A7C15ull + 1) {}

unsigned CacheTags::room(unsigned set) {
  const unsigned first = set * ways_;
  for (unsigned way = 0; way < ways_; ++way)
    if (lines_[first + way] == kEmpty) return way;
  return choose(set);
}

unsigned CacheTags::choose(unsigned set) {
  switch (replacement_) {
    case Replacement::kFifo: {
      const auto first = came_.begin() + set * ways_;
      return static_cast<unsigned>(std::min_element(first, first + ways_) - first);
    }
    case Replacement::kPlru: {
      unsigned node = 1;
      while (node < ways_) node = 2 * node + static_cast<unsigned>(tree_[set] >> node & 1);
      return node - ways_;
    }
    case Replacement::kRandom:
      break;
  }
  random_ ^= random_ << 13;  // Marsaglia's xorshift
  random_ ^= random_ >> 7;
  random_ ^= random_ << 17;
  return static_cast<unsigned>((random_ >> 32) % ways_);
}

void CacheTags::touch_tree(unsigned slot) {
  std::uint64_t& tree = tree_[slot / ways_];
  for (unsigned node = slot % ways_ + ways_; node > 1; node /= 2) {
    const std::uint64_t parent = std::uint64_t{1} << (node / 2);
    tree = (node & 1) != 0 ? tree & ~parent : tree | parent;  // the other half is older now
  }
}

void CacheTags::clear() {
  std::fill(lines_.begin(), lines_.end(), kEmpty);
  std::fill(valid_.begin(), valid_.end(), 0);
  std::fill(dirty_.begin(), dirty_.end(), 0);
  std::fill(tree_.begin(), tree_.end(), 0);
  std::fill(turn_.begin(), turn_.end(), 0);
  in_turn_ = replacement_ == Replacement::kFifo;
}

}  // namespace gyre::memory
