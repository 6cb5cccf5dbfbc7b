#include "block_cache.h"

namespace gyre::host {

Block* BlockCache::find_in_page(std::uint64_t pc, Entry& entry) {
  const auto page = pages_.find(pc >> kPageBits);
  if (page == pages_.end()) return nullptr;
  Block* block = page->second->blocks[(pc % kPageBytes) / 2];
  if (block != nullptr) entry = {pc, block};
  return block;
}

Block* BlockCache::reserve() {
  constexpr std::size_t worst = sizeof(Block) + (2 * kBlockInstructions + 2) * sizeof(Slot);
  if (chunks_.empty() || used_ + worst > kChunkBytes) {
    chunks_.push_back(std::make_unique<std::uint64_t[]>(kChunkBytes / sizeof(std::uint64_t)));
    used_ = 0;
  }
  return reinterpret_cast<Block*>(reinterpret_cast<std::uint8_t*>(chunks_.back().get()) + used_);
}

void BlockCache::add(Block* block, std::size_t slots, std::uint64_t bytes) {
  used_ += sizeof(Block) + slots * sizeof(Slot);
  const std::uint64_t first = block->pc >> kLineBits, last = (block->pc + bytes - 1) >> kLineBits;
  for (std::uint64_t line = first; line <= last; ++line) {
    auto& page = pages_[line >> (kPageBits - kLineBits)];
    if (!page) page = std::make_unique<Page>();
    page->lines |= std::uint64_t{1} << (line % 64);
  }
  pages_[block->pc >> kPageBits]->blocks[(block->pc % kPageBytes) / 2] = block;
  recent_[(block->pc >> 1) % kRecent] = {block->pc, block};
}

bool BlockCache::holds_code(std::uint64_t address, std::uint64_t bytes) const {
  if (bytes == 0) return false;
  const std::uint64_t last = (address + bytes - 1) >> kLineBits;
  std::uint64_t line = address >> kLineBits;
  while (line <= last) {
    const auto page = pages_.find(line >> (kPageBits - kLineBits));
    if (page == pages_.end()) {
      line = ((line >> (kPageBits - kLineBits)) + 1) << (kPageBits - kLineBits);
      continue;
    }
    if ((page->second->lines >> (line % 64)) & 1) return true;
    ++line;
  }
  return false;
}

void BlockCache::flush() {
  recent_.fill(Entry{});
  pages_.clear();
  chunks_.clear();
  used_ = 0;
}

}  // namespace gyre::host
