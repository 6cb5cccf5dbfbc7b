#include "run_watch.h"

#include <fmt/format.h>

#include <algorithm>
#include <csignal>

namespace gyre::platform {
namespace {

volatile std::sig_atomic_t signalled = 0;

void on_interrupt(int signal) {
  signalled = 1;
  std::signal(signal, SIG_DFL);
}

}  // namespace

RunWatch::RunWatch(const MachineConfig& config)
    : watchdog_cycles_(config.sim.watchdog_cycles),
      watchdog_(config.sim.watchdog_cycles * config.gpu.period_ps()),
      limit_(config.sim.time_limit_ps) {
  std::signal(SIGINT, on_interrupt);
  std::signal(SIGTERM, on_interrupt);
}

RunWatch::~RunWatch() {
  std::signal(SIGINT, SIG_DFL);
  std::signal(SIGTERM, SIG_DFL);
}

bool RunWatch::interrupted() { return signalled != 0; }

kernel::Picoseconds RunWatch::slice(kernel::Picoseconds now, kernel::Picoseconds wanted) const {
  return limit_ == 0 || now >= limit_ ? wanted : std::min(wanted, limit_ - now);
}

std::string RunWatch::look(kernel::Picoseconds now, std::uint64_t progress) {
  if (interrupted()) return "interrupted";
  if (limit_ != 0 && now >= limit_) return "the time limit is reached";
  if (progress != seen_) {
    seen_ = progress;
    seen_at_ = now;
  } else if (watchdog_ != 0 && now - seen_at_ >= watchdog_) {
    return fmt::format("no progress for {} GPU cycles", watchdog_cycles_);
  }
  return {};
}

}  // namespace gyre::platform
