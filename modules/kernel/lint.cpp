#include "lint.h"

#include <systemc>

#include "dcr_names.h"
#include "log.h"

namespace gyre::kernel {
namespace {

std::string text_of(Lint lint, const LintFinding& f) {
  if (!f.subject.empty()) return fmt::format("lint {}: {}: {}", lint_name(lint), f.subject, f.what);
  return fmt::format("lint {}: core {}, warp {}, lanes {:#x}, pc {:#x}, {}: {}", lint_name(lint), f.core, f.warp,
                     f.lanes, f.pc, f.where.empty() ? "no symbol" : f.where, f.what);
}

}  // namespace

const char* lint_name(Lint lint) {
  static constexpr const char* kNames[kLints] = {
      "divergent-branch", "ipdom-imbalance", "unaligned", "unmapped", "aperture-load", "dcr-unset", "pinned-slab", "stale-line"};
  return kNames[static_cast<unsigned>(lint)];
}

LintLog::LintLog(const LintConfig& config)
    : severity_{config.divergent_branch, config.ipdom_imbalance, config.unaligned, config.unmapped,
                config.aperture_load,    config.dcr_unset,       config.pinned_slab,     config.stale_line} {}

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
  if (describe_pc && finding.subject.empty()) finding.where = describe_pc(finding.pc);
  finding.count = 1;
  const unsigned printed = places_[index(lint)]++;
  const bool fails = severity_[index(lint)] == Severity::kError && failure_.empty();
  if (printed < kMaxPrinted || fails) {
    const std::string text = text_of(lint, finding);
    log_warn(who, "{}", text);
    if (fails) failure_ = text;
  } else if (printed == kMaxPrinted) {
    log_warn(who, "lint {}: found at more than {} {}; the others are counted only", lint_name(lint), kMaxPrinted,
             finding.subject.empty() ? "program counters" : "places");
  }
  findings_.emplace(std::pair{lint, finding.pc}, std::move(finding));
  if (fails) sc_core::sc_stop();
}

void LintLog::about(Lint lint, const std::string& who, unsigned number, const std::string& subject,
                    const std::string& what) {
  if (first_at(lint, number)) report(lint, who, {0, 0, 0, number, "", what, 0, subject});
}

void LintLog::about_register(Lint lint, const std::string& who, unsigned reg, const std::string& what) {
  about(lint, who, reg, fmt::format("DCR {:#05x} ({})", reg, dcr_name(reg)), what);
}

}  // namespace gyre::kernel
