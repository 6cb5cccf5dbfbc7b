#include "emit.h"

#include <algorithm>
#include <map>
#include <set>
#include <stdexcept>

#include "allocate.h"
#include "csr.h"
#include "device_map.h"

namespace gyre::shader::gpu {
namespace {

using riscv::Op;

constexpr int kRa = 1, kSp = 2, kFrameBase = 8, kFa0 = 10, kBias = 2048;
constexpr int kTokenScratch = 31;

// Where a word still lacks an address.
struct Fix {
  enum Kind { kBranch, kJump, kCall, kTableHigh, kTableLow } kind;
  std::size_t at;
  int target;  // label, routine or word of the table
};

class FunctionEmitter {
 public:
  explicit FunctionEmitter(const Function& f) : f_(f), places_(allocate(f)) {
    token_slots_ = std::max(0, places_.depth - kTokenRegisters);
    frame_ = 4 * (places_.slots + token_slots_ + (places_.calls ? 1 : 0));
    frame_ = (frame_ + 15) & ~15;
    if (frame_ > 2 * kBias - 16)
      throw std::runtime_error("the shader keeps too many values at once: " + std::to_string(frame_) +
                               " bytes of stack a lane, at most " + std::to_string(2 * kBias - 16));
    // Branches that do not reach become a pair; every round can push others out of reach.
    do emit_once();
    while (lengthen());
  }

  const std::vector<MachineInsn>& code() const { return code_; }
  std::vector<MachineInsn>& code() { return code_; }
  const std::vector<Fix>& fixes() const { return fixes_; }
  FunctionFacts facts() const { return {f_.name, static_cast<int>(code_.size()), places_.spilled, frame_, branches_}; }

 private:
  // ---- single instructions
  void put(Op op, int rd, int rs1, int rs2 = 0, int imm = 0, int rs3 = 0, std::uint8_t rm = 0) {
    MachineInsn i;
    i.op = op;
    i.rd = static_cast<std::uint8_t>(rd), i.rs1 = static_cast<std::uint8_t>(rs1),
    i.rs2 = static_cast<std::uint8_t>(rs2);
    i.rs3 = static_cast<std::uint8_t>(rs3), i.imm = imm, i.rm = rm;
    code_.push_back(i);
  }
  void put_li(int rd, std::int32_t value) {
    const auto bits = static_cast<std::uint32_t>(value);
    const auto high = static_cast<std::int32_t>((bits + 0x800) & 0xFFFFF000u);
    const auto low = static_cast<std::int32_t>(bits - static_cast<std::uint32_t>(high));
    if (high != 0) put(Op::kLui, rd, 0, 0, high);
    if (low != 0 || high == 0) put(Op::kAddi, rd, high != 0 ? rd : 0, 0, low);
  }
  void put_move(bool floating, int to, int from) {
    if (to == from) return;
    if (floating)
      put(Op::kFsgnjS, to, from, from);
    else
      put(Op::kAddi, to, from);
  }

  // ---- frame: spilled values, deep tokens, return address
  void put_frame(Op op, int data, int word, bool is_store) {
    const bool far = frame_ >= kBias;
    const int base = far ? kFrameBase : kSp, offset = 4 * word - (far ? kBias : 0);
    if (is_store)
      put(op, 0, base, data, offset);
    else
      put(op, data, base, 0, offset);
  }
  int token_word(int depth) const { return places_.slots + depth - kTokenRegisters; }
  int return_word() const { return places_.slots + token_slots_; }

  bool floating(VReg v) const { return v.id >= 0 && f_.is_float[static_cast<std::size_t>(v.id)]; }
  const Location& at(VReg v) const { return places_.of[static_cast<std::size_t>(v.id)]; }

