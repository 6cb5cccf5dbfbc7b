// What the stale-line lint wants to know of a cache (memory.md §11).
#pragma once

#include <cstdint>
#include <utility>

namespace gyre::memory {

class LineWatch;

enum class CacheKind : std::uint8_t { kIcache, kDcache, kTcache, kRcache, kOcache, kL2, kL3 };
constexpr unsigned kCacheKinds = 7;

// What a cache knows of a sector it holds.
struct HeldSector {
  std::uint64_t since = 0;      // epoch: what was written up to then is in, but for old_words
  std::uint16_t old_words = 0;  // bit i: word i was old already when the sector was filled
};

class WatchedCache {
 public:
  // The sector of `address`; null: it is not there.
  virtual const HeldSector* held(std::uint64_t address) const = 0;
  // It has not been written back.
  virtual bool dirty(std::uint64_t address) const = 0;
  virtual bool write_back() const = 0;

  LineWatch* watch() const { return watch_; }
  // Something it holds may be old: a filter for LineWatch::read(). Never of a cache that is not watched.
  bool may_be_old() const { return may_be_old_; }
  // Or a fill may bring something old: the filter for LineWatch::expect().
  bool may_get_old() const { return beside_ || may_be_old_ || (below_ != nullptr && below_->may_get_old()); }
  const WatchedCache* below() const { return below_; }  // the cache its fills come from, or null

 protected:
  ~WatchedCache() = default;
  // It is watched from now on; room for what it will hold.
  virtual void watched() = 0;
  // What was written into the sector goes down or has passed by. In line_watch.h.
  void leaves(std::uint64_t address);

 private:
  friend class LineWatch;

  LineWatch* watch_ = nullptr;
  const WatchedCache* below_ = nullptr;
  bool may_be_old_ = false;
  bool beside_ = false;       // a write-back cache of others, that a fill does not see
  bool writes_back_ = false;  // write_back()
  bool stacked_ = false;      // and so does one above or below
  std::uint16_t index_ = 0;
  CacheKind kind_ = CacheKind::kL3;
  // Whatever was written up to this epoch is in all that the cache holds: the last flush, while no fill has been old.
  std::uint64_t fresh_since_ = 0;
};

}  // namespace gyre::memory
