// One client's talk with one target: the GDB remote serial protocol, all-stop, without the wire.
//
// Pure but for the target: bytes in, bytes out. Nothing a client sends makes it throw, and it answers whatever it does
// not know with the empty packet.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "packet.h"
#include "target.h"

namespace gyre::debug {

class Session {
 public:
  enum class State {
    kIdle,     // no client
    kStopped,  // the client has the machine
    kRunning,  // the client waits for a stop
  };

  explicit Session(Target& target) : target_(target) {}

  // A client has come. The machine must be standing still.
  void open();
  // It is gone: points and steps with it.
  void close();
  // Bytes from the client. May change state(); `killed` is set by `k`.
  void receive(std::string_view bytes);
  // Bytes for the client; taking them removes them.
  std::string take_output();
  bool has_output() const { return !output_.empty(); }

  // The target has stopped; a running client is told. The state is kStopped afterwards, unless there is no client.
  void stop(const StopEvent& event);
  // The machine's run has ended with this code.
  void exited(int code);
  // Text for the console of a client that waits.
  void say(std::string_view text);

  State state() const { return state_; }
  // The client wants the machine to stop (byte 0x03). Reading it clears it.
  bool take_interrupt();
  bool killed() const { return killed_; }
  // The client has said good-bye: close the connection once the output is out.
  bool finished() const { return finished_; }
  Target& target() { return target_; }

 private:
  void handle(std::string_view packet);
  void reply(std::string_view payload);
  void error(unsigned number);
  void query(std::string_view packet);
  void transfer(std::string_view packet);
  void read_registers();
  void write_registers(std::string_view hex);
  void memory(char kind, std::string_view rest);
  void point(bool insert, std::string_view rest);
  void select(std::string_view rest);
  void resume_simple(char kind, std::string_view rest);
  void resume_actions(std::string_view rest);
  void go(const std::vector<Step>& steps, ThreadId only);
  void monitor(std::string_view hex);
  std::string stop_reply() const;
  // "-1" and "0" give `any`. False: no thread id.
  static bool take_thread(std::string_view& text, ThreadId& thread, bool& any);
  ThreadId general();

  Target& target_;
  State state_ = State::kIdle;
  PacketReader reader_;
  std::string output_, last_;
  bool acknowledge_ = true, interrupt_ = false, killed_ = false, finished_ = false;
  bool reports_points_ = false;  // the client knows the stop reasons swbreak and hwbreak
  StopEvent event_;
  ThreadId general_ = 0;                  // 0: the one that stopped
  std::string document_, document_name_;  // of the transfer under way
};

}  // namespace gyre::debug
