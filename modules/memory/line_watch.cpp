#include "line_watch.h"

#include <algorithm>
#include <utility>

namespace gyre::memory {
namespace {

bool contains(const std::vector<const WatchedCache*>& list, const WatchedCache* cache) {
  return std::find(list.begin(), list.end(), cache) != list.end();
}

// `cache` is `top` or below it.
bool in_chain(const WatchedCache& top, const WatchedCache& cache) {
  for (const WatchedCache* c = &top; c != nullptr; c = c->below())
    if (c == &cache) return true;
  return false;
}

std::uint32_t block_of(std::uint32_t address) { return address & ~(LineWatch::kBlockBytes - 1); }

}  // namespace

unsigned LineWatch::add_writer(std::string name, std::vector<const WatchedCache*> path) {
  writers_.push_back(std::move(name));
  paths_.push_back(std::move(path));
  return static_cast<unsigned>(writers_.size() - 1);
}

void LineWatch::add_cache(WatchedCache& cache, CacheKind kind, std::string name, const WatchedCache* below) {
  Member member{&cache, std::move(name), std::vector<bool>(writers_.size()), {}};
  for (unsigned w = 0; w < writers_.size(); ++w) member.passed[w] = contains(paths_[w], &cache);
  cache.watch_ = this;
  cache.below_ = below;
  cache.kind_ = kind;
  cache.index_ = static_cast<std::uint16_t>(members_.size());
  cache.watched();
  fresh_[static_cast<unsigned>(kind)].push_back(&cache);
  members_.push_back(std::move(member));
  // A write-back cache is news to those that neither read through it nor are read by it.
  const auto apart = [](const WatchedCache& a, const WatchedCache& b) { return !in_chain(a, b) && !in_chain(b, a); };
  const auto beside = [&](Member& one, const WatchedCache& other) {
    one.elsewhere.push_back(&other);
    one.cache->beside_ = true;
  };
  for (WatchedCache* other : write_back_) {
    if (apart(cache, *other))
      beside(members_.back(), *other);
    else if (cache.write_back())
      cache.stacked_ = other->stacked_ = true;
  }
  if (!cache.write_back()) return;
  cache.writes_back_ = true;
  for (std::size_t i = 0; i + 1 < members_.size(); ++i)
    if (apart(cache, *members_[i].cache)) beside(members_[i], cache);
  write_back_.push_back(&cache);
}

LineWatch::Page& LineWatch::page(std::uint32_t address) {
  auto& group = pages_[address >> 22];
  if (group == nullptr) group = std::make_unique<Group>();
  auto& page = (*group)[address >> 12 & 1023];
  if (page == nullptr) page = std::make_unique<Page>();
  return *page;
}

std::uint16_t LineWatch::old_words(const WatchedCache& cache, std::uint32_t address) const {
  const HeldSector* held = cache.held(address);
  if (held == nullptr) return cache.below() != nullptr ? old_words(*cache.below(), address) : std::uint16_t{0};
  unsigned old = held->old_words;
  const Page* page = find(address);
  if (page == nullptr) return static_cast<std::uint16_t>(old);
  const std::vector<bool>& passed = members_[cache.index_].passed;
  for (unsigned i = 0; i < 16; ++i) {
    const Stamp stamp = stamp_of(*page, block_of(address), i);
    if (epoch_of(stamp) > held->since && !passed[writer_of_stamp(stamp)]) old |= 1u << i;
  }
  return static_cast<std::uint16_t>(old);
}

std::uint16_t LineWatch::filled_words(const WatchedCache& cache, std::uint32_t address) const {
  unsigned old = cache.below() != nullptr ? old_words(*cache.below(), address) : 0;
  for (const WatchedCache* other : members_[cache.index_].elsewhere) old |= dirty_words(*other, address);
  return static_cast<std::uint16_t>(old);
}

// Words that have been written into a write-back cache and have not left it: nobody below has them.
std::uint16_t LineWatch::dirty_words(const WatchedCache& cache, std::uint32_t address) const {
  const Page* page = find(address);
  if (page == nullptr || !cache.dirty(address)) return 0;
  const std::vector<bool>& passed = members_[cache.index_].passed;
  unsigned dirty = 0;
  for (unsigned i = 0; i < 16; ++i) {
    const Stamp stamp = stamp_of(*page, block_of(address), i);
    if ((stamp & level_bit(cache)) == 0 && passed[writer_of_stamp(stamp)]) dirty |= 1u << i;
  }
  return static_cast<std::uint16_t>(dirty);
}

std::uint16_t LineWatch::look(const WatchedCache& cache, std::uint32_t address, std::uint16_t words) const {
  const HeldSector* held = cache.held(address);
  if (held == nullptr) return 0;
  if ((held->old_words & words) == 0 && epoch_of(find(address)->block[block_in_page(address)].last) <= held->since) return 0;
  return old_words(cache, address) & words;
}

std::uint16_t LineWatch::look_ahead(Page& page, const WatchedCache& cache, std::uint32_t address, std::uint16_t words) {
  const Block& block = page.block[block_in_page(address)];
  if (const HeldSector* held = cache.held(address); held != nullptr) {
    if ((held->old_words & words) == 0 && epoch_of(block.last) <= held->since) return 0;
    return old_words(cache, address) & words;
  }
  if (block.home != kShared) {
    if (in_chain(cache, *members_[block.home - 1u].cache)) return 0;
    settle(page, address);
  }
  return filled_words(cache, address) & words;
}

bool LineWatch::read_below(std::uint32_t address, std::uint64_t bytes, std::uint32_t& where) {
  if (write_back_.empty()) return false;
  const std::uint64_t end = address + bytes;
  for (std::uint64_t at = address; at < end; at = block_of(static_cast<std::uint32_t>(at)) + std::uint64_t{kBlockBytes}) {
    const auto here = static_cast<std::uint32_t>(at);
    if (Page* page = find(here)) settle(*page, here);
    const auto part = static_cast<unsigned>(std::min<std::uint64_t>(end - at, kBlockBytes - at % kBlockBytes));
    for (const WatchedCache* cache : write_back_) {
      const unsigned old = dirty_words(*cache, here) & words_of(here, part);
      if (old == 0) continue;
      where = block_of(here) + 4 * static_cast<unsigned>(__builtin_ctz(old));
      return true;
    }
  }
  return false;
}

void LineWatch::stamp(Page& page, WatchedCache* first, std::uint32_t address, std::uint16_t words, unsigned writer) {
  Block& block = page.block[block_in_page(address)];
  const std::uint64_t before = epoch_of(block.last), now = ++epoch_;
  const Stamp last = std::exchange(block.last, now << (kWriterBits + kLevels) | writer);
  if (words == 0xFFFF) {
    block.mixed = false;
  } else {
    if (page.word == nullptr) page.word = std::make_unique<Words>();
    Stamp* word = page.word->data() + block_of(address) / 4 % 1024;
    if (!block.mixed) std::fill_n(word, 16, last);
    block.mixed = true;
    for (unsigned left = words; left != 0; left &= left - 1) word[__builtin_ctz(left)] = block.last;
  }
  for (const WatchedCache* cache = first; cache != nullptr; cache = cache->below()) {
    HeldSector* held = const_cast<HeldSector*>(cache->held(address));
    if (held == nullptr) continue;
    held->old_words &= static_cast<std::uint16_t>(~words);
    if (held->since >= before) held->since = now;  // it was up to date, and is
  }
}

void LineWatch::mark(WatchedCache& cache) {
  if (cache.may_be_old_) return;
  cache.may_be_old_ = true;
  auto& fresh = fresh_[static_cast<unsigned>(cache.kind_)];
  fresh.erase(std::find(fresh.begin(), fresh.end(), &cache));
}

void LineWatch::flushed(WatchedCache& cache) {
  cache.fresh_since_ = epoch_;
  if (cache.may_be_old_) fresh_[static_cast<unsigned>(cache.kind_)].push_back(&cache);
  cache.may_be_old_ = false;
}

void LineWatch::settle(Page& page, std::uint32_t address) {
  Block& block = page.block[block_in_page(address)];
  if (block.words == 0) return;
  stamp(page, members_[block.home - 1u].cache, address, block.words, block.writer);
  block.words = 0;
}

bool LineWatch::has_home(Page& page, const WatchedCache& cache, std::uint32_t address) {
  Block& block = page.block[block_in_page(address)];
  if (block.home == kShared) return false;
  if (block.home == home(cache)) return true;
  if (block.home != kNoHome) {
    const WatchedCache& top = *members_[block.home - 1u].cache;
    if (in_chain(top, cache)) return true;
    settle(page, address);
    if (!in_chain(cache, top)) {
      block.home = kShared;
      return false;
    }
  }
  block.home = home(cache);
  block.kinds |= kind_bit(cache);  // it may fill at any time now
  return true;
}

void LineWatch::written_slowly(WatchedCache* first, std::uint32_t address, std::uint16_t words, unsigned writer) {
  Page& to = page(address);
  Block& block = to.block[block_in_page(address)];
  // A write passes what is below its first cache, not what is above.
  if (first != nullptr && has_home(to, *first, address) && block.home == home(*first)) {
    if (block.writer != writer) settle(to, address);
    block.writer = static_cast<std::uint16_t>(writer);
    block.words |= words;
    return;
  }
  settle(to, address);
  if (block.home != kNoHome) block.home = kShared;
  stamp(to, first, address, words, writer);
  for (unsigned kinds = block.kinds; kinds != 0; kinds &= kinds - 1) {
    auto& fresh = fresh_[static_cast<unsigned>(__builtin_ctz(kinds))];
    for (std::size_t i = fresh.size(); i-- != 0;)
      if (fresh[i] != first) mark(*fresh[i]);
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

// What has been written through `cache` is not in there any more; `below`: in a write-back cache of these levels, if any.
void LineWatch::clean(Page& page, const WatchedCache& cache, std::uint32_t address, Stamp below) {
  Block& block = page.block[block_in_page(address)];
  if (cache.stacked_) settle(page, address);
  block.words = 0;
  const std::vector<bool>& passed = members_[cache.index_].passed;
  const Stamp here = level_bit(cache);
  const auto leave = [&](Stamp& stamp) {
    if ((stamp & here) == 0 && passed[writer_of_stamp(stamp)]) stamp = (stamp & ~below) | here;
  };
  if (!block.mixed) return leave(block.last);
  Stamp* word = page.word->data() + block_of(address) / 4 % 1024;
  std::for_each(word, word + 16, leave);
}

void LineWatch::left_slowly(Page& page, const WatchedCache& cache, std::uint32_t address) {
  constexpr Stamp kAll = ((Stamp{1} << kLevels) - 1) << kWriterBits;
  clean(page, cache, address, kAll & ~(2 * level_bit(cache) - 1));
}

void LineWatch::filled_slowly(WatchedCache& cache, HeldSector& held, std::uint32_t address, bool clean) {
  Page& to = page(address);
  Block& block = to.block[block_in_page(address)];
  block.kinds |= kind_bit(cache);
  const std::uint16_t old = has_home(to, cache, address) ? std::uint16_t{0} : filled_words(cache, address);
  if (cache.writes_back_ && clean) this->clean(to, cache, address, 0);
  held = {epoch_, old};
  if (old == 0) return;
  cache.fresh_since_ = 0;
  mark(cache);
}

const std::string& LineWatch::writer_of(std::uint32_t address) const {
  const Page* page = find(address);
  if (page == nullptr) return writers_[kCp];
  const Block& block = page->block[block_in_page(address)];
  if ((block.words >> address / 4 % 16 & 1) != 0) return writers_[block.writer];
  return writers_[writer_of_stamp(stamp_of(*page, block_of(address), address / 4 % 16))];
}

std::string LineWatch::story(const WatchedCache& cache, std::uint32_t address) const {
  const unsigned word = 1u << address / 4 % 16;
  for (const WatchedCache* dirty : members_[cache.index_].elsewhere)
    if ((dirty_words(*dirty, address) & word) != 0)
      return name_of(cache) + " has got it from memory while " + name_of(*dirty) + " holds what " + writer_of(address) +
             " wrote, not written back";
  const WatchedCache* from = &cache;
  while (from->below() != nullptr && (old_words(*from->below(), address) & word) != 0) from = from->below();
  return name_of(*from) + " holds it from before " + writer_of(address) + " wrote it";
}

}  // namespace gyre::memory
