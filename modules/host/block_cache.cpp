#include "block_cache.h"

namespace gyre::host {

Block* BlockCache::lookup(std::uint64_t pc, std::uint64_t physical, unsigned privilege) const {
  const auto page = pages_.find(physical >> kPageBits);
  if (page == pages_.end()) return nullptr;
  Block* block = page->second->blocks[(physical % kPageBytes) / 2];
  while (block != nullptr && (block->pc != pc || block->privilege != privilege)) block = block->next;
  return block;
}

Block* BlockCache::reserve() {
  constexpr std::size_t worst = sizeof(Block) + (3 * kBlockInstructions + 2) * sizeof(Slot);
  if (chunks_.empty() || used_ + worst > kChunkBytes) {
    chunks_.push_back(std::make_unique<std::uint64_t[]>(kChunkBytes / sizeof(std::uint64_t)));
    used_ = 0;
  }
  return reinterpret_cast<Block*>(reinterpret_cast<std::uint8_t*>(chunks_.back().get()) + used_);
}

// Remembers that code came from physical bytes first..last.
void BlockCache::mark(std::uint64_t first, std::uint64_t last) {
  for (std::uint64_t line = first >> kLineBits; line <= last >> kLineBits; ++line) {
    auto& page = pages_[line >> (kPageBits - kLineBits)];
    if (!page) page = std::make_unique<Page>();
    page->lines |= std::uint64_t{1} << (line % 64);
  }
}

void BlockCache::add(Block* block, std::size_t slots, std::uint64_t bytes) {
  used_ += sizeof(Block) + slots * sizeof(Slot);
  const std::uint64_t page_end = block->physical | (kPageBytes - 1);
  if (block->crosses) {
    mark(block->physical, page_end);
    const std::uint64_t rest = bytes - (page_end - block->physical + 1);
    mark(block->last_page << kPageBits, (block->last_page << kPageBits) + rest - 1);
  } else {
    mark(block->physical, block->physical + bytes - 1);
  }
  Block*& first = pages_[block->physical >> kPageBits]->blocks[(block->physical % kPageBytes) / 2];
  block->next = first;
  first = block;
  remember(block);
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

void BlockCache::forget_recent() {
  for (Table& table : tables_) {
    if (!table.used) continue;
    table.entries.fill(Entry{});
    table.used = &table == recent_;
  }
}

void BlockCache::flush() {
  forget_recent();
  pages_.clear();
  chunks_.clear();
  used_ = 0;
}

}  // namespace gyre::host
