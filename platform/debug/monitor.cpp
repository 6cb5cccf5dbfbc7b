#include "monitor.h"

#include <algorithm>

namespace gyre::debug {

Monitor::Monitor(kernel::Context& ctx, gpu::Gpu& gpu, host::HostSystem* host) : ctx_(ctx), gpu_(gpu), host_(host) {
  add("help", "this list", [this](const Arguments&) { return help(); });
  add("time", "simulated time",
      [](const Arguments&) { return fmt::format("{:.6f} ms\n", static_cast<double>(kernel::kernel_now()) * 1e-9); });
  add("units", "what every unit does or waits for", [this](const Arguments&) {
    std::string text;
    if (host_ != nullptr) text += "  " + std::string(host_->cpu.name()) + ": " + host_->cpu.describe() + "\n";
    return text + gpu_.describe_wait();
  });
  add("counters [TEXT]", "counters whose name holds TEXT; without it those that are not 0",
      [this](const Arguments& words) {
        std::string text;
        for (const auto& [name, value] : ctx_.counters.entries())
          if (words.empty() ? *value != 0 : name.find(words[0]) != std::string::npos)
            text += fmt::format("{} {}\n", name, *value);
        return text.empty() ? "no such counter\n" : text;
      });
  add("fault", "the first fault of the device since its record was cleared", [this](const Arguments&) -> std::string {
    if (!ctx_.faults.valid()) return "none\n";
    return fmt::format("{}; {} in all\n", ctx_.faults.describe_first(), ctx_.faults.count());
  });
}

void Monitor::add(const std::string& usage, const std::string& what, Command command) {
  commands_.push_back({usage.substr(0, usage.find(' ')), usage, what, std::move(command)});
}

std::string Monitor::help() const {
  std::string text;
  for (const Entry& entry : commands_) text += fmt::format("{:<18} {}\n", entry.usage, entry.what);
  return text;
}

std::string Monitor::run(std::string_view line) {
  Arguments words;
  while (!line.empty()) {
    const std::size_t begin = line.find_first_not_of(" \t\r\n");
    if (begin == std::string_view::npos) break;
    const std::size_t end = std::min(line.find_first_of(" \t\r\n", begin), line.size());
    words.push_back(line.substr(begin, end - begin));
    line.remove_prefix(end);
  }
  if (words.empty()) return help();
  const std::string_view name = words[0];
  words.erase(words.begin());
  for (const Entry& entry : commands_)
    if (entry.name == name) return entry.command(words);
  return "no such command; monitor help lists them\n";
}

}  // namespace gyre::debug
