#include "dram.h"

#include <algorithm>

#include "geometry.h"

namespace gyre::memory {
namespace {

// A part, per data bus of 64-byte blocks. Picoseconds.
struct Part {
  std::uint64_t burst, cas, rcd, rp, refi, rfc;
  unsigned row_bytes, row_banks;
};
// LPDDR4-3200, one x16 channel of 4 Gb (JESD209-4): RL 28 at 1.6 GHz + 1.5 ns tDQSCK, 64 bytes in 32 transfers.
constexpr Part kLpddr4{10'000, 19'000, 18'000, 18'000, 3'904'000, 180'000, 2048, 8};
// HBM2 at 2 Gb/s a pin, one 128-bit channel of an 8 Gb stack (JESD235; the numbers of DRAMsim3's HBM2_8Gb_x128).
constexpr Part kHbm2{2'000, 14'000, 14'000, 14'000, 3'900'000, 260'000, 1024, 16};
// Controller, clock crossings and fabric of the path, there and back: what the flat 50 cycles hold beside a closed row.
constexpr unsigned kPathCycles = 30;

}  // namespace

DramConfig resolve(const DramConfig& config, std::uint64_t period_ps) {
  if (config.kind == DramKind::kFlat || config.kind == DramKind::kOpenRow) return config;
  const Part& part = config.kind == DramKind::kLpddr4 ? kLpddr4 : kHbm2;
  const auto cycles = [&](std::uint64_t ps) {
    return static_cast<unsigned>(std::max<std::uint64_t>(1, (ps + period_ps - 1) / period_ps));
  };
  DramConfig out = config;
  out.burst = cycles(part.burst);
  out.t_cas = kPathCycles + cycles(part.cas);
  out.t_rcd = cycles(part.rcd);
  out.t_rp = cycles(part.rp);
  out.t_refi = cycles(part.refi);
  out.t_rfc = cycles(part.rfc);
  out.row_bytes = part.row_bytes;
  out.row_banks = part.row_banks;
  return out;
}

std::string check_dram(const DramConfig& c) {
  if (c.t_refi != 0 && c.t_rfc >= c.t_refi)
    return "gpu.dram.t_rfc is " + std::to_string(c.t_rfc) + ": a refresh must be shorter than the " +
           std::to_string(c.t_refi) + " cycles between two";
  if (c.interleave > c.row_bytes && c.kind != DramKind::kFlat)
    return "gpu.dram.interleave is " + std::to_string(c.interleave) + ": at most a row (" +
           std::to_string(c.row_bytes) + " bytes)";
  return "";
}

Dram::Dram(const DramConfig& resolved)
    : config_(resolved),
      interleave_shift_(log2_of(resolved.interleave)),
      bus_mask_(resolved.banks - 1),
      flat_(resolved.kind == DramKind::kFlat),
      buses_(resolved.banks),
      banks_(resolved.kind == DramKind::kFlat ? 0 : std::size_t{resolved.banks} * resolved.row_banks) {}

inline Cycle Dram::move(MemoryAccess access, Cycle at) {
  const std::uint64_t stripe = access.address >> interleave_shift_;
  const std::size_t bus = stripe & bus_mask_;
  const Cycle work = Cycle{access.count} * config_.burst;
  count_.busy += work;
  buses_[bus].worked += work;
  const Cycle start = flat_ ? at : open_row(access, stripe, work, at);
  const Cycle done = buses_[bus].work.take(start, work);
  count_.bus_stalls += done - work - start;
  return done - 1;
}

Cycle Dram::read(MemoryAccess access, Cycle at) {
  count_.reads += access.count;
  const Cycle last = move(access, at);
  const Cycle back = last + (flat_ ? config_.latency : config_.t_cas);
  count_.read_latency += (back - at) * access.count;
  return back;
}

Cycle Dram::write(MemoryAccess access, Cycle at) {
  count_.writes += access.count;
  return move(access, at) + 1;
}

Cycle Dram::atomic(std::uint64_t address, Cycle at) {
  const Cycle old = read({address, 1}, at);
  write({address, 1}, old);
  return old + 1;
}

kernel::Activity Dram::activity(unsigned bus) const {
  kernel::Activity a = buses_[bus].blocked.activity(bus_work(buses_[bus]));
  a.busy = buses_[bus].worked;
  return a;
}

unsigned Dram::refreshing(Cycle begin, Cycle end) const {
  if (config_.t_refi == 0) return 0;
  Cycle sum = 0;
  for (Cycle k = std::max<Cycle>(1, begin / config_.t_refi); k * config_.t_refi < end; ++k) {
    const Cycle from = std::max(begin, k * config_.t_refi), to = std::min(end, k * config_.t_refi + config_.t_rfc);
    sum += to > from ? to - from : 0;
  }
  return static_cast<unsigned>(sum);
}

// The one that is on and the next: who comes later in time than those before it finds them taken.
void Dram::refresh(Bus& bus, Cycle at) {
  const Cycle now = at / config_.t_refi;
  for (bus.refreshes = std::max(bus.refreshes, now); bus.refreshes <= now + 1; ++bus.refreshes)
    if (config_.t_rfc != 0) bus.work.take(bus.refreshes * config_.t_refi, config_.t_rfc);
}

// Refresh and row buffer: the cycle the blocks may go on the bus.
Cycle Dram::open_row(MemoryAccess access, std::uint64_t stripe, Cycle work, Cycle at) {
  Bus& bus = buses_[stripe & bus_mask_];
  if (config_.t_refi != 0) refresh(bus, at);
  Cycle start = at;
  if (config_.t_refi != 0 && at >= config_.t_refi && at % config_.t_refi < config_.t_rfc) {
    start = at - at % config_.t_refi + config_.t_rfc;
    count_.refresh_stalls += start - at;
  }
  const std::uint64_t local = stripe / config_.banks * config_.interleave + access.address % config_.interleave;
  const std::uint64_t row_index = local / config_.row_bytes;
  RowBank& bank = banks_[(stripe & bus_mask_) * config_.row_banks + row_index % config_.row_banks];
  const std::uint32_t row = static_cast<std::uint32_t>(row_index / config_.row_banks);
  const auto still_open = [&](const OpenRow& open) {
    return open.row == row && (config_.t_refi == 0 || open.until / config_.t_refi == start / config_.t_refi);
  };
  auto found = bank.rows.begin();
  if (!still_open(*found) && config_.scheduler == DramScheduler::kFrFcfs)
    found = std::find_if(found + 1, bank.rows.end(), [&](const OpenRow& o) { return still_open(o) && o.until > start; });
  else if (!still_open(*found))
    found = bank.rows.end();
  Cycle activate = 0;
  if (found != bank.rows.end()) {
    count_.row_hits += access.count;
  } else {
    const OpenRow& other = bank.rows.front();
    const bool closed =
        other.row == ~0u || (config_.t_refi != 0 && other.until / config_.t_refi != start / config_.t_refi);
    ++(closed ? count_.row_misses : count_.row_conflicts);
    count_.row_hits += access.count - 1;
    activate = closed ? config_.t_rcd : config_.t_rp + config_.t_rcd;
    found = bank.rows.end() - 1;
    *found = {row, 0};
  }
  const Cycle ready = bank.work.take(start, activate + work) - work;
  bank.worked += activate + work;
  count_.bus_stalls += ready - start - activate;
  if (ready != at) bus.blocked.wait(kernel::Doing::kMemory, at, ready, bus_work(bus));
  found->until = std::max(found->until, ready + work);
  std::rotate(bank.rows.begin(), found, found + 1);
  return ready;
}

}  // namespace gyre::memory
