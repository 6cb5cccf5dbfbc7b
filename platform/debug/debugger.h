// The debugger of a run: its ports, its sessions, and the rule that the machine moves only while no client has it.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "listener.h"
#include "session.h"

namespace gyre::debug {

// Single-threaded: clients are served between slices of a run, and inside a stop. While a stop lasts no simulated time
// passes and no other part of the machine runs, so a run with a debugger is the run without one.
class Debugger : public StopSink {
 public:
  // `wait`: begin() returns only when every port has had a client that let the machine go.
  explicit Debugger(bool wait) : wait_(wait) {}
  ~Debugger() { end(1); }

  // Adds a port. `option`: what the user called it, for messages. Throws UserError.
  void listen(std::unique_ptr<Target> target, const std::string& where, const std::string& option);
  bool empty() const { return ports_.empty(); }

  // Before the first instruction: says where the ports are, and waits if it was asked to.
  void begin();
  // Between slices of the run: serves clients that came or want to stop. False: a client has killed the machine.
  bool poll();
  // The run cannot go on, for this reason: clients that wait may look around before it ends.
  void stuck(const std::string& why);
  // The machine has ended with this exit code.
  void end(int code);
  bool killed() const { return killed_; }
  // The user has told the program to end: nobody is waited for. May be empty.
  std::function<bool()> give_up;

  // StopSink
  void stopped(Target& target, const StopEvent& event) override;

 private:
  struct Port {
    Port(std::unique_ptr<Target> t, const std::string& where, const std::string& option)
        : target(std::move(t)), session(*target), listener(where, option) {}
    std::unique_ptr<Target> target;
    Session session;
    Listener listener;
    bool let_go = false;  // a client has let the machine run at least once
  };
  bool held() const;
  void hold();
  // Waits up to `milliseconds` for something to happen on the ports and deals with it.
  void serve(int milliseconds);
  void serve_client(Port& port);
  void leave(Port& port);

  const bool wait_;
  bool begun_ = false, killed_ = false;
  std::vector<std::unique_ptr<Port>> ports_;
  std::chrono::steady_clock::time_point next_look_{};
};

}  // namespace gyre::debug
