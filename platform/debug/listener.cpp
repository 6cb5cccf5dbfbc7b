#include "listener.h"

#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "error.h"

namespace gyre::debug {
namespace {

constexpr std::size_t kMostUnsent = 16u << 20;  // bytes for a client that does not read

bool is_port(const std::string& where) {
  return !where.empty() && std::all_of(where.begin(), where.end(), [](char c) { return c >= '0' && c <= '9'; });
}

int make_socket(int family) { return socket(family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0); }

}  // namespace

Listener::Listener(const std::string& where, const std::string& option) {
  auto refuse = [&](const char* what) { user_error("{} {}: {}", option, where, what); };
  auto system_refuses = [&] { refuse(std::strerror(errno)); };
  if (is_port(where)) {
    const unsigned long port = where.size() > 5 ? 65536 : std::stoul(where);
    if (port > 65535) refuse("a port is a number up to 65535");
    sockaddr_in name{};
    name.sin_family = AF_INET;
    name.sin_port = htons(static_cast<std::uint16_t>(port));
    name.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    const int on = 1;
    listening_ = make_socket(AF_INET);
    if (listening_ >= 0) setsockopt(listening_, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    socklen_t size = sizeof name;
    if (listening_ < 0 || bind(listening_, reinterpret_cast<sockaddr*>(&name), size) != 0 ||
        listen(listening_, 1) != 0 || getsockname(listening_, reinterpret_cast<sockaddr*>(&name), &size) != 0)
      system_refuses();
    address_ = "127.0.0.1:" + std::to_string(ntohs(name.sin_port));
    return;
  }
  sockaddr_un name{};
  name.sun_family = AF_UNIX;
  if (where.empty() || where.size() >= sizeof name.sun_path)
    refuse("write a port number, or the path of a socket (at most 107 characters)");
  std::memcpy(name.sun_path, where.data(), where.size());
  struct stat found {};
  if (lstat(where.c_str(), &found) == 0) {
    if (!S_ISSOCK(found.st_mode)) refuse("there is a file of that name which is no socket");
    unlink(where.c_str());  // left by a run that was ended by force
  }
  listening_ = make_socket(AF_UNIX);
  if (listening_ < 0 || bind(listening_, reinterpret_cast<sockaddr*>(&name), sizeof name) != 0 ||
      listen(listening_, 1) != 0)
    system_refuses();
  address_ = path_ = where;
}

Listener::~Listener() {
  drop();
  if (listening_ >= 0) close(listening_);
  if (!path_.empty()) unlink(path_.c_str());
}

bool Listener::accept() {
  const int fd = accept4(listening_, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
  if (fd < 0) return false;
  if (client_ >= 0) {
    close(fd);
    return false;
  }
  const int on = 1;
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);  // a Unix socket refuses, and needs it not
  client_ = fd;
  out_.clear();
  return true;
}

bool Listener::receive(std::string& bytes) {
  char buffer[4096];
  for (;;) {
    const ssize_t n = recv(client_, buffer, sizeof buffer, 0);
    if (n > 0) {
      bytes.append(buffer, static_cast<std::size_t>(n));
      if (bytes.size() >= 1u << 16) return true;  // the rest later
      continue;
    }
    if (n < 0 && errno == EINTR) continue;
    // What came before the end is still worth something.
    return (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) || !bytes.empty();
  }
}

bool Listener::flush() {
  while (!out_.empty()) {
    const ssize_t n = ::send(client_, out_.data(), out_.size(), MSG_NOSIGNAL);
    if (n > 0)
      out_.erase(0, static_cast<std::size_t>(n));
    else if (n < 0 && errno == EINTR)
      continue;
    else
      return n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK) && out_.size() < kMostUnsent;
  }
  return true;
}

bool Listener::send(std::string_view bytes) {
  if (client_ < 0) return false;
  out_ += bytes;
  return flush();
}

void Listener::drop(int milliseconds) {
  if (client_ < 0) return;
  for (; milliseconds > 0 && !out_.empty() && flush() && !out_.empty(); milliseconds -= 10) {
    pollfd entry{client_, POLLOUT, 0};
    poll(&entry, 1, 10);
  }
  close(client_);
  client_ = -1;
  out_.clear();
}

}  // namespace gyre::debug
