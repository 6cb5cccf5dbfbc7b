// The small machine IR between lowering and register allocation: RISC-V operations over virtual registers, in one
// straight list with structured branches (no loops: CSIR has none). A virtual register may be written several times.
// What a lane sees is an ordinary program: lanes that stand aside at a SPLIT keep their registers.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "encode.h"

namespace gyre::shader::gpu {

struct VReg {
  std::int32_t id = -1;  // -1: none, kZeroId: x0
  bool exists() const { return id != -1; }
  bool operator==(VReg o) const { return id == o.id; }
};
constexpr std::int32_t kZeroId = -2;
constexpr VReg kZeroReg{kZeroId};

enum class Kind : std::uint8_t {
  kOp,     // op rd, a, b, c, imm, rm
  kMove,   // rd = a, of one class
  kLi,     // rd = imm
  kTable,  // rd = address of word `imm` of the image's table
  kParam,  // rd = the physical register `imm` at the function's entry; only at its start
  kIf,     // lanes with a nonzero run up to kElse or kEndIf, the others from kElse on; imm 1: lanes with a zero
  kElse,
  kEndIf,
  kCall,   // rd = routine `imm`(a, b), floats; keeps callee-saved registers only
  kReturn  // with the float a, if it exists; the last instruction
};

struct Insn {
  Kind kind = Kind::kOp;
  riscv::Op op = riscv::Op::kIllegal;
  VReg rd, a, b, c;
  std::int32_t imm = 0;
  std::uint8_t rm = 0;
};

// Routines that generated code calls, each emitted once an image that needs it.
enum Routine : std::int32_t { kSinPrecise, kCosPrecise, kPowPrecise, kSinCompat, kCosCompat, kPowCompat, kRsqCompat };
constexpr int kRoutines = 7;
const char* routine_name(Routine routine);

struct Function {
  std::string name;
  bool kernel = false;  // launched by hardware; a0 is the argument
  std::vector<Insn> code;
  std::vector<bool> is_float;  // of every virtual register

  VReg make(bool floating) {
    is_float.push_back(floating);
    return {static_cast<std::int32_t>(is_float.size()) - 1};
  }
};

// True when the only effect of the instruction is its result.
bool is_pure(const Insn& insn);

// Removes instructions nobody needs, and lets a value be computed where a move would bring it.
void tidy(Function* function);

}  // namespace gyre::shader::gpu
