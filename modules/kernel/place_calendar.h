// Contention for places that are held for a time: MSHR entries, pending loads, queue slots (design §4).
#pragma once

#include <emmintrin.h>

#include <algorithm>
#include <array>
#include <cstdint>

#include "cycle.h"

namespace gyre::kernel {

// `places` (1 to 1024) equal places; each holder has one from a date to a date. Like Calendar, made for agents that arrive
// out of time order: it keeps how many place-cycles of each bucket of 16 cycles are taken, over a sliding window, so that
// a holder of the future does not stand in the way of one in the past. Holders older than the window see it empty.
class PlaceCalendar {
 public:
  static constexpr unsigned kBucketCycles = 16;
  // The window moves by stretches of 16 buckets, which a holder fills at once.
  static constexpr unsigned kStretchCycles = 16 * kBucketCycles;
  static constexpr unsigned kStretches = 32;

  explicit PlaceCalendar(unsigned places) : capacity_(places * kBucketCycles) {}

  // First cycle at or after `at` from which a place can be held to the end of the next bucket.
  Cycle available(Cycle at) const { return __builtin_expect(surely(at), 1) ? at : search(at); }
  // True: available(at) is `at`. False: it may be.
  [[gnu::always_inline]] bool surely(Cycle at) const {
    if (at >= last_) return true;
    const Cycle stretch = at / kStretchCycles;
    const unsigned bucket = at / kBucketCycles % 16;
    const Stretch& here = stretches_[stretch % kStretches];
    const std::uint32_t most = capacity_ - kBucketCycles;
    return here.lap == lap_of(stretch) && bucket != 15 && here.used[bucket] <= most && here.used[bucket + 1] <= most;
  }

  // Takes places for [from, to). `from` comes from available().
  void hold(Cycle from, Cycle to, unsigned places = 1) {
    if (from >= to) return;
    last_ = std::max(last_, to);
    const __m128i each = _mm_set1_epi16(static_cast<short>(places));
    Cycle stretch = from / kStretchCycles;
    auto begin = static_cast<unsigned>(from % kStretchCycles);
    for (Cycle base = from - begin; base < to; base += kStretchCycles, ++stretch, begin = 0) {
      Stretch& here = stretches_[stretch % kStretches];
      if (__builtin_expect(here.lap != lap_of(stretch), 0)) {
        if (here.lap > lap_of(stretch)) continue;  // older than the window
        here.used.fill(0);
        here.lap = lap_of(stretch);
      }
      here.add(begin, static_cast<unsigned>(std::min<Cycle>(to - base, kStretchCycles)), each);
    }
  }

 private:
  struct alignas(16) Stretch {
    std::array<std::uint16_t, 16> used{};  // by bucket: place-cycles
    std::uint32_t lap = 0;                 // around the window: which stretch this is

    // Cycles [begin, end) of the stretch: of each bucket those that lie before `end` less those before `begin`.
    void add(unsigned begin, unsigned end, __m128i places) {
      const __m128i low = _mm_setr_epi16(0, 16, 32, 48, 64, 80, 96, 112), high = _mm_add_epi16(low, _mm_set1_epi16(128));
      add8(used.data(), low, begin, end, places);
      add8(used.data() + 8, high, begin, end, places);
    }
    static __m128i before(__m128i starts, unsigned date) {
      return _mm_min_epi16(_mm_subs_epu16(_mm_set1_epi16(static_cast<short>(date)), starts), _mm_set1_epi16(kBucketCycles));
    }
    static void add8(std::uint16_t* used, __m128i starts, unsigned begin, unsigned end, __m128i places) {
      auto* const at = reinterpret_cast<__m128i*>(used);
      const __m128i cycles = _mm_sub_epi16(before(starts, end), before(starts, begin));
      _mm_store_si128(at, _mm_adds_epu16(_mm_load_si128(at), _mm_mullo_epi16(cycles, places)));
    }
  };
  static std::uint32_t lap_of(Cycle stretch) { return static_cast<std::uint32_t>(stretch / kStretches); }
  std::uint32_t used(Cycle bucket) const {
    const Stretch& here = stretches_[bucket / 16 % kStretches];
    return here.lap == lap_of(bucket / 16) ? here.used[bucket % 16] : 0;
  }
  bool has_place(Cycle bucket) const { return used(bucket) + kBucketCycles <= capacity_; }

  [[gnu::noinline]] Cycle search(Cycle at) const {
    Cycle bucket = at / kBucketCycles;
    for (unsigned looked = 0; looked < 16 * kStretches; ++looked, ++bucket) {
      const std::uint32_t free = capacity_ - std::min(used(bucket), capacity_);
      if (free == 0 || !has_place(bucket + 1)) continue;
      const Cycle end = (bucket + 1) * kBucketCycles;
      return std::max(at, end - std::min<Cycle>(free, kBucketCycles));
    }
    return std::max(at, bucket * kBucketCycles);
  }

  std::uint32_t capacity_;
  Cycle last_ = 0;  // nobody holds a place from here on
  std::array<Stretch, kStretches> stretches_{};
};

}  // namespace gyre::kernel
