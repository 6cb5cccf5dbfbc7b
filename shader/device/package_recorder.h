// Records what a Gfx3d device is asked to draw (Gfx3dOptions::sink) as a draw package that carries the compiled
// shaders: `gyre render FILE.gpkg` then draws the frame on the modelled machine.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "gfx3d.h"
#include "gpu_image.h"
#include "stage_entry.h"

namespace gyre::shader::device {

struct RecorderOptions {
  gpu::Sampling sampling = gpu::Sampling::kSoftware;
  // The TEX unit's: bilinear taps, blended levels, and the wrap of both axes (GYRE_TEX_WRAP_*). Mip levels are made for
  // it.
  bool bilinear = true, mip_linear = false;
  unsigned wrap = 0;  // GYRE_TEX_WRAP_CLAMP
};

// What the machine does not do is refused by draw(): a Gfx3d mode other than STRICT, fragment shaders that read more
// than 12 varying components, and with the TEX unit textures whose sides are no powers of two.
class PackageRecorder final : public DrawSink {
 public:
  explicit PackageRecorder(const RecorderOptions& options = {}) : options_(options) {}

  // Forgets the draws before it: nothing of them would be seen.
  void clear(int width, int height, std::uint32_t color) override;
  std::string draw(int width, int height, const SinkDraw& draw) override;

  // The package. UserError when nothing was drawn or cleared, or a shader keeps too many values at once
  // (gpu::link_image()).
  std::vector<std::uint8_t> package() const;
  // The shaders alone; needs a draw.
  gpu::Image image() const;

 private:
  struct Pair {  // one program with one kind of mathematics
    Shader vertex, fragment;
    Math math;
    gpu::VaryingPlan plan;
    gpu::Function vertex_kernel, fragment_kernel;
  };
  struct Texture {
    int width, height;
    std::vector<std::uint32_t> words;
  };
  struct Draw {
    std::size_t pair;
    int texture;  // -1: none
    RasterRules rules;
    std::vector<float> attributes, uniforms;
  };

  std::string find_pair(const SinkDraw& draw, std::size_t* index);
  std::string find_texture(const TextureView* view, int* index);

  const RecorderOptions options_;
  int width_ = 0, height_ = 0;
  std::uint32_t clear_ = 0;
  std::vector<Pair> pairs_;
  std::vector<Texture> textures_;
  std::vector<Draw> draws_;
};

}  // namespace gyre::shader::device
