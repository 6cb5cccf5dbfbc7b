#include "code_cache.h"

#include "device_map.h"

namespace gyre::core {

CodeCache::CodeCache(kernel::MemoryPort& memory, bool compressed)
    : memory_(memory), compressed_(compressed), bitmap_((1u << 20) / 64) {}

bool CodeCache::read_words(std::uint32_t base, std::uint32_t* words) {
  // The first bytes of the address space are not memory.
  const std::uint32_t skip = base == 0 ? GYRE_DEV_NULL_END : 0;
  if (skip != 0) std::fill(words, words + skip / 4, 0);
  if (physical && !physical(base, &base)) return false;
  return memory_.read(base + skip, words + skip / 4, CodePage::kWords * 4 - skip);
}

CodePage* CodeCache::page(std::uint32_t pc) {
  if (pc < GYRE_DEV_NULL_END || pc >= GYRE_DEV_LMEM_BASE) return nullptr;
  const std::uint32_t number = pc >> 12;
  auto& group = groups_[number >> 10];
  if (!group) group = std::make_unique<Group>();
  auto& page = (*group)[number & 1023];
  if (page && page->epoch == epoch_) return page.get();
  std::array<std::uint32_t, CodePage::kWords> words;
  if (!read_words(number << 12, words.data())) return nullptr;
  if (!page) {
    page = std::make_unique<CodePage>();
    page->word = words;
    bitmap_[number >> 6] |= std::uint64_t{1} << (number & 63);
  } else if (page->word != words) {
    for (unsigned i = 0; i < CodePage::kWords; ++i)
      if (page->word[i] != words[i]) for_instructions(*page, i, [](Inst& inst) { inst = Inst{}; });
    page->word = words;
  }
  page->epoch = epoch_;
  return page.get();
}

void CodeCache::written(std::uint32_t address) {
  const std::uint32_t number = address >> 12;
  auto& group = groups_[number >> 10];
  if (!group || !(*group)[number & 1023]) return;
  CodePage& page = *(*group)[number & 1023];
  const unsigned index = (address >> 2) & (CodePage::kWords - 1);
  // The fields stay: the instruction may be the one that is executing.
  for_instructions(page, index, [](Inst& inst) { inst.run = nullptr; });
  std::uint32_t at = address;
  if (!physical || physical(address, &at)) memory_.read(at & ~3u, &page.word[index], 4);
}

void CodeCache::forget(std::uint32_t pc) {
  auto& group = groups_[pc >> 22];
  if (!group || !(*group)[(pc >> 12) & 1023]) return;
  CodePage& page = *(*group)[(pc >> 12) & 1023];
  // The fields stay: the instruction may be the one that is executing.
  page.inst[compressed_ ? (pc >> 1) & (2 * CodePage::kWords - 1) : (pc >> 2) & (CodePage::kWords - 1)].run = nullptr;
}

void CodeCache::forget_all() {
  for (auto& group : groups_) {
    if (!group) continue;
    for (auto& page : *group)
      if (page)
        for (Inst& inst : page->inst) inst.run = nullptr;
  }
}

}  // namespace gyre::core
