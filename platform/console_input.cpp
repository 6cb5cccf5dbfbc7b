#include "console_input.h"

#include <poll.h>
#include <unistd.h>

#include <fmt/format.h>

#include <fstream>

#include "error.h"

namespace gyre::platform {

UartScript::UartScript(const std::string& file, std::function<void(std::string_view)> type) : type_(std::move(type)) {
  std::ifstream in(file);
  if (!in) user_error("{}: cannot be read", file);
  std::string line;
  for (unsigned number = 1; std::getline(in, line); ++number) {
    if (line.empty() || line[0] == '#') continue;
    if ((line[0] != '?' && line[0] != '>') || (line.size() > 1 && line[1] != ' '))
      user_error("{}:{}: a line starts with '? ' (wait for a text) or '> ' (type a line)", file, number);
    steps_.push_back({line[0] == '?', line.size() > 2 ? line.substr(2) : std::string(), number});
  }
  advance();
}

void UartScript::printed(std::string_view text) {
  if (next_ == steps_.size()) return;
  seen_ += text;
  advance();
}

void UartScript::advance() {
  while (next_ < steps_.size()) {
    const Step& step = steps_[next_];
    if (step.wait) {
      const auto found = seen_.find(step.text);
      if (found == std::string::npos) {  // only the end can still be the beginning of it
        if (seen_.size() >= step.text.size()) seen_.erase(0, seen_.size() - step.text.size() + 1);
        return;
      }
      seen_.erase(0, found + step.text.size());
    } else {
      type_(step.text + "\r");
    }
    ++next_;
  }
}

std::string UartScript::waits_for() const {
  return next_ == steps_.size() ? "" : fmt::format("line {}: '{}' was not printed", steps_[next_].line, steps_[next_].text);
}

std::string StdinInput::typed() {
  std::string text;
  pollfd watched{STDIN_FILENO, POLLIN, 0};
  while (!ended_ && poll(&watched, 1, 0) > 0) {
    char buffer[256];
    const auto count = read(STDIN_FILENO, buffer, sizeof buffer);
    if (count <= 0) {
      ended_ = true;
      break;
    }
    text.append(buffer, static_cast<std::size_t>(count));
  }
  return text;
}

}  // namespace gyre::platform
