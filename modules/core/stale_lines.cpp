// What the core tells the stale-line lint: the words of its loads, stores and fetches, block by block. Loads and fetches
// only while a cache may be old.
#include "engine.h"
#include "line_watch.h"

namespace gyre::core {
namespace {

using memory::LineWatch;

constexpr std::uint32_t kBlock = LineWatch::kBlockBytes;

// Blocks of the lanes with the words they touch. Lanes side by side go together; a block may come more than once.
template <class F>
void for_blocks(const std::uint32_t* address, std::uint32_t mask, unsigned bytes, F look) {
  while (mask != 0) {
    const std::uint32_t first = address[__builtin_ctz(mask)], block = first & ~(kBlock - 1);
    unsigned words = LineWatch::words_of(first, bytes);
    for (mask &= mask - 1; mask != 0; mask &= mask - 1) {
      const std::uint32_t at = address[__builtin_ctz(mask)];
      if ((at ^ block) >= kBlock) break;
      words |= LineWatch::words_of(at, bytes);
    }
    look(block, static_cast<std::uint16_t>(words));
  }
}

}  // namespace

void Engine::watch_caches(const memory::LineReader& data, const memory::LineReader& code) {
  data_lines_ = data;
  code_lines_ = code;
  lines = data.watch();
}

void Engine::watch_row(Warp& w, std::uint32_t first, unsigned stride, bool store) {
  const std::uint32_t end = first + (stride == 0 ? 1 : threads * stride);
  for (std::uint32_t at = first; at < end;) {
    const std::uint32_t stop = std::min(end, (at | (kBlock - 1)) + 1);
    const std::uint16_t words = LineWatch::words_of(at, stop - at);
    if (store) {
      data_lines_.written(at, words, core_id + 1);
    } else if (const std::uint16_t old = data_lines_.read(at, words); __builtin_expect(old != 0, 0)) {
      std::uint32_t address[kMaxLanes];
      for (unsigned l = 0; l < threads; ++l) address[l] = first + l * stride;
      found_old(w, address, w.mask, 4, at, old);
    }
    at = stop;
  }
}

void Engine::watch_lanes(Warp& w, const std::uint32_t* address, std::uint32_t mask, unsigned bytes, bool store) {
  if (store) {
    for_blocks(address, mask, bytes, [&](std::uint32_t block, std::uint16_t words) {
      data_lines_.written(block, words, core_id + 1);
    });
    return;
  }
  for_blocks(address, mask, bytes, [&](std::uint32_t block, std::uint16_t words) {
    const std::uint16_t old = data_lines_.read(block, words);
    if (__builtin_expect(old != 0, 0)) found_old(w, address, mask, bytes, block, old);
  });
}

void Engine::found_old(Warp& w, const std::uint32_t* address, std::uint32_t mask, unsigned bytes, std::uint32_t block,
                       std::uint16_t old) {
  std::uint32_t lanes = 0, first = 0;
  for (; mask != 0; mask &= mask - 1) {
    const unsigned l = static_cast<unsigned>(__builtin_ctz(mask));
    if ((address[l] ^ block) >= kBlock || (LineWatch::words_of(address[l], bytes) & old) == 0) continue;
    if (lanes == 0) first = (old >> address[l] / 4 % 16 & 1) != 0 ? address[l] : address[l] + 4;
    lanes |= 1u << l;
  }
  lint_stale(w, lanes, data_lines_, first, "load");
}

void Engine::watch_fetch(Warp& w, std::uint32_t begin, std::uint32_t end) {
  for (std::uint32_t at = begin; at < end;) {
    const std::uint32_t stop = std::min(end, (at | (kBlock - 1)) + 1);
    if (const std::uint16_t old = code_lines_.read(at, LineWatch::words_of(at, stop - at)); old != 0)
      lint_stale(w, w.mask, code_lines_, (at & ~(kBlock - 1)) + 4 * static_cast<unsigned>(__builtin_ctz(old)),
                 "fetch of the instruction");
    at = stop;
  }
}

bool Engine::watch_fetch(Warp& w, std::uint32_t pc) {
  const std::uint32_t at = physical_pc(pc);
  if (code_lines_.read(at, 0xFFFF) == 0) return false;
  const bool half = config.isa_c && code.page(pc) != nullptr && (code.half(pc) & 3) != 3;
  watch_fetch(w, at, at + (half ? 2 : 4));
  return true;
}

}  // namespace gyre::core
