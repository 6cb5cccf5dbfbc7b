// Appends machine IR, one call an instruction. The mathematics (math_routines.h) is written over a "machine" with these
// members, so that the same source makes device code and, with HostMachine, runs on the host.
#pragma once

#include <cstring>

#include "machine_ir.h"

namespace gyre::shader::gpu {

class Builder {
 public:
  using Int = VReg;
  using Real = VReg;

  explicit Builder(Function* function) : f_(*function) {}
  Function& function() { return f_; }

  // ---- any operation
  VReg op(riscv::Op op, VReg a, VReg b = {}, std::int32_t imm = 0, std::uint8_t rm = 0) {
    Insn i;
    i.op = op;
    i.rd = f_.make(operands_of(op).frd);
    i.a = a, i.b = b, i.imm = imm, i.rm = rm;
    f_.code.push_back(i);
    return i.rd;
  }
  Insn& push(Kind kind, VReg rd = {}, VReg a = {}, VReg b = {}, std::int32_t imm = 0) {
    Insn i;
    i.kind = kind;
    i.rd = rd, i.a = a, i.b = b, i.imm = imm;
    f_.code.push_back(i);
    return f_.code.back();
  }
  void move(VReg to, VReg from) { push(Kind::kMove, to, from); }
  VReg copy(VReg from) {
    const VReg to = f_.make(from.id >= 0 && f_.is_float[static_cast<std::size_t>(from.id)]);
    move(to, from);
    return to;
  }
  VReg param(bool floating, int physical) {
    const VReg r = f_.make(floating);
    push(Kind::kParam, r, {}, {}, physical);
    return r;
  }
  VReg call(Routine routine, VReg a, VReg b = {}) {
    const VReg r = f_.make(true);
    push(Kind::kCall, r, a, b, routine);
    return r;
  }
  void store(riscv::Op op, VReg address, VReg value, std::int32_t offset) {
    Insn i;
    i.op = op;
    i.a = address, i.b = value, i.imm = offset;
    f_.code.push_back(i);
  }

  // ---- integers
  Int li(std::uint32_t value) {
    if (value == 0) return kZeroReg;
    const VReg r = f_.make(false);
    push(Kind::kLi, r, {}, {}, static_cast<std::int32_t>(value));
    return r;
  }
  Int add(Int a, Int b) { return op(riscv::Op::kAdd, a, b); }
  Int sub(Int a, Int b) { return op(riscv::Op::kSub, a, b); }
  Int and_(Int a, Int b) { return op(riscv::Op::kAnd, a, b); }
  Int or_(Int a, Int b) { return op(riscv::Op::kOr, a, b); }
  Int xor_(Int a, Int b) { return op(riscv::Op::kXor, a, b); }
  Int sll(Int a, Int n) { return op(riscv::Op::kSll, a, n); }  // by the low 5 bits
  Int srl(Int a, Int n) { return op(riscv::Op::kSrl, a, n); }
  Int mul(Int a, Int b) { return op(riscv::Op::kMul, a, b); }
  Int mulhu(Int a, Int b) { return op(riscv::Op::kMulhu, a, b); }
  Int divu(Int a, Int b) { return op(riscv::Op::kDivu, a, b); }
  Int remu(Int a, Int b) { return op(riscv::Op::kRemu, a, b); }
  Int slt(Int a, Int b) { return op(riscv::Op::kSlt, a, b); }
  Int sltu(Int a, Int b) { return op(riscv::Op::kSltu, a, b); }
  Int slli(Int a, int n) { return op(riscv::Op::kSlli, a, {}, n); }
  Int srli(Int a, int n) { return op(riscv::Op::kSrli, a, {}, n); }
  Int srai(Int a, int n) { return op(riscv::Op::kSrai, a, {}, n); }
  Int addi(Int a, int imm) { return op(riscv::Op::kAddi, a, {}, imm); }
  Int andi(Int a, int imm) { return op(riscv::Op::kAndi, a, {}, imm); }
  Int xori(Int a, int imm) { return op(riscv::Op::kXori, a, {}, imm); }
  Int slti(Int a, int imm) { return op(riscv::Op::kSlti, a, {}, imm); }
  Int sltiu(Int a, int imm) { return op(riscv::Op::kSltiu, a, {}, imm); }
  Int if_nonzero(Int value, Int condition) { return op(riscv::Op::kCzeroEqz, value, condition); }  // else 0
  Int if_zero(Int value, Int condition) { return op(riscv::Op::kCzeroNez, value, condition); }
  // Address of word `first` + `index` of the image's table, and a word at an address.
  Int table(int first, Int index) {
    const VReg base = f_.make(false);
    push(Kind::kTable, base, {}, {}, first);
    return index == kZeroReg ? base : add(base, slli(index, 2));
  }
  Int word(Int address, int words) { return op(riscv::Op::kLw, address, {}, 4 * words); }

  // ---- floats
  Real real(float value) {
    std::uint32_t bits;
    std::memcpy(&bits, &value, sizeof bits);
    return from_bits(li(bits));
  }
  Real fadd(Real a, Real b) { return op(riscv::Op::kFaddS, a, b); }
  Real fsub(Real a, Real b) { return op(riscv::Op::kFsubS, a, b); }
  Real fmul(Real a, Real b) { return op(riscv::Op::kFmulS, a, b); }
  Real fdiv(Real a, Real b) { return op(riscv::Op::kFdivS, a, b); }
  Real fsqrt(Real a) { return op(riscv::Op::kFsqrtS, a); }
  Real fneg(Real a) { return op(riscv::Op::kFsgnjnS, a, a); }
  Int flt(Real a, Real b) { return op(riscv::Op::kFltS, a, b); }
  Int fle(Real a, Real b) { return op(riscv::Op::kFleS, a, b); }
  Int feq(Real a, Real b) { return op(riscv::Op::kFeqS, a, b); }
  Int bits(Real a) { return op(riscv::Op::kFmvXW, a); }
  Real from_bits(Int a) { return op(riscv::Op::kFmvWX, a); }
  Real to_real(Int a) { return op(riscv::Op::kFcvtSW, a, {}, 0, kRoundNearest); }
  Real to_real_unsigned_toward_zero(Int a) { return op(riscv::Op::kFcvtSWu, a, {}, 0, kRoundToZero); }
  Int truncate(Real a) { return op(riscv::Op::kFcvtWS, a, {}, 0, kRoundToZero); }  // saturates; NaN: the largest int

 private:
  Function& f_;
};

// ---- what every machine can do with these ----
template <class M>
typename M::Int select(M& m, typename M::Int condition, typename M::Int yes, typename M::Int no) {
  return m.or_(m.if_nonzero(yes, condition), m.if_zero(no, condition));
}
template <class M>
typename M::Real select_real(M& m, typename M::Int condition, typename M::Real yes, typename M::Real no) {
  return m.from_bits(select(m, condition, m.bits(yes), m.bits(no)));
}

}  // namespace gyre::shader::gpu
