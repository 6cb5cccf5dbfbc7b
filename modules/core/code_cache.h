// Decoded instructions of a core, a 4 KiB page at a time.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "machine.h"
#include "memory_port.h"

namespace gyre::core {

struct CodePage {
  static constexpr unsigned kWords = 1024;
  std::array<Inst, 2 * kWords> inst;  // one a word (the first half is used); with compressed code one a halfword
  std::array<std::uint32_t, kWords> word;
  std::uint64_t epoch = 0;
  // Lines of 64 bytes (bit = line) that were in the instruction cache when its version() was this.
  std::uint64_t cached_lines = 0, cached_version = 0;
};

// Pages are decoded lazily, word by word. A page is compared with memory again after refresh(), so code loaded by
// others becomes visible at the next launch, FENCE.I or cache flush; the core's own stores are seen at once.
class CodeCache {
 public:
  // `compressed`: instructions start at every halfword.
  CodeCache(kernel::MemoryPort& memory, bool compressed);

  // The page that holds `pc`, up to date, or nullptr if there is no memory.
  CodePage* page(std::uint32_t pc);
  // page() would return it again.
  bool current(const CodePage* page) const { return page != nullptr && page->epoch == epoch_; }
  // The word at `pc`, which lies in a page that page() has returned.
  std::uint32_t word(std::uint32_t pc) const {
    return (*groups_[pc >> 22])[(pc >> 12) & 1023]->word[(pc >> 2) & (CodePage::kWords - 1)];
  }
  std::uint32_t half(std::uint32_t pc) const { return word(pc) >> (pc & 2) * 8 & 0xFFFF; }
  void refresh() { ++epoch_; }
  // A store of this core to the word at `address`.
  void written(std::uint32_t address);
  // What was decoded at `pc`, or everywhere, is decoded again when it runs.
  void forget(std::uint32_t pc);
  void forget_all();
  // Where a virtual address lies; false: nowhere. Empty: addresses are physical.
  std::function<bool(std::uint32_t address, std::uint32_t* physical)> physical;
  std::uint64_t* bitmap() { return bitmap_.data(); }

 private:
  using Group = std::array<std::unique_ptr<CodePage>, 1024>;
  bool read_words(std::uint32_t base, std::uint32_t* words);
  // Calls `f` for every decoded instruction that word `index` of the page is part of.
  template <class F>
  void for_instructions(CodePage& page, unsigned index, F f) {
    if (!compressed_) return f(page.inst[index]);
    // One that begins in the page before is never kept (engine.cpp).
    for (unsigned i = std::max(2 * index, 1u) - 1; i <= 2 * index + 1; ++i) f(page.inst[i]);
  }

  kernel::MemoryPort& memory_;
  const bool compressed_;
  std::array<std::unique_ptr<Group>, 1024> groups_;
  std::vector<std::uint64_t> bitmap_;
  std::uint64_t epoch_ = 1;
};

}  // namespace gyre::core
