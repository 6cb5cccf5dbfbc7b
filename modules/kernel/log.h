// The one logger. Every line carries the hierarchical name of the module that speaks.
#pragma once

#include <spdlog/spdlog.h>

#include <cstdint>
#include <string_view>

namespace gyre::kernel {

spdlog::logger& logger();
std::uint64_t warnings_logged();
void count_warning();

template <class... Args>
void log_warn(std::string_view who, fmt::format_string<Args...> text, Args&&... args) {
  count_warning();
  logger().warn("{}: {}", who, fmt::format(text, std::forward<Args>(args)...));
}
template <class... Args>
void log_info(std::string_view who, fmt::format_string<Args...> text, Args&&... args) {
  if (logger().should_log(spdlog::level::info)) logger().info("{}: {}", who, fmt::format(text, std::forward<Args>(args)...));
}
template <class... Args>
void log_debug(std::string_view who, fmt::format_string<Args...> text, Args&&... args) {
  if (logger().should_log(spdlog::level::debug)) logger().debug("{}: {}", who, fmt::format(text, std::forward<Args>(args)...));
}

}  // namespace gyre::kernel
