// Runs a computation in a child process, so that a crash, a hang or a memory bomb in code we did not write ends as a
// UserError.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace gyre::scene {

// The bytes `body` returns. A UserError thrown by `body` is thrown again here; any other end of the child (a signal,
// `cpu_seconds` used up, more than 8 GiB) is a UserError "what: why". The child prints nothing.
std::vector<std::uint8_t> run_isolated(const std::string& what, unsigned cpu_seconds,
                                       const std::function<std::vector<std::uint8_t>()>& body);

}  // namespace gyre::scene
