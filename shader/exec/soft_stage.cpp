#include "soft_stage.h"

namespace gyre::shader {

int soft_vs(const Program& program, const float* attributes, float* position, float* varyings, Math math) {
  if (!program.linked() || attributes == nullptr || position == nullptr) return -1;
  ExecInputs in;
  in.attributes = attributes;
  in.uniforms = program.words(Stage::kVertex);
  in.math = math;
  ExecOutputs out;
  out.position = position;
  out.varyings = varyings;
  return exec_ir(program.vertex(), in, out);
}

int soft_fs(const Program& program, const float* varyings, const float* fragcoord, const TextureView* texture, float* color,
            bool* discard, Math math) {
  if (!program.linked() || varyings == nullptr || color == nullptr || discard == nullptr) return -1;
  ExecInputs in;
  in.varyings = varyings;
  in.varying_map = program.varying_map().data();
  in.uniforms = program.words(Stage::kFragment);
  in.fragcoord = fragcoord;
  in.texture = texture;
  in.math = math;
  ExecOutputs out;
  out.color = color;
  out.discard = discard;
  return exec_ir(program.fragment(), in, out);
}

}  // namespace gyre::shader
