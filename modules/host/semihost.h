// RISC-V semihosting: file, console and exit services for firmware (host.md §3).
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "file_space.h"

namespace gyre::host {

// What a semihosting call needs from the machine.
class SemihostMachine {
 public:
  virtual ~SemihostMachine() = default;
  // False: the range is not all memory; nothing is said about what was copied.
  virtual bool read_guest(std::uint64_t address, void* data, std::uint64_t bytes) = 0;
  virtual bool write_guest(std::uint64_t address, const void* data, std::uint64_t bytes) = 0;
  virtual std::uint64_t time_ps() = 0;  // simulated time
  virtual void exit_guest(int code, const std::string& reason) = 0;
};

// Simulated time is the only time firmware sees: SYS_CLOCK, SYS_ELAPSED and SYS_TIME count from the start of the
// run (SYS_TIME adds `epoch_seconds`), so a run can be repeated. ":tt" is the console. Removing, renaming,
// temporary names and running host commands are refused.
class Semihost {
 public:
  explicit Semihost(SemihostMachine& machine) : machine_(machine) {}

  FileSpace files;
  std::string command_line;               // SYS_GET_CMDLINE
  std::function<void(std::string_view)> console_out;
  std::deque<char> console_in;            // what a read of ":tt" returns; empty = end of file
  std::uint64_t epoch_seconds = 0;
  std::uint64_t tick_hz = 10'000'000;     // SYS_TICKFREQ

  // One call of RV64 firmware: operation (a0) and argument (a1); returns the new a0.
  std::uint64_t call(std::uint64_t operation, std::uint64_t argument);

 private:
  static constexpr std::size_t kMaxFiles = 64;
  using Arguments = std::array<std::uint64_t, 4>;

  std::uint64_t fail(int error);
  bool arguments(std::uint64_t address, unsigned count, Arguments& out);
  GuestFile* file(std::uint64_t handle);
  bool guest_string(std::uint64_t address, std::uint64_t length, std::string& out);

  std::uint64_t open(const Arguments& a);
  std::uint64_t close(const Arguments& a);
  std::uint64_t transfer(const Arguments& a, bool to_file);
  std::uint64_t write0(std::uint64_t address);
  std::uint64_t get_command_line(std::uint64_t block, const Arguments& a);
  std::uint64_t exit(const Arguments& a);
  void print(std::string_view text);

  SemihostMachine& machine_;
  std::array<std::unique_ptr<GuestFile>, kMaxFiles> open_;  // handle - 1
  int errno_ = 0;
};

}  // namespace gyre::host
