#include "verifier.h"

#include <bitset>

namespace gyre::shader {
namespace {

struct Check {
  const Shader& shader;
  Diagnostics* out;
  bool hardened;
  const std::vector<Place>& places;
  std::size_t at = 0;
  int attr_hi = 0, samp_hi = 0;
  std::vector<bool> has_else;  // one an open IF

  void fail(std::string message) {
    if (at < places.size()) {
      out->error(places[at], std::move(message));
    } else {
      out->error({}, "instruction " + std::to_string(at) + ": " + message);
    }
  }

  void temp(const char* which, int first, int span, bool required) {
    if (first < 0) {
      if (hardened && required) fail(std::string("operand ") + which + " is missing");
      return;
    }
    if (span < 1 || first + span > shader.temps) {
      fail(std::string("operand ") + which + " reaches temporary " + std::to_string(first + (span > 1 ? span - 1 : 0)) +
           ", there are " + std::to_string(shader.temps));
    }
  }

  void range(const char* what, int value, int low, int high) {
    if (value < low || value > high) {
      fail(std::string(what) + " is " + std::to_string(value) + ", it may be " + std::to_string(low) + ".." +
           std::to_string(high));
    }
  }

  void only(Stage stage, const char* name) {
    if (shader.stage != stage) fail(std::string(name) + " in a " + stage_name(shader.stage) + " shader");
  }

  void operands(const Instruction& ins, const OpInfo& info) {
    const bool spans = hardened;
    temp("dst", ins.dst, dst_span(ins), info.dst);
    temp("a", ins.a, spans && info.a ? a_span(ins) : 1, info.a);
    temp("b", ins.b, spans && info.b ? b_span(ins) : 1, info.b);
  }

  void aux(const Instruction& ins, const OpInfo& info) {
    const auto op = static_cast<Op>(ins.op);
    switch (info.aux) {
      case Aux::kImmediate: {
        const int count = static_cast<int>(shader.immediates.size());
        if (ins.aux < 0 || ins.aux + ins.ncomp > count)
          fail("immediates " + std::to_string(ins.aux) + ".." + std::to_string(ins.aux + ins.ncomp - 1) + ", there are " +
               std::to_string(count));
        if (hardened) range("lane count", ins.ncomp, 1, 4);
        break;
      }
      case Aux::kWidth:
        if (op == Op::kDot) {
          if (hardened && ins.aux != 0) range("width", ins.aux, 3, 4);
        } else if (op == Op::kMulMm || hardened) {
          range("matrix size", width_of(ins), 3, 4);
        }
        break;
      case Aux::kCompare:
        if (hardened) range("comparison", ins.aux, kLess, kNotEqual);
        break;
      case Aux::kSampler: range("sampler", ins.aux, 0, samp_hi); break;
      case Aux::kAttribute: range("attribute", ins.aux, 0, attr_hi); break;
      case Aux::kVarying: range("varying", ins.aux, 0, kMaxVaryings - 1); break;
      case Aux::kUniform:
        range("uniform count", ins.aux2, 1, kMaxUniformSlots);
        if (hardened) {
          range("uniform slot", ins.aux, 0, kMaxUniformSlots - 1);
          if (ins.aux + ins.aux2 > kMaxUniformSlots) fail("uniform slots end above " + std::to_string(kMaxUniformSlots));
        }
        break;
      default: break;
    }
  }

  void stage(Op op) {
    switch (op) {
      case Op::kStorePos: only(Stage::kVertex, "store_pos"); break;
      case Op::kStoreColor: only(Stage::kFragment, "store_color"); break;
      case Op::kDiscard: only(Stage::kFragment, "discard"); break;
      default: break;
    }
    if (!hardened) return;
    switch (op) {
      case Op::kLoadAttr: only(Stage::kVertex, "load_attr"); break;
      case Op::kStoreVar: only(Stage::kVertex, "store_var"); break;
      case Op::kLoadVar: only(Stage::kFragment, "load_var"); break;
      case Op::kLoadFcoord: only(Stage::kFragment, "load_fragcoord"); break;
      default: break;
    }
  }

  void flow(const Instruction& ins) {
    switch (static_cast<Op>(ins.op)) {
      case Op::kIf:
        if (ins.a < 0 && !hardened) fail("operand a is missing");
        has_else.push_back(false);
        if (has_else.size() == kMaxControlNesting + 1) fail("more than 32 nested ifs");
        break;
      case Op::kElse:
        if (has_else.empty()) fail("else without if");
        else if (has_else.back()) fail("second else of one if");
        else has_else.back() = true;
        break;
      case Op::kEndIf:
        if (has_else.empty()) fail("endif without if");
        else has_else.pop_back();
        break;
      default: break;
    }
  }

