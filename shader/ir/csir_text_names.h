// Words the writer and the reader of the text form share.
#pragma once

#include "csir.h"

namespace gyre::shader {

constexpr const char* kLaneNames = "xyzw";
constexpr const char* kCompareNames[] = {"", "lt", "gt", "le", "ge", "eq", "ne"};
constexpr const char* kInterfaceWords[] = {"", "attr", "vary", "uniform", "sampler"};

// The type a mnemonic without ":TYPE" has.
inline Type default_type(const Instruction& ins) {
  return op_info(static_cast<Op>(ins.op)).lanes ? float_vector(lanes_of(ins)) : Type::kNone;
}

}  // namespace gyre::shader
