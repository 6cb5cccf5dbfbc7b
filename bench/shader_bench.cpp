// Fragments a second of the shader executors: the interpreter, the batched executor on one and on two threads.
//   shading  fragment shaders alone, on fragments that lie ready; for the batched executor their copy into rows counts
//   quad     whole draws of a quad that fills 512x512: vertices, triangle setup, coverage, depth, shading, pixels
//   sphere   whole draws of 1,920 small triangles in the same target
// Processor clock for one thread, wall clock for two; best of several rounds. The ratios are to the interpreter in the
// same row, measured in the same run: only they can be compared between machines.
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <memory>

#include "batch_plan.h"
#include "batch_run.h"
#include "gyre_paths.h"
#include "shader_file.h"
#include "show.h"
#include "soft_stage.h"

namespace {

using namespace gyre::shader;

constexpr int kSide = 64, kFragments = kSide * kSide;  // a picture of fragments
constexpr double kRoundSeconds = 0.02;
constexpr int kRounds = 6;

double processor_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }
double wall_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// Things a second: `work` does some of them and returns how many; `clock` runs while it works.
template <class Work>
double best_rate(double (*clock)(), Work work) {
  double best = 0;
  work();
  for (int round = 0; round < kRounds; ++round) {
    const double begin = clock();
    double done = 0, seconds;
    do {
      done += static_cast<double>(work());
      seconds = clock() - begin;
    } while (seconds < kRoundSeconds);
    best = std::max(best, done / seconds);
  }
  return best;
}

// A dependent chain of multiplications and additions, millions a second.
double calibration() {
  return best_rate(processor_seconds,
                   [] {
                     volatile float seed = 1.0001f;
                     float x = seed;
                     for (int i = 0; i < 1000000; ++i) x = x * 1.0000001f + 1e-9f;
                     seed = x;
                     return 1000000;
                   }) /
         1e6;
}

std::vector<std::uint32_t> texels(int side) {
  std::vector<std::uint32_t> out;
  for (int y = 0; y < side; ++y)
    for (int x = 0; x < side; ++x)
      out.push_back(0xFF000000u | static_cast<std::uint32_t>(x * 4 << 16 | y * 4 << 8 | (x ^ y)));
  return out;
}

void set(Program* program, const char* name, const std::vector<float>& values) {
  program->set_uniform(program->uniform_index(name), values.data(), static_cast<int>(values.size()));
}

// ---- shading
struct Fragments {
  std::vector<float> varyings, rows;  // kFragments x 32; 32 rows of kFragments
  Program program;
  std::vector<std::uint32_t> texture = texels(64);
  TextureView view{texture.data(), 64, 64};

  Fragments(const Shader& vertex, const Shader& fragment) : varyings(kFragments * 32), rows(varyings.size()) {
    if (!program.link(vertex, fragment)) return;
    set(&program, "light", {0.4242641f, 0.5656854f, 0.7071068f});
    set(&program, "time", {1.0f});
    set(&program, "resolution", {kSide, kSide});
    for (const InterfaceEntry& entry : program.fragment().interface) {
      if (entry.kind != InterfaceKind::kVarying) continue;
      const int slot = program.varying_map()[static_cast<std::size_t>(entry.slot)];
      for (int i = 0; i < kFragments; ++i) {
        const float u = (static_cast<float>(i % kSide) + 0.5f) / kSide,
                    v = (static_cast<float>(i / kSide) + 0.5f) / kSide;
        const float bend = std::sqrt(std::max(0.0f, 2 - (2 * u - 1) * (2 * u - 1) - (1 - 2 * v) * (1 - 2 * v)));
        const float uv[4] = {u, v, 0, 1}, normal[4] = {2 * u - 1, 1 - 2 * v, bend, 0};
        std::memcpy(&varyings[static_cast<std::size_t>(32 * i + 4 * slot)], entry.name == "v_uv" ? uv : normal,
                    sizeof uv);
      }
    }
    for (int i = 0; i < kFragments; ++i)
      for (int k = 0; k < 32; ++k)
        rows[static_cast<std::size_t>(k * kFragments + i)] = varyings[static_cast<std::size_t>(32 * i + k)];
  }
};

int shade_interpreted(const Fragments& f) {
  float color[4];
  bool discard;
  const float fragcoord[4] = {0.5f, 0.5f, 0.5f, 1};
  for (int i = 0; i < kFragments; ++i)
    soft_fs(f.program, &f.varyings[static_cast<std::size_t>(32 * i)], fragcoord, &f.view, color, &discard,
            Math::kPrecise);
  return kFragments;
}

struct BatchShading {
  const Fragments& f;
  alignas(64) float varyings[32 * kBatchRow] = {}, fragcoord[4 * kBatchRow] = {}, color[4 * kBatchRow] = {};
  std::int32_t discard[kBatchLanes];
  BatchMachine machine;
  std::uint32_t read = 0;

  explicit BatchShading(const Fragments& fragments) : f(fragments) {
    BatchInputs in;
    in.varyings = varyings;
    in.varying_map = f.program.varying_map().data();
    in.fragcoord = fragcoord;
    in.uniforms = f.program.words(Stage::kFragment);
    in.texture = &f.view;
    BatchOutputs out;
    out.color = color;
    out.discard = discard;
    const BatchPlan plan = make_batch_plan(f.program.fragment(), in, out);
    read = plan.varyings_read;
    machine.prepare(plan, in, out);
  }
  int run(int first) {
    for (std::uint32_t left = read; left != 0; left &= left - 1) {
      const int row = __builtin_ctz(left);
      std::memcpy(varyings + row * kBatchRow, &f.rows[static_cast<std::size_t>(row * kFragments + first)],
                  kBatchLanes * sizeof(float));
    }
    machine.run(kBatchLanes);
    return kBatchLanes;
  }
};

