#include "lsu_timing.h"

#include <algorithm>

#include "geometry.h"

namespace gyre::core {
namespace {

// Issue, operands, dispatch take kToExecute; then ingest, address generation, switch, coalescer, adapter (timing.md §2.2).
constexpr Cycle kHitStay = 24;      // longer at the cache: the load counts as a miss
constexpr unsigned kStockHit = 2;  // what gpu.core.latency_load holds of the cache

}  // namespace

LsuTiming::LsuTiming(const GpuConfig& resolved)
    : lanes_(resolved.core.threads),
      word_shift_(memory::log2_of(resolved.core.dcache_word)),
      channels_(std::max(1u, lanes_ * 4 / resolved.core.dcache_word)),
      group_(lanes_ / channels_),
      local_banks_(resolved.core.lmem_banks),
      pool_(resolved.core.lsu_pending) {
  const Cycle whole = resolved.core.latency_load + kPipeOverhead, before = kToCache + kStockHit;
  after_ = whole > before ? whole - before : 1;
}

// One more access to a word of the cache port.
inline void LsuTiming::add(std::uint32_t word) {
  const std::uint64_t address = std::uint64_t{word} << word_shift_;
  if (packet_.lines != 0 && (packet_.line[packet_.lines - 1].address ^ address) < 64)
    ++packet_.line[packet_.lines - 1].count;
  else
    packet_.line[packet_.lines++] = {address, 1};
}

void LsuTiming::row(std::uint32_t first, unsigned stride, std::uint32_t mask) {
  const std::uint32_t step = group_ * stride;
  packet_.lines = 0;
  packet_.cycles = 1;
  // Words of the port that follow each other, a whole one a channel: they are counted line by line.
  if (step == 1u << word_shift_ && (first & (step - 1)) == 0) {
    if ((first & 63) + 4 * lanes_ <= 64) {
      packet_.line[packet_.lines++] = {first, channels_};
      return;
    }
    std::uint32_t left = channels_, at = first;
    while (left != 0) {
      const std::uint32_t here = std::min(left, (64 - (at & 63)) >> word_shift_);
      packet_.line[packet_.lines++] = {at, here};
      at += here << word_shift_;
      left -= here;
    }
    return;
  }
  if (stride == 0) {  // a channel asks if any of its lanes does
    const std::uint32_t lanes = group_ == 32 ? ~0u : (1u << group_) - 1;
    unsigned asking = 0;
    for (unsigned c = 0; c < channels_; ++c) asking += (mask >> (c * group_) & lanes) != 0;
    packet_.line[packet_.lines++] = {first, asking};
    return;
  }
  if (step != 1u << word_shift_) {
    for (unsigned c = 0; c < channels_; ++c) {
      const std::uint32_t low = (first + c * step) >> word_shift_, high = (first + c * step + step - 1) >> word_shift_;
      packet_.cycles = std::max(packet_.cycles, high - low + 1);
      for (std::uint32_t word = low; word <= high; ++word) add(word);
    }
    return;
  }
  // Channel c asks for word low + c, then for the next one.
  packet_.cycles = 2;
  std::uint32_t low = first >> word_shift_, high = low + 1, lows = channels_, highs = channels_;
  while (highs != 0) {
    const std::uint32_t end = ((high << word_shift_ | 63) + 1) >> word_shift_;  // first word of the next line
    if (lows != 0 && low < end - (64u >> word_shift_)) {  // its last word lies a line below
      packet_.line[packet_.lines++] = {std::uint64_t{low} << word_shift_, 1};
      ++low;
      --lows;
    }
    const std::uint32_t here_low = std::min(lows, end - low), here_high = std::min(highs, end - high);
    packet_.line[packet_.lines++] = {std::uint64_t{high} << word_shift_, here_low + here_high};
    low += here_low;
    lows -= here_low;
    high += here_high;
    highs -= here_high;
  }
}

void LsuTiming::gather(const std::uint32_t* address, std::uint32_t mask, unsigned bytes) {
  if (1u << word_shift_ < bytes) return gather_wide(address, mask, bytes);
  packet_.lines = 0;
  const std::uint32_t all = lanes_ == 32 ? ~0u : (1u << lanes_) - 1;
  if (mask != all || !gather_rising(address)) gather_any(address, mask);
}

// All lanes take part, and the words of each channel rise: those that are equal are neighbours. False: they do not.
bool LsuTiming::gather_rising(const std::uint32_t* address) {
  unsigned most = 1;
  for (const std::uint32_t *at = address, *end = address + lanes_; at != end;) {
    std::uint32_t word = *at >> word_shift_;
    add(word);
    unsigned words = 1;
    for (const std::uint32_t* const last = at++ + group_; at != last; ++at) {
      const std::uint32_t next = *at >> word_shift_;
      if (next == word) continue;
      if (next < word) {
        packet_.lines = 0;
        return false;
      }
      word = next;
      ++words;
      add(word);
    }
    most = std::max(most, words);
  }
  packet_.cycles = most;
  return true;
}

void LsuTiming::gather_any(const std::uint32_t* address, std::uint32_t mask) {
  unsigned most = 1;
  std::uint32_t word[kMaxLanes];
  for (unsigned l = 0; l < lanes_; ++l) word[l] = address[l] >> word_shift_;
  for (unsigned begin = 0; begin < lanes_; begin += group_) {
    unsigned words = 0;
    for (unsigned l = begin; l < begin + group_; ++l) {
      bool again = (mask >> l & 1) == 0;
      for (unsigned k = begin; k < l; ++k) again |= word[k] == word[l] && (mask >> k & 1) != 0;
      if (again) continue;
      ++words;
      add(word[l]);
    }
    most = std::max(most, words);
  }
  packet_.cycles = most;
}

// Lanes wider than a port: every piece is an access of its own.
void LsuTiming::gather_wide(const std::uint32_t* address, std::uint32_t mask, unsigned bytes) {
  packet_.lines = 0;
  packet_.cycles = 1;
  for (unsigned begin = 0; begin < lanes_; begin += group_) {
    unsigned words = 0;
    for (unsigned l = begin; l < begin + group_; ++l) {
      if ((mask >> l & 1) == 0) continue;
      const std::uint32_t first = address[l] >> word_shift_, last = (address[l] + bytes - 1) >> word_shift_;
      for (std::uint32_t w = first; w <= last; ++w) add(w);
      words += last - first + 1;
    }
    packet_.cycles = std::max(packet_.cycles, words);
  }
}

// The cycle the packet's first words are at the cache. Packets of several cycles hold the coalescer.
inline Cycle LsuTiming::present(Cycle at) {
  if (packet_.cycles == 1) return at;
  count_.coalescer_misses += packet_.cycles - 1;
  return coalescer_.take(at, packet_.cycles) - packet_.cycles;
}

inline Cycle LsuTiming::pending(Cycle at) {
  const Cycle from = pool_.available(at);
  waited_ = from - at;
  count_.pending_stalls += waited_;
  return from;
}

inline Cycle LsuTiming::load(Cycle issue) {
  const Cycle begin = pending(issue + kToExecute);
  const Cycle at = present(begin + kToCache - kToExecute);
  const Cycle data = std::max(dcache->read_lines(packet_.line, packet_.lines, at),
                              at + packet_.cycles - 1 + dcache->latency());
  const Cycle ready = data + after_;
  // A hit leaves before the pool could fill with its like; misses hold their place until the answer is gathered.
  if (data > at + packet_.cycles + kHitStay) pool_.hold(begin, ready - 2);
  count_load(issue, ready);
  return ready;
}

inline Cycle LsuTiming::store(Cycle issue) {
  waited_ = 0;
  const Cycle at = present(issue + kToCache);
  return std::max(dcache->write_lines(packet_.line, packet_.lines, at), at + packet_.cycles - 1);
}

Cycle LsuTiming::load_row(std::uint32_t first, unsigned stride, std::uint32_t mask, Cycle issue) {
  row(first, stride, mask);
  return load(issue);
}

Cycle LsuTiming::store_row(std::uint32_t first, unsigned stride, Cycle issue) {
  row(first, stride, ~0u);
  return store(issue);
}

Cycle LsuTiming::load_lanes(const std::uint32_t* address, std::uint32_t mask, unsigned bytes, Cycle issue) {
  gather(address, mask, bytes);
  return load(issue);
}

Cycle LsuTiming::store_lanes(const std::uint32_t* address, std::uint32_t mask, unsigned bytes, Cycle issue) {
  gather(address, mask, bytes);
  return store(issue);
}

Cycle LsuTiming::atomic_lanes(const std::uint32_t* address, std::uint32_t mask, Cycle issue) {
  const Cycle begin = pending(issue + kToExecute);
  Cycle at = begin + kToCache - kToExecute, data = at;
  for (; mask != 0; mask &= mask - 1)  // never merged; each leaves a cycle after the one before
    data = std::max(data, dcache->atomic(address[__builtin_ctz(mask)], at++));
  const Cycle ready = data + after_;
  pool_.hold(begin, ready - 2);
  count_load(issue, ready);
  return ready;
}

Cycle LsuTiming::load_io(const std::uint32_t* address, std::uint32_t mask, Cycle issue) {
  const Cycle begin = pending(issue + kToExecute);
  Cycle at = begin + kToCache - kToExecute, data = at;
  for (; mask != 0; mask &= mask - 1) data = std::max(data, dcache->read_io({address[__builtin_ctz(mask)], 1}, at++));
  const Cycle ready = data + after_;
  pool_.hold(begin, ready - 2);
  count_load(issue, ready);
  return ready;
}

Cycle LsuTiming::store_io(const std::uint32_t* address, std::uint32_t mask, Cycle issue) {
  waited_ = 0;
  Cycle at = issue + kToCache, done = at;
  for (; mask != 0; mask &= mask - 1) done = std::max(done, dcache->write_io({address[__builtin_ctz(mask)], 1}, at++));
  return done;
}

Cycle LsuTiming::local_conflicts(const std::uint32_t* address, std::uint32_t mask) {
  std::uint32_t words[kMaxLanes];
  unsigned distinct = 0, used[64] = {}, most = 1;
  for (; mask != 0; mask &= mask - 1) {
    const std::uint32_t word = address[__builtin_ctz(mask)] / 4;
    unsigned k = 0;
    while (k < distinct && words[k] != word) ++k;
    if (k != distinct) continue;
    words[distinct++] = word;
    most = std::max(most, ++used[word & (local_banks_ - 1)]);
  }
  count_.local_bank_stalls += most - 1;
  return most - 1;
}

}  // namespace gyre::core
