#include "diagnostics.h"

#include <utility>

namespace gyre::shader {
namespace {

// Long lines are quoted around the column.
constexpr std::size_t kQuotedColumns = 100;

std::string_view line_of(std::string_view source, int line) {
  std::size_t begin = 0;
  for (int i = 1; i < line; ++i) {
    const std::size_t end = source.find('\n', begin);
    if (end == std::string_view::npos) return {};
    begin = end + 1;
  }
  return source.substr(begin, source.find('\n', begin) - begin);
}

char shown(char c) { return c >= ' ' && c < 127 ? c : c == '\t' ? ' ' : '?'; }

}  // namespace

Diagnostics::Diagnostics(std::string name, std::string_view source) : name_(std::move(name)), source_(source) {}

void Diagnostics::error(Place place, std::string message) {
  ++count_;
  if (errors_.size() < kMaxErrors) errors_.push_back({place, std::move(message)});
}

std::string Diagnostics::entry(const Diagnostic& diagnostic) const {
  std::string out = name_;
  const Place place = diagnostic.place;
  if (place.line > 0) out += ":" + std::to_string(place.line) + ":" + std::to_string(place.column);
  out += ": error: " + diagnostic.message + "\n";
  if (place.line <= 0 || source_.empty()) return out;
  std::string_view line = line_of(source_, place.line);
  std::size_t column = place.column > 0 ? static_cast<std::size_t>(place.column - 1) : 0;
  if (column > line.size()) column = line.size();
  if (column >= kQuotedColumns) {
    line.remove_prefix(column - kQuotedColumns / 2);
    column = kQuotedColumns / 2;
  }
  for (char c : line.substr(0, kQuotedColumns)) out += shown(c);
  return out + "\n" + std::string(column, ' ') + "^\n";
}

std::string Diagnostics::log() const {
  std::string out;
  for (const Diagnostic& diagnostic : errors_) {
    const std::string text = entry(diagnostic);
    if (out.size() + text.size() >= kLogBytes) break;
    out += text;
  }
  return out;
}

std::string quoted(std::string_view text) {
  std::string out;
  for (char c : text.substr(0, 40)) out += shown(c);
  return out;
}

}  // namespace gyre::shader
