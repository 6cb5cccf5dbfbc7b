#include "value.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <limits>

namespace gyre::config {
namespace {

struct Suffix {
  const char* text;
  std::uint64_t factor;
};
// Largest first, the one without a prefix last.
constexpr Suffix kDurations[] = {
    {"s", 1'000'000'000'000}, {"ms", 1'000'000'000}, {"us", 1'000'000}, {"ns", 1'000}, {"ps", 1}};
constexpr Suffix kFrequencies[] = {{"GHz", 1'000'000'000}, {"MHz", 1'000'000}, {"kHz", 1'000}, {"Hz", 1}};
constexpr Suffix kSizes[] = {{"GiB", 1ull << 30}, {"MiB", 1ull << 20}, {"KiB", 1ull << 10}, {"B", 1}};

struct Suffixes {
  const Suffix* begin_;
  const Suffix* end_;
  const Suffix* begin() const { return begin_; }
  const Suffix* end() const { return end_; }
};

Suffixes suffixes(Unit unit) {
  switch (unit) {
    case Unit::kDuration:
      return {std::begin(kDurations), std::end(kDurations)};
    case Unit::kFrequency:
      return {std::begin(kFrequencies), std::end(kFrequencies)};
    case Unit::kBytes:
      return {std::begin(kSizes), std::end(kSizes)};
    default:
      return {nullptr, nullptr};
  }
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Multiplies and adds without overflow.
bool accumulate(std::uint64_t& value, std::uint64_t factor, std::uint64_t add) {
  constexpr std::uint64_t kMax = std::numeric_limits<std::uint64_t>::max();
  if (factor != 0 && value > (kMax - add) / factor) return false;
  value = value * factor + add;
  return true;
}

// A decimal number with an optional fraction and unit ("1.5us"), or a hexadecimal one, exactly.
std::optional<std::string> parse_number(std::string_view text, Unit unit, bool needs_unit, std::uint64_t& out) {
  const std::string not_whole =
      unit == Unit::kNone || unit == Unit::kCycles ? "not a whole number" : "not a whole number with a unit";
  std::uint64_t value = 0;
  if (text.size() > 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X')) {
    for (char c : text.substr(2)) {
      if (!std::isxdigit(static_cast<unsigned char>(c))) return not_whole;
      const int digit = is_digit(c) ? c - '0' : std::tolower(static_cast<unsigned char>(c)) - 'a' + 10;
      if (!accumulate(value, 16, static_cast<std::uint64_t>(digit))) return "out of range";
    }
    if (needs_unit) return "a number without its unit";
    out = value;
    return std::nullopt;
  }
  std::size_t at = 0;
  while (at < text.size() && is_digit(text[at]))
    if (!accumulate(value, 10, static_cast<std::uint64_t>(text[at++] - '0'))) return "out of range";
  if (at == 0) return not_whole;
  std::uint64_t scale = 1;  // value / scale is the number
  if (at < text.size() && text[at] == '.') {
    const std::size_t point = at++;
    while (at < text.size() && is_digit(text[at])) {
      if (!accumulate(value, 10, static_cast<std::uint64_t>(text[at++] - '0')) || !accumulate(scale, 10, 0))
        return "out of range";
    }
    if (at == point + 1) return not_whole;
  }
  std::uint64_t factor = 1;
  std::string_view rest = text.substr(at);
  while (!rest.empty() && rest.front() == ' ') rest.remove_prefix(1);
  if (!rest.empty()) {
    const std::string name = rest == "\u00b5s" || rest == "\u03bcs" ? "us" : std::string(rest);
    const auto table = suffixes(unit);
    const auto found = std::find_if(table.begin(), table.end(), [&](const Suffix& s) { return name == s.text; });
    if (found == table.end()) return not_whole;
    factor = found->factor;
  } else if (needs_unit) {
    return "a number without its unit";
  }
  if (factor % scale == 0) {
    if (!accumulate(value, factor / scale, 0)) return "out of range";
  } else {
    if (!accumulate(value, factor, 0)) return "out of range";
    if (value % scale != 0) return not_whole;
    value /= scale;
  }
  out = value;
  return std::nullopt;
}

std::optional<bool> parse_bool(std::string_view text) {
  for (const char* yes : {"true", "yes", "on"})
    if (text == yes) return true;
  for (const char* no : {"false", "no", "off"})
    if (text == no) return false;
  return std::nullopt;
}

constexpr const char* kTimings[] = {"loose", "approximate"};
constexpr const char* kSeverities[] = {"off", "warn", "error"};

// Stores the enumerator whose word is `text`.
template <class E, std::size_t N>
bool store_word(E& value, std::string_view text, const char* const (&words)[N]) {
  for (std::size_t i = 0; i < N; ++i) {
    if (text != words[i]) continue;
    value = static_cast<E>(i);
    return true;
  }
  return false;
}

}  // namespace

std::optional<std::string> store_value(const Knob& knob, std::string_view text, bool needs_unit,
                                       MachineConfig& config) {
  const Field field = knob.field(config);
  if (auto* const* name = std::get_if<std::string*>(&field)) {
    const bool plain = !text.empty() && text.size() <= 64 && std::all_of(text.begin(), text.end(), [](char c) {
      return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '-' || c == '.' || c == ' ';
    });
    if (!plain || text.front() == ' ' || text.back() == ' ' || text.front() == '-') return "not a plain name";
    **name = std::string(text);
    return std::nullopt;
  }
  if (auto* const* flag = std::get_if<bool*>(&field)) {
    const auto value = parse_bool(text);
    if (!value) return "not a truth value";
    **flag = *value;
    return std::nullopt;
  }
  if (auto* const* timing = std::get_if<Timing*>(&field)) {
    if (store_word(**timing, text, kTimings)) return std::nullopt;
    return "not a timing style";
  }
  if (auto* const* severity = std::get_if<Severity*>(&field)) {
    if (store_word(**severity, text, kSeverities)) return std::nullopt;
    return "not a severity";
  }
  if (const auto* word = std::get_if<Word>(&field)) {
    for (unsigned i = 0; i < word->count; ++i)
      if (text == word->words[i]) {
        word->set(i);
        return std::nullopt;
      }
    return "not one of the words";
  }
  std::uint64_t value = 0;
  if (auto wrong = parse_number(text, knob.unit, needs_unit, value)) return wrong;
  if (value < knob.min || value > knob.max) return "out of range";
  if (knob.shape == Shape::kPowerOfTwo && (value & (value - 1)) != 0) return "not a power of two";
  if (knob.shape == Shape::kDividesSecond && 1'000'000'000'000 % value != 0)
    return "a period that is not a whole number of picoseconds";
  if (auto* const* wide = std::get_if<std::uint64_t*>(&field))
    **wide = value;
  else
    **std::get_if<unsigned*>(&field) = static_cast<unsigned>(value);
  return std::nullopt;
}

std::uint64_t value_number(const Knob& knob, const MachineConfig& config) {
  const Field field = knob.field(const_cast<MachineConfig&>(config));  // read only
  if (auto* const* value = std::get_if<unsigned*>(&field)) return **value;
  if (auto* const* value = std::get_if<std::uint64_t*>(&field)) return **value;
  if (auto* const* value = std::get_if<bool*>(&field)) return **value ? 1 : 0;
  if (auto* const* value = std::get_if<Timing*>(&field)) return static_cast<std::uint64_t>(**value);
  if (auto* const* value = std::get_if<Severity*>(&field)) return static_cast<std::uint64_t>(**value);
  if (const auto* word = std::get_if<Word>(&field)) return word->get();
  return 0;
}

namespace {

std::string number_text(std::uint64_t value, Unit unit) {
  for (const Suffix& suffix : suffixes(unit))
    if (value != 0 && value % suffix.factor == 0) return std::to_string(value / suffix.factor) + suffix.text;
  return std::to_string(value);
}

}  // namespace

std::string value_text(const Knob& knob, const MachineConfig& config) {
  const Field field = knob.field(const_cast<MachineConfig&>(config));  // read only
  if (auto* const* name = std::get_if<std::string*>(&field)) return **name;
  if (auto* const* flag = std::get_if<bool*>(&field)) return **flag ? "true" : "false";
  if (auto* const* timing = std::get_if<Timing*>(&field)) return kTimings[static_cast<int>(**timing)];
  if (auto* const* severity = std::get_if<Severity*>(&field)) return kSeverities[static_cast<int>(**severity)];
  if (const auto* word = std::get_if<Word>(&field)) return word->words[word->get()];
  return number_text(value_number(knob, config), knob.unit);
}

std::string type_text(const Knob& knob) {
  MachineConfig config;
  const Field field = knob.field(config);
  if (std::holds_alternative<std::string*>(field)) return "text";
  if (std::holds_alternative<bool*>(field)) return "true or false";
  if (std::holds_alternative<Timing*>(field) || std::holds_alternative<Severity*>(field) ||
      std::holds_alternative<Word>(field))
    return "word";
  switch (knob.unit) {
    case Unit::kDuration:
      return "time";
    case Unit::kFrequency:
      return "frequency";
    case Unit::kBytes:
      return "size";
    case Unit::kCycles:
      return "cycles";
    case Unit::kNone:
      break;
  }
  return "number";
}

std::string allowed_text(const Knob& knob) {
  MachineConfig config;
  const Field field = knob.field(config);
  if (std::holds_alternative<std::string*>(field)) return "1..64 letters, digits, spaces, '_', '-', '.'";
  if (std::holds_alternative<bool*>(field)) return "true or false";
  if (std::holds_alternative<Timing*>(field)) return "loose or approximate";
  if (std::holds_alternative<Severity*>(field)) return "off, warn or error";
  if (const auto* word = std::get_if<Word>(&field)) {
    std::string list = word->words[0];
    for (unsigned i = 1; i < word->count; ++i) list += (i + 1 == word->count ? " or " : ", ") + std::string(word->words[i]);
    return list;
  }
  const std::string range = number_text(knob.min, knob.unit) + ".." + number_text(knob.max, knob.unit);
  if (knob.shape == Shape::kPowerOfTwo) return "a power of two in " + range;
  if (knob.shape == Shape::kDividesSecond) return range + ", period a whole number of picoseconds";
  return range;
}

}  // namespace gyre::config
