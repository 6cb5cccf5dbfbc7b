#include "isolate.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <new>

#include "error.h"

namespace gyre::scene {
namespace {

#if !defined(__SANITIZE_ADDRESS__)  // its shadow memory counts as address space
constexpr rlim_t kAddressSpace = rlim_t{8} << 30;
#endif
constexpr std::uint8_t kOk = 'O', kUserError = 'E';

void write_all(int fd, const void* data, std::size_t bytes) {
  const auto* at = static_cast<const char*>(data);
  while (bytes > 0) {
    const ssize_t n = write(fd, at, bytes);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) _exit(1);
    at += n;
    bytes -= static_cast<std::size_t>(n);
  }
}

void limit(int resource, rlim_t value) {
  const rlimit both{value, value};
  setrlimit(static_cast<__rlimit_resource_t>(resource), &both);
}

[[noreturn]] void child(int fd, unsigned cpu_seconds, const std::function<std::vector<std::uint8_t>()>& body) {
  if (const int null = open("/dev/null", O_WRONLY); null >= 0) {
    dup2(null, STDOUT_FILENO);
    dup2(null, STDERR_FILENO);
  }
  // Handlers of the parent would report the child's crash as the program's.
  for (int signal : {SIGSEGV, SIGABRT, SIGFPE, SIGILL, SIGBUS, SIGXCPU}) std::signal(signal, SIG_DFL);
  limit(RLIMIT_CORE, 0);
  limit(RLIMIT_CPU, cpu_seconds);
#if !defined(__SANITIZE_ADDRESS__)
  limit(RLIMIT_AS, kAddressSpace);
#endif
  std::uint8_t tag = kUserError;
  std::string text;
  try {
    const std::vector<std::uint8_t> bytes = body();
    tag = kOk;
    write_all(fd, &tag, 1);
    write_all(fd, bytes.data(), bytes.size());
    _exit(0);
  } catch (const UserError& error) {
    text = error.what();
  } catch (...) {
    _exit(1);
  }
  write_all(fd, &tag, 1);
  write_all(fd, text.data(), text.size());
  _exit(0);
}

}  // namespace

std::vector<std::uint8_t> run_isolated(const std::string& what, unsigned cpu_seconds,
                                       const std::function<std::vector<std::uint8_t>()>& body) {
  int fds[2];
  if (pipe(fds) != 0) user_error("{}: no pipe: {}", what, std::strerror(errno));
  const pid_t pid = fork();
  if (pid < 0) {
    close(fds[0]);
    close(fds[1]);
    user_error("{}: no process: {}", what, std::strerror(errno));
  }
  if (pid == 0) {
    close(fds[0]);
    child(fds[1], cpu_seconds, body);
  }
  close(fds[1]);
  std::vector<std::uint8_t> bytes;
  std::vector<std::uint8_t> buffer(1 << 16);
  for (;;) {
    const ssize_t n = read(fds[0], buffer.data(), buffer.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) break;
    bytes.insert(bytes.end(), buffer.begin(), buffer.begin() + n);
  }
  close(fds[0]);
  int status = 0;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFSIGNALED(status) && (WTERMSIG(status) == SIGXCPU || WTERMSIG(status) == SIGKILL))
    user_error("{}: it takes too long or too much memory", what);
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0 || bytes.empty())
    user_error("{}: the file is damaged: the importer failed on it", what);
  const std::uint8_t tag = bytes.front();
  bytes.erase(bytes.begin());
  if (tag == kUserError) throw UserError(std::string(bytes.begin(), bytes.end()));
  return bytes;
}

}  // namespace gyre::scene