  // The register a value is read from; a spilled one is brought to scratch register n.
  int source(VReg v, int n) {
    if (v.id < 0) return 0;
    const Location& where = at(v);
    if (!where.spilled) return where.place;
    const int r = (floating(v) ? kScratchFloat : kScratchInt) + n;
    put_frame(floating(v) ? Op::kFlw : Op::kLw, r, where.place, false);
    return r;
  }
  int target(VReg v) const {
    if (v.id < 0) return 0;
    return at(v).spilled ? (floating(v) ? kScratchFloat : kScratchInt) : at(v).place;
  }
  void written(VReg v) {
    if (v.id >= 0 && at(v).spilled) put_frame(floating(v) ? Op::kFsw : Op::kSw, target(v), at(v).place, true);
  }

  // ---- labels and branches
  int label() {
    labels_.push_back(0);
    return static_cast<int>(labels_.size()) - 1;
  }
  void bind(int l) { labels_[static_cast<std::size_t>(l)] = code_.size(); }
  void jump(int l) {
    fixes_.push_back({Fix::kJump, code_.size(), l});
    put(Op::kJal, 0, 0);
  }

  struct Open {
    int other, end;  // labels: where lanes without the condition go on, where all meet
    bool has_else;
  };

  // SPLIT and its branch stand side by side (simt_c.md §5 rule 1); the branch reads what SPLIT reads.
  void open(const Insn& i) {
    const int depth = static_cast<int>(open_.size());
    const bool deep = depth >= kTokenRegisters, inverted = i.imm != 0;
    const int token = deep ? kTokenScratch : kTokenRegister + depth, c = source(i.a, 0);
    open_.push_back({label(), label(), false});
    put(Op::kSplit, token, c, 0, inverted ? 1 : 0);
    const bool far = far_.count(branches_) != 0;
    if (far) {
      put(inverted ? Op::kBeq : Op::kBne, 0, c, 0, 8);
      jump(open_.back().other);
    } else {
      fixes_.push_back({Fix::kBranch, code_.size(), open_.back().other});
      branch_of_[code_.size()] = branches_;
      put(inverted ? Op::kBne : Op::kBeq, 0, c, 0);
    }
    ++branches_;
    if (deep) put_frame(Op::kSw, token, token_word(depth), true);
  }
  void other_side() {
    Open& o = open_.back();
    jump(o.end);
    bind(o.other);
    o.has_else = true;
    const int depth = static_cast<int>(open_.size()) - 1;
    if (depth >= kTokenRegisters) put_frame(Op::kSw, kTokenScratch, token_word(depth), true);
  }
  void close() {
    const int depth = static_cast<int>(open_.size()) - 1;
    const bool deep = depth >= kTokenRegisters;
    if (!open_.back().has_else) {
      if (deep)
        other_side();
      else
        bind(open_.back().other);
    }
    bind(open_.back().end);
    if (deep) put_frame(Op::kLw, kTokenScratch, token_word(depth), false);
    put(Op::kJoin, 0, deep ? kTokenScratch : kTokenRegister + depth);
    open_.pop_back();
  }

  // ---- calls: arguments to fa0 and fa1, result from fa0
  void call(const Insn& i) {
    int a = source(i.a, 0);
    if (i.b.exists()) {
      int b = source(i.b, 1);
      if (b == kFa0) {
        put_move(true, kScratchFloat + 1, b);
        b = kScratchFloat + 1;
      }
      put_move(true, kFa0, a);
      // a may have stood in fa1; it has left.
      put_move(true, kFa0 + 1, b);
    } else {
      put_move(true, kFa0, a);
    }
    fixes_.push_back({Fix::kCall, code_.size(), i.imm});
    put(Op::kJal, kRa, 0);
    put_move(true, target(i.rd), kFa0);
    written(i.rd);
  }

