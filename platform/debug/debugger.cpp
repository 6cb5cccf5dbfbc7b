#include "debugger.h"

#include <fmt/format.h>
#include <poll.h>

#include <systemc>

namespace gyre::debug {
namespace {

constexpr auto kLook = std::chrono::milliseconds(2);  // wall time between two looks at the ports of a running machine
constexpr int kWait = 200;                            // milliseconds between two looks at give_up
constexpr int kFarewell = 1000;                       // milliseconds for the last words to a client

}  // namespace

void Debugger::listen(std::unique_ptr<Target> target, const std::string& where, const std::string& option) {
  ports_.push_back(std::make_unique<Port>(std::move(target), where, option));
}

void Debugger::begin() {
  if (begun_ || ports_.empty()) return;
  begun_ = true;
  for (const auto& port : ports_)
    fmt::print(stderr, "gyre: {}: target remote {}{}\n", port->target->name(), port->listener.address(),
               wait_ ? " (waiting for it)" : "");
  std::fflush(stderr);
  hold();
}

bool Debugger::held() const {
  for (const auto& port : ports_)
    if (port->session.state() == Session::State::kStopped || (wait_ && !port->let_go)) return true;
  return false;
}

void Debugger::hold() {
  while (!killed_ && held() && !(give_up && give_up())) serve(kWait);
}

bool Debugger::poll() {
  const auto now = std::chrono::steady_clock::now();
  if (now < next_look_) return !killed_;
  next_look_ = now + kLook;
  serve(0);
  hold();
  return !killed_;
}

void Debugger::stopped(Target& target, const StopEvent& event) {
  for (const auto& port : ports_) {
    if (port->target.get() != &target) continue;
    if (killed_ || port->session.state() == Session::State::kIdle) return;
    port->session.stop(event);
    serve_client(*port);
  }
  hold();
}

void Debugger::stuck(const std::string& why) {
  for (const auto& port : ports_) {
    if (port->session.state() != Session::State::kRunning) continue;
    StopEvent event;
    event.signal = kSignalAbort;
    event.thread = port->target->default_thread();
    event.text = why + "\n";
    port->session.stop(event);
    serve_client(*port);
  }
  hold();
}

void Debugger::end(int code) {
  for (const auto& port : ports_) {
    if (port->session.state() == Session::State::kIdle) continue;
    port->session.exited(code);
    port->listener.send(port->session.take_output());
    leave(*port);
  }
  ports_.clear();
}

void Debugger::leave(Port& port) {
  port.session.close();
  port.let_go = true;
  port.listener.drop(kFarewell);
}

void Debugger::serve_client(Port& port) {
  if (port.listener.client() < 0) return;
  std::string bytes;
  const bool there = port.listener.receive(bytes);
  port.session.receive(bytes);
  // A client may interrupt what it has just let go.
  if (port.session.take_interrupt()) {
    StopEvent event;
    event.signal = kSignalInterrupt;
    event.thread = port.target->default_thread();
    port.session.stop(event);
  }
  const bool sent = port.listener.send(port.session.take_output());
  if (port.session.state() == Session::State::kRunning) port.let_go = true;
  if (port.session.killed() && !killed_) {
    killed_ = true;
    sc_core::sc_stop();
  }
  if (!there || !sent || port.session.finished()) leave(port);
}

void Debugger::serve(int milliseconds) {
  std::vector<pollfd> entries;
  for (const auto& port : ports_) {
    entries.push_back({port->listener.listening(), POLLIN, 0});
    const short wanted = static_cast<short>(port->listener.pending() ? POLLIN | POLLOUT : POLLIN);
    entries.push_back({port->listener.client(), wanted, 0});  // -1 is left out
  }
  if (::poll(entries.data(), entries.size(), milliseconds) <= 0) return;
  for (std::size_t i = 0; i < ports_.size(); ++i) {
    Port& port = *ports_[i];
    if (entries[2 * i + 1].revents != 0) serve_client(port);
    if (entries[2 * i].revents != 0 && port.listener.accept()) port.session.open();
  }
}

}  // namespace gyre::debug
