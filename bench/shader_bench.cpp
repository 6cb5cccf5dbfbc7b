// Fragments a second of the shader executors: interpreter, batched on one and on two threads. Processor clock of the
// calling process for one thread, wall clock for two. Each figure also as a ratio to a calibration loop, because machines differ.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <ctime>

#include "gyre_paths.h"
#include "shader_file.h"
#include "show.h"

namespace {

using namespace gyre::shader;

double processor_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }
double wall_seconds() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

// A dependent chain of multiplications and additions, millions a second.
double calibration() {
  double best = 0;
  for (int round = 0; round < 5; ++round) {
    const double begin = processor_seconds();
    volatile float seed = 1.0001f;
    float x = seed;
    for (int i = 0; i < 20000000; ++i) x = x * 1.0000001f + 1e-9f;
    seed = x;
    best = std::max(best, 20.0 / (processor_seconds() - begin));
  }
  return best;
}

struct Rate {
  double per_second = 0;
};

// The best of several frames; whole draws, vertices included, on a quad that fills the picture.
Rate measure(const Shader& vertex, const Shader& fragment, Executor executor, int threads) {
  ShowOptions options;
  options.width = options.height = executor == Executor::kInterpreter ? 256 : 512;
  options.mesh = "quad";
  options.orbit = false;
  options.device.executor = executor;
  options.device.threads = threads;
  Rate best;
  for (int round = 0; round < 8; ++round) {
    const double begin = threads > 1 ? wall_seconds() : processor_seconds();
    const ShowResult result = show(vertex, fragment, options);
    const double seconds = (threads > 1 ? wall_seconds() : processor_seconds()) - begin;
    best.per_second = std::max(best.per_second, static_cast<double>(result.stats.fragments) / seconds);
  }
  return best;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string folder = argc > 1 ? argv[1] : GYRE_SOURCE_DIR "/scenes/shaders";
  const double unit = calibration();
  std::printf("calibration: %.1f M steps/s\n", unit);
  std::printf("%-10s %14s %14s %8s %14s   M fragments/s\n", "shader", "interpreter", "batched", "ratio", "two threads");
  for (const char* name : {"constant", "texture", "diffuse", "toon", "blur", "cutout", "sine", "normals"}) {
    const LoadedShader vertex = load_shader(folder + "/" + name + ".vert"), fragment = load_shader(folder + "/" + name + ".frag");
    if (!vertex.shader || !fragment.shader) {
      std::fprintf(stderr, "%s%s", vertex.log.c_str(), fragment.log.c_str());
      return 2;
    }
    const double interpreter = measure(*vertex.shader, *fragment.shader, Executor::kInterpreter, 1).per_second;
    const double batched = measure(*vertex.shader, *fragment.shader, Executor::kBatched, 1).per_second;
    const double two = measure(*vertex.shader, *fragment.shader, Executor::kBatched, 2).per_second;
    std::printf("%-10s %14.2f %14.2f %8.1f %14.2f\n", name, interpreter / 1e6, batched / 1e6, batched / interpreter, two / 1e6);
  }
  return 0;
}
