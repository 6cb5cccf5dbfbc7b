// SystemC elaborates once in a process, so every platform case runs in a child of its own.
#pragma once

#include <boost/test/unit_test.hpp>

#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <sstream>
#include <stdexcept>
#include <string>

namespace gyre::test {

// Runs `body` in a child process. The child reports failure by throwing; the message travels back through a pipe.
// Bytes the body returns are handed to the caller.
template <class Body>
std::string run_forked(Body body) {
  int fds[2];
  BOOST_REQUIRE(pipe(fds) == 0);
  std::fflush(nullptr);
  const pid_t child = fork();
  BOOST_REQUIRE(child >= 0);
  if (child == 0) {
    close(fds[0]);
    std::string text;
    int code = 0;
    try {
      text = body();
    } catch (const std::exception& error) {
      text = error.what();
      code = 1;
    }
    std::size_t done = 0;
    while (done < text.size()) {
      const ssize_t n = write(fds[1], text.data() + done, text.size() - done);
      if (n <= 0) break;
      done += static_cast<std::size_t>(n);
    }
    std::fflush(nullptr);
    _exit(code);
  }
  close(fds[1]);
  std::string text;
  char buffer[65536];
  ssize_t n;
  while ((n = read(fds[0], buffer, sizeof buffer)) > 0) text.append(buffer, static_cast<std::size_t>(n));
  close(fds[0]);
  int status = 0;
  waitpid(child, &status, 0);
  if (!WIFEXITED(status)) {
    BOOST_FAIL("child ended by signal " << WTERMSIG(status));
  } else if (WEXITSTATUS(status) != 0) {
    BOOST_FAIL("child failed: " << (text.empty() ? "exit code " + std::to_string(WEXITSTATUS(status)) : text));
  }
  return text;
}

// For use inside the body, where Boost's own checks would report into the child's copy of the framework.
#define GYRE_CHECK(condition)                                                                             \
  do {                                                                                                    \
    if (!(condition)) {                                                                                   \
      std::ostringstream gyre_text;                                                                       \
      gyre_text << __FILE__ << ":" << __LINE__ << ": " #condition;                                        \
      throw std::runtime_error(gyre_text.str());                                                          \
    }                                                                                                     \
  } while (false)

#define GYRE_CHECK_EQUAL(a, b)                                                                            \
  do {                                                                                                    \
    const auto gyre_a = (a);                                                                              \
    const auto gyre_b = (b);                                                                              \
    if (!(gyre_a == gyre_b)) {                                                                            \
      std::ostringstream gyre_text;                                                                       \
      gyre_text << __FILE__ << ":" << __LINE__ << ": " #a " == " #b ": " << gyre_a << " != " << gyre_b;    \
      throw std::runtime_error(gyre_text.str());                                                          \
    }                                                                                                     \
  } while (false)

}  // namespace gyre::test
