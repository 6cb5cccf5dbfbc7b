// Where a debugger connects: a TCP port of the loopback interface, or a Unix socket. One client at a time.
#pragma once

#include <string>
#include <string_view>

namespace gyre::debug {

// Never blocks, never throws after construction; a client that goes away or does not read is dropped.
class Listener {
 public:
  // `where`: a port number (0: any free one), or else the path of a socket. Throws UserError if it cannot be had.
  Listener(const std::string& where, const std::string& option);
  ~Listener();
  Listener(const Listener&) = delete;

  // "127.0.0.1:1234" or the path: what `target remote` takes.
  const std::string& address() const { return address_; }
  int listening() const { return listening_; }
  int client() const { return client_; }  // -1: none
  // Takes a client that waits; false: nobody does. A second one is turned away.
  bool accept();
  // Bytes that have come; false: the client is gone.
  bool receive(std::string& bytes);
  // Sends what the system takes; the rest waits. False: the client is gone.
  bool send(std::string_view bytes);
  bool pending() const { return !out_.empty(); }
  // Ends the connection; what is still to be sent gets `milliseconds`.
  void drop(int milliseconds = 0);

 private:
  bool flush();

  std::string address_, path_;
  int listening_ = -1, client_ = -1;
  std::string out_;
};

}  // namespace gyre::debug
