// Page tables of the device (memory.md §9): Sv32 on RV32, Sv39 on RV64. Entries are valid or not; R, W and X are not
// checked, and there are no A and D bits. Pure.
#pragma once

#include <cstdint>

#include "device_map.h"

namespace gyre::memory {

struct PagingMode {
  unsigned levels, index_bits, entry_bytes;
};
constexpr PagingMode kSv32{2, 10, 4}, kSv39{3, 9, 8};
constexpr unsigned kPageShift = 12;
constexpr std::uint64_t kPageBytes = 1u << kPageShift;

// Addresses that every MMU of the device leaves alone: IO region, aperture, page tables, stacks, local memory.
constexpr bool untranslated(std::uint64_t address) {
  return address < GYRE_DEV_IO_END || address >= GYRE_DEV_APERTURE_BASE;
}

// Root of the tables in a satp value; false: translation is off.
constexpr bool satp_root(std::uint64_t satp, bool wide, std::uint64_t* root) {
  *root = (satp & (wide ? (std::uint64_t{1} << 44) - 1 : (1u << 22) - 1)) << kPageShift;
  return wide ? satp >> 60 == 8 : (satp >> 31 & 1) != 0;
}

// Where the entry of `address` lies in a table of `level` (0: the last).
constexpr std::uint64_t entry_address(const PagingMode& mode, std::uint64_t table, std::uint64_t address,
                                      unsigned level) {
  const std::uint64_t index = address >> (kPageShift + mode.index_bits * level) & ((1u << mode.index_bits) - 1);
  return table + index * mode.entry_bytes;
}

enum class EntryKind { kInvalid, kTable, kPage };

// What an entry of `level` says about `address`: the next table, or the physical address. Invalid: not valid, a table at
// the last level, a superpage that is not aligned, or something above the 32 bits of the device.
constexpr EntryKind read_entry(const PagingMode& mode, std::uint64_t entry, std::uint64_t address, unsigned level,
                               std::uint64_t* out) {
  if ((entry & 1) == 0) return EntryKind::kInvalid;
  const std::uint64_t frame = (mode.entry_bytes == 8 ? entry >> 10 & ((std::uint64_t{1} << 44) - 1) : entry >> 10)
                              << kPageShift;
  if (frame >> 32 != 0) return EntryKind::kInvalid;
  if ((entry & 0xE) == 0) {
    *out = frame;
    return level == 0 ? EntryKind::kInvalid : EntryKind::kTable;
  }
  const std::uint64_t span = std::uint64_t{1} << (kPageShift + mode.index_bits * level);
  if (frame % span != 0) return EntryKind::kInvalid;
  *out = frame + address % span;
  return EntryKind::kPage;
}

// The whole walk. read(address, bytes, &entry) reads one; false: not memory. Returns false without a translation.
template <class Read>
bool walk(const PagingMode& mode, std::uint64_t root, std::uint64_t address, Read read, std::uint64_t* physical) {
  std::uint64_t table = root;
  for (unsigned level = mode.levels; level-- > 0;) {
    std::uint64_t entry = 0, out = 0;
    if (!read(entry_address(mode, table, address, level), mode.entry_bytes, &entry)) return false;
    switch (read_entry(mode, entry, address, level, &out)) {
      case EntryKind::kInvalid: return false;
      case EntryKind::kPage: *physical = out; return true;
      case EntryKind::kTable: table = out;
    }
  }
  return false;
}

}  // namespace gyre::memory
