// The timeline of a run, in the Trace Event Format that Perfetto and chrome://tracing show: what every unit did when.
#pragma once

#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include "counters.h"
#include "sim_time.h"

namespace gyre::kernel {

// Units ask their context for it; null: nobody is looking, and that question is all it costs. Writing it changes nothing
// in the run. The same run writes the same bytes.
class Timeline {
 public:
  // A row of the picture, owned by the unit that fills it. Slices of one row must not overlap. Rows appear in the order
  // in which they are first used, grouped by unit.
  class Row {
   public:
    Row(std::string unit, std::string name) : unit_(std::move(unit)), name_(std::move(name)) {}

   private:
    friend class Timeline;
    std::string unit_, name_;
    unsigned pid_ = 0, tid_ = 0;  // 0: not used yet
  };

  // Creates the file; UserError if that fails. Events that would make it longer than `limit_bytes` are left out, with
  // everything after them.
  Timeline(std::string path, std::uint64_t limit_bytes);
  ~Timeline();  // as finish(), but says nothing
  Timeline(const Timeline&) = delete;
  Timeline& operator=(const Timeline&) = delete;

  // [begin, end) of `what`. `details`: members of a JSON object, without the braces.
  void slice(Row& row, std::string_view what, Picoseconds begin, Picoseconds end, std::string_view details = {});
  // How fast the counters grew since the last call: a curve for the rates an architect looks at first, and one a cache.
  void sample(const CounterRegistry& counters, Picoseconds now);

  // Completes the file and says so if events were left out. UserError if it could not be written.
  void finish();

 private:
  struct Curve {
    std::string name;                            // with its unit
    std::vector<const std::uint64_t*> counters;  // summed
    double scale = 1;                            // of the growth per microsecond
    std::uint64_t before = 0;
    bool flat = true;  // the last value written was 0
  };

  void name_row(Row& row);
  void find_curves(const CounterRegistry& counters);
  // False: no room.
  bool write(std::string_view event, Picoseconds at);
  void close();

  std::string path_;
  std::uint64_t limit_, written_ = 0, left_out_ = 0;
  Picoseconds full_at_ = 0;
  std::FILE* file_;
  bool failed_ = false;
  std::vector<std::string> units_;  // pid - 1
  unsigned rows_ = 0;
  std::vector<Curve> curves_;
  std::size_t known_counters_ = 0;
  Picoseconds sampled_at_ = 0;
};

}  // namespace gyre::kernel
