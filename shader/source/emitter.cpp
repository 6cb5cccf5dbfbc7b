#include "emitter.h"

namespace gyre::shader {
namespace {

// Lanes an instruction writes, all of them in one go.
int lanes_written(const Instruction& ins) {
  switch (static_cast<Op>(ins.op)) {
    case Op::kSetLane:
    case Op::kMulMm:
    case Op::kLoadUni: return 0;  // partial, or several temporaries
    case Op::kConst:
    case Op::kSwz:
    case Op::kMulMv:
    case Op::kSample: return 4;
    default: return op_info(static_cast<Op>(ins.op)).lanes ? lanes_of(ins) : 1;
  }
}

}  // namespace

Value constant_of(Type type, float x, float y, float z, float w) {
  Value out;
  out.type = type;
  out.constant = true;
  const float all[4] = {x, y, z, w};
  for (int k = 0; k < type_lanes(type); ++k) out.lanes[k] = all[k];
  return out;
}

void Emitter::stop(const char* message) {
  out_->error(place, message);
  throw LowerStop{};
}

int Emitter::allocate(int count) {
  if (top_ + count > kMaxTemps) stop("the shader needs more than 96 temporaries");
  const int first = top_;
  top_ += count;
  if (top_ > shader_->temps) shader_->temps = top_;
  return first;
}

Instruction& Emitter::emit(Op op, Type type, int dst, int a, int b, int aux, int aux2) {
  if (shader_->code.size() == kMaxInstructions) stop("the shader needs more than 384 instructions");
  Instruction ins;
  ins.op = static_cast<std::uint8_t>(op);
  ins.ty = static_cast<std::uint8_t>(type);
  ins.dst = static_cast<std::int16_t>(dst);
  ins.a = static_cast<std::int16_t>(a);
  ins.b = static_cast<std::int16_t>(b);
  ins.aux = static_cast<std::int16_t>(aux);
  ins.aux2 = static_cast<std::int16_t>(aux2);
  shader_->code.push_back(ins);
  return shader_->code.back();
}

Instruction& Emitter::emit_lanes(Op op, Type type, int dst, int a, int b, int aux) {
  Instruction& ins = emit(op, type, dst, a, b, aux);
  ins.ncomp = static_cast<std::uint8_t>(type_lanes(type));
  return ins;
}

int Emitter::immediate(const float* values, int count) {
  std::vector<float>& pool = shader_->immediates;
  const auto length = static_cast<std::size_t>(count);
  for (std::size_t at = 0; at + length <= pool.size(); ++at) {
    std::size_t same = 0;
    while (same < length && float_bits(pool[at + same]) == float_bits(values[same])) ++same;
    if (same == length) return static_cast<int>(at);
  }
  if (pool.size() + length > kMaxImmediates) stop("the shader needs more than 160 immediates");
  pool.insert(pool.end(), values, values + count);
  return static_cast<int>(pool.size() - length);
}

void Emitter::load_constant(const Value& value, int dst) {
  emit_lanes(Op::kConst, value.type, dst, -1, -1, immediate(value.lanes, type_lanes(value.type)));
}

int Emitter::in_temp(const Value& value) {
  if (!value.constant) return value.temp;
  const int dst = allocate(1);
  load_constant(value, dst);
  return dst;
}

Value Emitter::make(Op op, Type type, int a, int b, int aux) {
  Value out;
  out.type = type;
  out.temp = allocate(1);
  if (op_info(op).lanes) emit_lanes(op, type, out.temp, a, b, aux);
  else emit(op, type, out.temp, a, b, aux);
  return out;
}

bool Emitter::redirect(const Value& value, int dst) {
  if (shader_->code.empty() || type_columns(value.type) != 1) return false;
  Instruction& last = shader_->code.back();
  if (last.dst != value.temp || lanes_written(last) < type_lanes(value.type)) return false;
  last.dst = static_cast<std::int16_t>(dst);
  return true;
}

void Emitter::assign(const Value& value, int dst, int free_from) {
  if (value.constant) return load_constant(value, dst);
  if (value.temp == dst || (value.temp >= free_from && redirect(value, dst))) return;
  for (int i = 0; i < type_columns(value.type); ++i) {
    Instruction& ins = emit(Op::kMov, is_matrix(value.type) ? float_vector(type_lanes(value.type)) : value.type, dst + i, value.temp + i);
    ins.ncomp = static_cast<std::uint8_t>(type_lanes(value.type));
  }
}

Value Emitter::settle(Value value, int mark) {
  if (value.constant || value.temp < mark) {
    release(mark);
    return value;
  }
  if (value.temp != mark && redirect(value, mark)) value.temp = mark;
  release(value.temp + type_columns(value.type));
  return value;
}

}  // namespace gyre::shader
