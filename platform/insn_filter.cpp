#include "insn_filter.h"

#include <algorithm>
#include <charconv>

#include "error.h"

namespace gyre::platform {
namespace {

[[noreturn]] void refuse(const std::string& term, const std::string& why) {
  user_error(
      "--trace-insn-filter {}: {}; a term is host, gpu, core=N, warp=N, pc=ADDRESS, pc=FIRST-LAST, symbol=FUNCTION, "
      "lines=N or bytes=N (KiB, MiB, GiB)",
      term, why);
}

// A decimal or 0x number that is all of `text`.
bool parse_number(std::string_view text, std::uint64_t& value) {
  const bool hex = text.size() > 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
  if (hex) text.remove_prefix(2);
  const char* const end = text.data() + text.size();
  const auto result = std::from_chars(text.data(), end, value, hex ? 16 : 10);
  return !text.empty() && result.ec == std::errc() && result.ptr == end;
}

std::uint64_t number(const std::string& term, std::string_view text) {
  std::uint64_t value = 0;
  if (!parse_number(text, value)) refuse(term, "not a number");
  return value;
}

std::uint64_t size(const std::string& term, std::string_view text) {
  unsigned shift = 0;
  for (const auto& [unit, bits] : {std::pair{"KiB", 10u}, {"MiB", 20u}, {"GiB", 30u}})
    if (text.size() > 3 && text.substr(text.size() - 3) == unit) {
      shift = bits;
      text.remove_suffix(3);
      break;
    }
  const std::uint64_t value = number(term, text);
  if (value == 0 || value >> (63 - shift) != 0) refuse(term, "not a size");
  return value << shift;
}

}  // namespace

InsnFilter InsnFilter::parse(const std::vector<std::string>& texts, const MachineConfig& machine, bool has_host) {
  InsnFilter filter;
  bool named_host = false, named_gpu = false;
  auto index = [](const std::string& term, std::string_view text, std::uint64_t count, const char* what) {
    const std::uint64_t value = number(term, text);
    if (value >= count) refuse(term, fmt::format("the machine has {} 0 to {}", what, count - 1));
    return static_cast<unsigned>(value);
  };
  auto add = [&](const std::string& term) {
    const std::size_t equals = term.find('=');
    const std::string key = term.substr(0, equals);
    const std::string_view value =
        equals == std::string::npos ? std::string_view{} : std::string_view(term).substr(equals + 1);
    if (term == "host") {
      if (!has_host) refuse(term, "a bare device has no host CPU");
      named_host = true;
    } else if (term == "gpu") {
      named_gpu = true;
    } else if (key == "core") {
      filter.cores.insert(index(term, value, machine.gpu.total_cores(), "cores"));
      named_gpu = true;
    } else if (key == "warp") {
      filter.warps.insert(index(term, value, machine.gpu.core.warps, "warps"));
      named_gpu = true;
    } else if (key == "pc") {
      const std::size_t dash = value.find('-');
      const std::uint64_t first = number(term, value.substr(0, dash));
      const std::uint64_t last = dash == std::string_view::npos ? first : number(term, value.substr(dash + 1));
      if (last < first) refuse(term, "ends before it begins");
      filter.ranges.emplace_back(first, last);
    } else if (key == "symbol" && !value.empty()) {
      filter.symbols.emplace_back(value);
    } else if (key == "lines") {
      filter.max_lines = number(term, value);
    } else if (key == "bytes") {
      filter.max_bytes = size(term, value);
    } else {
      refuse(term, "not understood");
    }
  };
  for (const std::string& text : texts)
    for (std::size_t begin = 0; begin <= text.size();) {
      const std::size_t end = std::min(text.find(',', begin), text.size());
      add(text.substr(begin, end - begin));
      begin = end + 1;
    }
  if (named_host || named_gpu) {
    filter.host = named_host;
    filter.gpu = named_gpu;
  }
  filter.host = filter.host && has_host;
  return filter;
}

bool InsnFilter::wants_pc(std::uint64_t pc, const tools::Symbols& names) const {
  if (!ranges.empty() && std::none_of(ranges.begin(), ranges.end(),
                                      [=](const auto& range) { return pc >= range.first && pc <= range.second; }))
    return false;
  if (symbols.empty()) return true;
  const std::string function = names.find(pc).function;
  return std::find(symbols.begin(), symbols.end(), function) != symbols.end();
}

}  // namespace gyre::platform
