#include "line_watch.h"

#include <algorithm>

#include "cache.h"

namespace gyre::memory {
namespace {

bool contains(const std::vector<const Cache*>& list, const Cache* cache) {
  return std::find(list.begin(), list.end(), cache) != list.end();
}

std::uint32_t block_of(std::uint32_t address) { return address & ~(LineWatch::kBlockBytes - 1); }

}  // namespace

unsigned LineWatch::add_writer(std::string name, std::vector<const Cache*> path) {
  writers_.push_back(std::move(name));
  paths_.push_back(std::move(path));
  return static_cast<unsigned>(writers_.size() - 1);
}

void LineWatch::add_cache(Cache& cache, std::string name, const Cache* below) {
  Member member{&cache, std::move(name), std::vector<bool>(writers_.size()), {}};
  for (unsigned w = 0; w < writers_.size(); ++w) member.passed[w] = contains(paths_[w], &cache);
  cache.set_watch(this, static_cast<unsigned>(members_.size()), below);
  members_.push_back(std::move(member));
  // A write-back cache is news to those that neither read through it nor are read by it.
  const auto apart = [](const Cache& a, const Cache& b) {
    for (const Cache* c = &a; c != nullptr; c = c->below())
      if (c == &b) return false;
    for (const Cache* c = &b; c != nullptr; c = c->below())
      if (c == &a) return false;
    return true;
  };
  for (const Cache* other : write_back_)
    if (apart(cache, *other)) members_.back().elsewhere.push_back(other);
  if (!cache.write_back()) return;
  for (std::size_t i = 0; i + 1 < members_.size(); ++i)
    if (apart(cache, *members_[i].cache)) members_[i].elsewhere.push_back(&cache);
  write_back_.push_back(&cache);
}

LineWatch::Page& LineWatch::page(std::uint32_t address) {
  auto& group = pages_[address >> 22];
  if (group == nullptr) group = std::make_unique<Group>();
  auto& page = (*group)[address >> 12 & 1023];
  if (page == nullptr) page = std::make_unique<Page>();
  return *page;
}

std::uint16_t LineWatch::old_words(const Cache& cache, std::uint32_t address) const {
  const HeldSector* held = cache.held(address);
  if (held == nullptr) return cache.below() != nullptr ? old_words(*cache.below(), address) : std::uint16_t{0};
  unsigned old = held->old_words;
  const Page* page = find(address);
  if (page == nullptr) return static_cast<std::uint16_t>(old);
  const std::uint64_t* word = &page->word[block_of(address) / 4 % 1024];
  const std::vector<bool>& passed = members_[cache.watch_index()].passed;
  for (unsigned i = 0; i < 16; ++i)
    if (word[i] >> kWriterBits > held->since && !passed[word[i] & ((1u << kWriterBits) - 1)]) old |= 1u << i;
  return static_cast<std::uint16_t>(old);
}

// Words that have been written into a write-back cache since it got the sector, and that nobody below has.
std::uint16_t LineWatch::dirty_words(const Cache& cache, std::uint32_t address) const {
  const HeldSector* held = cache.held(address);
  const Page* page = find(address);
  if (held == nullptr || page == nullptr || !cache.dirty(address)) return 0;
  unsigned dirty = 0;
  const std::uint64_t* word = &page->word[block_of(address) / 4 % 1024];
  for (unsigned i = 0; i < 16; ++i)
    if (word[i] >> kWriterBits > held->filled &&
        members_[cache.watch_index()].passed[word[i] & ((1u << kWriterBits) - 1)])
      dirty |= 1u << i;
  return static_cast<std::uint16_t>(dirty);
}

std::uint16_t LineWatch::look(const Cache& cache, std::uint32_t address, std::uint16_t words) const {
  const HeldSector* held = cache.held(address);
  if (held == nullptr) return 0;
  const Page* page = find(address);
  if ((held->old_words & words) == 0 && page->block[address / kBlockBytes % page->block.size()] <= held->since) return 0;
  return old_words(cache, address) & words;
}

bool LineWatch::read_below(std::uint32_t address, std::uint64_t bytes, std::uint32_t& where) const {
  if (write_back_.empty()) return false;
  const std::uint64_t end = address + bytes;
  for (std::uint64_t at = address; at < end; at = block_of(static_cast<std::uint32_t>(at)) + std::uint64_t{kBlockBytes}) {
    const auto here = static_cast<std::uint32_t>(at);
    const auto part = static_cast<unsigned>(std::min<std::uint64_t>(end - at, kBlockBytes - at % kBlockBytes));
    for (const Cache* cache : write_back_) {
      const unsigned old = dirty_words(*cache, here) & words_of(here, part);
      if (old == 0) continue;
      where = block_of(here) + 4 * static_cast<unsigned>(__builtin_ctz(old));
      return true;
    }
  }
  return false;
}

void LineWatch::written(Cache* first, std::uint32_t address, std::uint16_t words, unsigned writer) {
  Page& to = page(address);
  std::uint64_t& block = to.block[address / kBlockBytes % to.block.size()];
  const std::uint64_t before = block, now = ++epoch_;
  block = now;
  std::uint64_t* word = &to.word[block_of(address) / 4 % 1024];
  for (unsigned left = words; left != 0; left &= left - 1)
    word[__builtin_ctz(left)] = now << kWriterBits | writer;
  for (Cache* cache = first; cache != nullptr; cache = const_cast<Cache*>(cache->below())) {
    HeldSector* held = cache->held(address);
    if (held == nullptr) continue;
    held->old_words &= static_cast<std::uint16_t>(~words);
    if (held->since >= before) held->since = now;  // it was up to date, and is
  }
}

void LineWatch::written(std::uint32_t address, std::uint64_t bytes) {
  const std::uint64_t end = address + bytes;
  for (std::uint64_t at = address; at < end;) {
    const auto part = static_cast<unsigned>(std::min<std::uint64_t>(end - at, kBlockBytes - at % kBlockBytes));
    const auto here = static_cast<std::uint32_t>(at);
    written(nullptr, here, words_of(here, part), kCp);
    at += part;
  }
}

void LineWatch::filled(Cache& cache, HeldSector& held, std::uint32_t address) {
  unsigned old = cache.below() != nullptr ? old_words(*cache.below(), address) : 0;
  for (const Cache* other : members_[cache.watch_index()].elsewhere) old |= dirty_words(*other, address);
  held.since = held.filled = epoch_;
  held.old_words = static_cast<std::uint16_t>(old);
  if (old != 0) cache.set_fresh_since(0);
}

void LineWatch::flushed(Cache& cache) { cache.set_fresh_since(epoch_); }

const std::string& LineWatch::writer_of(std::uint32_t address) const {
  const Page* page = find(address);
  return writers_[page == nullptr ? kCp : page->word[address / 4 % 1024] & ((1u << kWriterBits) - 1)];
}

const std::string& LineWatch::name_of(const Cache& cache) const { return members_[cache.watch_index()].name; }

std::string LineWatch::story(const Cache& cache, std::uint32_t address) const {
  const unsigned word = 1u << address / 4 % 16;
  for (const Cache* dirty : members_[cache.watch_index()].elsewhere)
    if ((dirty_words(*dirty, address) & word) != 0)
      return name_of(cache) + " has got it from memory while " + name_of(*dirty) + " holds what " + writer_of(address) +
             " wrote, not written back";
  const Cache* from = &cache;
  while (from->below() != nullptr && (old_words(*from->below(), address) & word) != 0) from = from->below();
  return name_of(*from) + " holds it from before " + writer_of(address) + " wrote it";
}

}  // namespace gyre::memory
