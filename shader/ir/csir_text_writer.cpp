#include <charconv>
#include <cmath>

#include "csir_text.h"
#include "csir_text_names.h"

namespace gyre::shader {
namespace {

std::string number(int value) { return std::to_string(value); }
std::string temp(int index) { return "%" + number(index); }

// The shortest decimal that reads back to the same bits; what has none is written as bits.
std::string immediate(float value) {
  char text[32];
  if (std::isfinite(value)) {
    const auto end = std::to_chars(text, text + sizeof text, value);
    return std::string(text, end.ptr);
  }
  const std::uint32_t bits = float_bits(value);
  std::string out = "0x";
  for (int shift = 28; shift >= 0; shift -= 4) out += "0123456789abcdef"[bits >> shift & 15];
  return out;
}

std::string mnemonic(const Instruction& ins) {
  const OpInfo& info = op_info(static_cast<Op>(ins.op));
  std::string out = info.name;
  if (info.aux == Aux::kWidth) out += number(width_of(ins));
  if (info.aux == Aux::kCompare) out += std::string(".") + kCompareNames[ins.aux >= 1 && ins.aux <= 6 ? ins.aux : 6];
  if (info.lanes) out += "." + number(lanes_of(ins));
  if (static_cast<Type>(ins.ty) != default_type(ins)) out += std::string(":") + type_name(static_cast<Type>(ins.ty));
  return out;
}

std::string instruction(const Instruction& ins) {
  const OpInfo& info = op_info(static_cast<Op>(ins.op));
  if (info.aux == Aux::kLanes)
    return temp(ins.dst) + "." + kLaneNames[ins.aux & 3] + " = " + mnemonic(ins) + " " + temp(ins.a) + "." +
           kLaneNames[ins.aux2 & 3];
  std::string out;
  if (info.dst) out += temp(ins.dst) + " = ";
  out += mnemonic(ins);
  switch (info.aux) {
    case Aux::kSampler:
    case Aux::kAttribute:
    case Aux::kVarying: out += " " + number(ins.aux); break;
    case Aux::kImmediate: out += " @" + number(ins.aux); break;
    case Aux::kUniform: out += " " + number(ins.aux) + " count " + number(ins.aux2); break;
    default: break;
  }
  if (info.a) out += " " + temp(ins.a);
  if (info.b) out += " " + temp(ins.b);
  if (info.aux == Aux::kPattern) {
    out += " ";
    for (int k = 0; k < lanes_of(ins); ++k) out += kLaneNames[ins.aux >> (2 * k) & 3];
  }
  return out;
}

}  // namespace

std::string write_text(const Shader& shader, const TextOptions& options) {
  std::string out = std::string("csir 1 ") + stage_name(shader.stage) + "\ntemps " + number(shader.temps) + "\n";
  for (std::size_t i = 0; i < shader.immediates.size(); ++i) {
    out += i % 8 == 0 ? (i == 0 ? "imm" : "\nimm") : "";
    out += " " + immediate(shader.immediates[i]);
  }
  if (!shader.immediates.empty()) out += "\n";
  for (const InterfaceEntry& entry : shader.interface)
    out += std::string(kInterfaceWords[static_cast<int>(entry.kind)]) + " " + entry.name + " " + type_name(entry.type) +
           " " + number(entry.slot) + "\n";
  int indent = 0;
  for (const Instruction& ins : shader.code) {
    const Op op = static_cast<Op>(ins.op);
    if (op == Op::kNop && !options.nops) continue;
    if ((op == Op::kElse || op == Op::kEndIf) && indent > 0) --indent;
    out += std::string(static_cast<std::size_t>(2 * indent), ' ') + instruction(ins) + "\n";
    if (op == Op::kIf || op == Op::kElse) ++indent;
  }
  return out;
}

}  // namespace gyre::shader
