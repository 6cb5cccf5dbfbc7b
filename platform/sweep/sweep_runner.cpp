#include "sweep_runner.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <exception>
#include <filesystem>

#include "error.h"
#include "files.h"
#include "run_watch.h"

extern char** environ;

namespace gyre::platform {
namespace {

using State = PointResult::State;

constexpr unsigned kLookMicroseconds = 10'000;

std::string ending_of(int status) {
  if (WIFSIGNALED(status)) return fmt::format("ended by signal {} ({})", WTERMSIG(status), strsignal(WTERMSIG(status)));
  return fmt::format("exit code {}", WEXITSTATUS(status));
}

}  // namespace

SweepRunner::SweepRunner(const SweepPlan& plan, std::string folder)
    : plan_(plan), folder_(std::move(folder)), results_(plan.points.size()) {}

std::string SweepRunner::file(std::size_t point, const char* ending) const {
  const int digits = static_cast<int>(std::to_string(plan_.points.size()).size());
  return (std::filesystem::path(folder_) / fmt::format("{:0{}}{}", point + 1, digits, ending)).string();
}

void SweepRunner::start(std::size_t point) {
  const SweepPoint& p = plan_.points[point];
  std::vector<std::string> words{"gyre", "render", p.scene, "--backend", "gpu", "-q", "-o", file(point, ".png"), "--report", file(point, ".json")};
  if (!plan_.size.empty()) words.insert(words.end(), {"--size", plan_.size});
  if (!plan_.config.empty()) words.insert(words.end(), {"--config", plan_.config});
  for (const std::string& set : p.sets) words.insert(words.end(), {"--set", set});
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);

  const std::string log = file(point, ".log");
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, log.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
  posix_spawn_file_actions_adddup2(&files, STDOUT_FILENO, STDERR_FILENO);
  pid_t child = 0;
  const int failed = posix_spawn(&child, "/proc/self/exe", &files, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&files);
  if (failed != 0) {
    results_[point].state = State::kFailed;
    results_[point].said = fmt::format("could not be started: {}", std::strerror(failed));
    ++ended_;
    return;
  }
  running_.push_back({child, point});
}

void SweepRunner::finish(std::size_t point, int status) {
  PointResult& result = results_[point];
  const std::string log = file(point, ".log");
  std::string said = scene::read_file(log);
  while (!said.empty() && said.back() == '\n') said.pop_back();
  if (said.empty()) std::filesystem::remove(log);
  ++ended_;
  result.state = State::kFailed;
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
    const std::size_t line = said.rfind('\n');
    result.said = ending_of(status) + (said.empty() ? "" : ": " + said.substr(line == std::string::npos ? 0 : line + 1));
    return;
  }
  try {
    result.numbers = read_numbers(scene::read_file(file(point, ".json")), plan_.columns);
    result.state = State::kDone;
  } catch (const std::exception& error) {
    result.said = fmt::format("{}: {}", file(point, ".json"), error.what());
  }
}

void SweepRunner::run(unsigned jobs, const std::function<void()>& changed) {
  const RunWatch watch{MachineConfig{}};  // takes interrupts
  bool told = false;
  for (std::size_t next = 0; next != results_.size() || !running_.empty();) {
    if (RunWatch::interrupted()) {
      next = results_.size();
      if (!told)
        for (const Running& r : running_) kill(r.process, SIGTERM);
      told = true;
    }
    while (next != results_.size() && running_.size() < jobs) {
      start(next++);
      changed();
    }
    bool any = false;
    for (std::size_t i = 0; i < running_.size();) {
      int status = 0;
      if (waitpid(running_[i].process, &status, WNOHANG) == 0) {
        ++i;
        continue;
      }
      const std::size_t point = running_[i].point;
      running_.erase(running_.begin() + static_cast<std::ptrdiff_t>(i));
      finish(point, status);
      changed();
      any = true;
    }
    if (!any && !running_.empty()) usleep(kLookMicroseconds);
  }
}

std::vector<std::size_t> SweepRunner::other_pictures() const {
  std::vector<std::size_t> out;
  std::string shown, scene;
  for (std::size_t i = 0; i < results_.size(); ++i) {
    if (results_[i].state != State::kDone) continue;
    const std::string picture = scene::read_file(file(i, ".png"));
    if (plan_.points[i].scene != scene) {
      scene = plan_.points[i].scene;
      shown = picture;
    } else if (picture != shown) {
      out.push_back(i);
    }
  }
  return out;
}

}  // namespace gyre::platform
