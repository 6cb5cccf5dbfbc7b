// Which cached words are older than memory: the stale-line lint (memory.md §11). No time.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "watched_cache.h"

namespace gyre::memory {

// Data is always current in backing memory; real caches keep what they were filled with. So every word remembers its last
// writer and when (an epoch: the number of writes so far), every cached sector when it was filled. A cached word is old
// if somebody has written it since without passing through that cache; a fill brings words that the level below holds old,
// and those that another cache has not written back yet. Order is that of function, not of dates: an access counts where
// its data move. In the approximate style that is before its request reaches the cache: reads are asked about by expect(),
// and a word written through a cache counts as in it, not written back, until the cache says left().
//
// Most blocks have one home: all copies lie in one first-level cache and below it. What is written through that cache
// makes nobody old, so there only the words written are kept, and their epochs are made up when a second home appears or
// somebody asks. A block that has had two homes stays shared.
//
// Words of 4 bytes: two agents that write different bytes of one word count as one.
class LineWatch {
 public:
  static constexpr unsigned kBlockBytes = 64;
  static constexpr unsigned kCp = 0;  // writer: command processor, below all caches

  LineWatch() { add_writer("the command processor (DMA)", {}); }

  // `path`: the caches a write of this agent passes, first level first. Returns its number.
  unsigned add_writer(std::string name, std::vector<const WatchedCache*> path);
  // `below`: the cache that its fills come from, which has been added, or null. After all writers, before anything is
  // written.
  void add_cache(WatchedCache& cache, CacheKind kind, std::string name, const WatchedCache* below);

  // A read of words of the block of `address` through `cache` has just been served. Returns those that were old.
  std::uint16_t read(const WatchedCache& cache, std::uint32_t address, std::uint16_t words) const {
    if (!cache.may_be_old()) return 0;
    const Page* page = find(address);
    if (page == nullptr) return 0;
    const Block& block = page->block[block_in_page(address)];
    return block.home != kShared || epoch_of(block.last) <= cache.fresh_since_ ? std::uint16_t{0} : look(cache, address, words);
  }
  // The same of a read that the cache is still to get: of a sector that is not there, what a fill would bring now.
  std::uint16_t expect(const WatchedCache& cache, std::uint32_t address, std::uint16_t words) {
    if (!cache.may_get_old()) return 0;
    Page* page = find(address);
    if (page == nullptr) return 0;
    const Block& block = page->block[block_in_page(address)];
    return block.home == kNoHome || block.home == home(cache) ? std::uint16_t{0} : look_ahead(*page, cache, address, words);
  }
  // The same of the command processor, in [address, address + bytes): true, and where, if some cache has something newer.
  bool read_below(std::uint32_t address, std::uint64_t bytes, std::uint32_t& where);
  // `writer` has just written words of the block of `address`, through `first` (null: below all caches).
  void written(WatchedCache* first, std::uint32_t address, std::uint16_t words, unsigned writer) {
    if (Page* page = find(address); page != nullptr && first != nullptr) {
      Block& block = page->block[block_in_page(address)];
      if (block.home == home(*first) && block.writer == writer) {
        block.words |= words;
        return;
      }
    }
    written_slowly(first, address, words, writer);
  }
  // The command processor has written a range.
  void written(std::uint32_t address, std::uint64_t bytes);
  // `cache` has just filled the sector of `address`, which is `held` (there may be no memory: units ask for anything); has
  // just been emptied. `clean`: dirty words are those written from now on.
  void filled(WatchedCache& cache, HeldSector& held, std::uint32_t address, bool clean = true) {
    if (Page* page = find(address); page != nullptr) {
      Block& block = page->block[block_in_page(address)];
      if (block.home == home(cache) && !cache.stacked_) {
        if (cache.writes_back_ && clean) block.words = 0;
        held = {epoch_, 0};
        return;
      }
    }
    filled_slowly(cache, held, address, clean);
  }
  void flushed(WatchedCache& cache);
  // A write-back cache is sending down what was written into the sector of `address`, or lets it pass.
  void left(const WatchedCache& cache, std::uint32_t address) {
    Page* page = find(address);
    if (page == nullptr) return;
    Block& block = page->block[block_in_page(address)];
    // Nothing has a stamp that says it is in there.
    if (block.home == home(cache) && !cache.stacked_ && !block.mixed &&
        ((block.last & level_bit(cache)) != 0 || writer_of_stamp(block.last) == kCp))
      block.words = 0;
    else
      left_slowly(*page, cache, address);
  }

  // Who has written the word last.
  const std::string& writer_of(std::uint32_t address) const;
  const std::string& name_of(const WatchedCache& cache) const { return members_[cache.index_].name; }
  // "cluster0.socket0.dcache0 holds it from before core 1 wrote it" and the like, of a word that read() has found old.
  std::string story(const WatchedCache& cache, std::uint32_t address) const;

  // Words of the block that lie in [address, address + bytes).
  static std::uint16_t words_of(std::uint32_t address, unsigned bytes) {
    if (address % 4 + bytes <= 4) return static_cast<std::uint16_t>(1u << address / 4 % 16);
    const unsigned first = address / 4 % 16, last = (address % kBlockBytes + bytes - 1) / 4;
    return static_cast<std::uint16_t>((last >= 15 ? 0x10000u : 2u << last) - (1u << first));
  }

