// `monitor` commands that concern the machine as a whole, for every target.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "context.h"
#include "gpu.h"
#include "host_system.h"

namespace gyre::debug {

// A command is a word and its arguments; it answers with lines of text.
class Monitor {
 public:
  using Arguments = std::vector<std::string_view>;
  using Command = std::function<std::string(const Arguments&)>;

  // `host`: null on a bare device.
  Monitor(kernel::Context& ctx, gpu::Gpu& gpu, host::HostSystem* host);

  // Commands of a target come in addition. `usage`: "lanes REGISTER".
  void add(const std::string& usage, const std::string& what, Command command);
  std::string run(std::string_view line);

 private:
  struct Entry {
    std::string name, usage, what;
    Command command;
  };
  std::string help() const;

  kernel::Context& ctx_;
  gpu::Gpu& gpu_;
  host::HostSystem* host_;
  std::vector<Entry> commands_;
};

}  // namespace gyre::debug
