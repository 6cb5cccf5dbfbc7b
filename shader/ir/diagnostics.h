// What is wrong with a shader: name:line:column, message, the source line and a caret (csir.md §2, §11).
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace gyre::shader {

struct Place {
  int line = 0;    // from 1; 0: the file as a whole
  int column = 0;  // from 1, in bytes
};

struct Diagnostic {
  Place place;
  std::string message;
};

class Diagnostics {
 public:
  static constexpr int kMaxErrors = 8, kLogBytes = 1536;

  // `source` is quoted in the log; leave it empty for binary input.
  explicit Diagnostics(std::string name = "shader", std::string_view source = {});

  // Errors above the eighth are counted, not kept.
  void error(Place place, std::string message);
  bool ok() const { return count_ == 0; }
  bool full() const { return count_ >= kMaxErrors; }
  int count() const { return count_; }
  const std::vector<Diagnostic>& errors() const { return errors_; }
  const std::string& name() const { return name_; }

  // Whole entries only, at most kLogBytes - 1 bytes:
  //   name:3:14: error: message
  //   the source line
  //                ^
  std::string log() const;

 private:
  std::string entry(const Diagnostic& diagnostic) const;
  std::string name_, source_;
  std::vector<Diagnostic> errors_;
  int count_ = 0;
};

// Text as a message may quote it: printable ASCII, at most 40 bytes.
std::string quoted(std::string_view text);

}  // namespace gyre::shader
