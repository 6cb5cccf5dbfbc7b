#include "csir.h"

#include <cstring>

namespace gyre::shader {
namespace {

constexpr const char* kTypeNames[kTypeCount] = {"none", "void", "bool",  "int",   "float", "vec2", "vec3",
                                                "vec4", "ivec2", "ivec3", "ivec4", "mat3",  "mat4", "sampler2D"};
constexpr std::uint8_t kTypeLanes[kTypeCount] = {0, 0, 1, 1, 1, 2, 3, 4, 2, 3, 4, 3, 4, 0};

// name, dst, a, b, default lanes, has lanes, pure, aux
constexpr OpInfo kOps[kOpCount] = {
    {"nop", false, false, false, 0, false, false, Aux::kNone},
    {"const", true, false, false, 0, true, true, Aux::kImmediate},
    {"mov", true, true, false, 4, true, true, Aux::kNone},
    {"swz", true, true, false, 1, true, true, Aux::kPattern},
    {"lane", true, true, false, 0, false, false, Aux::kLanes},
    {"add", true, true, true, 4, true, true, Aux::kNone},
    {"sub", true, true, true, 4, true, true, Aux::kNone},
    {"mul", true, true, true, 4, true, true, Aux::kNone},
    {"max", true, true, true, 4, true, true, Aux::kNone},
    {"min", true, true, true, 4, true, true, Aux::kNone},
    {"abs", true, true, false, 4, true, true, Aux::kNone},
    {"dot", true, true, true, 0, false, true, Aux::kWidth},
    {"rsq", true, true, false, 0, false, true, Aux::kNone},
    {"rcp", true, true, false, 1, true, true, Aux::kNone},
    {"sin", true, true, false, 1, true, true, Aux::kNone},
    {"cos", true, true, false, 1, true, true, Aux::kNone},
    {"pow", true, true, true, 0, false, true, Aux::kNone},
    {"trunc", true, true, false, 0, false, true, Aux::kNone},
    {"cmp", true, true, true, 0, false, true, Aux::kCompare},
    {"mulmv", true, true, true, 0, false, true, Aux::kWidth},
    {"mulmm", true, true, true, 0, false, false, Aux::kWidth},
    {"sample2d", true, true, false, 0, false, false, Aux::kSampler},
    {"load_attr", true, false, false, 0, false, false, Aux::kAttribute},
    {"load_var", true, false, false, 0, false, false, Aux::kVarying},
    {"load_uni", true, false, false, 0, false, false, Aux::kUniform},
    {"load_fragcoord", true, false, false, 0, false, false, Aux::kNone},
    {"store_pos", false, true, false, 0, false, false, Aux::kNone},
    {"store_var", false, true, false, 0, false, false, Aux::kVarying},
    {"store_color", false, true, false, 0, false, false, Aux::kNone},
    {"if", false, true, false, 0, false, false, Aux::kNone},
    {"else", false, false, false, 0, false, false, Aux::kNone},
    {"endif", false, false, false, 0, false, false, Aux::kNone},
    {"discard", false, false, false, 0, false, false, Aux::kNone},
};

Op op_of(const Instruction& ins) { return static_cast<Op>(ins.op); }

bool stores(const std::vector<Instruction>& code, Op op) {
  for (const Instruction& ins : code)
    if (op_of(ins) == op) return true;
  return false;
}

}  // namespace

const char* stage_name(Stage stage) { return stage == Stage::kVertex ? "vertex" : "fragment"; }

const char* type_name(Type type) {
  const auto index = static_cast<unsigned>(type);
  return index < kTypeCount ? kTypeNames[index] : "unknown";
}

bool type_from_name(const std::string& name, Type* type) {
  for (int i = 0; i < kTypeCount; ++i) {
    if (name != kTypeNames[i]) continue;
    *type = static_cast<Type>(i);
    return true;
  }
  return false;
}

int type_lanes(Type type) {
  const auto index = static_cast<unsigned>(type);
  return index < kTypeCount ? kTypeLanes[index] : 0;
}

int type_columns(Type type) { return type == Type::kMat3 ? 3 : type == Type::kMat4 ? 4 : 1; }
bool is_scalar(Type type) { return type == Type::kBool || type == Type::kInt || type == Type::kFloat; }
bool is_vector(Type type) { return type >= Type::kVec2 && type <= Type::kIvec4; }
bool is_matrix(Type type) { return type == Type::kMat3 || type == Type::kMat4; }
bool is_integer_like(Type type) { return type == Type::kInt || (type >= Type::kIvec2 && type <= Type::kIvec4); }

Type float_vector(int lanes) {
  return lanes <= 1 ? Type::kFloat : static_cast<Type>(static_cast<int>(Type::kVec2) + lanes - 2);
}
Type int_vector(int lanes) {
  return lanes <= 1 ? Type::kInt : static_cast<Type>(static_cast<int>(Type::kIvec2) + lanes - 2);
}

bool operator==(const Instruction& x, const Instruction& y) { return std::memcmp(&x, &y, sizeof x) == 0; }

const OpInfo& op_info(Op op) { return kOps[static_cast<unsigned>(op) % kOpCount]; }

int lanes_of(const Instruction& ins) { return ins.ncomp != 0 ? ins.ncomp : op_info(op_of(ins)).default_lanes; }

int width_of(const Instruction& ins) {
  if (ins.aux != 0) return ins.aux;
  return op_of(ins) == Op::kDot ? 3 : op_of(ins) == Op::kMulMv ? 4 : 0;
}

int dst_span(const Instruction& ins) {
  return op_of(ins) == Op::kLoadUni ? ins.aux2 : op_of(ins) == Op::kMulMm ? ins.aux : 1;
}
int a_span(const Instruction& ins) {
  return op_of(ins) == Op::kMulMv || op_of(ins) == Op::kMulMm ? width_of(ins) : 1;
}
int b_span(const Instruction& ins) { return op_of(ins) == Op::kMulMm ? ins.aux : 1; }

Instruction canonical(const Instruction& ins) {
  Instruction out = ins;
  const OpInfo& info = op_info(op_of(ins));
  out.pad = 0;
  out.c = -1;
  if (!info.dst) out.dst = -1;
  if (!info.a) out.a = -1;
  if (!info.b) out.b = -1;
  out.ncomp = static_cast<std::uint8_t>(info.lanes ? lanes_of(ins) : 0);
  if (info.aux == Aux::kNone) out.aux = 0;
  if (info.aux == Aux::kWidth) out.aux = static_cast<std::int16_t>(width_of(ins));
  if (info.aux == Aux::kLanes) out.aux &= 3;
  if (info.aux == Aux::kPattern) out.aux &= static_cast<std::int16_t>((1 << (2 * out.ncomp)) - 1);
  out.aux2 = static_cast<std::int16_t>(info.aux == Aux::kLanes ? ins.aux2 & 3 : info.aux == Aux::kUniform ? ins.aux2 : 0);
  return out;
}

bool operator==(const InterfaceEntry& x, const InterfaceEntry& y) {
  return x.name == y.name && x.type == y.type && x.slot == y.slot && x.kind == y.kind;
}

bool Shader::stores_position() const { return stores(code, Op::kStorePos); }
bool Shader::stores_color() const { return stores(code, Op::kStoreColor); }

int Shader::highest_slot(InterfaceKind kind) const {
  int highest = 0;
  for (const InterfaceEntry& entry : interface)
    if (entry.kind == kind && entry.slot > highest) highest = entry.slot;
  return highest;
}

bool operator==(const Shader& x, const Shader& y) {
  return x.stage == y.stage && x.temps == y.temps && x.code == y.code && x.interface == y.interface &&
         x.immediates.size() == y.immediates.size() &&
         (x.immediates.empty() ||
          std::memcmp(x.immediates.data(), y.immediates.data(), x.immediates.size() * sizeof(float)) == 0);
}

Shader canonical(Shader shader) {
  for (Instruction& ins : shader.code) ins = canonical(ins);
  return shader;
}

std::uint32_t float_bits(float value) {
  std::uint32_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}

float float_from_bits(std::uint32_t bits) {
  float value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

}  // namespace gyre::shader
