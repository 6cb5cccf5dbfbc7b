// CSIR, the linear typed IR every shader backend shares (csir.md §2..§5): types, instructions, shaders.
// A machine of temporaries with four float lanes each; int and bool live in floats; a matrix is three or four
// consecutive temporaries, one column each. Values are data; only structure is checked (verifier.h).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace gyre::shader {

// Fixed capacities (§2). Exceeding one is an error where it happens, in every reader and in the compiler.
constexpr int kMaxSourceBytes = 4095, kMaxTokens = 768, kMaxNodes = 512, kMaxSymbols = 64, kMaxScopes = 48;
constexpr int kMaxParserNesting = 32, kMaxCallDepth = 8, kMaxUnroll = 8;
constexpr int kMaxInstructions = 384, kMaxImmediates = 160, kMaxControlNesting = 32, kMaxTemps = 96;
constexpr int kMaxAttributes = 8, kMaxVaryings = 8, kMaxUniformSlots = 32, kMaxSamplers = 4;
constexpr int kMaxNameBytes = 39;

enum class Stage : std::uint8_t { kVertex = 0, kFragment = 1 };
const char* stage_name(Stage stage);  // "vertex", "fragment"

enum class Type : std::uint8_t {
  kNone, kVoid, kBool, kInt, kFloat, kVec2, kVec3, kVec4, kIvec2, kIvec3, kIvec4, kMat3, kMat4, kSampler2D
};
constexpr int kTypeCount = 14;

const char* type_name(Type type);
// false when `name` is no type; "none" is one.
bool type_from_name(const std::string& name, Type* type);
// Lanes of a scalar or vector (1..4), of one column for matrices; 0 for none, void and samplers.
int type_lanes(Type type);
// Consecutive temporaries or uniform slots: 3 and 4 for matrices, else 1.
int type_columns(Type type);
bool is_scalar(Type type);        // bool, int, float
bool is_vector(Type type);        // vec2..4, ivec2..4
bool is_matrix(Type type);        // mat3, mat4
bool is_integer_like(Type type);  // int, ivec2..4
Type float_vector(int lanes);     // 1..4: float, vec2..4
Type int_vector(int lanes);       // 1..4: int, ivec2..4

enum class Op : std::uint8_t {
  kNop, kConst, kMov, kSwz, kSetLane, kAdd, kSub, kMul, kMax, kMin, kAbs, kDot, kRsq, kRcp, kSin, kCos, kPow, kTrunc,
  kCmp, kMulMv, kMulMm, kSample, kLoadAttr, kLoadVar, kLoadUni, kLoadFcoord, kStorePos, kStoreVar, kStoreColor,
  kIf, kElse, kEndIf, kDiscard
};
constexpr int kOpCount = 33;

enum Compare : std::int16_t { kLess = 1, kGreater, kLessEqual, kGreaterEqual, kEqual, kNotEqual };

// One record (§4). Temporaries are 0..95, or -1 where the operation has no such operand. `op` and `ty` are bytes, not
// enums, because a blob may hold anything until it is verified.
struct Instruction {
  std::uint8_t op = 0;
  std::uint8_t ty = 0;     // Type of the result; no meaning for execution
  std::uint8_t ncomp = 0;  // lanes
  std::uint8_t pad = 0;
  std::int16_t dst = -1, a = -1, b = -1, c = -1;
  std::int16_t aux = 0, aux2 = 0;
};
static_assert(sizeof(Instruction) == 16);
bool operator==(const Instruction& x, const Instruction& y);

// What aux and aux2 mean.
enum class Aux : std::uint8_t { kNone, kImmediate, kPattern, kLanes, kWidth, kCompare, kSampler, kAttribute, kVarying, kUniform };

struct OpInfo {
  const char* name;            // mnemonic of the text form
  bool dst, a, b;              // operands it has
  std::uint8_t default_lanes;  // meaning of ncomp 0; 0: the operation has no lane count (or, CONST, no default)
  bool lanes;                  // the operation has a lane count
  bool pure;                   // may be removed when nobody reads dst (§10)
  Aux aux;
};
const OpInfo& op_info(Op op);

int lanes_of(const Instruction& ins);  // ncomp with its default applied
int width_of(const Instruction& ins);  // DOT, MULMV: aux with its default applied; MULMM: aux
// Consecutive temporaries an operand names, from the first (LOAD_UNI and MULMM write several, matrices are read as several).
int dst_span(const Instruction& ins);
int a_span(const Instruction& ins);
int b_span(const Instruction& ins);
// The record with defaults written out and fields the operation does not have at -1 or 0.
Instruction canonical(const Instruction& ins);

enum class InterfaceKind : std::uint8_t { kAttribute = 1, kVarying, kUniform, kSampler };

struct InterfaceEntry {
  std::string name;  // 1..39 characters of an identifier
  Type type = Type::kNone;
  int slot = 0;      // location, varying slot, vec4 slot or sampler number
  InterfaceKind kind = InterfaceKind::kAttribute;
};
bool operator==(const InterfaceEntry& x, const InterfaceEntry& y);

struct Shader {
  Stage stage = Stage::kVertex;
  int temps = 0;
  std::vector<Instruction> code;
  std::vector<float> immediates;
  std::vector<InterfaceEntry> interface;  // attributes, varyings, uniforms, samplers, in this order

  bool stores_position() const;
  bool stores_color() const;
  // Highest slot of a kind, 0 without entries (§15.1: a blob without metadata has slot 0 only).
  int highest_slot(InterfaceKind kind) const;
};
// Same shader, immediates bit by bit.
bool operator==(const Shader& x, const Shader& y);
// Every record canonical.
Shader canonical(Shader shader);

std::uint32_t float_bits(float value);
float float_from_bits(std::uint32_t bits);

}  // namespace gyre::shader
