#include "log.h"

#include <spdlog/sinks/stdout_sinks.h>

namespace gyre::kernel {
namespace {
std::uint64_t warning_count = 0;
}

spdlog::logger& logger() {
  static std::shared_ptr<spdlog::logger> instance = [] {
    auto created = std::make_shared<spdlog::logger>("gyre", std::make_shared<spdlog::sinks::stderr_sink_st>());
    created->set_pattern("gyre: %l: %v");
    created->set_level(spdlog::level::warn);
    return created;
  }();
  return *instance;
}

std::uint64_t warnings_logged() { return warning_count; }
void count_warning() { ++warning_count; }

}  // namespace gyre::kernel