  void instruction(const Instruction& ins) {
    if (ins.op >= kOpCount) return fail("operation " + std::to_string(ins.op) + " does not exist");
    const OpInfo& info = op_info(static_cast<Op>(ins.op));
    if (hardened && ins.ty >= kTypeCount) fail("type code " + std::to_string(ins.ty) + " does not exist");
    if (hardened && ins.ncomp > 4) fail("lane count is " + std::to_string(ins.ncomp) + ", it may be 0..4");
    operands(ins, info);
    aux(ins, info);
    stage(static_cast<Op>(ins.op));
    flow(ins);
  }

  bool entry_type_fits(const InterfaceEntry& entry) const {
    switch (entry.kind) {
      case InterfaceKind::kSampler: return entry.type == Type::kSampler2D;
      case InterfaceKind::kUniform: return is_scalar(entry.type) || is_vector(entry.type) || is_matrix(entry.type);
      default: return is_scalar(entry.type) || is_vector(entry.type);
    }
  }

  void interface() {
    static constexpr int kSlots[] = {0, kMaxAttributes, kMaxVaryings, kMaxUniformSlots, kMaxSamplers};
    static constexpr const char* kKinds[] = {"", "attribute", "varying", "uniform", "sampler"};
    std::bitset<kMaxUniformSlots> used[5];
    auto last = InterfaceKind::kAttribute;
    for (const InterfaceEntry& entry : shader.interface) {
      const auto kind = static_cast<unsigned>(entry.kind);
      const auto bad = [&](const std::string& what) { out->error({}, "interface entry " + quoted(entry.name) + ": " + what); };
      if (kind < 1 || kind > 4) {
        bad("unknown kind");
        continue;
      }
      if (entry.kind < last) bad("entries stand in the order attribute, varying, uniform, sampler");
      last = entry.kind;
      if (!is_name(entry.name)) bad("the name is not an identifier of at most 39 characters");
      if (!entry_type_fits(entry)) bad(std::string("type ") + type_name(entry.type) + " for " + kKinds[kind]);
      if (entry.kind == InterfaceKind::kAttribute && shader.stage != Stage::kVertex) bad("attribute in a fragment shader");
      const int span = entry.kind == InterfaceKind::kUniform ? type_columns(entry.type) : 1;
      if (entry.slot < 0 || entry.slot + span > kSlots[kind]) {
        bad(std::string(kKinds[kind]) + " slot " + std::to_string(entry.slot) + ", there are " + std::to_string(kSlots[kind]));
        continue;
      }
      for (int i = 0; i < span; ++i) {
        if (used[kind][entry.slot + i]) bad("slot " + std::to_string(entry.slot + i) + " is taken twice");
        used[kind].set(entry.slot + i);
      }
      for (const InterfaceEntry& other : shader.interface) {
        if (&other == &entry) break;
        if (other.name == entry.name && other.kind == entry.kind) bad("the name is there twice");
      }
    }
  }

  void run() {
    const std::size_t count = shader.code.size();
    at = places.size() > count ? places.size() : count;  // general errors carry no instruction
    if (static_cast<unsigned>(shader.stage) > 1)
      return out->error({}, "stage " + std::to_string(static_cast<unsigned>(shader.stage)) + " is not supported");
    if (shader.temps < 0 || shader.temps > kMaxTemps)
      return out->error({}, std::to_string(shader.temps) + " temporaries, there may be 96");
    if (count > kMaxInstructions) return out->error({}, std::to_string(count) + " instructions, there may be 384");
    if (hardened && shader.immediates.size() > kMaxImmediates)
      return out->error({}, std::to_string(shader.immediates.size()) + " immediates, there may be 160");
    if (hardened) interface();
    attr_hi = shader.highest_slot(InterfaceKind::kAttribute);
    samp_hi = shader.highest_slot(InterfaceKind::kSampler);
    for (at = 0; at < count; ++at) instruction(shader.code[at]);
    if (!has_else.empty()) out->error({}, std::to_string(has_else.size()) + " if without endif at the end");
  }
};

}  // namespace

bool verify(const Shader& shader, Diagnostics* diagnostics, VerifyRules rules, const std::vector<Place>& places) {
  const int before = diagnostics->count();
  Check check{shader, diagnostics, rules == VerifyRules::kHardened, places, 0, 0, 0, {}};
  check.run();
  return diagnostics->count() == before;
}

bool is_name(const std::string& name) {
  if (name.empty() || name.size() > kMaxNameBytes) return false;
  for (std::size_t i = 0; i < name.size(); ++i) {
    const char c = name[i];
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
    if (!letter && !(i > 0 && c >= '0' && c <= '9')) return false;
  }
  return true;
}

}  // namespace gyre::shader
