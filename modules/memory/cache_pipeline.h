// A cache cycle by cycle: the same tags and policies as Cache, for requests that wait (memory.md §4.1). Pure.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <vector>

#include "cache.h"

namespace gyre::memory {

// One step is one cycle of every bank: a replay, else a fill, else the request of the port whose turn it is. The bank
// takes no requests while its MSHR entries are all in use or the way down is full; they wait at their ports.
// A hit answers `latency` cycles after it was taken. A miss asks the next level `latency + miss` cycles after; the fill
// takes a cycle of the bank, every chained request one more. Writes are posted: answered when they have been taken, or,
// passed on, when the next level has taken them.
//
// Counters obey the laws of Cache.
class CachePipeline {
 public:
  static constexpr Cycle kNever = ~Cycle{0};

  struct Request {
    std::uint64_t address = 0;  // within one block of 64 bytes
    bool write = false;
    unsigned tag = 0;           // the caller's
  };
  struct Answer {
    Cycle at;
    unsigned tag;
  };
  // What goes to the next level, in this order, from `at` on.
  struct Downward {
    Cycle at = 0;
    std::uint64_t address = 0;  // of the block
    bool write = false;
    bool answers = false;       // a write whose request is answered when the next level has taken it
    unsigned tag = 0;
  };

  // `ports`: request ports. `queue`: places of the way down.
  CachePipeline(const CacheSetup& setup, unsigned ports, unsigned queue);

  bool free(unsigned port) const { return !ports_[port].full; }
  // Requires free(port). Looked at in the next step, of cycle `now` or later.
  void offer(unsigned port, const Request& request, Cycle now) { ports_[port] = {true, false, now, request}; }

  // The cycle `now`, later than any before. Appends the ports whose request was taken, and answers.
  void step(Cycle now, std::vector<unsigned>& taken, std::vector<Answer>& answers);
  // True: a step can do something.
  bool can_step() const;

  // The front of the way down, or null; pop() when the next level has taken it.
  const Downward* down() const { return down_.empty() ? nullptr : &down_.front(); }
  void pop() { down_.pop_front(); }
  // The next level has answered the read of the block at `address`.
  void filled(std::uint64_t address);

  const CacheCounters& counters() const { return count_; }
  const CacheSetup& setup() const { return setup_; }
  // Nothing is under way.
  bool idle() const;

 private:
  struct Port {
    bool full = false;
    bool no_entry = false;  // it has waited for an MSHR entry
    Cycle offered = 0;
    Request request;
  };
  // Requests that wait for one sector.
  struct Miss {
    std::uint64_t block = 0;
    std::vector<Request> requests;
  };
  struct Bank {
    unsigned entries = 0;  // free MSHR entries
    unsigned turn = 0;     // port looked at first
    std::vector<Miss> misses;
    std::deque<Miss> fills;
    std::deque<Request> replays;
  };

  std::uint32_t line_of(std::uint64_t address) const { return static_cast<std::uint32_t>(address >> line_shift_); }
  unsigned sector_of(std::uint64_t address) const {
    return static_cast<unsigned>(address / Cache::kSectorBytes) & (sectors_ - 1);
  }
  unsigned bank_of(std::uint64_t address) const { return line_of(address) & (static_cast<unsigned>(banks_.size()) - 1); }
  bool accepts(const Bank& bank) const { return bank.entries != 0 && down_.size() < queue_; }
  void look_up(Bank& bank, const Request& request, Cycle now, std::vector<Answer>& answers);
  void miss(Bank& bank, const Request& request, Cycle now);
  void install(Bank& bank, Miss miss, Cycle now);
  void pass_on(const Request& request, Cycle at);

  CacheSetup setup_;
  bool write_back_, write_allocate_;
  CacheTags tags_;
  unsigned line_shift_, sectors_;
  std::size_t queue_;
  std::vector<Port> ports_;
  std::vector<Bank> banks_;
  std::deque<Downward> down_;
  CacheCounters count_;
};

}  // namespace gyre::memory
