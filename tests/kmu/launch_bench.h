// Consumers and producers of launch messages for the tests of KMU and routers.
#pragma once

#include <random>
#include <systemc>
#include <vector>

#include "context.h"
#include "fork_case.h"
#include "launch.h"

namespace gyre::test {

using kernel::Cycle;
using kernel::LaunchKind;
using kernel::LaunchMessage;

// A core's front door: a bounded queue, emptied at random intervals by a thread of its own.
struct Consumer : sc_core::sc_module, kernel::LaunchSink {
  SC_HAS_PROCESS(Consumer);
  Consumer(sc_core::sc_module_name name, kernel::Context& context, unsigned depth, unsigned longest, unsigned seed)
      : sc_module(name),
        ctx(context),
        clock(context.gpu_clock()),
        node(context.busy.add_node(this->name())),
        queue(depth),
        longest_pause(longest),
        random(seed) {
    SC_THREAD(run);
  }
  bool try_put(const LaunchMessage& message, Cycle stamp) override {
    if (queue.full()) {
      ++refusals;
      return false;
    }
    ctx.busy.take(node);
    queue.push(message, stamp);
    return true;
  }
  const sc_core::sc_event& space_event() const override { return queue.space_event(); }
  Cycle space_stamp() const override { return queue.space_stamp(); }
  void run() {
    for (;;) {
      clock.wait_until(queue.data_event(), [this] { return !queue.empty(); });
      clock.advance_to(queue.head_stamp());
      if (longest_pause != 0) clock.advance(random() % longest_pause);
      if (clock.quantum_spent()) clock.sync();
      messages.push_back(queue.head());
      stamps.push_back(queue.head_stamp());
      queue.pop(clock.now());
      ctx.busy.give(node, clock.now());
    }
  }
  kernel::Context& ctx;
  kernel::LocalClock clock;
  kernel::BusyTree::Node node;
  kernel::LaunchQueue queue;
  unsigned longest_pause;
  std::mt19937 random;
  std::vector<LaunchMessage> messages;
  std::vector<Cycle> stamps;
  std::uint64_t refusals = 0;
};

// Sends a list of messages, one a cycle, holding each until it is accepted.
struct Producer : sc_core::sc_module {
  SC_HAS_PROCESS(Producer);
  sc_core::sc_port<kernel::LaunchSink> launch{"launch"};
  Producer(sc_core::sc_module_name name, kernel::Context& ctx, std::vector<LaunchMessage> list)
      : sc_module(name), clock(ctx.gpu_clock()), messages(std::move(list)) {
    SC_THREAD(run);
  }
  void run() {
    for (const LaunchMessage& message : messages) {
      while (!launch->try_put(message, clock.now())) {
        if (clock.now_ps() > kernel::kernel_now()) {
          clock.sync();
          continue;
        }
        sc_core::wait(launch->space_event());
        clock.catch_up();
        clock.advance_to(launch->space_stamp());
      }
      ++sent;
      clock.advance(1);
      if (clock.quantum_spent()) clock.sync();
    }
  }
  kernel::LocalClock clock;
  std::vector<LaunchMessage> messages;
  std::size_t sent = 0;
};

}  // namespace gyre::test
