// The requests of a unit to its cache in the approximate style: lists of words that go out from a date on, and a call
// back when the last one is done.
#pragma once

#include <tlm>

#include <cstdint>
#include <functional>
#include <memory>
#include <queue>
#include <systemc>
#include <vector>

#include "at_channel.h"
#include "cycle.h"
#include "mem_attributes.h"
#include "memory_level.h"
#include "payload_pool.h"
#include "sim_time.h"

namespace gyre::kernel {

// What travels are dates (MemAttributes::dates_only): the unit has moved its data already. TLM base protocol, four
// phases, one socket a bank of the cache, so that a bank that is busy holds up its own requests only. Requests of a bank
// leave in the order of their dates, those of one date in the order of the calls, one at a time.
class AtClient : public sc_core::sc_module {
 public:
  // The cycle of the last answer; of writes: when the last was accepted. Called outside of the caller's process.
  using Done = std::function<void(Cycle)>;

  // `banks`: a power of two; bank = address >> line_shift, modulo. `period`: of the unit's clock.
  AtClient(sc_core::sc_module_name name, unsigned banks, unsigned line_shift, Picoseconds period, MemSource source,
           unsigned core = 0);
  ~AtClient() override;

  // Binds every channel to `target`, a multi-socket.
  template <class Target>
  void bind(Target& target) {
    for (unsigned channel = 0; channel < channels(); ++channel) socket(channel).bind(target);
  }
  unsigned channels() const { return static_cast<unsigned>(channels_.size()); }
  tlm::tlm_initiator_socket<kMemoryBusBits>& socket(unsigned channel);

  // `lines` >= 1 accesses that are to be presented at `at`, or as soon as they can.
  void read(const MemoryAccess* list, unsigned lines, Cycle at, Done done) { group(kRead, list, lines, at, std::move(done)); }
  void write(const MemoryAccess* list, unsigned lines, Cycle at, Done done) { group(kWrite, list, lines, at, std::move(done)); }
  // One after the other, a cycle apart.
  void atomic(const std::uint32_t* address, unsigned count, Cycle at, Done done) {
    words(kAtomic, address, count, at, std::move(done));
  }
  void read_io(const std::uint32_t* address, unsigned count, Cycle at, Done done) {
    words(kReadIo, address, count, at, std::move(done));
  }
  void write_io(const std::uint32_t* address, unsigned count, Cycle at, Done done) {
    words(kWriteIo, address, count, at, std::move(done));
  }

  // Calls with a request that the cache has not taken yet; and those that are not done.
  unsigned waiting() const { return waiting_; }
  unsigned open() const { return open_; }
  // Called when waiting() has become smaller.
  std::function<void()> taken;

 private:
  enum Kind : std::uint8_t { kRead, kWrite, kAtomic, kReadIo, kWriteIo };
  struct Channel;
  struct Group {
    Done done;
    unsigned unsent = 0, unanswered = 0;
  };

  unsigned open_group(unsigned requests, Done done);
  void group(Kind kind, const MemoryAccess* list, unsigned lines, Cycle at, Done done);
  void words(Kind kind, const std::uint32_t* address, unsigned count, Cycle at, Done done);
  void add(Kind kind, MemoryAccess access, Cycle at, unsigned group);
  void pump(Channel& channel);
  void close(unsigned index);
  void accepted(Channel& channel, tlm::tlm_generic_payload& payload);
  void answered(tlm::tlm_generic_payload& payload);
  Cycle now() const { return cycle_now(period_); }

  const unsigned line_shift_;
  const Picoseconds period_;
  const MemSource source_;
  const unsigned core_;
  PayloadPool pool_;
  std::vector<std::unique_ptr<Channel>> channels_;
  std::vector<Group> groups_;
  std::vector<unsigned> free_groups_;
  std::uint64_t sequence_ = 0;
  unsigned waiting_ = 0, open_ = 0;
};

}  // namespace gyre::kernel
