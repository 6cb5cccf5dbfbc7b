// Decoded code of the host: straight runs of instructions, linked to each other.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "insn.h"

namespace gyre::host {

struct Block;

// One slot of a block. An instruction is one slot; a direct control transfer is followed by a link slot that keeps
// the target block once it is known (threaded dispatch jumps through `handler`, so a slot is two words).
struct Slot {
  union {
    const void* handler;  // address of the code that executes it
    Block* link;          // link slot: target block, nullptr while unknown
  };
  std::int32_t imm;  // direct transfers: target as offset from the block's first byte; link slot: see Block
  std::uint8_t rd;   // kSinkRegister for x0
  std::uint8_t rs1;
  std::uint8_t rs2;
  std::uint8_t at;   // position from the block's first byte in halfwords; kLinkSlot in a link slot
};

constexpr unsigned kSinkRegister = 32;       // where writes to x0 go
constexpr unsigned kLinkSlot = 0xFF;
constexpr unsigned kBlockInstructions = 64;  // so that `at` fits a byte
constexpr unsigned kPageBits = 12;
constexpr std::uint64_t kPageBytes = 1ull << kPageBits;

// A run of instructions with one entry. Conditional branches that are not taken do not end it: a taken one leaves
// it early and gives back the cycles of the rest (link slot's imm). After the last slot of a run that was cut
// stands kEnd with a link to what follows. The link slot of kJal holds the return offset in imm.
struct Block {
  std::uint64_t pc;         // virtual
  std::int64_t count;       // instructions
  std::uint64_t physical;   // of the first byte
  std::uint64_t last_page;  // physical page number of the last byte
  Block* next;              // another block with the same first byte
  unsigned privilege;       // it was built for
  bool crosses;             // a page border, in its last instruction
  Slot* slots() { return reinterpret_cast<Slot*>(this + 1); }
  const Slot* slots() const { return reinterpret_cast<const Slot*>(this + 1); }
};

// Owns all blocks, by physical address. Invalidation of code drops everything: it is rare, and dropping is what makes
// links safe. What is known about virtual addresses is a table a privilege level; a change of translation clears it.
class BlockCache {
 public:
  BlockCache() { flush(); }

  // From now on find() looks at what was remembered for this privilege level (0, 1 or 3).
  void select(unsigned privilege) {
    recent_ = &tables_[privilege];
    recent_->used = true;
  }
  // The block that was last remembered for virtual address `pc`; nullptr: look it up by its physical address.
  Block* find(std::uint64_t pc) const {
    const Entry& entry = recent_->entries[(pc >> 1) % kRecent];
    return entry.pc == pc ? entry.block : nullptr;
  }
  // The block of the selected privilege at this pair of addresses, or nullptr if none has been built.
  Block* lookup(std::uint64_t pc, std::uint64_t physical, unsigned privilege) const;
  void remember(Block* block) { recent_->entries[(block->pc >> 1) % kRecent] = {block->pc, block}; }
  // Translation changed. Blocks and the links inside a page stay.
  void forget_recent();
  // Room for a block of at most kBlockInstructions; give it back with add().
  Block* reserve();
  // Keeps and remembers the block just reserved, of `slots` slots and `bytes` bytes of code.
  void add(Block* block, std::size_t slots, std::uint64_t bytes);

  // True if decoded code came from physical [address, address + bytes).
  bool holds_code(std::uint64_t address, std::uint64_t bytes) const;
  bool page_holds_code(std::uint64_t address) const { return pages_.count(address >> kPageBits) != 0; }
  bool nearly_full() const { return chunks_.size() > kMaxChunks; }
  void flush();

 private:
  static constexpr std::size_t kRecent = 4096;
  static constexpr std::size_t kChunkBytes = 256 * 1024;
  static constexpr std::size_t kMaxChunks = 256;
  static constexpr std::size_t kLineBits = 6;  // granule of the map of bytes that were decoded

  struct Entry {
    std::uint64_t pc = 1;  // odd: never a pc
    Block* block = nullptr;
  };
  struct Page {
    std::array<Block*, kPageBytes / 2> blocks{};
    std::uint64_t lines = 0;  // bit n: line n of the page was decoded
  };

  struct Table {
    std::array<Entry, kRecent> entries;
    bool used = true;
  };

  void mark(std::uint64_t first, std::uint64_t last);

  std::array<Table, 4> tables_;  // by privilege level
  Table* recent_ = &tables_[3];
  std::unordered_map<std::uint64_t, std::unique_ptr<Page>> pages_;  // looked up only, never iterated
  std::vector<std::unique_ptr<std::uint64_t[]>> chunks_;
  std::size_t used_ = 0;  // bytes of the last chunk
};

}  // namespace gyre::host