void shading(const char* name, const Shader& vertex, const Shader& fragment) {
  const Fragments f(vertex, fragment);
  const double interpreter = best_rate(processor_seconds, [&] { return shade_interpreted(f); });
  const auto one = std::make_unique<BatchShading>(f);
  const double batched = best_rate(processor_seconds, [&] {
    for (int first = 0; first < kFragments; first += kBatchLanes) one->run(first);
    return kFragments;
  });
  std::unique_ptr<BatchShading> machines[2] = {std::make_unique<BatchShading>(f), std::make_unique<BatchShading>(f)};
  oneapi::tbb::task_arena arena(2);
  constexpr int kPictures = 64;
  const double two = best_rate(wall_seconds, [&] {
    arena.execute([&] {
      oneapi::tbb::parallel_for(0, kPictures, [&](int) {
        BatchShading& mine = *machines[oneapi::tbb::this_task_arena::current_thread_index()];
        for (int first = 0; first < kFragments; first += kBatchLanes) mine.run(first);
      });
    });
    return kPictures * kFragments;
  });
  std::printf("%-10s %-8s %12.2f %12.2f %8.1f %12.2f %8.1f\n", name, "shading", interpreter / 1e6, batched / 1e6,
              batched / interpreter, two / 1e6, two / interpreter);
}

// ---- whole draws
class Stage3d {
 public:
  Stage3d(const Shader& vertex, const Shader& fragment, const char* mesh_name, Executor executor, int threads)
      : device_({kStrict, 0, Gfx3dOptions::Precise::kByMode, executor, threads}) {
    context_ = device_.context_create(1);
    target_ = device_.target_create(1, 512, 512);
    const Handle program = device_.program_create(1), texture = device_.tex_create(1, 64, 64);
    device_.program_link(1, program, vertex, fragment);
    const std::vector<std::uint32_t> words = texels(64);
    device_.tex_upload(1, texture, words.data(), words.size());
    mesh_ = device_.mesh_build(1);
    build_show_mesh(&device_, 1, mesh_, mesh_name);
    device_.mesh_finish(1, mesh_);
    device_.use_program(1, context_, program);
    device_.bind_tex(1, context_, 0, texture);
    const float eye[3] = {0, 0, 2.6f}, center[3] = {0, 0, 0}, up[3] = {0, 1, 0};
    device_.camera(1, context_, mat4_look_at(eye, center, up), mat4_perspective(46, 1, 0.1f, 200));
    device_.model(1, context_, mat4_identity());
    const float light[3] = {0.4242641f, 0.5656854f, 0.7071068f}, time = 1;
    device_.uniform(1, context_, "light", light, 3);
    device_.uniform(1, context_, "time", &time, 1);
    device_.begin(1, context_, target_);
  }
  void clear() { device_.clear(1, context_, 0, 0, 0, 1, 1); }
  std::uint64_t draw() {
    const std::uint64_t before = device_.stats().fragments;
    device_.draw(1, context_, mesh_);
    return device_.stats().fragments - before;
  }

 private:
  Gfx3d device_;
  Handle context_ = 0, target_ = 0, mesh_ = 0;
};

double draws(const Shader& vertex, const Shader& fragment, const char* mesh, Executor executor, int threads) {
  Stage3d stage(vertex, fragment, mesh, executor, threads);
  double (*const clock)() = threads > 1 ? wall_seconds : processor_seconds;
  double best = 0;
  for (int round = 0; round < 4 * kRounds; ++round) {
    stage.clear();
    const double begin = clock();
    const std::uint64_t fragments = stage.draw();
    best = std::max(best, static_cast<double>(fragments) / (clock() - begin));
  }
  return best;
}

void whole(const char* name, const Shader& vertex, const Shader& fragment, const char* mesh) {
  const double interpreter = draws(vertex, fragment, mesh, Executor::kInterpreter, 1);
  const double batched = draws(vertex, fragment, mesh, Executor::kBatched, 1);
  const double two = draws(vertex, fragment, mesh, Executor::kBatched, 2);
  std::printf("%-10s %-8s %12.2f %12.2f %8.1f %12.2f %8.1f\n", name, mesh, interpreter / 1e6, batched / 1e6,
              batched / interpreter, two / 1e6, two / interpreter);
}

}  // namespace

int main(int argc, char** argv) {
  const std::string folder = argc > 1 ? argv[1] : GYRE_SOURCE_DIR "/scenes/shaders";
  std::printf("calibration: %.1f M steps/s; loops for %s\n", calibration(),
              for_isa("x86-64", "x86-64-v3", "x86-64-v4"));
  std::printf("%-10s %-8s %12s %12s %8s %12s %8s   M fragments/s\n", "shader", "", "interpreter", "batched", "ratio",
              "two threads", "ratio");
  for (const char* name : {"constant", "texture", "diffuse", "toon", "blur", "cutout", "sine", "normals"}) {
    const LoadedShader vertex = load_shader(folder + "/" + name + ".vert"),
                       fragment = load_shader(folder + "/" + name + ".frag");
    if (!vertex.shader || !fragment.shader) {
      std::fprintf(stderr, "%s%s", vertex.log.c_str(), fragment.log.c_str());
      return 2;
    }
    shading(name, *vertex.shader, *fragment.shader);
    for (const char* mesh : {"quad", "sphere"}) whole(name, *vertex.shader, *fragment.shader, mesh);
  }
  return 0;
}
