// Whole kernels around a shader: how a lane finds its inputs and where its results go.
#pragma once

#include <cstdint>
#include <string>

#include "csir.h"
#include "interpreter.h"
#include "machine_ir.h"

namespace gyre::shader::gpu {

// Argument of a batch kernel, one invocation a lane of a one-dimensional launch: device addresses and sizes in words of
// 32 bits. Lanes at or beyond `count` repeat the last invocation. Arrays are dense, one element an invocation.
struct BatchArg {
  std::uint32_t count = 0;                          // at least 1
  std::uint32_t attributes = 0;                     // 8 vec4 an invocation
  std::uint32_t varyings = 0;                       // 8 vec4, in the slots the varying map leads to
  std::uint32_t fragcoord = 0;                      // vec4
  std::uint32_t uniforms = 0;                       // 32 vec4, for all
  std::uint32_t texels = 0, width = 0, height = 0;  // words 0xAARRGGBB, 1..1024 a side
  std::uint32_t results = 0;                        // BatchResult an invocation
};
struct BatchResult {
  float position[4], varyings[32], color[4];
  std::uint32_t discarded, pad_[3];
};

// What a batch kernel is given; a source that is missing is no field to be read (csir.md §5).
struct BatchSources {
  bool attributes = true, varyings = true, fragcoord = true, uniforms = true, texture = true;
  const std::int16_t* varying_map = nullptr;  // 8 slots, -1: keep the slot
};

Function batch_kernel(const std::string& name, const Shader& shader, Math math, const BatchSources& sources);

}  // namespace gyre::shader::gpu
