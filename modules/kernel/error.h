// A user's mistake: one line that says what, where and what to do. Becomes exit code 2 at the top.
#pragma once

#include <fmt/format.h>

#include <stdexcept>

namespace gyre {

class UserError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

template <class... Args>
[[noreturn]] void user_error(fmt::format_string<Args...> text, Args&&... args) {
  throw UserError(fmt::format(text, std::forward<Args>(args)...));
}

}  // namespace gyre
