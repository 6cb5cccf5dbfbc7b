// A gyre that listens for debuggers, and the two kinds of clients the tests attach: GDB with a script, and a bare
// socket.
#pragma once

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <boost/test/unit_test.hpp>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "gyre_paths.h"
#include "packet.h"
#include "run_gyre.h"

namespace gyre::test {

// What a transcript must hold.
#define HAS(text, part) BOOST_TEST((text.find(part) != std::string::npos), "no \"" << part << "\" in:\n" << text)

// False: no GDB here; says so once.
inline bool have_gdb() {
  static const bool have = [] {
    const bool found = std::system("command -v gdb-multiarch >/dev/null 2>&1") == 0;
    if (!found) {
      std::printf("SKIPPED GDB sessions: needs gdb-multiarch\n");
      std::fflush(stdout);
    }
    return found;
  }();
  return have;
}

// gyre with the words given; "SOCKET" and "SOCKET2" among them become paths of sockets.
class DebugRun {
 public:
  explicit DebugRun(std::vector<std::string> words) {
    words.insert(words.begin(), GYRE_BINARY);
    words.push_back("-q");
    for (auto& word : words) {
      if (word == "SOCKET" || word == "SOCKET2") {
        sockets_.push_back(scratch_ / word);
        word = sockets_.back();
      }
    }
    gyre_ = std::make_unique<Child>(words, scratch_ / "out", scratch_ / "err");
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    for (const std::string& socket : sockets_)
      while (access(socket.c_str(), F_OK) != 0 && gyre_->running() && std::chrono::steady_clock::now() < deadline)
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }

  // Runs GDB with the commands on `program` and returns all it said.
  std::string gdb(const std::string& program, const std::vector<std::string>& commands, int seconds = 120) {
    return said(*start_gdb(program, commands), seconds);
  }
  static std::string said(Child& gdb, int seconds = 120) {
    const Outcome outcome = gdb.wait(seconds);
    BOOST_TEST(outcome.code != 2000, "GDB does not come to an end");
    return outcome.out + outcome.err;
  }
  std::unique_ptr<Child> start_gdb(const std::string& program, const std::vector<std::string>& commands) {
    const std::string name = scratch_ / ("gdb" + std::to_string(gdbs_++));
    std::ofstream script(name);
    script << "set pagination off\nset confirm off\nset width 0\nset height 0\nset debuginfod enabled off\n"
           << "directory " GYRE_SOURCE_DIR "\nset sysroot /\nset remotetimeout 60\n";
    for (const std::string& command : commands) script << command << "\n";
    script.close();
    return std::make_unique<Child>(std::vector<std::string>{"gdb-multiarch", "-nx", "-batch", "-x", name, program},
                                   name + ".out", name + ".err");
  }
  std::string attach() const { return "target remote " + sockets_.at(0); }
  std::string attach_second() const { return "target remote " + sockets_.at(1); }
  const std::string& socket() const { return sockets_.at(0); }
  bool running() { return gyre_->running(); }
  Outcome wait(int seconds = 120) { return gyre_->wait(seconds); }
  std::string file(const std::string& name) const { return scratch_ / name; }

 private:
  ScratchFolder scratch_{"debug"};
  std::vector<std::string> sockets_;
  unsigned gdbs_ = 0;
  std::unique_ptr<Child> gyre_;
};

// A client without manners.
class RawClient {
 public:
  explicit RawClient(const std::string& path) : fd_(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_un name{};
    name.sun_family = AF_UNIX;
    std::strncpy(name.sun_path, path.c_str(), sizeof name.sun_path - 1);
    // The name is there a moment before somebody listens.
    int failed = -1;
    for (int i = 0; i < 2000 && failed != 0; ++i) {
      failed = connect(fd_, reinterpret_cast<sockaddr*>(&name), sizeof name);
      if (failed != 0) std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    BOOST_REQUIRE(failed == 0);
  }
  ~RawClient() { close(fd_); }
  RawClient(const RawClient&) = delete;

  void send(const std::string& bytes) { (void)!::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL); }
  // The next packet from the other side; "closed" at the end, "nothing" if none comes in time.
  std::string receive(int milliseconds = 20000) {
    for (;;) {
      std::string_view rest = bytes_;
      const auto item = reader_.next(rest);
      bytes_ = rest;
      if (item == debug::PacketReader::Item::kPacket) return reader_.payload();
      if (!bytes_.empty()) continue;
      pollfd entry{fd_, POLLIN, 0};
      if (poll(&entry, 1, milliseconds) <= 0) return "nothing";
      char buffer[4096];
      const ssize_t n = recv(fd_, buffer, sizeof buffer, 0);
      if (n <= 0) return "closed";
      bytes_.assign(buffer, static_cast<std::size_t>(n));
    }
  }
  std::string ask(const std::string& payload) {
    send(debug::frame(payload));
    return receive();
  }

 private:
  int fd_;
  debug::PacketReader reader_;
  std::string bytes_;
};

}  // namespace gyre::test
