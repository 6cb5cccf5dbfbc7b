// When the command processor's accesses to device memory are over: blocks of 64 bytes, below all caches (cp.md §1, §10).
#pragma once

#include <cstdint>
#include <optional>
#include <systemc>
#include <vector>

#include "at_client.h"
#include "device_space.h"
#include "dram.h"
#include "sim_time.h"

namespace gyre::cp {

using kernel::Cycle;

// Dates only: the caller has moved its data. Loose: from the calendars of the DRAM, in the call. Approximate: requests
// travel, and the command processor's thread, which every call must come from, waits for their answers.
class DeviceTime {
 public:
  struct Counters {
    std::uint64_t reads = 0, writes = 0;  // blocks
    std::uint64_t bytes = 0;              // that were wanted of them
    std::uint64_t read_latency = 0;       // cycles, summed over the reads
  };

  // `arbiter`: cycles to the memory. `outstanding` >= 1: beats that may be under way, as many as the ports of
  // the memory hold.
  DeviceTime(kernel::LocalClock& clock, unsigned arbiter, unsigned outstanding)
      : clock_(clock), arbiter_(arbiter), over_(outstanding) {}

  // One of the two, before anything runs.
  void set_dram(memory::Dram* dram) { dram_ = dram; }
  void set_client(kernel::AtClient* client) { client_ = client; }

  // A beat: a block is read, or written, or read and then written elsewhere.
  struct Beat {
    std::optional<std::uint64_t> read, write;  // addresses in the blocks
  };
  using Ticket = std::uint64_t;
  // Begins a beat at `at`, a cycle after the one before or when there is room for it, whichever is last.
  Ticket issue(const Beat& beat, Cycle at);
  // The cycle from which the next beat may begin.
  Cycle next_issue() const { return next_issue_; }
  // The cycle the beat was over: the block was back, or its write accepted. Approximate: waits for that.
  Cycle over(Ticket ticket);
  // The cycle the last of all beats was over.
  Cycle drained();

  // One access of up to a page; the clock goes on when it is over.
  void read(const Place& place, unsigned bytes);
  void write(const Place& place, unsigned bytes);
  // The table entries on the way to `place`, one after the other.
  void walk(const Place& place);
  void count_bytes(std::uint64_t bytes) { count_.bytes += bytes; }

  const Counters& counters() const { return count_; }

 private:
  void send(Ticket ticket, const Beat& beat, Cycle at);
  void done(Ticket ticket, Cycle when);
  void access(const Place& place, unsigned bytes, bool write);

  kernel::LocalClock& clock_;
  const unsigned arbiter_;
  memory::Dram* dram_ = nullptr;
  kernel::AtClient* client_ = nullptr;
  std::vector<Cycle> over_;  // of the latest beats, by ticket; kNever: under way
  Ticket next_ = 0;
  Cycle next_issue_ = 0, last_over_ = 0;
  sc_core::sc_event answered_{"device_time_answered"};
  Counters count_;
};

// Lines of a descriptor in the order they are used, `ahead` of them asked for before they are (cp.md §10).
class LineStream {
 public:
  // The descriptor is [address, end). Waits for its first line.
  LineStream(DeviceTime& time, DeviceSpace& space, kernel::LocalClock& clock, std::uint64_t address, std::uint64_t end,
             bool physical, unsigned ahead);
  // Waits until the line with byte `address` of the descriptor has come.
  void reach(std::uint64_t address);

 private:
  void ask();

  DeviceTime& time_;
  DeviceSpace& space_;
  kernel::LocalClock& clock_;
  const std::uint64_t end_;  // line behind the last
  const bool physical_;
  const unsigned ahead_;
  std::uint64_t asked_, come_;  // lines: the next to ask for, the next to wait for
  const std::uint64_t first_;  // line
  std::vector<DeviceTime::Ticket> tickets_;  // of [first_, asked_)
};

}  // namespace gyre::cp
