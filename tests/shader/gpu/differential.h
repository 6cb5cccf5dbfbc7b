// One verified shader on the interpreter and as device code on a SIMT core: the same bits.
#pragma once

#include "csir_text.h"
#include "interpreter.h"
#include "random_shader.h"
#include "simt_runner.h"

namespace gyre::test {

struct BatchCase {
  shader::Shader shader;
  shader::Math math = shader::Math::kPrecise;
  shader::gpu::BatchSources sources;
  std::vector<float> attributes, varyings, fragcoord, uniforms;  // `count` times 32, 32, 4; 128
  u32 count = 0;
};

// Values as RandomShader makes them.
inline void fill_inputs(BatchCase* c, RandomShader* make, u32 count) {
  c->count = count;
  auto fill = [&](std::vector<float>* v, std::size_t n) {
    v->resize(n);
    for (float& x : *v) x = make->value();
  };
  fill(&c->attributes, 32 * count);
  fill(&c->varyings, 32 * count);
  fill(&c->fragcoord, 4 * count);
  fill(&c->uniforms, 128);
}

struct Difference {
  std::uint64_t values = 0, different = 0;
  std::string first;
};

inline bool same_bits(float a, float b) { return shader::float_bits(a) == shader::float_bits(b) || (a != a && b != b); }

// Runs `c` on the core and on the interpreter and counts the results that are not equal, NaNs apart.
inline Difference differ(SimtRunner* core, const BatchCase& c, const shader::TextureView& texture) {
  using namespace shader;
  const gpu::Image image = gpu::link_image(kImage, {gpu::batch_kernel("shade", c.shader, c.math, c.sources)});
  core->load(image);
  core->put(kTexelsAt, texture.texels, static_cast<std::size_t>(texture.width * texture.height));
  core->put(kUniformsAt, c.uniforms.data(), c.uniforms.size());
  gpu::BatchArg arg;
  arg.count = c.count;
  arg.attributes = kInputsAt;
  arg.varyings = kInputsAt + 128 * c.count;
  arg.fragcoord = kInputsAt + 256 * c.count;
  arg.uniforms = kUniformsAt;
  arg.texels = kTexelsAt;
  arg.width = static_cast<u32>(texture.width), arg.height = static_cast<u32>(texture.height);
  arg.results = kResultsAt;
  core->put(arg.attributes, c.attributes.data(), c.attributes.size());
  core->put(arg.varyings, c.varyings.data(), c.varyings.size());
  core->put(arg.fragcoord, c.fragcoord.data(), c.fragcoord.size());
  core->put(kArgs, &arg, 1);
  std::vector<gpu::BatchResult> results(c.count);
  std::memset(results.data(), 0, results.size() * sizeof results[0]);
  core->put(kResultsAt, results.data(), results.size());
  core->launch(kImage, image.kernels_address, kArgs, c.count);
  std::memcpy(results.data(), core->memory().at(kResultsAt, results.size() * sizeof results[0]),
              results.size() * sizeof results[0]);

  Difference found;
  for (u32 n = 0; n < c.count; ++n) {
    const bool vertex = c.shader.stage == Stage::kVertex;
    ExecInputs in;
    if (vertex && c.sources.attributes) in.attributes = &c.attributes[32 * n];
    if (!vertex && c.sources.varyings) in.varyings = &c.varyings[32 * n];
    if (!vertex && c.sources.fragcoord) in.fragcoord = &c.fragcoord[4 * n];
    if (c.sources.uniforms) in.uniforms = c.uniforms.data();
    if (c.sources.texture) in.texture = &texture;
    in.varying_map = c.sources.varying_map;
    in.math = c.math;
    gpu::BatchResult want{};
    bool gone = false;
    const ExecOutputs out{want.position, want.varyings, want.color, &gone};
    if (exec_ir(c.shader, in, out) != 0) throw std::runtime_error("the interpreter refuses the shader");
    ++found.values;
    std::string what;
    if (gone != (results[n].discarded != 0)) what = "discard";
    if (!gone) {
      const float* a = results[n].position;
      const float* b = want.position;
      for (int k = 0; k < 40 && what.empty(); ++k)
        if (!same_bits(a[k], b[k]))
          what =
              fmt::format("result {} is {} ({:#x}) not {} ({:#x})", k, a[k], float_bits(a[k]), b[k], float_bits(b[k]));
    }
    if (what.empty()) continue;
    if (found.different++ == 0) found.first = fmt::format("invocation {}: {}\n{}", n, what, write_text(c.shader));
  }
  return found;
}

}  // namespace gyre::test
