#include "lower.h"

#include <stdexcept>

#include "regions.h"

namespace gyre::shader::gpu {
namespace {

using ROp = riscv::Op;

struct Cell {
  VReg value;    // none: the initial zero
  VReg as_bool;  // the comparison's 0 or 1, when the value is its float
};

class Lowering {
 public:
  Lowering(const Shader& shader, Math math, Port* port, Builder* b)
      : shader_(shader), math_(math), port_(*port), b_(*b), regions_(find_regions(shader.code)), cells_(kCells) {
    cells_[kPositionCell + 3].value = b_.real(1.0f);
    cells_[kAliveCell].value = b_.li(1);
  }

  Results run() {
    for (at_ = 0; at_ < shader_.code.size(); ++at_) {
      const Instruction& ins = shader_.code[at_];
      switch (static_cast<Op>(ins.op)) {
        case Op::kIf:
          open(ins);
          break;
        case Op::kElse:
          other_side();
          break;
        case Op::kEndIf:
          close();
          break;
        case Op::kDiscard:
          write({{kAliveCell, kZeroReg, {}}});
          break;
        default:
          ordinary(ins);
      }
    }
    Results out;
    auto four = [&](int first) {
      return std::array<VReg, 4>{read(first), read(first + 1), read(first + 2), read(first + 3)};
    };
    out.position = four(kPositionCell);
    out.color = four(kColorCell);
    for (const Instruction& ins : shader_.code)
      if (static_cast<Op>(ins.op) == Op::kStoreVar) out.stored[static_cast<std::size_t>(ins.aux)] = true;
    for (std::size_t v = 0; v < kMaxVaryings; ++v)
      if (out.stored[v]) out.varyings[v] = four(kVaryingCell + 4 * static_cast<int>(v));
    out.alive = cells_[kAliveCell].value;
    return out;
  }

 private:
  struct Write {
    int cell;
    VReg value, as_bool;
  };
  struct Open {
    bool predicated;
    VReg condition;  // predicated: 0 or 1, of this region alone
    VReg outer;      // predicated: what holds around it, none: everything
    const Region* region;
  };

  // ---- cells
  Cell& cell(int index) { return cells_[static_cast<std::size_t>(index)]; }

  VReg read(int index) {
    Cell& c = cell(index);
    if (c.value.exists()) return c.value;
    const VReg zero = b_.from_bits(kZeroReg);
    if (branches_ == 0) c.value = zero;  // inside a branch it would be missing on the other side
    return zero;
  }
  VReg lane(int temp, int k) { return read(4 * temp + k); }

  bool is_home(int index) const { return branches_ != 0 && region_writes_->count(index) != 0; }

  // All values are computed before the first is written.
  void write(std::vector<Write> writes) {
    if (predicate_.exists())
      for (Write& w : writes) {
        if (regions_.is_own(at_, w.cell)) continue;
        w.value = w.cell == kAliveCell ? b_.if_zero(cell(kAliveCell).value, predicate_)
                                       : select_real(b_, predicate_, w.value, read(w.cell));
        w.as_bool = {};
      }
    // A home changes later: who keeps its value keeps a copy, and a home that is written here is read before.
    for (Write& w : writes)
      if (homes_.count(w.value.id) != 0 && !(is_home(w.cell) && w.value == cell(w.cell).value))
        w.value = b_.copy(w.value);
    for (const Write& w : writes) {
      if (is_home(w.cell))
        b_.move(cell(w.cell).value, w.value);
      else
        cell(w.cell).value = w.value;
      cell(w.cell).as_bool = w.as_bool;
    }
  }
  void write_lanes(int first, const std::vector<VReg>& values) {
    std::vector<Write> writes;
    for (std::size_t k = 0; k < values.size(); ++k) writes.push_back({first + static_cast<int>(k), values[k], {}});
    write(std::move(writes));
  }
  void write_bool(int index, VReg condition) { write({{index, b_.to_real(condition), condition}}); }

  // ---- branches
  // Nonzero where lane X of the condition is not 0; NaN is not. `inverted`: the register is nonzero where it is 0.
  VReg condition_of(int temp, bool* inverted) {
    *inverted = false;
    const Cell& c = cell(4 * temp);
    if (c.as_bool.exists()) return c.as_bool;
    *inverted = true;
    return b_.feq(lane(temp, 0), b_.real(0.0f));
  }

