#include "launch_router.h"

#include <stdexcept>
#include <string>

namespace gyre::kmu {

using kernel::Cycle;
using kernel::LaunchKind;
using kernel::LaunchMessage;

LaunchRouter::LaunchRouter(sc_core::sc_module_name name, RouterLevel level, const GpuConfig& gpu, unsigned inputs)
    : sc_module(name), level_(level), cores_(gpu.cores), sockets_(gpu.sockets), wanted_(inputs, kAnyOutput) {
  for (unsigned i = 1; i < inputs; ++i) extra_.emplace_back(this, i);
  SC_METHOD(relay);
  sensitive << listen_;
  dont_initialize();
}

void LaunchRouter::end_of_elaboration() {
  seen_.resize(out.size());
  for (int i = 0; i < out.size(); ++i) outputs_space_ |= out[i]->space_event();
}

unsigned LaunchRouter::output_of(std::uint32_t dest) const {
  unsigned index = 0;
  switch (level_) {
    case RouterLevel::kDevice:
      index = dest / (cores_ * sockets_);
      break;
    case RouterLevel::kCluster:
      index = dest / cores_ % sockets_;
      break;
    case RouterLevel::kSocket:
      index = dest % cores_;
      break;
  }
  if (index >= static_cast<unsigned>(out.size()))
    throw std::logic_error(std::string(name()) + ": no output for core " + std::to_string(dest));
  return index;
}

bool LaunchRouter::pass(unsigned output, unsigned input, const LaunchMessage& message, Cycle stamp) {
  if (!out[output]->try_put(message, stamp + kLevelCycles)) return false;
  if (!message.eop) {
    holder_ = input;
    run_output_ = output;
    return true;
  }
  if (message.kind == LaunchKind::kCompute) pointer_ = (output + 1) % static_cast<unsigned>(out.size());
  holder_ = kFree;
  if (refused_by_run_) {
    refused_by_run_ = false;
    run_end_ = stamp;
    space_.notify(sc_core::SC_ZERO_TIME);
  }
  return true;
}

bool LaunchRouter::put(unsigned input, const LaunchMessage& message, Cycle stamp) {
  if (holder_ != kFree && holder_ != input) {
    refused_by_run_ = true;
    wanted_[input] = kAnyOutput;
    return false;
  }
  if (holder_ == input || message.kind == LaunchKind::kFragment) {
    const unsigned output = holder_ == input ? run_output_ : output_of(message.dest);
    if (pass(output, input, message, stamp)) return true;
    wanted_[input] = output;
  } else {
    const unsigned count = static_cast<unsigned>(out.size());
    for (unsigned i = 0; i < count; ++i)
      if (pass((pointer_ + i) % count, input, message, stamp)) return true;
    wanted_[input] = kAnyOutput;
  }
  listen();
  return false;
}

const sc_core::sc_event& LaunchRouter::space_event() const {
  // A plain wire needs no relay.
  if (extra_.empty() && out.size() == 1) return out[0]->space_event();
  return space_;
}

Cycle LaunchRouter::stamp_for(unsigned input) const {
  if (extra_.empty() && out.size() == 1) return out[0]->space_stamp();
  const Cycle room = wanted_[input] == kAnyOutput ? newest_space_ : out[wanted_[input]]->space_stamp();
  return std::max(room, run_end_);
}

void LaunchRouter::listen() {
  if (listening_ || (extra_.empty() && out.size() == 1)) return;
  listening_ = just_asked_ = true;
  for (int i = 0; i < out.size(); ++i) seen_[i] = out[i]->space_stamp();
  listen_.notify(sc_core::SC_ZERO_TIME);
}

// Runs once when a refusal asks to listen, and once when an output has made room. An output may have made room
// between the refusal and the first run, so that run tells the producers to look again too.
void LaunchRouter::relay() {
  Cycle earliest = ~Cycle{0};
  for (int i = 0; i < out.size(); ++i) {
    const Cycle stamp = out[i]->space_stamp();
    if (stamp != seen_[i]) earliest = std::min(earliest, stamp);
    seen_[i] = stamp;
  }
  if (earliest != ~Cycle{0}) newest_space_ = earliest;
  space_.notify(sc_core::SC_ZERO_TIME);
  if (just_asked_) {
    just_asked_ = false;
    next_trigger(outputs_space_);
  } else {
    listening_ = false;
  }
}

}  // namespace gyre::kmu
