#include "lint.h"

#include <systemc>

#include "log.h"

namespace gyre::kernel {

const char* lint_name(Lint lint) {
  static constexpr const char* kNames[kLints] = {"divergent-branch", "ipdom-imbalance", "unaligned", "unmapped"};
  return kNames[static_cast<unsigned>(lint)];
}

LintLog::LintLog(const LintConfig& config)
    : severity_{config.divergent_branch, config.ipdom_imbalance, config.unaligned, config.unmapped} {}

bool LintLog::first_at(Lint lint, std::uint64_t pc) {
  if (!on(lint)) return false;
  ++totals_[index(lint)];
  const auto found = findings_.find({lint, pc});
  if (found != findings_.end()) {
    ++found->second.count;
    return false;
  }
  return places_[index(lint)] < kMaxPlaces;
}

void LintLog::report(Lint lint, const std::string& who, LintFinding finding) {
  if (describe_pc) finding.where = describe_pc(finding.pc);
  finding.count = 1;
  const unsigned printed = places_[index(lint)]++;
  const bool fails = severity_[index(lint)] == Severity::kError && failure_.empty();
  if (printed < kMaxPrinted || fails) {
    const std::string text = fmt::format("lint {}: core {}, warp {}, lanes {:#x}, pc {:#x}, {}: {}", lint_name(lint),
                                         finding.core, finding.warp, finding.lanes, finding.pc,
                                         finding.where.empty() ? "no symbol" : finding.where, finding.what);
    log_warn(who, "{}", text);
    if (fails) failure_ = text;
  } else if (printed == kMaxPrinted) {
    log_warn(who, "lint {}: found at more than {} program counters; the others are counted only", lint_name(lint),
             kMaxPrinted);
  }
  findings_.emplace(std::pair{lint, finding.pc}, std::move(finding));
  if (fails) sc_core::sc_stop();
}

}  // namespace gyre::kernel
