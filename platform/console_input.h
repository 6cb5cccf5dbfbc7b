// Where the text for the UART comes from: a script with answers to wait for, or standard input.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace gyre::platform {

// A dialogue. File format, one step a line: "? TEXT" waits until the machine has printed TEXT (since the last step),
// "> TEXT" types TEXT and a carriage return; empty lines and lines that start with # are skipped. The dialogue moves
// on in the moment the machine prints, so a run is the same every time. Throws UserError on another line.
class UartScript {
 public:
  UartScript(const std::string& file, std::function<void(std::string_view)> type);
  // What the machine printed next.
  void printed(std::string_view text);
  // "line 3: '=> ' was not printed": where the dialogue stands; empty when it is over.
  std::string waits_for() const;

 private:
  struct Step {
    bool wait;
    std::string text;
    unsigned line;
  };
  void advance();

  std::function<void(std::string_view)> type_;
  std::vector<Step> steps_;
  std::size_t next_ = 0;
  std::string seen_;
};

// Standard input, read without waiting.
class StdinInput {
 public:
  // What has come since the last call; empty when nothing has or the input has ended.
  std::string typed();

 private:
  bool ended_ = false;
};

}  // namespace gyre::platform
