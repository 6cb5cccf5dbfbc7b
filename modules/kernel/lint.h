// Lints: the machine names mistakes of the software that runs on it (design §9). Only what has found something calls
// here, so a lint costs nothing while there is nothing to find.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>

#include "config.h"

namespace gyre::kernel {

enum class Lint : std::uint8_t {
  kDivergentBranch,
  kIpdomImbalance,
  kUnaligned,
  kUnmapped,
  kApertureLoad,
  kDcrUnset,
  kPinnedSlab,
  kStaleLine,
};
constexpr unsigned kLints = 8;

const char* lint_name(Lint lint);  // "divergent-branch", ...

// What a lint has found at one program counter, or about one register or command: the first time, and how often.
struct LintFinding {
  unsigned core = 0, warp = 0;  // device-wide index of the core
  std::uint32_t lanes = 0;      // concerned
  std::uint64_t pc = 0;
  std::string where;  // "main+0x1c (kernel.c:12)"; empty: not known
  std::string what;   // what is wrong, and what to do
  std::uint64_t count = 0;
  // Not an instruction but "DCR 0x083 (OM_ZBUF_ADDR)" or "command MEM_READ", and `pc` is its number.
  std::string subject{};
};

class LintLog {
 public:
  explicit LintLog(const LintConfig& config);

  bool on(Lint lint) const { return severity_[index(lint)] != Severity::kOff; }

  // Counts an occurrence. True for the first one at this pc, which is then to be reported; never if the lint is off.
  bool first_at(Lint lint, std::uint64_t pc);
  // An occurrence that has no program counter but a device control register, `reg`: `who` is the unit that has found it.
  void about_register(Lint lint, const std::string& who, unsigned reg, const std::string& what);
  // The same about something else with a number.
  void about(Lint lint, const std::string& who, unsigned number, const std::string& subject, const std::string& what);
  // Prints a warning in the name of `who`, a module; the place is looked up here. After the first twenty program
  // counters of a lint the rest is only counted. With severity error the simulation is stopped (sc_stop): the caller
  // goes on as if nothing had happened until its thread yields.
  void report(Lint lint, const std::string& who, LintFinding finding);

  // The run has been ended by a lint; `failure` says which and where, one line.
  bool failed() const { return !failure_.empty(); }
  const std::string& failure() const { return failure_; }

  std::uint64_t count(Lint lint) const { return totals_[index(lint)]; }
  // By lint, then by pc or number of the register; at most kMaxPlaces a lint.
  const std::map<std::pair<Lint, std::uint64_t>, LintFinding>& findings() const { return findings_; }

  // Function and source line of a pc of the device; may stay empty.
  std::function<std::string(std::uint64_t pc)> describe_pc;

 private:
  static constexpr unsigned kMaxPlaces = 1000, kMaxPrinted = 20;
  static unsigned index(Lint lint) { return static_cast<unsigned>(lint); }

  const std::array<Severity, kLints> severity_;
  std::array<std::uint64_t, kLints> totals_{};
  std::array<unsigned, kLints> places_{};
  std::map<std::pair<Lint, std::uint64_t>, LintFinding> findings_;
  std::string failure_;
};

}  // namespace gyre::kernel
