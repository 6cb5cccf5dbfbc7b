#include "lsu_timing.h"

#include <algorithm>

#include "geometry.h"

namespace gyre::core {
namespace {

constexpr unsigned kStockHit = 2;  // what gpu.core.latency_load holds of the cache

}  // namespace

LsuTiming::LsuTiming(const GpuConfig& resolved)
    : lanes_(resolved.core.threads),
      word_shift_(memory::log2_of(resolved.core.dcache_word)),
      channels_(std::max(1u, lanes_ * 4 / resolved.core.dcache_word)),
      group_(lanes_ / channels_),
      all_(lanes_ == 32 ? ~0u : (1u << lanes_) - 1),
      local_banks_(resolved.core.lmem_banks),
      pool_(resolved.core.lsu_pending) {
  const Cycle whole = resolved.core.latency_load + kPipeOverhead, before = kToCache + kStockHit;
  after_ = whole > before ? whole - before : 1;
}

class LsuTiming::Writer {
 public:
  explicit Writer(LsuTiming& lsu) : packet_(lsu.packet_), end_(packet_.line) {}
  [[gnu::always_inline]] void add(std::uint32_t address) {
    if (address / kBlock == block_) {
      ++end_[-1].count;
      return;
    }
    block_ = address / kBlock;
    *end_++ = {address, 1};
  }
  void finish(unsigned cycles) {
    packet_.lines = static_cast<unsigned>(end_ - packet_.line);
    packet_.cycles = cycles;
  }

 private:
  static constexpr std::uint32_t kBlock = 64;
  Packet& packet_;
  memory::MemoryAccess* end_;
  std::uint32_t block_ = ~0u;  // of the last access; none yet
};

unsigned LsuTiming::asking(std::uint32_t mask) const {
  const std::uint32_t lanes = group_ == 32 ? ~0u : (1u << group_) - 1;
  unsigned count = 0;
  for (unsigned c = 0; c < channels_; ++c) count += (mask >> (c * group_) & lanes) != 0;
  return count;
}

// A row that lies in several blocks.
void LsuTiming::row(std::uint32_t first, unsigned stride) {
  const std::uint32_t step = group_ * stride;
  packet_.lines = 0;
  packet_.cycles = 1;
  // Words of the port that follow each other, a whole one a channel: they are counted line by line.
  if (step == 1u << word_shift_ && (first & (step - 1)) == 0) {
    std::uint32_t left = channels_, at = first;
    while (left != 0) {
      const std::uint32_t here = std::min(left, (64 - (at & 63)) >> word_shift_);
      packet_.line[packet_.lines++] = {at, here};
      at += here << word_shift_;
      left -= here;
    }
    return;
  }
  if (step != 1u << word_shift_) {
    Writer out(*this);
    unsigned most = 1;
    for (unsigned c = 0; c < channels_; ++c) {
      const std::uint32_t low = (first + c * step) >> word_shift_, high = (first + c * step + step - 1) >> word_shift_;
      most = std::max(most, high - low + 1);
      for (std::uint32_t word = low; word <= high; ++word) out.add(word << word_shift_);
    }
    out.finish(most);
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
  if (mask != all_ || !gather_ordered(address)) gather_any(address, mask);
}

// All lanes take part, and the words of each channel rise or fall: those that are equal are neighbours. False: they do not.
bool LsuTiming::gather_ordered(const std::uint32_t* address) {
  Writer out(*this);
  const std::uint32_t in_word = ~0u << word_shift_;
  unsigned most = 1;
  for (const std::uint32_t *at = address, *end = address + lanes_; at != end;) {
    const std::uint32_t* const last = at + group_;
    std::uint32_t word = *at++ & in_word;
    out.add(word);
    unsigned words = 1, rises = 0;
    for (; at != last; ++at) {
      const std::uint32_t next = *at & in_word;
      if (next == word) continue;
      rises += next > word;
      word = next;
      ++words;
      out.add(word);
    }
    if (rises != 0 && rises != words - 1) return false;
    most = std::max(most, words);
  }
  out.finish(most);
  return true;
}

void LsuTiming::gather_any(const std::uint32_t* address, std::uint32_t mask) {
  Writer out(*this);
  const std::uint32_t in_word = ~0u << word_shift_;
  unsigned most = 1;
  for (unsigned begin = 0; begin < lanes_; begin += group_) {
    std::uint32_t seen[kMaxLanes];
    unsigned words = 0;
    for (std::uint32_t rest = mask & ((group_ == 32 ? ~0u : (1u << group_) - 1) << begin); rest != 0; rest &= rest - 1) {
      const std::uint32_t word = address[__builtin_ctz(rest)] & in_word;
      unsigned k = 0;
      while (k != words && seen[k] != word) ++k;
      if (k != words) continue;
      seen[words++] = word;
      out.add(word);
    }
    most = std::max(most, words);
  }
  out.finish(most);
}

// Lanes wider than a port: every piece is an access of its own.
void LsuTiming::gather_wide(const std::uint32_t* address, std::uint32_t mask, unsigned bytes) {
  Writer out(*this);
  unsigned most = 1;
  for (unsigned begin = 0; begin < lanes_; begin += group_) {
    unsigned words = 0;
    for (unsigned l = begin; l < begin + group_; ++l) {
      if ((mask >> l & 1) == 0) continue;
      const std::uint32_t first = address[l] >> word_shift_, last = (address[l] + bytes - 1) >> word_shift_;
      for (std::uint32_t w = first; w <= last; ++w) out.add(w << word_shift_);
      words += last - first + 1;
    }
    most = std::max(most, words);
  }
  out.finish(most);
}

// The cycle the packet's first words are at the cache. Packets of several cycles hold the coalescer.
inline Cycle LsuTiming::present(unsigned cycles, Cycle at) {
  if (cycles == 1) return at;
  count_.coalescer_misses += cycles - 1;
  return coalescer_.take(at, cycles) - cycles;
}

Cycle LsuTiming::load(const memory::MemoryAccess* line, unsigned lines, unsigned cycles, Cycle issue) {
  const Cycle begin = pending(issue + kToExecute);
  const Cycle at = present(cycles, begin + kToCache - kToExecute);
  const Cycle data = dcache->read_lines(line, lines, at);
  return loaded(std::max(data, at + cycles - 1 + dcache->latency()), at + cycles, begin, issue);
}

inline Cycle LsuTiming::store(const memory::MemoryAccess* line, unsigned lines, unsigned cycles, Cycle issue) {
  waited_ = 0;
  const Cycle at = present(cycles, issue + kToCache);
  return std::max(dcache->write_lines(line, lines, at), at + cycles - 1);
}

void LsuTiming::plan(std::uint32_t first, unsigned stride, BlockWords block) {
  if (block.words != 0)
    one_block(first, block);
  else
    row(first, stride);
}

Cycle LsuTiming::store_blocks(std::uint32_t first, unsigned stride, BlockWords block, Cycle issue) {
  plan(first, stride, block);
  return store(packet_.line, packet_.lines, packet_.cycles, issue);
}

Cycle LsuTiming::load_lanes(const std::uint32_t* address, std::uint32_t mask, unsigned bytes, Cycle issue) {
  gather(address, mask, bytes);
  return load(packet_.line, packet_.lines, packet_.cycles, issue);
}

Cycle LsuTiming::store_lanes(const std::uint32_t* address, std::uint32_t mask, unsigned bytes, Cycle issue) {
  gather(address, mask, bytes);
  return store(packet_.line, packet_.lines, packet_.cycles, issue);
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
