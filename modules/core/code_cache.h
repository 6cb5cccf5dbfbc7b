// Decoded instructions of a core, a 4 KiB page at a time.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "machine.h"
#include "memory_port.h"

namespace gyre::core {

struct CodePage {
  static constexpr unsigned kWords = 1024;
  std::array<Inst, kWords> inst;
  std::array<std::uint32_t, kWords> word;
  std::uint64_t epoch = 0;
};

// Pages are decoded lazily, word by word. A page is compared with memory again after refresh(), so code loaded by
// others becomes visible at the next launch, FENCE.I or cache flush; the core's own stores are seen at once.
class CodeCache {
 public:
  explicit CodeCache(kernel::MemoryPort& memory);

  // The page that holds `pc`, up to date, or nullptr if there is no memory.
  CodePage* page(std::uint32_t pc);
  // The word at `pc`, which lies in a page that page() has returned.
  std::uint32_t word(std::uint32_t pc) const {
    return (*groups_[pc >> 22])[(pc >> 12) & 1023]->word[(pc >> 2) & (CodePage::kWords - 1)];
  }
  void refresh() { ++epoch_; }
  // A store of this core to the word at `address`.
  void written(std::uint32_t address);
  std::uint64_t* bitmap() { return bitmap_.data(); }

 private:
  using Group = std::array<std::unique_ptr<CodePage>, 1024>;
  bool read_words(std::uint32_t base, std::uint32_t* words);

  kernel::MemoryPort& memory_;
  std::array<std::unique_ptr<Group>, 1024> groups_;
  std::vector<std::uint64_t> bitmap_;
  std::uint64_t epoch_ = 1;
};

}  // namespace gyre::core
