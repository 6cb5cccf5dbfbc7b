// Which cached words are older than memory: the stale-line lint (memory.md §11). No time.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace gyre::memory {

class Cache;

// What a cache knows of a sector it holds.
struct HeldSector {
  std::uint64_t since = 0;      // epoch: what was written up to then is in, but for old_words
  std::uint64_t filled = 0;     // epoch of the fill
  std::uint16_t old_words = 0;  // bit i: word i was old already when the sector was filled
};

// Data is always current in backing memory; real caches keep what they were filled with. So every word remembers its last
// writer and when (an epoch: the number of writes so far), every cached sector when it was filled. A cached word is old
// if somebody has written it since without passing through that cache; a fill brings words that the level below holds old,
// and those that another cache has not written back yet. Order is that of function, not of dates.
//
// Words of 4 bytes: two agents that write different bytes of one word count as one.
class LineWatch {
 public:
  static constexpr unsigned kBlockBytes = 64;
  static constexpr unsigned kCp = 0;  // writer: command processor, below all caches

  LineWatch() { add_writer("the command processor (DMA)", {}); }

  // `path`: the caches a write of this agent passes, first level first. Returns its number.
  unsigned add_writer(std::string name, std::vector<const Cache*> path);
  // `below`: the cache that its fills come from, which has been added, or null. After all writers, before anything is
  // written.
  void add_cache(Cache& cache, std::string name, const Cache* below);

  // A read of words of the block of `address` through `cache` has just been served. Returns those that were old.
  std::uint16_t read(const Cache& cache, std::uint32_t address, std::uint16_t words) {
    const Page* page = find(address);
    if (page == nullptr) return 0;
    const std::uint64_t block = page->block[address / kBlockBytes % page->block.size()];
    return block <= fresh_since(cache) ? std::uint16_t{0} : look(cache, address, words);
  }
  // The same of the command processor, in [address, address + bytes): true, and where, if some cache has something newer.
  bool read_below(std::uint32_t address, std::uint64_t bytes, std::uint32_t& where) const;
  // `writer` has just written words of the block of `address`, through `first` (null: below all caches).
  void written(Cache* first, std::uint32_t address, std::uint16_t words, unsigned writer);
  // The command processor has written a range.
  void written(std::uint32_t address, std::uint64_t bytes);
  // `cache` has just filled the sector of `address`, which is `held` (there may be no memory: units ask for anything); has
  // just been emptied.
  void filled(Cache& cache, HeldSector& held, std::uint32_t address);
  void flushed(Cache& cache);

  // Who has written the word last.
  const std::string& writer_of(std::uint32_t address) const;
  const std::string& name_of(const Cache& cache) const;
  // "cluster0.socket0.dcache0 holds it from before core 1 wrote it" and the like, of a word that read() has found old.
  std::string story(const Cache& cache, std::uint32_t address) const;

  // Words of the block that lie in [address, address + bytes).
  static std::uint16_t words_of(std::uint32_t address, unsigned bytes) {
    const unsigned first = address / 4 % 16, last = (address % kBlockBytes + bytes - 1) / 4;
    return static_cast<std::uint16_t>((last >= 15 ? 0x10000u : 2u << last) - (1u << first));
  }

 private:
  struct Page {
    std::array<std::uint64_t, 4096 / kBlockBytes> block{};  // epoch of the last write
    std::array<std::uint64_t, 4096 / 4> word{};             // epoch << kWriterBits | writer
  };
  static constexpr unsigned kWriterBits = 16;
  struct Member {
    const Cache* cache;
    std::string name;
    std::vector<bool> passed;             // by writer
    std::vector<const Cache*> elsewhere;  // write-back caches of others, that a fill does not see
  };

  const Page* find(std::uint32_t address) const {
    const auto& group = pages_[address >> 22];
    return group == nullptr ? nullptr : (*group)[address >> 12 & 1023].get();
  }
  Page& page(std::uint32_t address);
  // Whatever was written up to this epoch is in all that the cache holds: the last flush, while no fill has been old.
  static std::uint64_t fresh_since(const Cache& cache);
  std::uint16_t look(const Cache& cache, std::uint32_t address, std::uint16_t words) const;
  std::uint16_t old_words(const Cache& cache, std::uint32_t address) const;
  std::uint16_t dirty_words(const Cache& cache, std::uint32_t address) const;

  using Group = std::array<std::unique_ptr<Page>, 1024>;
  std::array<std::unique_ptr<Group>, 1024> pages_;
  std::uint64_t epoch_ = 0;
  std::vector<std::string> writers_;
  std::vector<std::vector<const Cache*>> paths_;  // by writer
  std::vector<Member> members_;                   // by Cache::watch_index()
  std::vector<const Cache*> write_back_;
};

}  // namespace gyre::memory
