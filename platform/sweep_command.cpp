// gyre sweep: one scene on many machines, several runs at once.
#include <algorithm>
#include <chrono>
#include <filesystem>
#include <thread>

#include "error.h"
#include "files.h"
#include "options.h"
#include "run_watch.h"
#include "sweep_runner.h"

namespace gyre::platform {
namespace {

namespace fs = std::filesystem;

struct SweepOptions {
  std::string file, folder;
  unsigned jobs = 0;  // 0: one a processor
  bool list = false, quiet = false;
};

constexpr const char* kTable = "results.csv";

// A file SweepRunner names: a number and its ending.
bool is_ours(const fs::path& path) {
  const std::string stem = path.stem().string(), ending = path.extension().string();
  return stem.find_first_not_of("0123456789") == std::string::npos && (ending == ".png" || ending == ".json" || ending == ".log");
}

// The folder is new, empty, or that of a sweep before, whose files go.
void prepare(const std::string& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error || !fs::is_directory(folder)) user_error("-o {}: no folder can be made there: {}", folder, error ? error.message() : "it is a file");
  if (fs::is_empty(folder)) return;
  if (!fs::exists(fs::path(folder) / kTable))
    user_error("-o {}: holds files that are not a sweep's; name a new or an empty folder", folder);
  std::vector<fs::path> old;
  for (const auto& entry : fs::directory_iterator(folder))
    if (is_ours(entry.path())) old.push_back(entry.path());
  for (const fs::path& path : old) fs::remove(path, error);
}

void list_points(const SweepPlan& plan) {
  for (std::size_t i = 0; i < plan.points.size(); ++i) {
    std::string sets;
    for (const std::string& set : plan.points[i].sets) sets += " " + set;
    fmt::print("{} {}{}\n", i + 1, plan.points[i].scene, sets);
  }
}

int sweep(const SweepOptions& options) {
  const SweepPlan plan = read_sweep(options.file);
  if (options.list) {
    list_points(plan);
    return 0;
  }
  if (options.folder.empty()) user_error("-o: name the folder for the results");
  prepare(options.folder);
  const unsigned jobs = options.jobs != 0 ? options.jobs : std::max(1u, std::thread::hardware_concurrency());
  const std::string table = (fs::path(options.folder) / kTable).string();
  SweepRunner runner(plan, options.folder);
  ProgressLine progress(options.quiet);
  const auto write_table = [&] {
    const std::string text = results_csv(plan, runner.results());
    scene::write_file(table, text.data(), text.size());
  };
  // What has been done stays, whatever comes.
  constexpr auto kEvery = std::chrono::seconds(1);
  auto written = std::chrono::steady_clock::now();
  write_table();
  runner.run(jobs, [&] {
    progress.show(fmt::format("{}: {} of {} points, {} failed", options.file, runner.ended(), plan.points.size(),
                              std::count_if(runner.results().begin(), runner.results().end(),
                                            [](const PointResult& r) { return r.state == PointResult::State::kFailed; })));
    if (std::chrono::steady_clock::now() < written + kEvery) return;
    written = std::chrono::steady_clock::now();
    write_table();
  });
  write_table();
  progress.show("");
  if (!options.quiet) print_results(stdout, plan, runner.results());
  int code = 0;
  for (std::size_t i = 0; i < plan.points.size(); ++i)
    if (const PointResult& r = runner.results()[i]; r.state == PointResult::State::kFailed) {
      fmt::print(stderr, "gyre: {}: point {}: {}\n", options.file, i + 1, r.said);
      code = 1;
    }
  if (runner.ended() != plan.points.size()) {
    fmt::print(stderr, "gyre: {}: interrupted; {} of {} points have run, see {}\n", options.file, runner.ended(), plan.points.size(), table);
    code = 1;
  }
  for (const std::size_t i : runner.other_pictures()) {
    fmt::print(stderr, "gyre: {}: point {}: its picture differs from that of the first point of {}: a fault of the model, please report it\n",
               options.file, i + 1, plan.points[i].scene);
    code = 1;
  }
  for (std::size_t c = 0; c < plan.columns.size(); ++c) {
    const bool known = std::any_of(runner.results().begin(), runner.results().end(), [c](const PointResult& r) {
      return r.state != PointResult::State::kDone || r.numbers.columns[c].has_value();
    });
    if (!known)
      fmt::print(stderr, "gyre: {}: columns: no counter is called {}; a report ({}) lists them\n", options.file,
                 scene::quote_text(plan.columns[c]), runner.file(0, ".json"));
  }
  return code;
}

}  // namespace

void add_sweep_command(CLI::App& app, int* code) {
  auto options = std::make_shared<SweepOptions>();
  CLI::App* command = app.add_subcommand("sweep", "draw a scene on many machines and compare their cycles");
  command->add_option("sweep", options->file, "scenes, knobs and their values (YAML)")->required()->type_name("SWEEP");
  command->add_option("-o,--output", options->folder, "folder for results.csv, pictures and reports")->type_name("DIR");
  command->add_option("-j,--jobs", options->jobs, "runs at once; without it one a processor")->type_name("N")->check(CLI::Range(1, 1024));
  command->add_flag("--list", options->list, "say what would run, and run nothing");
  command->add_flag("--quiet,-q", options->quiet, "no table, no progress");
  command->callback([options, code] { *code = sweep(*options); });
}

}  // namespace gyre::platform