  void instruction(const Insn& i) {
    switch (i.kind) {
      case Kind::kOp: {
        const int a = source(i.a, 0), b = source(i.b, 1), c = source(i.c, 2);
        put(i.op, target(i.rd), a, b, i.imm, c, i.rm);
        return written(i.rd);
      }
      case Kind::kMove:
        if (floating(i.rd) && i.a.id < 0)
          put(Op::kFmvWX, target(i.rd), 0);
        else if (floating(i.rd) && at(i.rd).spilled && !at(i.a).spilled)
          return put_frame(Op::kFsw, at(i.a).place, at(i.rd).place, true);
        else
          put_move(floating(i.rd), target(i.rd), source(i.a, 0));
        return written(i.rd);
      case Kind::kLi:
        put_li(target(i.rd), i.imm);
        return written(i.rd);
      case Kind::kTable:
        fixes_.push_back({Fix::kTableHigh, code_.size(), i.imm});
        put(Op::kLui, target(i.rd), 0);
        fixes_.push_back({Fix::kTableLow, code_.size(), i.imm});
        put(Op::kAddi, target(i.rd), target(i.rd));
        return written(i.rd);
      case Kind::kParam:
        put_move(floating(i.rd), target(i.rd), i.imm % 32);
        return written(i.rd);
      case Kind::kIf:
        return open(i);
      case Kind::kElse:
        return other_side();
      case Kind::kEndIf:
        return close();
      case Kind::kCall:
        return call(i);
      case Kind::kReturn:
        if (i.a.exists()) put_move(true, kFa0, source(i.a, 0));
        return leave();
    }
  }

  void enter() {
    if (frame_ == 0) return;
    put_large_add(kSp, -frame_);
    if (frame_ >= kBias) put_bias();
    if (places_.calls) put_frame(Op::kSw, kRa, return_word(), true);
  }
  void leave() {
    if (places_.calls) put_frame(Op::kLw, kRa, return_word(), false);
    if (frame_ != 0) put_large_add(kSp, frame_);
    put(Op::kJalr, 0, kRa);
  }
  void put_large_add(int reg, int value) {
    for (; value < -2048; value += 2048) put(Op::kAddi, reg, reg, 0, -2048);
    for (; value > 2047; value -= 2032) put(Op::kAddi, reg, reg, 0, 2032);
    if (value != 0) put(Op::kAddi, reg, reg, 0, value);
  }
  void put_bias() {
    put(Op::kAddi, kFrameBase, kSp, 0, 1024);
    put(Op::kAddi, kFrameBase, kFrameBase, 0, 1024);
  }

  void emit_once() {
    code_.clear();
    fixes_.clear();
    labels_.clear();
    branch_of_.clear();
    branches_ = 0;
    enter();
    for (const Insn& i : f_.code) instruction(i);
  }

  // Resolves labels; true when a branch had to become a far one.
  bool lengthen() {
    bool again = false;
    for (const Fix& fix : fixes_) {
      if (fix.kind != Fix::kBranch && fix.kind != Fix::kJump) continue;
      const int distance =
          4 * (static_cast<int>(labels_[static_cast<std::size_t>(fix.target)]) - static_cast<int>(fix.at));
      if (fix.kind == Fix::kBranch && !immediate_fits(Op::kBeq, distance))
        again |= far_.insert(branch_of_.at(fix.at)).second;
      else
        code_[fix.at].imm = distance;
    }
    return again;
  }