 private:
  static constexpr std::uint16_t kNoHome = 0, kShared = 0xFFFF;  // else: 1 + index of a cache
  using Stamp = std::uint64_t;  // of a write: epoch, levels whose write-back cache it has left, writer
  static constexpr unsigned kWriterBits = 16, kLevels = 3;
  static std::uint64_t epoch_of(Stamp stamp) { return stamp >> (kWriterBits + kLevels); }
  static unsigned writer_of_stamp(Stamp stamp) { return stamp & ((1u << kWriterBits) - 1); }
  static Stamp level_bit(const WatchedCache& cache) {
    return Stamp{1} << (kWriterBits + (cache.kind_ == CacheKind::kL3 ? 2 : cache.kind_ == CacheKind::kL2 ? 1 : 0));
  }

  struct Block {
    Stamp last = 0;                // write, but for `words`
    std::uint16_t home = kNoHome;  // all copies lie in this cache and below it
    std::uint16_t writer = 0;      // has written
    std::uint16_t words = 0;       // these through `home`, and they have no stamps yet
    std::uint8_t kinds = 0;        // bit k: a cache of kind k has held it, or is its home
    bool mixed = false;            // its words have stamps of their own; else all of them are `last`
  };
  using Words = std::array<Stamp, 4096 / 4>;
  struct Page {
    std::array<Block, 4096 / kBlockBytes> block{};
    std::unique_ptr<Words> word;  // null: no block is mixed
  };
  struct Member {
    WatchedCache* cache;
    std::string name;
    std::vector<bool> passed;                    // by writer
    std::vector<const WatchedCache*> elsewhere;  // write-back caches of others, that a fill does not see
  };

  static std::uint16_t home(const WatchedCache& cache) { return static_cast<std::uint16_t>(cache.index_ + 1); }
  static std::uint8_t kind_bit(const WatchedCache& cache) {
    return static_cast<std::uint8_t>(1u << static_cast<unsigned>(cache.kind_));
  }
  static unsigned block_in_page(std::uint32_t address) { return address / kBlockBytes % (4096 / kBlockBytes); }
  Page* find(std::uint32_t address) const {
    const auto& group = pages_[address >> 22];
    return group == nullptr ? nullptr : (*group)[address >> 12 & 1023].get();
  }
  Page& page(std::uint32_t address);
  Stamp stamp_of(const Page& page, std::uint32_t block, unsigned word) const {
    const Block& b = page.block[block_in_page(block)];
    return b.mixed ? (*page.word)[block / 4 % 1024 + word] : b.last;
  }
  void written_slowly(WatchedCache* first, std::uint32_t address, std::uint16_t words, unsigned writer);
  void stamp(Page& page, WatchedCache* first, std::uint32_t address, std::uint16_t words, unsigned writer);
  void left_slowly(Page& page, const WatchedCache& cache, std::uint32_t address);
  void filled_slowly(WatchedCache& cache, HeldSector& held, std::uint32_t address, bool clean);
  void clean(Page& page, const WatchedCache& cache, std::uint32_t address, Stamp below);
  // Marks a cache that was fresh.
  void mark(WatchedCache& cache);
  // Makes up the stamps of what was written through the home of the block.
  void settle(Page& page, std::uint32_t address);
  // A copy in `cache`: does the block have one home still?
  bool has_home(Page& page, const WatchedCache& cache, std::uint32_t address);
  std::uint16_t look(const WatchedCache& cache, std::uint32_t address, std::uint16_t words) const;
  std::uint16_t look_ahead(Page& page, const WatchedCache& cache, std::uint32_t address, std::uint16_t words);
  // Of a sector that is there; of one that a fill would bring.
  std::uint16_t old_words(const WatchedCache& cache, std::uint32_t address) const;
  std::uint16_t filled_words(const WatchedCache& cache, std::uint32_t address) const;
  std::uint16_t dirty_words(const WatchedCache& cache, std::uint32_t address) const;

  using Group = std::array<std::unique_ptr<Page>, 1024>;
  std::array<std::unique_ptr<Group>, 1024> pages_;
  std::uint64_t epoch_ = 0;
  std::array<std::vector<WatchedCache*>, kCacheKinds> fresh_;  // by kind: not may_be_old()
  std::vector<std::string> writers_;
  std::vector<std::vector<const WatchedCache*>> paths_;  // by writer
  std::vector<Member> members_;                          // by index
  std::vector<WatchedCache*> write_back_;
};

// What a unit in front of a cache asks the lint and tells it. None: it is off.
class LineReader {
 public:
  LineReader() = default;
  // `ahead`: before its requests reach the cache (the approximate style), else when they have been served.
  LineReader(WatchedCache* cache, bool ahead)
      : cache_(cache != nullptr && cache->watch() != nullptr ? cache : nullptr), ahead_(ahead) {}

  LineWatch* watch() const { return cache_ == nullptr ? nullptr : cache_->watch(); }
  // A filter for read(), which requires it.
  bool may_be_old() const { return cache_ != nullptr && (ahead_ ? cache_->may_get_old() : cache_->may_be_old()); }
  // As LineWatch's.
  std::uint16_t read(std::uint32_t address, std::uint16_t words) const {
    return ahead_ ? watch()->expect(*cache_, address, words) : watch()->read(*cache_, address, words);
  }
  void written(std::uint32_t address, std::uint16_t words, unsigned writer) const {
    watch()->written(cache_, address, words, writer);
  }
  std::string story(std::uint32_t address) const { return watch()->story(*cache_, address); }

 private:
  WatchedCache* cache_ = nullptr;
  bool ahead_ = false;
};

inline void WatchedCache::leaves(std::uint64_t address) {
  if (watch_ != nullptr) watch_->left(*this, static_cast<std::uint32_t>(address));
}

}  // namespace gyre::memory
