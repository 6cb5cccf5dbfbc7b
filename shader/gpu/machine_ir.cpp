#include "machine_ir.h"

#include <map>
#include <tuple>

namespace gyre::shader::gpu {
namespace {

using riscv::Op;

bool reads(const Insn& i, VReg v) { return i.a == v || i.b == v || i.c == v; }
bool ends_block(const Insn& i) { return i.kind == Kind::kIf || i.kind == Kind::kElse || i.kind == Kind::kEndIf; }

std::vector<int> count_uses(const Function& f) {
  std::vector<int> uses(f.is_float.size(), 0);
  for (const Insn& i : f.code)
    for (const VReg v : {i.a, i.b, i.c})
      if (v.id >= 0) ++uses[static_cast<std::size_t>(v.id)];
  return uses;
}

// One pass from the end: what an instruction reads counts only while the instruction stays. A register that is written
// on several paths stays whole.
void drop_dead(Function* f) {
  std::vector<int> uses = count_uses(*f);
  std::vector<bool> dead(f->code.size(), false);
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t n = f->code.size(); n-- > 0;) {
      const Insn& i = f->code[n];
      if (dead[n] || !is_pure(i) || uses[static_cast<std::size_t>(i.rd.id)] != 0) continue;
      dead[n] = changed = true;
      for (const VReg v : {i.a, i.b, i.c})
        if (v.id >= 0) --uses[static_cast<std::size_t>(v.id)];
    }
  }
  std::vector<Insn> kept;
  for (std::size_t n = 0; n < f->code.size(); ++n)
    if (!dead[n]) kept.push_back(f->code[n]);
  f->code = std::move(kept);
}

// x = op …; … ; home = x, with x used nowhere else and home untouched in between: home = op ….
void compute_in_place(Function* f) {
  const std::vector<int> uses = count_uses(*f);
  std::vector<int> writes(f->is_float.size(), 0);
  for (const Insn& i : f->code)
    if (i.rd.id >= 0) ++writes[static_cast<std::size_t>(i.rd.id)];
  std::vector<bool> gone(f->code.size(), false);
  for (std::size_t n = 0; n < f->code.size(); ++n) {
    const Insn& move = f->code[n];
    if (move.kind != Kind::kMove || move.a.id < 0) continue;
    const auto source = static_cast<std::size_t>(move.a.id);
    if (uses[source] != 1 || writes[source] != 1) continue;
    for (std::size_t k = n; k-- > 0;) {
      Insn& maker = f->code[k];
      if (gone[k]) continue;
      if (maker.rd == move.a) {
        if (maker.kind == Kind::kParam) break;
        maker.rd = move.rd;
        gone[n] = true;
        break;
      }
      if (ends_block(maker) || maker.rd == move.rd || reads(maker, move.rd)) break;
    }
  }
  std::vector<Insn> kept;
  for (std::size_t n = 0; n < f->code.size(); ++n)
    if (!gone[n]) kept.push_back(f->code[n]);
  f->code = std::move(kept);
}

