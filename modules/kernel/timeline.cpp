#include "timeline.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <iterator>

#include "error.h"
#include "log.h"

namespace gyre::kernel {
namespace {

constexpr std::string_view kHead = "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n";
constexpr std::string_view kTail = "\n]}\n";
constexpr unsigned kCurves = 1000;  // pid of the counters, behind every unit's

// Microseconds, exactly.
std::string stamp(Picoseconds ps) { return fmt::format("{}.{:06}", ps / 1'000'000, ps % 1'000'000); }

std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    if (static_cast<unsigned char>(c) < 0x20)
      out += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    else
      out += c;
  }
  return out + '"';
}

bool ends_with(const std::string& name, std::string_view tail) {
  return name.size() >= tail.size() && name.compare(name.size() - tail.size(), tail.size(), tail) == 0;
}

}  // namespace

Timeline::Timeline(std::string path, std::uint64_t limit_bytes)
    : path_(std::move(path)), limit_(limit_bytes), file_(std::fopen(path_.c_str(), "wb")) {
  if (file_ == nullptr) user_error("{}: cannot be written ({})", path_, std::strerror(errno));
  failed_ = std::fwrite(kHead.data(), 1, kHead.size(), file_) != kHead.size();
}

Timeline::~Timeline() { close(); }

bool Timeline::write(std::string_view event, Picoseconds at) {
  if (left_out_ != 0 || written_ + event.size() + 2 > limit_) {
    if (left_out_++ == 0) full_at_ = at;
    return false;
  }
  if (written_ != 0) failed_ |= std::fwrite(",\n", 1, 2, file_) != 2;
  failed_ |= std::fwrite(event.data(), 1, event.size(), file_) != event.size();
  written_ += event.size() + 2;
  return true;
}

void Timeline::name_row(Row& row) {
  const auto known = std::find(units_.begin(), units_.end(), row.unit_);
  row.pid_ = static_cast<unsigned>(known - units_.begin()) + 1;
  row.tid_ = ++rows_;
  if (known == units_.end()) {
    units_.push_back(row.unit_);
    write(fmt::format(R"({{"ph":"M","pid":{},"name":"process_name","args":{{"name":{}}}}})", row.pid_, quoted(row.unit_)), 0);
    write(fmt::format(R"({{"ph":"M","pid":{0},"name":"process_sort_index","args":{{"sort_index":{0}}}}})", row.pid_), 0);
  }
  write(fmt::format(R"({{"ph":"M","pid":{},"tid":{},"name":"thread_name","args":{{"name":{}}}}})", row.pid_, row.tid_,
                    quoted(row.name_)),
        0);
}

void Timeline::slice(Row& row, std::string_view what, Picoseconds begin, Picoseconds end, std::string_view details) {
  if (left_out_ != 0) {
    ++left_out_;
    return;
  }
  if (row.tid_ == 0) name_row(row);
  std::string event = fmt::format(R"({{"ph":"X","pid":{},"tid":{},"ts":{},"dur":{},"name":{})", row.pid_, row.tid_,
                                  stamp(begin), stamp(std::max(begin, end) - begin), quoted(what));
  if (!details.empty()) fmt::format_to(std::back_inserter(event), R"(,"args":{{{}}})", details);
  write(event + '}', begin);
}

void Timeline::find_curves(const CounterRegistry& counters) {
  curves_.clear();
  known_counters_ = counters.entries().size();
  auto add = [&](std::string name, double scale, auto belongs) {
    Curve curve;
    curve.name = std::move(name);
    curve.scale = scale;
    for (const auto& [counter, value] : counters.entries())
      if (belongs(counter)) curve.counters.push_back(value);
    if (!curve.counters.empty()) curves_.push_back(std::move(curve));
  };
  auto tail = [](const char* text) { return [text](const std::string& name) { return ends_with(name, text); }; };
  constexpr double kBlockBytes = 64;  // bytes a microsecond are MB/s
  add("device memory reads, MB/s", kBlockBytes, tail(".dram.reads"));
  add("device memory writes, MB/s", kBlockBytes, tail(".dram.writes"));
  add("warp instructions / us", 1, tail(".instructions"));
  add("fragments merged / us", 1, tail(".fragments"));
  add("texture samples / us", 1, tail(".samples"));
  add("host instructions / us", 1, tail("host.cpu.retired"));
  for (const auto& entry : counters.entries())
    if (ends_with(entry.first, "misses"))
      add(entry.first + " / us", 1, [&](const std::string& name) { return name == entry.first; });
}

void Timeline::sample(const CounterRegistry& counters, Picoseconds now) {
  if (known_counters_ != counters.entries().size()) find_curves(counters);
  if (now <= sampled_at_) return;
  if (sampled_at_ == 0)
    write(fmt::format(R"({{"ph":"M","pid":{},"name":"process_name","args":{{"name":"rates"}}}})", kCurves), 0);
  const double microseconds = static_cast<double>(now - sampled_at_) * 1e-6;
  for (Curve& curve : curves_) {
    std::uint64_t total = 0;
    for (const std::uint64_t* value : curve.counters) total += *value;
    const std::uint64_t grown = total - curve.before;
    curve.before = total;
    if (grown == 0 && curve.flat) continue;
    curve.flat = grown == 0;
    write(fmt::format(R"({{"ph":"C","pid":{},"ts":{},"name":{},"args":{{"value":{:.3f}}}}})", kCurves, stamp(sampled_at_),
                      quoted(curve.name), static_cast<double>(grown) * curve.scale / microseconds),
          now);
  }
  sampled_at_ = now;
}

void Timeline::close() {
  if (file_ == nullptr) return;
  failed_ |= std::fwrite(kTail.data(), 1, kTail.size(), file_) != kTail.size();
  failed_ |= std::fclose(file_) != 0;
  file_ = nullptr;
}

void Timeline::finish() {
  close();
  if (failed_) user_error("{}: could not be written completely (is the disk full?)", path_);
  if (left_out_ != 0)
    log_warn(path_, "full at {:.6f} ms: {} later events are left out (--trace-limit)",
             static_cast<double>(full_at_) * 1e-9, left_out_);
}

}  // namespace gyre::kernel
