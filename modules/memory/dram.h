// Device memory in time: data buses, banks with an open row, refresh (memory.md §8). Data lives elsewhere.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "activity.h"
#include "calendar.h"
#include "config.h"
#include "memory_level.h"

namespace gyre::memory {

using kernel::Cycle;
using kernel::MemoryAccess;

struct DramCounters {
  std::uint64_t reads = 0, writes = 0;                              // blocks of 64 bytes
  std::uint64_t read_latency = 0;                                   // cycles, summed over the reads
  std::uint64_t bus_stalls = 0;                                     // cycles blocks waited for data bus or bank
  std::uint64_t row_hits = 0, row_misses = 0, row_conflicts = 0;    // open row; closed; another one open
  std::uint64_t refresh_stalls = 0;                                 // cycles
  std::uint64_t busy = 0;                                           // cycles of the data buses, summed
};

// The numbers of `config` in cycles of a clock with this period; parts have theirs in picoseconds.
DramConfig resolve(const DramConfig& config, std::uint64_t period_ps);
// What is wrong with the numbers of resolve(), or "".
std::string check_dram(const DramConfig& resolved);

// An access to an idle memory with all rows closed.
inline unsigned idle_read_cycles(const DramConfig& resolved) {
  return resolved.kind == DramKind::kFlat ? resolved.latency : resolved.t_cas + resolved.t_rcd;
}

// Addresses: bank of the platform = address / interleave, then column, row bank, row (RoBaRaCoCh).
// Idle answers: flat `latency`; open row t_cas, closed row + t_rcd, other row + t_rp. A block takes its data bus for
// `burst` cycles, an activation its row bank for its own time.
// FCFS sees the row the call before left open. FR-FCFS serves requests to one row together while one of them waits:
// a request finds its row open if an earlier one to it ends after this one arrives, whatever came between.
// Every t_refi cycles of absolute time all rows close and nothing starts for t_rfc, which the data buses lose.
class Dram final : public kernel::MemoryLevel {
 public:
  // `resolved` has been checked (check_dram).
  explicit Dram(const DramConfig& resolved);

  Cycle read(MemoryAccess access, Cycle at) override;
  Cycle write(MemoryAccess access, Cycle at) override;
  Cycle atomic(std::uint64_t address, Cycle at) override;
  Cycle read_io(MemoryAccess access, Cycle at) override { return read(access, at); }
  Cycle write_io(MemoryAccess access, Cycle at) override { return write(access, at); }

  const DramCounters& counters() const { return count_; }
  // Cycles of data bus `bus`: busy with a block; blocked on memory: a block waits for its row or a refresh.
  kernel::Activity activity(unsigned bus) const;
  // Cycles row bank `bank` of the device spent on activations and blocks; there are none with flat memory.
  const std::uint64_t& row_bank_work(unsigned bank) const { return banks_[bank].worked; }
  unsigned row_banks() const { return static_cast<unsigned>(banks_.size()); }
  const DramConfig& config() const { return config_; }

 private:
  struct OpenRow {
    std::uint32_t row = ~0u;
    Cycle until = 0;  // the end of its last access
  };
  struct RowBank {
    kernel::Calendar work;
    std::array<OpenRow, 4> rows;  // latest first
    std::uint64_t worked = 0;
  };

  struct Bus {
    kernel::Calendar work;
    kernel::ActivityMap blocked;
    std::uint64_t worked = 0;
    Cycle refreshes = 1;  // the next one to be taken from `work`
  };
  // For ActivityMap: blocks of a bucket. The calendar holds refreshes too.
  auto bus_work(const Bus& bus) const {
    return [this, &bus](Cycle begin) {
      constexpr unsigned kCycles = kernel::ActivityMap::kBucketCycles;
      const unsigned used = bus.work.used(begin, kCycles);
      return used - std::min(used, refreshing(begin, begin + kCycles));
    };
  }
  // Cycles of [begin, end) in which memory refreshes; at most a bucket of ActivityMap.
  unsigned refreshing(Cycle begin, Cycle end) const;
  // Takes the refreshes around `at` from the bus.
  void refresh(Bus& bus, Cycle at);

  // The cycle the last of the blocks is on the bus.
  Cycle move(MemoryAccess access, Cycle at);
  Cycle open_row(MemoryAccess access, std::uint64_t stripe, Cycle work, Cycle at);

  DramConfig config_;
  unsigned interleave_shift_, bus_mask_;  // both are powers of two
  bool flat_;
  std::vector<Bus> buses_;
  std::vector<RowBank> banks_;  // [bus * row_banks + bank]
  DramCounters count_;
};

}  // namespace gyre::memory