  void open(const Instruction& ins) {
    const Region& region = regions_.of[at_];
    bool inverted;
    VReg condition = condition_of(ins.a, &inverted);
    if (region.small || predicate_.exists()) {
      if (inverted) condition = b_.xori(condition, 1);
      open_.push_back({true, condition, predicate_, &region});
      predicate_ = predicate_.exists() ? b_.and_(predicate_, condition) : condition;
      return;
    }
    if (branches_ == 0) {
      region_writes_ = &region.writes;
      for (const int index : region.writes) {
        const VReg home = b_.function().make(index != kAliveCell);
        b_.move(home, cell(index).value.exists() ? cell(index).value : kZeroReg);
        cell(index).value = home;  // as_bool still holds
        homes_.insert(home.id);
      }
    }
    ++branches_;
    open_.push_back({false, {}, {}, &region});
    b_.push(Kind::kIf, {}, condition, {}, inverted ? 1 : 0);
  }

  void forget_bools(const Region& region) {
    for (const int index : region.writes) cell(index).as_bool = {};
  }

  void other_side() {
    const Open& o = open_.back();
    forget_bools(*o.region);
    if (!o.predicated) {
      b_.push(Kind::kElse);
      return;
    }
    const VReg opposite = b_.xori(o.condition, 1);
    predicate_ = o.outer.exists() ? b_.and_(o.outer, opposite) : opposite;
  }

  void close() {
    const Open o = open_.back();
    open_.pop_back();
    forget_bools(*o.region);
    if (o.predicated) {
      predicate_ = o.outer;
      return;
    }
    b_.push(Kind::kEndIf);
    if (--branches_ == 0) homes_.clear();  // they keep what they hold
  }

  // ---- operations
  VReg precise_rsq(VReg x) {
    const VReg positive = b_.flt(b_.real(0.0f), x);
    return b_.from_bits(b_.if_nonzero(b_.bits(b_.fdiv(b_.real(1.0f), b_.fsqrt(x))), positive));
  }

  VReg lane_result(Op op, VReg x, VReg y) {
    const bool precise = math_ == Math::kPrecise;
    switch (op) {
      case Op::kAdd:
        return b_.fadd(x, y);
      case Op::kSub:
        return b_.fsub(x, y);
      case Op::kMul:
        return b_.fmul(x, y);
      case Op::kMax:
        return select_real(b_, b_.flt(y, x), x, y);
      case Op::kMin:
        return select_real(b_, b_.flt(x, y), x, y);
      case Op::kAbs:
        return b_.from_bits(b_.xor_(b_.bits(x), b_.slli(b_.flt(x, b_.real(0.0f)), 31)));
      case Op::kRcp:
        return b_.from_bits(b_.if_zero(b_.bits(b_.fdiv(b_.real(1.0f), x)), b_.feq(x, b_.real(0.0f))));
      case Op::kSin:
        return b_.call(precise ? kSinPrecise : kSinCompat, x);
      case Op::kCos:
        return b_.call(precise ? kCosPrecise : kCosCompat, x);
      case Op::kRsq:
        return precise ? precise_rsq(x) : b_.call(kRsqCompat, x);
      default:
        return x;
    }
  }

  VReg truncated(VReg x) { return b_.to_real(b_.if_nonzero(b_.truncate(x), b_.feq(x, x))); }

  VReg compare(int how, VReg x, VReg y) {
    switch (how) {
      case kLess:
        return b_.flt(x, y);
      case kGreater:
        return b_.flt(y, x);
      case kLessEqual:
        return b_.fle(x, y);
      case kGreaterEqual:
        return b_.fle(y, x);
      case kEqual:
        return b_.feq(x, y);
      default:
        return b_.xori(b_.feq(x, y), 1);
    }
  }

  // The sum starts at 0, which turns a first product of -0 into +0.
  VReg sum_of_products(const std::vector<VReg>& x, const std::vector<VReg>& y) {
    VReg sum = b_.real(0.0f);
    for (std::size_t k = 0; k < x.size(); ++k) sum = b_.fadd(sum, b_.fmul(x[k], y[k]));
    return sum;
  }
  std::vector<VReg> multiply(int matrix, int vector, int n) {
    std::vector<VReg> out, right;
    for (int k = 0; k < n; ++k) right.push_back(lane(vector, k));
    for (int c = 0; c < n; ++c) {
      std::vector<VReg> row;
      for (int k = 0; k < n; ++k) row.push_back(lane(matrix + k, c));
      out.push_back(sum_of_products(row, right));
    }
    return out;
  }

