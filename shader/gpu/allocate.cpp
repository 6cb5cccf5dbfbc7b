#include "allocate.h"

#include <algorithm>
#include <numeric>

namespace gyre::shader::gpu {
namespace {

// First write to last mention, in positions of the code. Branches only go forward, so this covers every path.
struct Interval {
  int reg = -1, begin = -1, end = -1;
  bool crosses_call = false;
  int wanted = -1;  // register it arrives in
};

using Pool = std::vector<int>;

Pool range(int first, int last) {
  Pool out(static_cast<std::size_t>(last - first + 1));
  std::iota(out.begin(), out.end(), first);
  return out;
}
void append(Pool* pool, int first, int last) {
  for (int r = first; r <= last; ++r) pool->push_back(r);
}

struct File {
  Pool caller_saved, callee_saved;
  std::vector<const Interval*> holder = std::vector<const Interval*>(32, nullptr);

  int take(const Pool& pool, int wanted) const {
    if (wanted >= 0 && holder[static_cast<std::size_t>(wanted)] == nullptr &&
        std::count(pool.begin(), pool.end(), wanted) != 0)
      return wanted;
    for (const int r : pool)
      if (holder[static_cast<std::size_t>(r)] == nullptr) return r;
    return -1;
  }
};

std::vector<Interval> intervals_of(const Function& f) {
  std::vector<Interval> all(f.is_float.size());
  std::vector<int> calls(f.code.size() + 1, 0);  // before this position
  for (std::size_t n = 0; n < f.code.size(); ++n) {
    const Insn& i = f.code[n];
    const int at = static_cast<int>(n);
    calls[n + 1] = calls[n] + (i.kind == Kind::kCall ? 1 : 0);
    for (const VReg v : {i.a, i.b, i.c, i.rd}) {
      if (v.id < 0) continue;
      Interval& x = all[static_cast<std::size_t>(v.id)];
      if (x.begin < 0) x.begin = at;
      x.end = at;
      x.reg = v.id;
    }
    if (i.kind == Kind::kParam) all[static_cast<std::size_t>(i.rd.id)].wanted = i.imm % 32;
  }
  for (Interval& x : all)
    if (x.begin >= 0)
      x.crosses_call = calls[static_cast<std::size_t>(x.end)] - calls[static_cast<std::size_t>(x.begin) + 1] > 0;
  return all;
}

int nesting(const Function& f) {
  int depth = 0, deepest = 0;
  for (const Insn& i : f.code) {
    if (i.kind == Kind::kIf) deepest = std::max(deepest, ++depth);
    if (i.kind == Kind::kEndIf) --depth;
  }
  return deepest;
}

class Scan {
 public:
  Scan(const Function& f, Allocation* out) : f_(f), out_(*out) {
    // Routines (anything but kernels) must leave callee-saved registers alone.
    integer_.caller_saved = range(5, 7);
    append(&integer_.caller_saved, 10, 17);
    append(&integer_.caller_saved, 28, 28);
    floating_.caller_saved = range(0, 7);
    append(&floating_.caller_saved, 10, 17);
    append(&floating_.caller_saved, 28, 29);
    if (!f.kernel) return;
    integer_.callee_saved = {9};  // x8 may be the frame's base
    append(&integer_.callee_saved, kTokenRegister + std::min(out->depth, kTokenRegisters), 27);
    floating_.callee_saved = range(8, 9);
    append(&floating_.callee_saved, 18, 27);
  }

  void run(std::vector<Interval>& all) {
    std::vector<Interval*> order;
    for (Interval& x : all)
      if (x.begin >= 0) order.push_back(&x);
    std::stable_sort(order.begin(), order.end(),
                     [](const Interval* a, const Interval* b) { return a->begin < b->begin; });
    for (const Interval* x : order) place(*x);
    std::vector<int> free_from;  // by slot: position from which it is free
    for (const Interval* x : order) {
      Location& at = out_.of[static_cast<std::size_t>(x->reg)];
      if (!at.spilled) continue;
      ++out_.spilled;
      std::size_t slot = 0;
      while (slot < free_from.size() && free_from[slot] > x->begin) ++slot;
      if (slot == free_from.size()) free_from.push_back(0);
      free_from[slot] = x->end + 1;
      at.place = static_cast<int>(slot);
    }
    out_.slots = static_cast<int>(free_from.size());
  }

 private:
  // An instruction reads before it writes, so a value may take the register of one that ends here.
  void place(const Interval& x) {
    File& file = f_.is_float[static_cast<std::size_t>(x.reg)] ? floating_ : integer_;
    for (auto& holder : file.holder)
      if (holder != nullptr && holder->end <= x.begin) holder = nullptr;
    int r = x.crosses_call ? -1 : file.take(file.caller_saved, x.wanted);
    if (r < 0) r = file.take(file.callee_saved, -1);
    if (r < 0) r = steal(x, file);
    Location& at = out_.of[static_cast<std::size_t>(x.reg)];
    at.spilled = r < 0;
    if (r < 0) return;
    at.place = r;
    file.holder[static_cast<std::size_t>(r)] = &x;
  }

  // The register of the value that is needed last, if it is needed later than x; that value moves to the stack.
  int steal(const Interval& x, const File& file) {
    int best = -1;
    auto look = [&](const Pool& pool) {
      for (const int r : pool) {
        const Interval* h = file.holder[static_cast<std::size_t>(r)];
        if (h != nullptr && (best < 0 || h->end > file.holder[static_cast<std::size_t>(best)]->end)) best = r;
      }
    };
    if (!x.crosses_call) look(file.caller_saved);
    look(file.callee_saved);
    if (best < 0 || file.holder[static_cast<std::size_t>(best)]->end <= x.end) return -1;
    Location& loser = out_.of[static_cast<std::size_t>(file.holder[static_cast<std::size_t>(best)]->reg)];
    loser.spilled = true;
    loser.place = -1;
    return best;
  }

  const Function& f_;
  Allocation& out_;
  File integer_, floating_;
};

}  // namespace

Allocation allocate(const Function& function) {
  Allocation out;
  out.of.resize(function.is_float.size());
  out.depth = nesting(function);
  for (const Insn& i : function.code) out.calls |= i.kind == Kind::kCall;
  std::vector<Interval> all = intervals_of(function);
  Scan(function, &out).run(all);
  return out;
}

}  // namespace gyre::shader::gpu
