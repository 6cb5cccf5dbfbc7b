// The memory path of a core in the approximate style: fetches, loads, stores, atomics and texture requests that are
// under way, and what has to happen before the next one may be issued (memory.md §5, timing.md §2.2).
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <vector>

#include "at_client.h"
#include "calendar.h"
#include "engine.h"
#include "issue_port.h"

namespace gyre::core {

class Translations;

// The core's thread never waits in here: a warp that has to wait is set aside (WarpState::kMemory) and put back by the
// answer, which comes outside of the core's process.
class MemoryRequests {
 public:
  using Told = std::function<void()>;

  // What the core is connected to. Empty: every fetch or access hits.
  struct Ports {
    kernel::AtClient* data = nullptr;
    unsigned data_latency = 2;  // cycles of a hit
    kernel::AtClient* fetch = nullptr;
    unsigned fetch_latency = 2;
    std::function<bool(std::uint64_t)> present;   // the instruction cache has this block
    std::function<void(unsigned)> fetched;        // so many fetches have hit
    kernel::Calendar* fetch_port = nullptr;       // of an instruction cache that others use too
    std::function<void(Told)> flush_data, flush_instructions;
    memory::LineReader data_lines, code_lines;  // of the caches
    std::function<bool()> exports_accepted;  // the output merger has room
  };

  // What a warp waits for.
  enum Reason : std::uint8_t { kOperand, kRoom, kDrain, kInstructions, kTexture, kExport, kFlush, kPage, kFetchPage, kIdle };

  // `resolved`: memory::with_geometry() has been at it.
  MemoryRequests(Engine& engine, const GpuConfig& resolved, Ports ports);
  ~MemoryRequests();

  IssuePort port;

  // The earliest warp of those that may run; of equal ones who has waited for room longest, else round robin.
  Warp* pick();
  // How far ahead of kernel time a warp may run that concerns nobody else.
  static constexpr Cycle kAhead = 256;
  bool may_run(const Warp& w, Cycle now) const { return w.local <= (w.sync ? now : now + kAhead); }
  // The warp is about to run: the date at which another one gets its turn.
  Cycle limit(Warp& w);

  bool has_data() const { return ports_.data != nullptr; }
  const memory::LineReader& data_lines() const { return ports_.data_lines; }
  const memory::LineReader& code_lines() const { return ports_.code_lines; }

  // ---- before an instruction. False: not now; the warp's date or state says when.
  // The block of the instruction at `physical` is in the instruction cache; if it is not, it is asked for once kernel time
  // is there.
  bool fetch(Warp& w, std::uint32_t physical);
  // Virtual memory is on: the page of w.pc, looked up as the block is. kFault: nothing is mapped there.
  enum class Page { kThere, kLater, kFault };
  Page translate_fetch(Warp& w, std::uint32_t* physical);
  // The translation that the memory instruction at w.pc has waited for. False: a page fault.
  bool translated(const Warp& w, std::uint32_t address, std::uint32_t* physical);
  // `at`: its operands are there (kPending: one is under way).
  bool may_issue(Warp& w, const Inst& inst, Cycle at) {
    if (at < kPending && inst.unit < kUnitLsu) return true;
    return may_issue_shared(w, inst, at);
  }
  // The burst that began at `since` has executed so many instructions.
  void fetched(Warp& w, unsigned instructions, Cycle since);

  // ---- one load: begin, its parts, end. `known`: the date of parts that never leave the core.
  void begin_load(Warp& w, const Inst& inst);
  void load_words(const LsuTiming::Packet& packet, Cycle issue);
  void load_io(const std::uint32_t* address, std::uint32_t mask, Cycle issue);
  void atomics(const std::uint32_t* address, std::uint32_t mask, Cycle issue);
  void end_load(Warp& w, const Inst& inst, Cycle known);

  // All of one load.
  void load(Warp& w, const Inst& inst, const LsuTiming::Packet& packet) {
    begin_load(w, inst);
    load_words(packet, w.issue);
    end_load(w, inst, 0);
  }

  // ---- posted
  void store_words(Warp& w, const LsuTiming::Packet& packet);
  void store_io(Warp& w, const std::uint32_t* address, std::uint32_t mask);

  // A texture request of this warp. The sampler calls back with the cycle the texels are in the core, plus `after`.
  std::function<void(Cycle)> begin_texture(Warp& w, const Inst& inst, Cycle after);
  // It knew the date at once.
  void end_texture(Warp& w, const Inst& inst, Cycle ready);

  // Room somewhere: warps that wait for it try again.
  void retry();

  static const char* describe(unsigned reason);

 private:
  struct Slot {
    unsigned warp = 0;
    std::uint32_t life = 0;
    std::uint8_t rd = kSinkRow;
    bool texture = false;
    unsigned parts = 0;
    Cycle issue = 0, ready = 0, after = 0;
  };

  Cycle now() const { return kernel::cycle_now(period_); }
  static bool for_room(unsigned reason) { return reason == kRoom || reason == kTexture || reason == kExport; }
  bool may_issue_shared(Warp& w, const Inst& inst, Cycle at);
  bool pages_known(Warp& w, const Inst& inst, Cycle at);
  // The cycle from which there is room for the instruction; kNever: `reason` has to end first.
  Cycle room(Warp& w, const Inst& inst, Cycle at, Reason& reason);
  Cycle pool_room(Cycle at);
  bool flushed(Warp& w, const std::function<void(Told)>& flush);
  void hold(Warp& w, Reason reason);
  void release(Warp& w, Cycle when);
  // Nothing of the core is under way any more: barriers go on.
  void idle();
  Warp* living(unsigned warp, std::uint32_t life);
  unsigned open_slot(Warp& w, const Inst& inst);
  // The result is under way.
  static void pend(Warp& w, const Inst& inst) {
    ++w.loads;
    if (inst.rd < kSinkRow) w.ready[inst.rd] = w.max_ready = kPending;
  }
  kernel::AtClient::Done part(unsigned slot);
  void part_done(unsigned slot, Cycle last);
  void finish(unsigned slot);
  Cycle coalesce(const LsuTiming::Packet& packet, Cycle at);
  kernel::AtClient::Done posted(Warp& w);

  Engine& engine_;
  Ports ports_;
  const kernel::Picoseconds period_;
  const unsigned pool_, staging_, texture_queue_;
  std::unique_ptr<Translations> translations_;  // null: gpu.vm is off
  unsigned loads_ = 0, stores_ = 0, textures_ = 0;
  std::deque<Cycle> leaving_;  // loads that have been answered leave the pool at these dates
  Cycle coalescer_free_ = 0;
  unsigned debt_ = 0;  // fetches that the cache has counted itself
  std::vector<Slot> slots_;
  std::vector<unsigned> free_slots_;
  std::uint32_t wait_for_room_ = 0;  // by warp
  std::uint64_t tickets_ = 0;
  unsigned last_ = 0;     // warp that ran last
  unsigned current_ = 0;  // slot of the load that has been begun
};

}  // namespace gyre::core
