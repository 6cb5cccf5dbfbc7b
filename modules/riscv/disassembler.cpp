#include "disassembler.h"

#include <cstdio>

namespace gyre::riscv {
namespace {

std::string hex(std::uint64_t value, int digits = 1) {
  char text[24];
  std::snprintf(text, sizeof text, "0x%0*llx", digits, static_cast<unsigned long long>(value));
  return text;
}

constexpr bool within(Op op, Op first, Op last) { return op >= first && op <= last; }

std::string fence_set(unsigned bits) {
  std::string text;
  for (unsigned i = 0; i < 4; ++i)
    if ((bits >> (3 - i) & 1) != 0) text += "iorw"[i];
  return text.empty() ? "unknown" : text;
}

std::string fence_operands(std::uint32_t word) { return fence_set(word >> 24 & 15) + "," + fence_set(word >> 20 & 15); }

// 5 and 6 do not decode.
const char* rounding(unsigned rm) {
  static constexpr const char* kModes[8] = {",rne", ",rtz", ",rdn", ",rup", ",rmm", "", "", ""};
  return kModes[rm & 7];
}

// The compressed forms take the names of what they expand to, and most of the operands.
Syntax compressed(const Decoded& d) {
  const unsigned quadrant = d.word & 3, funct3 = d.word >> 13;
  switch (d.op) {
    case Op::kAddi:
      if (quadrant == 0) return {"c.addi4spn", "d,s,j"};
      if (funct3 == 2) return {"c.li", "d,j"};
      if (funct3 == 3) return {"c.addi16sp", "d,j"};
      return {"c.addi", "d,j"};
    case Op::kAddiw:
      return {"c.addiw", "d,j"};
    case Op::kLui:
      return {"c.lui", "d,u"};
    case Op::kSlli:
      return d.imm != 0 ? Syntax{"c.slli", "d,h"} : Syntax{"c.slli64", "d"};
    case Op::kSrli:
      return d.imm != 0 ? Syntax{"c.srli", "d,h"} : Syntax{"c.srli64", "d"};
    case Op::kSrai:
      return d.imm != 0 ? Syntax{"c.srai", "d,h"} : Syntax{"c.srai64", "d"};
    case Op::kAndi:
      return {"c.andi", "d,j"};
    case Op::kAdd:
      return d.rs1 == 0 && (d.word >> 12 & 1) == 0 ? Syntax{"c.mv", "d,t"} : Syntax{"c.add", "d,t"};
    case Op::kSub:
      return {"c.sub", "d,t"};
    case Op::kXor:
      return {"c.xor", "d,t"};
    case Op::kOr:
      return {"c.or", "d,t"};
    case Op::kAnd:
      return {"c.and", "d,t"};
    case Op::kSubw:
      return {"c.subw", "d,t"};
    case Op::kAddw:
      return {"c.addw", "d,t"};
    case Op::kJal:
      return {d.rd == 0 ? "c.j" : "c.jal", "b"};
    case Op::kJalr:
      return {d.rd == 0 ? "c.jr" : "c.jalr", "s"};
    case Op::kBeq:
      return {"c.beqz", "s,b"};
    case Op::kBne:
      return {"c.bnez", "s,b"};
    case Op::kEbreak:
      return {"c.ebreak", ""};
    case Op::kLw:
      return {quadrant == 0 ? "c.lw" : "c.lwsp", "d,j(s)"};
    case Op::kLd:
      return {quadrant == 0 ? "c.ld" : "c.ldsp", "d,j(s)"};
    case Op::kFlw:
      return {quadrant == 0 ? "c.flw" : "c.flwsp", "D,j(s)"};
    case Op::kFld:
      return {quadrant == 0 ? "c.fld" : "c.fldsp", "D,j(s)"};
    case Op::kSw:
      return {quadrant == 0 ? "c.sw" : "c.swsp", "t,j(s)"};
    case Op::kSd:
      return {quadrant == 0 ? "c.sd" : "c.sdsp", "t,j(s)"};
    case Op::kFsw:
      return {quadrant == 0 ? "c.fsw" : "c.fswsp", "T,j(s)"};
    case Op::kFsd:
      return {quadrant == 0 ? "c.fsd" : "c.fsdsp", "T,j(s)"};
    default:
      return syntax_of(d.op);
  }
}

std::string mnemonic(const Decoded& d, const Syntax& syntax) {
  std::string text = syntax.mnemonic;
  if (within(d.op, Op::kLrW, Op::kAmomaxuD)) {
    static constexpr const char* kOrder[4] = {"", ".rl", ".aq", ".aqrl"};
    text += kOrder[d.word >> 25 & 3];
  }
  if ((d.op == Op::kSplit || d.op == Op::kPred) && d.imm != 0) text += "_n";
  return text;
}

}  // namespace

std::string disassemble(const Decoded& d, std::uint64_t pc, const Isa& isa) {
  if (d.op == Op::kIllegal)
    return (d.word & 3) != 3 ? "invalid " + hex(d.word & 0xFFFF, 4) : "invalid " + hex(d.word, 8);
  const Syntax syntax = d.length == 2 ? compressed(d) : syntax_of(d.op);
  std::string text = mnemonic(d, syntax);
  if (d.op == Op::kFence && d.word == 0x8330000F) return "fence.tso";
  if (*syntax.operands != '\0') text += ' ';
  for (const char* field = syntax.operands; *field != '\0'; ++field) {
    switch (*field) {
      case 'd':
        text += register_name(d.rd);
        break;
      case 's':
        text += register_name(d.rs1);
        break;
      case 't':
        text += register_name(d.rs2);
        break;
      case 'r':
        text += register_name(d.rs3);
        break;
      case 'D':
        text += float_register_name(d.rd);
        break;
      case 'S':
        text += float_register_name(d.rs1);
        break;
      case 'T':
        text += float_register_name(d.rs2);
        break;
      case 'R':
        text += float_register_name(d.rs3);
        break;
      case 'j':
        text += std::to_string(d.imm);
        break;
      case 'h':
        text += hex(static_cast<std::uint32_t>(d.imm));
        break;
      case 'u':
        text += hex(static_cast<std::uint32_t>(d.imm) >> 12);
        break;
      case 'b': {
        const std::uint64_t target = pc + static_cast<std::uint64_t>(std::int64_t{d.imm});
        text += hex(isa.xlen == 32 ? static_cast<std::uint32_t>(target) : target);
        break;
      }
      case 'c': {
        const std::string name = csr_name(static_cast<unsigned>(d.imm), isa.simt);
        text += name.empty() ? hex(static_cast<unsigned>(d.imm)) : name;
        break;
      }
      case 'z':
        text += std::to_string(d.rs1);
        break;
      case 'm':
        text += rounding(d.rm);
        break;
      case 'q':
        text += std::to_string(d.imm);
        break;
      case 'f':
        text += fence_operands(d.word);
        break;
      default:
        text += *field;
        break;
    }
  }
  return text;
}

std::string disassemble(std::uint32_t word, std::uint64_t pc, const Isa& isa) {
  return disassemble(decode(word, isa), pc, isa);
}

}  // namespace gyre::riscv
