#include "device_time.h"

#include <algorithm>

#include "device_map.h"
#include "page_table.h"

namespace gyre::cp {
namespace {

constexpr std::uint64_t kBlock = GYRE_DEV_BLOCK_BYTES;

}  // namespace

DeviceTime::Ticket DeviceTime::issue(const Beat& beat, Cycle at) {
  const Ticket ticket = next_;
  if (ticket >= over_.size()) at = std::max(at, over(ticket - over_.size()));
  at = std::max({at, next_issue_, clock_.now()});
  next_issue_ = at + 1;
  ++next_;
  count_.reads += beat.read.has_value();
  count_.writes += beat.write.has_value();
  over_[ticket % over_.size()] = kernel::kNever;
  send(ticket, beat, at);
  return ticket;
}

void DeviceTime::send(Ticket ticket, const Beat& beat, Cycle at) {
  const Cycle there = at + arbiter_;
  if (client_ == nullptr) {
    Cycle when = there;
    if (beat.read) {
      when = dram_->read({*beat.read, 1}, there);
      count_.read_latency += when - at;
    }
    if (beat.write) when = dram_->write({*beat.write, 1}, beat.read ? when + arbiter_ : there);
    done(ticket, when);
    return;
  }
  const auto write = [this, ticket, to = beat.write](Cycle from) {
    const kernel::MemoryAccess block{*to, 1};
    client_->write(&block, 1, from, [this, ticket](Cycle accepted) { done(ticket, accepted); });
  };
  if (!beat.read) {
    write(there);
    return;
  }
  const kernel::MemoryAccess block{*beat.read, 1};
  client_->read(&block, 1, there, [this, ticket, at, write, copies = beat.write.has_value()](Cycle back) {
    count_.read_latency += back - at;
    if (copies)
      write(back + arbiter_);
    else
      done(ticket, back);
  });
}

void DeviceTime::done(Ticket ticket, Cycle when) {
  over_[ticket % over_.size()] = when;
  last_over_ = std::max(last_over_, when);
  if (client_ != nullptr) answered_.notify(sc_core::SC_ZERO_TIME);
}

Cycle DeviceTime::over(Ticket ticket) {
  if (ticket + over_.size() < next_) return 0;  // a later beat has waited for its place
  const Cycle& when = over_[ticket % over_.size()];
  while (when == kernel::kNever) {
    sc_core::wait(answered_);
    clock_.catch_up();
  }
  return when;
}

Cycle DeviceTime::drained() {
  for (Ticket ticket = next_ - std::min<Ticket>(next_, over_.size()); ticket != next_; ++ticket) over(ticket);
  return last_over_;
}

void DeviceTime::access(const Place& place, unsigned bytes, bool write) {
  count_.bytes += bytes;
  const std::uint64_t last = (place.address + bytes - 1) / kBlock;
  Ticket ticket = 0;
  for (std::uint64_t block = place.address / kBlock; block <= last; ++block) {
    Beat beat;
    (write ? beat.write : beat.read) = block * kBlock;
    ticket = issue(beat, clock_.now());
  }
  clock_.advance_to(over(ticket));
}

void DeviceTime::read(const Place& place, unsigned bytes) { access(place, bytes, false); }
void DeviceTime::write(const Place& place, unsigned bytes) { access(place, bytes, true); }

void DeviceTime::walk(const Place& place) {
  for (unsigned level = 0; level < place.levels; ++level) read({place.entry[level]}, place.entry_bytes);
}

LineStream::LineStream(DeviceTime& time, DeviceSpace& space, kernel::LocalClock& clock, std::uint64_t address,
                       std::uint64_t end, bool physical, unsigned ahead)
    : time_(time),
      space_(space),
      clock_(clock),
      end_((end + kBlock - 1) / kBlock),
      physical_(physical),
      ahead_(ahead),
      asked_(address / kBlock),
      come_(asked_),
      first_(asked_) {
  time_.count_bytes(end - address);
  reach(address);
}

void LineStream::ask() {
  const Place place = space_.place(asked_ * kBlock, physical_);
  // Entries of the tables are read once a page.
  if (asked_ == first_ || asked_ * kBlock % memory::kPageBytes == 0) time_.walk(place);
  DeviceTime::Beat beat;
  beat.read = place.address;
  tickets_.push_back(time_.issue(beat, clock_.now()));
  ++asked_;
}

void LineStream::reach(std::uint64_t address) {
  for (; come_ <= address / kBlock; ++come_) {
    if (come_ == asked_) ask();
    clock_.advance_to(time_.over(tickets_[come_ - first_]));
    while (asked_ < end_ && asked_ - come_ <= ahead_) ask();
  }
}

}  // namespace gyre::cp
