// The textual form of CSIR (csir.md §16): one instruction a line, ";" starts a comment.
//   csir 1 vertex
//   temps 3
//   imm 1 0 0x7fc00000
//   attr pos vec4 0
//   %0 = load_attr 0
//   %1 = add.3:ivec3 %0 %0
// Text and CSI v2 carry the same information: writing a canonical shader and reading it again gives the same shader.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "csir.h"
#include "diagnostics.h"

namespace gyre::shader {

struct TextOptions {
  bool nops = true;  // false: leave NOPs out (a dump to read; not the same shader any more)
};

// `shader` must be verified. Fields an instruction does not have are not written.
std::string write_text(const Shader& shader, const TextOptions& options = {});

// The shader, verified by the hardened rules, or nothing and errors with line and column. `diagnostics` should have
// been made with the same text.
std::optional<Shader> read_text(std::string_view text, Diagnostics* diagnostics);

}  // namespace gyre::shader