  void ordinary(const Instruction& ins) {
    const auto op = static_cast<Op>(ins.op);
    const int dst = 4 * ins.dst, n = lanes_of(ins);
    std::vector<VReg> out;
    auto zeros = [&](std::size_t count) {
      while (out.size() < count) out.push_back(b_.real(0.0f));
    };
    switch (op) {
      case Op::kConst:
        for (int k = 0; k < n; ++k) out.push_back(b_.real(shader_.immediates[static_cast<std::size_t>(ins.aux + k)]));
        zeros(4);
        return write_lanes(dst, out);
      case Op::kSwz:
        for (int k = 0; k < n; ++k) out.push_back(lane(ins.a, ins.aux >> (2 * k) & 3));
        zeros(4);
        return write_lanes(dst, out);
      case Op::kSetLane:
        return write_lanes(dst + (ins.aux & 3), {lane(ins.a, ins.aux2 & 3)});
      case Op::kMov:
      case Op::kAbs:
      case Op::kRcp:
      case Op::kSin:
      case Op::kCos:
        for (int k = 0; k < n; ++k) out.push_back(lane_result(op, lane(ins.a, k), {}));
        return write_lanes(dst, out);
      case Op::kAdd:
      case Op::kSub:
      case Op::kMul:
      case Op::kMax:
      case Op::kMin:
        for (int k = 0; k < n; ++k) out.push_back(lane_result(op, lane(ins.a, k), lane(ins.b, k)));
        return write_lanes(dst, out);
      case Op::kRsq:
        return write_lanes(dst, {lane_result(op, lane(ins.a, 0), {})});
      case Op::kPow:
        return write_lanes(
            dst, {b_.call(math_ == Math::kPrecise ? kPowPrecise : kPowCompat, lane(ins.a, 0), lane(ins.b, 0))});
      case Op::kTrunc:
        return write_lanes(dst, {truncated(lane(ins.a, 0))});
      case Op::kCmp:
        return write_bool(dst, compare(ins.aux, lane(ins.a, 0), lane(ins.b, 0)));
      case Op::kDot: {
        std::vector<VReg> x, y;
        for (int k = 0; k < width_of(ins); ++k) {
          x.push_back(lane(ins.a, k));
          y.push_back(lane(ins.b, k));
        }
        return write_lanes(dst, {sum_of_products(x, y)});
      }
      case Op::kMulMv:
        out = multiply(ins.a, ins.b, width_of(ins));
        zeros(4);
        return write_lanes(dst, out);
      case Op::kMulMm: {
        std::vector<Write> writes;
        for (int j = 0; j < width_of(ins); ++j) {
          const std::vector<VReg> column = multiply(ins.a, ins.b + j, width_of(ins));
          for (std::size_t c = 0; c < column.size(); ++c)
            writes.push_back({dst + 4 * j + static_cast<int>(c), column[c], {}});
        }
        return write(std::move(writes));
      }
      case Op::kSample: {
        const auto texel = port_.sample(b_, lane(ins.a, 0), lane(ins.a, 1), branches_ != 0);
        return write_lanes(dst, {texel.begin(), texel.end()});
      }
      default:
        return transfer(ins);
    }
  }

  void transfer(const Instruction& ins) {
    const int dst = 4 * ins.dst;
    std::vector<VReg> out;
    switch (static_cast<Op>(ins.op)) {
      case Op::kLoadAttr:
        if (!port_.has_attributes()) return;
        for (int k = 0; k < 4; ++k) out.push_back(port_.attribute(b_, ins.aux, k));
        return write_lanes(dst, out);
      case Op::kLoadVar:
        if (!port_.has_varyings()) return;
        for (int k = 0; k < 4; ++k) out.push_back(port_.varying(b_, ins.aux, k));
        return write_lanes(dst, out);
      case Op::kLoadUni:
        if (!port_.has_uniforms()) return;
        for (int s = 0; s < ins.aux2; ++s)
          for (int k = 0; k < 4; ++k) out.push_back(port_.uniform(b_, ins.aux + s, k));
        return write_lanes(dst, out);
      case Op::kLoadFcoord:
        if (!port_.has_fragcoord()) return;
        for (int k = 0; k < 4; ++k) out.push_back(port_.fragcoord(b_, k));
        return write_lanes(dst, out);
      case Op::kStorePos:
      case Op::kStoreVar:
      case Op::kStoreColor: {
        const auto op = static_cast<Op>(ins.op);
        for (int k = 0; k < 4; ++k) out.push_back(lane(ins.a, k));
        return write_lanes(op == Op::kStorePos     ? kPositionCell
                           : op == Op::kStoreColor ? kColorCell
                                                   : kVaryingCell + 4 * ins.aux,
                           out);
      }
      default:
        return;
    }
  }

  const Shader& shader_;
  const Math math_;
  Port& port_;
  Builder& b_;
  const Regions regions_;
  std::vector<Cell> cells_;
  std::size_t at_ = 0;
  std::vector<Open> open_;
  int branches_ = 0;                              // open SPLITs
  const std::set<int>* region_writes_ = nullptr;  // of the outermost one
  std::set<std::int32_t> homes_;                  // its registers
  VReg predicate_;                                // of the innermost predicated region, none: everything runs
};

}  // namespace

Results lower(const Shader& shader, Math math, Port* port, Builder* builder) {
  return Lowering(shader, math, port, builder).run();
}

}  // namespace gyre::shader::gpu
