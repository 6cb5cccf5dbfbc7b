// Runs the gyre program the way a person does, and hands back what it said.
#pragma once

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "gyre_paths.h"

namespace gyre::test {

struct Outcome {
  int code = -1;    // exit code; 1000 + signal if a signal ended it; 2000: it did not end in time
  std::string out;  // standard output
  std::string err;  // standard error
};

inline std::string slurp(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return std::string((std::istreambuf_iterator<char>(file)), {});
}

// A folder of its own under the build tree, removed with the object.
class ScratchFolder {
 public:
  explicit ScratchFolder(const std::string& name) {
    static int counter = 0;
    path_ = std::filesystem::temp_directory_path() /
            ("gyre-" + name + "-" + std::to_string(getpid()) + "-" + std::to_string(counter++));
    std::filesystem::create_directories(path_);
  }
  ~ScratchFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  ScratchFolder(const ScratchFolder&) = delete;
  std::string operator/(const std::string& name) const { return (path_ / name).string(); }
  std::string string() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

// A child process whose output goes to files.
class Child {
 public:
  Child(const std::vector<std::string>& words, const std::string& out, const std::string& err) : out_(out), err_(err) {
    child_ = fork();
    if (child_ != 0) return;
    std::vector<char*> argv;
    for (const auto& word : words) argv.push_back(const_cast<char*>(word.c_str()));
    argv.push_back(nullptr);
    dup2(open(out.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644), 1);
    dup2(open(err.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644), 2);
    dup2(open("/dev/null", O_RDONLY), 0);
    execvp(argv[0], argv.data());
    _exit(127);
  }
  ~Child() {
    if (child_ > 0 && !ended_) {
      kill(child_, SIGKILL);
      waitpid(child_, nullptr, 0);
    }
  }
  Child(const Child&) = delete;
  pid_t pid() const { return child_; }

  bool running() {
    if (!ended_ && waitpid(child_, &status_, WNOHANG) == child_) ended_ = true;
    return !ended_;
  }
  // After `seconds` (of a build without sanitizers) nobody waits any more: code 2000.
  Outcome wait(int seconds = 120) {
    Outcome outcome;
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(seconds * kSlower);
    while (running() && std::chrono::steady_clock::now() < deadline)
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    outcome.code = !ended_ ? 2000 : WIFEXITED(status_) ? WEXITSTATUS(status_) : 1000 + WTERMSIG(status_);
    outcome.out = slurp(out_);
    outcome.err = slurp(err_);
    if (!ended_) outcome.err += "(not over after " + std::to_string(seconds * kSlower) + " s)";
    return outcome;
  }

 private:
#ifdef __SANITIZE_ADDRESS__
  static constexpr int kSlower = 10;
#else
  static constexpr int kSlower = 1;
#endif

  std::string out_, err_;
  pid_t child_ = -1;
  int status_ = 0;
  bool ended_ = false;
};

inline bool catches_interrupt(pid_t process) {
  std::ifstream status("/proc/" + std::to_string(process) + "/status");
  for (std::string line; std::getline(status, line);)
    if (line.rfind("SigCgt:", 0) == 0) return (std::stoull(line.substr(7), nullptr, 16) >> (SIGINT - 1) & 1) != 0;
  return false;
}

// Our own firmware must give the lints nothing to say: they end the run, unless the test is about wrong software.
enum class Lints { kError, kAsConfigured };

inline std::vector<std::string> lint_options() {
  std::vector<std::string> words;
  for (const char* lint : {"divergent_branch", "ipdom_imbalance", "unaligned", "unmapped", "aperture_load", "dcr_unset", "pinned_slab", "stale_line"})
    words.insert(words.end(), {"--set", std::string("lint.") + lint + "=error"});
  return words;
}

// GYRE_BINARY is defined by the build. `seconds`: after that the child is killed. `interrupt`: the user
// presses Ctrl-C while the machine runs.
inline Outcome run_gyre(std::vector<std::string> arguments, int seconds = 120, bool interrupt = false,
                        Lints lints = Lints::kError) {
  if (const std::vector<std::string> more = lint_options();
      lints == Lints::kError && !arguments.empty() && (arguments[0] == "run" || arguments[0] == "render"))
    arguments.insert(std::find(arguments.begin(), arguments.end(), "--"), more.begin(), more.end());
  ScratchFolder scratch("run");
  const std::string out = scratch / "out", err = scratch / "err";
  std::vector<std::string> words{GYRE_BINARY};
  words.insert(words.end(), arguments.begin(), arguments.end());
  Child child(words, out, err);
  if (interrupt) {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(seconds);
    while (child.running() && !catches_interrupt(child.pid()) && std::chrono::steady_clock::now() < deadline)
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    if (child.running()) kill(child.pid(), SIGINT);
  }
  return child.wait(seconds);
}

}  // namespace gyre::test
