// Translations that take time, in the approximate style (memory.md §9): what a warp waits for before its instruction is
// fetched or goes to memory, and the page walkers, whose reads travel through the data cache.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <vector>

#include "alarm.h"
#include "at_client.h"
#include "due_queue.h"
#include "engine.h"

namespace gyre::core {

// Pages of an instruction are looked up one after the other, in the order of the lanes: a hit of the first level costs
// nothing, the second level its latency, a walk a read a level. What has been found stays with the warp until the
// instruction issues, so that a small TLB slows warps down and never stops them. A page that is being walked is not
// walked again: who wants it waits for the end. A change of satp concerns instructions that begin after it: a walk that is
// under way ends with the tables it began with, and nobody keeps what it has found.
class Translations {
 public:
  using Side = Mmu::Side;
  // The warp's walk is over: it may ask again.
  using Told = std::function<void(Warp&)>;

  // `data`: the way walks take; null: every read takes the latency of a load. During elaboration.
  Translations(Engine& engine, const GpuConfig& resolved, kernel::AtClient* data, Told told);

  // The pages of a memory instruction at w.pc, whose operands are there at `at`, which is now. `at`: they are known;
  // a later cycle: not before; kNever: not before the warp is told.
  Cycle data(Warp& w, const Inst& inst, Cycle at);
  // The page of w.pc, the same way.
  Cycle fetch(Warp& w, Cycle at);
  // True: the page of w.pc needs no translation, or the first level has it, which is counted; nobody has to wait.
  bool fetch_hits(const Warp& w, std::uint32_t* physical);
  // What data() and fetch() have found, once: addresses in the order of the lanes. False: a page fault.
  bool take_data(const Warp& w, std::uint32_t address, std::uint32_t* physical);
  bool take_fetch(const Warp& w, std::uint32_t* physical);
  // The instruction at w.pc has been fetched, from `code`, and waits for its pages.
  bool fetched(const Warp& w, std::uint32_t* code) const;

 private:
  enum class Stage : std::uint8_t { kFirst, kSecond, kWalk, kWalked };
  static constexpr unsigned kMost = 4 * kMaxLanes;  // pieces of a packed load
  // Addresses of one instruction of a warp, or its own.
  struct Lookup {
    bool active = false, fault = false;
    Stage stage = Stage::kFirst;
    std::uint32_t life = 0, pc = 0, code = 0;
    std::uint64_t serial = 0;
    unsigned count = 0, lanes = 0, next = 0, taken = 0;
    std::uint32_t page = Tlb::kNone, frame = 0, walked = 0;
    Cycle due = 0, asked = 0;
    std::uint32_t address[kMost], physical[kMost];
  };
  struct Waiter {
    unsigned warp;
    Side side;
    std::uint64_t serial;
  };
  struct Walker {
    bool busy = false;
    Waiter who{};
    Mmu::Walk walk;
    Cycle asked = 0;
  };

  Lookup& of(unsigned warp, Side side) { return lookups_[2 * warp + (side == Side::kData)]; }
  const Lookup& of(unsigned warp, Side side) const { return lookups_[2 * warp + (side == Side::kData)]; }
  bool serves(const Lookup& l, const Warp& w) const {
    return l.active && l.life == w.life && l.pc == w.pc;
  }
  void begin(Lookup& l, const Warp& w, const std::uint32_t* address, unsigned count, unsigned lanes);
  unsigned addresses(const Warp& w, const Inst& inst, std::uint32_t* list) const;
  Cycle look_up(Lookup& l, const Waiter& who, Cycle at);
  // Whoever waits and can go on does.
  void serve();
  bool walked(std::uint32_t page) const;
  void step(unsigned walker);
  void finish(Walker& walker);
  void answer(const Waiter& who, std::uint32_t frame);
  Cycle now() const { return kernel::cycle_now(period_); }

  Engine& engine_;
  Mmu& mmu_;
  kernel::AtClient* const data_;
  const Told told_;
  const kernel::Picoseconds period_;
  const unsigned second_latency_, load_latency_;
  std::vector<Lookup> lookups_;  // two a warp
  std::vector<Walker> walkers_;
  std::deque<Waiter> waiting_;
  std::uint64_t serial_ = 0;
  kernel::DueQueue<unsigned> due_;  // walkers that do without a cache
  std::unique_ptr<kernel::Alarm> alarm_;
};

}  // namespace gyre::core
