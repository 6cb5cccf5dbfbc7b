// A cache as its requests meet it: banks that are busy, MSHR entries that are taken, ways down that are full
// (memory.md §4.1). The twin of Cache for requests that wait. Pure.
#pragma once

#include <cstdint>
#include <vector>

#include "activity.h"
#include "cache.h"
#include "due_queue.h"
#include "ring.h"

namespace gyre::memory {

// A bank takes one request at a time, in the cycle it comes if it can, else the ports that wait take turns. It takes none
// while its MSHR entries are all in use or the request's way down is full. A request of `count` words keeps its bank for
// that many cycles; `entered` is the last of them.
// A hit answers `latency` cycles after it entered. A miss holds an entry a word and asks the next level `latency + miss`
// cycles after; the fill takes a cycle of the bank, every word of the chained requests one more, before anything else.
// Writes are posted: answered the cycle after they entered, or, passed on, when the next level has taken them.
// Atomics are executed at the last level; above it the line is written back and dropped. They and uncached requests that
// the next level serves are answered a cycle after its answer.
//
// Counters obey the laws of Cache. Cycles never go back from call to call.
class CachePipeline final : public WatchedCache {
 public:
  static constexpr Cycle kNever = kernel::DueQueue<unsigned>::kNever;

  enum class Kind : std::uint8_t { kRead, kWrite, kAtomic, kReadIo, kWriteIo };
  struct Request {
    std::uint64_t address = 0;  // within one block of 64 bytes
    Kind kind = Kind::kRead;
    unsigned count = 1;         // words of the block, MemoryAccess::count
    unsigned tag = 0;           // the caller's
  };
  // What becomes of a request to the next level.
  enum class After : std::uint8_t {
    kNothing,
    kFill,        // its answer fills the block
    kWhenTaken,   // the request `tag` is answered when the next level has taken it
    kWhenAnswered // the request `tag` is answered when it is
  };
  // What goes to the next level, in this order, from `at` on.
  struct Downward {
    Cycle at = 0;
    std::uint64_t address = 0;  // of the block
    Kind kind = Kind::kRead;
    After after = After::kNothing;
    unsigned count = 1, tag = 0;
  };

  // `ports`: of requests. `ways`: down, at most 64, chosen by the block's address; `queue`: places of each, which what a request
  // brings with it (dirty sectors, a fill) may exceed.
  CachePipeline(const CacheSetup& setup, unsigned ports, unsigned ways, unsigned queue);
  // For who learns of them later: so many instead, before the first request.
  void connect(unsigned ports, unsigned ways) {
    ports_.resize(ports);
    down_.resize(ways);
  }

  bool free(unsigned port) const { return !ports_[port].full; }
  // A port has a request that was not taken yet.
  bool waits() const { return waiting_banks_ != 0; }
  // Requires free(port). True: taken at once; else the port is not free until it is among taken().
  bool offer(unsigned port, const Request& request, Cycle now);
  // The first cycle in which step() takes something, kNever: not before something else has happened.
  Cycle next_step(Cycle now) const;
  // Fills taken() with the ports whose requests go in now.
  void step(Cycle now);
  const std::vector<unsigned>& taken() const { return taken_; }
  // Tags of requests by the date of their answer.
  kernel::DueQueue<unsigned>& answers() { return answers_; }

  unsigned ways() const { return static_cast<unsigned>(down_.size()); }
  // A bit a way that is not empty.
  std::uint64_t ways_in_use() const { return ways_in_use_; }
  // The front of a way down, or null; pop() when the next level has taken it.
  const Downward* down(unsigned way) const { return down_[way].empty() ? nullptr : &down_[way].front(); }
  void pop(unsigned way);
  // The next level has answered a request that was popped.
  void answered(After after, std::uint64_t address, unsigned tag, Cycle now);

  // Waits until nothing is under way while no request is taken, then walks as Cache::flush does. Requires !flushing().
  void flush(Cycle now);
  bool flushing() const { return flush_ != Flush::kNone; }
  // Goes on with the flush; true: it is over, everything was answered below. To be called after each of the calls above.
  bool go_on(Cycle now);
  // The end of the walk; kNever: nothing to wait for.
  Cycle walked() const { return flush_ == Flush::kWalks ? walked_ : kNever; }

  // The block is there. A use of its line.
  bool probe(std::uint64_t address);
  // Reads of blocks that are there, which their owner has served himself.
  void count_reads(std::uint64_t words) { count_.reads += words, count_.read_hits += words; }