  const Function& f_;
  Allocation places_;
  int frame_ = 0, token_slots_ = 0, branches_ = 0;
  std::vector<MachineInsn> code_;
  std::vector<Fix> fixes_;
  std::vector<std::size_t> labels_;
  std::vector<Open> open_;
  std::set<int> far_;                     // ordinals of branches
  std::map<std::size_t, int> branch_of_;  // position -> ordinal
};

MachineInsn machine(Op op, int rd, int rs1, int rs2, std::int32_t imm) {
  MachineInsn i;
  i.op = op;
  i.rd = static_cast<std::uint8_t>(rd), i.rs1 = static_cast<std::uint8_t>(rs1), i.rs2 = static_cast<std::uint8_t>(rs2),
  i.imm = imm;
  return i;
}

// Stack of this hart, then the dispatch window of five instructions a warp slot is restarted at (isa.md §12, launch.md
// §8).
std::vector<std::uint32_t> start_code() {
  constexpr int kT0 = 5, kT1 = 6, kA0 = 10, kS11 = 27, kStackLog = 13;
  static_assert(1 << kStackLog == GYRE_DEV_STACK_BYTES);
  std::vector<std::uint32_t> words;
  for (const MachineInsn& i :
       {machine(Op::kCsrrs, kT0, 0, 0, GYRE_CSR_MHARTID), machine(Op::kSlli, kT0, kT0, 0, kStackLog),
        machine(Op::kLui, kT1, 0, 0, static_cast<std::int32_t>(GYRE_DEV_STACK_TOP)),
        machine(Op::kSub, kSp, kT1, kT0, 0), machine(Op::kCsrrs, kS11, 0, 0, GYRE_CSR_CTA_ENTRY),
        machine(Op::kCsrrs, kA0, 0, 0, GYRE_CSR_MSCRATCH), machine(Op::kJalr, kRa, kS11, 0, 0),
        machine(Op::kWsync, 0, 0, 0, 0), machine(Op::kTmc, 0, 0, 0, 0)})
    words.push_back(encode(i));
  return words;
}

void resolve(std::vector<MachineInsn>* code, const std::vector<Fix>& fixes, std::uint32_t address, const Image& image,
             const std::vector<std::uint32_t>& routines) {
  for (const Fix& fix : fixes) {
    MachineInsn& i = (*code)[fix.at];
    if (fix.kind == Fix::kCall)
      i.imm = static_cast<std::int32_t>(routines[static_cast<std::size_t>(fix.target)] -
                                        (address + 4 * static_cast<std::uint32_t>(fix.at)));
    const std::uint32_t word = image.table_address + 4 * static_cast<std::uint32_t>(fix.target);
    const std::uint32_t high = (word + 0x800) & 0xFFFFF000u;
    if (fix.kind == Fix::kTableHigh) i.imm = static_cast<std::int32_t>(high);
    if (fix.kind == Fix::kTableLow) i.imm = static_cast<std::int32_t>(word - high);
  }
}

}  // namespace

Image emit(std::uint32_t base, const std::vector<Function>& kernels, const std::vector<Function>& routines,
           const std::vector<std::uint32_t>& table) {
  Image image;
  image.base = base;
  image.start = start_code();
  std::uint32_t at = base + 4 * static_cast<std::uint32_t>(image.start.size());
  image.symbols.push_back({"_start", base, at - base, false});
  image.kernels_address = at;

  std::vector<FunctionEmitter> emitted;
  std::vector<std::uint32_t> addresses, routine_at(kRoutines, 0);
  auto place = [&](const Function& f) {
    emitted.emplace_back(f);
    const auto bytes = 4 * static_cast<std::uint32_t>(emitted.back().code().size());
    addresses.push_back(at);
    image.symbols.push_back({f.name, at, bytes, f.kernel});
    image.facts.push_back(emitted.back().facts());
    at += bytes;
  };
  emitted.reserve(kernels.size() + routines.size());
  for (const Function& f : kernels) place(f);
  image.routines_address = at;
  for (const Function& f : routines) {
    for (int r = 0; r < kRoutines; ++r)
      if (f.name == routine_name(static_cast<Routine>(r))) routine_at[static_cast<std::size_t>(r)] = at;
    place(f);
  }
  image.table_address = table.empty() ? at : (at + 63) & ~63u;
  image.table = table;
  image.end = image.table_address + 4 * static_cast<std::uint32_t>(table.size());

  for (std::size_t n = 0; n < emitted.size(); ++n) {
    resolve(&emitted[n].code(), emitted[n].fixes(), addresses[n], image, routine_at);
    auto& section = n < kernels.size() ? image.kernels : image.routines;
    for (const MachineInsn& i : emitted[n].code()) section.push_back(encode(i));
  }
  return image;
}

}  // namespace gyre::shader::gpu