// An instruction that computes what one before it on every path computed is left out, and its readers read that. Inputs
// do not change, so loads count. Constants are shared over a short distance only: making one again is cheaper than a
// register for the whole program.
void share_values(Function* f) {
  constexpr int kConstantReach = 48;
  using Key = std::tuple<int, int, int, int, int, int, int>;
  std::vector<int> writes(f->is_float.size(), 0);
  for (const Insn& i : f->code)
    if (i.rd.id >= 0) ++writes[static_cast<std::size_t>(i.rd.id)];
  std::vector<VReg> same(f->is_float.size());  // what stands for a register
  for (std::size_t v = 0; v < same.size(); ++v) same[v] = {static_cast<std::int32_t>(v)};
  struct Known {
    VReg value;
    int at;
  };
  std::vector<std::map<Key, Known>> scopes(1);
  std::vector<bool> constant(f->is_float.size(), false);
  auto single = [&](VReg v) { return v.id < 0 || writes[static_cast<std::size_t>(v.id)] == 1; };
  std::vector<Insn> out;
  for (Insn i : f->code) {
    for (VReg* v : {&i.a, &i.b, &i.c})
      if (v->id >= 0) *v = same[static_cast<std::size_t>(v->id)];
    if (i.kind == Kind::kElse || i.kind == Kind::kEndIf) scopes.pop_back();
    if (i.kind == Kind::kIf || i.kind == Kind::kElse) scopes.emplace_back();
    const bool candidate =
        is_pure(i) && (i.kind == Kind::kOp || i.kind == Kind::kLi || i.kind == Kind::kTable || i.kind == Kind::kCall) &&
        single(i.rd) && single(i.a) && single(i.b) && single(i.c);
    if (!candidate) {
      out.push_back(i);
      continue;
    }
    const auto rd = static_cast<std::size_t>(i.rd.id);
    constant[rd] = i.kind == Kind::kLi || (i.kind == Kind::kOp && i.op == Op::kFmvWX &&
                                           (i.a.id < 0 || constant[static_cast<std::size_t>(i.a.id)]));
    const Key key{static_cast<int>(i.kind), static_cast<int>(i.op), i.a.id, i.b.id, i.c.id, i.imm, i.rm};
    const int here = static_cast<int>(out.size());
    const Known* known = nullptr;
    for (const auto& scope : scopes)
      if (const auto found = scope.find(key); found != scope.end()) known = &found->second;
    if (known != nullptr && !(constant[rd] && here - known->at > kConstantReach)) {
      same[rd] = known->value;
      continue;
    }
    scopes.back()[key] = {i.rd, here};
    out.push_back(i);
  }
  f->code = std::move(out);
}

bool is_load(const Insn& i) { return i.kind == Kind::kOp && (i.op == Op::kFlw || i.op == Op::kLw) && i.rd.id >= 0; }

// Inputs are read where they are first used, not where the shader's prologue names them: kernels write nothing they
// read. A load stays in its block, and its address is one register for many values.
void sink_loads(Function* f) {
  std::vector<int> writes(f->is_float.size(), 0);
  for (const Insn& i : f->code)
    if (i.rd.id >= 0) ++writes[static_cast<std::size_t>(i.rd.id)];
  std::vector<Insn> out, waiting;
  // A load is held back until an instruction reads it or writes its address, or the block ends.
  for (const Insn& i : f->code) {
    auto release = [&](auto wanted) {
      for (std::size_t n = 0; n < waiting.size();) {
        if (!wanted(waiting[n])) {
          ++n;
          continue;
        }
        const Insn load = waiting[n];
        waiting.erase(waiting.begin() + static_cast<std::ptrdiff_t>(n));
        out.push_back(load);
      }
    };
    if (is_load(i) && writes[static_cast<std::size_t>(i.rd.id)] == 1 && i.a.id >= 0) {
      release([&](const Insn& load) { return load.rd == i.a; });
      waiting.push_back(i);
      continue;
    }
    const bool all = ends_block(i) || i.kind == Kind::kReturn;
    release([&](const Insn& load) { return all || reads(i, load.rd) || i.rd == load.a; });
    out.push_back(i);
  }
  f->code = std::move(out);
}

}  // namespace

const char* routine_name(Routine routine) {
  static constexpr const char* kNames[kRoutines] = {
      "gyre_sin", "gyre_cos", "gyre_pow", "gyre_compat_sin", "gyre_compat_cos", "gyre_compat_pow", "gyre_compat_rsq"};
  return kNames[routine];
}

bool is_pure(const Insn& i) {
  switch (i.kind) {
    case Kind::kMove:
    case Kind::kLi:
    case Kind::kTable:
    case Kind::kParam:
    case Kind::kCall:
      return true;
    case Kind::kOp:
      return i.rd.id >= 0;  // stores, exports and control write no register; texels may be fetched in vain
    default:
      return false;
  }
}

void tidy(Function* function) {
  drop_dead(function);
  share_values(function);
  drop_dead(function);
  compute_in_place(function);
  sink_loads(function);
}

}  // namespace gyre::shader::gpu