  const CacheCounters& counters() const { return count_; }
  // Cycles of the banks: busy with requests, fills, replays, flushes; blocked, with a request at the port: on memory, no
  // MSHR entry is free; on output, the way down is full.
  const kernel::Activity& activity() const { return activity_; }
  const CacheSetup& setup() const { return setup_; }
  // Nothing is under way.
  bool idle() const;

  // ---- stale-line lint
  const HeldSector* held(std::uint64_t address) const override {
    const unsigned slot = tags_.find(line_of(address)), sector = sector_of(address);
    return slot == CacheTags::kNone || !tags_.valid(slot, sector) ? nullptr : &held_[slot * sectors_ + sector];
  }
  // Or a write waits for the sector.
  bool dirty(std::uint64_t address) const override;
  bool write_back() const override { return write_back_; }

 private:
  void watched() override { held_.resize(std::size_t{tags_.slots()} * sectors_); }

  static constexpr unsigned kNone = ~0u;
  enum class Flush : std::uint8_t { kNone, kDrains, kWalks };

  struct Port {
    bool full = false;
    bool no_entry = false;  // it has waited for an MSHR entry
    Cycle offered = 0;
    Request request;
  };
  // A sector under way, and the list of those that wait for it.
  struct Miss {
    std::uint64_t block = 0;
    unsigned first = kNone, last = kNone;
    bool written = false;
  };
  struct Node {
    Request request;
    unsigned next = kNone;
  };
  struct Bank {
    int entries = 0;      // free MSHR entries; below 0 when the last was taken by several words
    unsigned turn = 0;    // port looked at first
    Cycle free_from = 0;  // busy until then
    std::vector<Miss> misses;
    std::vector<unsigned> waiting;  // ports
  };

  std::uint32_t line_of(std::uint64_t address) const { return static_cast<std::uint32_t>(address >> line_shift_); }
  unsigned sector_of(std::uint64_t address) const {
    return static_cast<unsigned>(address / Cache::kSectorBytes) & (sectors_ - 1);
  }
  unsigned bank_of(std::uint64_t address) const { return line_of(address) & (static_cast<unsigned>(banks_.size()) - 1); }
  unsigned way_of(std::uint64_t address) const {
    return down_.size() == 1 ? 0 : static_cast<unsigned>(address / Cache::kSectorBytes % down_.size());
  }
  void book_idle(const Bank& bank, Cycle now);
  bool accepts(const Bank& bank, const Request& request) const {
    return bank.entries > 0 && flush_ == Flush::kNone && down_[way_of(request.address)].size() < queue_;
  }
  void send(Cycle at, std::uint64_t address, Kind kind, After after, unsigned count, unsigned tag);
  void send(const Downward& request);
  void step(unsigned bank, Cycle now);
  void take(Bank& bank, const Request& request, Cycle now);
  void read(Bank& bank, const Request& request, Cycle entered);
  void write(Bank& bank, const Request& request, Cycle entered);
  void atomic(Bank& bank, const Request& request, Cycle entered);
  void miss(Bank& bank, const Request& request, Cycle entered);
  // Sends the dirty sectors of a line down, one a cycle; how many.
  unsigned write_dirty(std::uint32_t line, std::uint8_t sectors, Cycle at);
  void forward(const Request& request, After after, Cycle at);
  void fill(Bank& bank, std::uint64_t block, Cycle now);
  void walk(Cycle now);
  bool quiet() const;

  CacheSetup setup_;
  bool write_back_, write_allocate_;
  CacheTags tags_;
  unsigned line_shift_, sectors_;
  std::size_t queue_;
  std::vector<Port> ports_;
  std::vector<Bank> banks_;
  std::uint64_t waiting_banks_ = 0;  // a bit a bank with waiting ports
  unsigned turn_ = 0;                // bank looked at first
  std::vector<unsigned> taken_;
  std::vector<Node> nodes_;
  unsigned free_node_ = kNone;
  unsigned misses_ = 0, below_ = 0;  // sectors under way; requests the next level has taken but not answered
  kernel::DueQueue<unsigned> answers_;
  std::vector<kernel::Ring<Downward>> down_;
  std::uint64_t ways_in_use_ = 0;
  Flush flush_ = Flush::kNone;
  Cycle flush_begin_ = 0, walked_ = 0;
  CacheCounters count_;
  kernel::Activity activity_;
  std::vector<HeldSector> held_;  // [slot * sectors + sector]; empty: not watched
};

}  // namespace gyre::memory
