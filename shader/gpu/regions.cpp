#include "regions.h"

#include <algorithm>
#include <bitset>

namespace gyre::shader::gpu {
namespace {

// Instructions, roughly: a region costs about as much in control (SPLIT, branch, JOIN twice, each of which stops the
// warp's fetch), a predicated write of a float needs six.
constexpr int kBranchCost = 24, kSelectCost = 5, kNever = 1000;

int cost_of(const Instruction& ins) {
  switch (static_cast<Op>(ins.op)) {
    case Op::kSin:
    case Op::kCos:
    case Op::kPow:
    case Op::kSample:
    case Op::kMulMm:
    case Op::kMulMv:
    case Op::kLoadVar:
      return kNever;
    case Op::kRsq:
      return 30;  // division and root
    case Op::kRcp:
      return 20 * lanes_of(ins);
    case Op::kMax:
    case Op::kMin:
      return 6 * lanes_of(ins);
    case Op::kAbs:
    case Op::kAdd:
    case Op::kSub:
    case Op::kMul:
      return lanes_of(ins);
    case Op::kDot:
      return 2 * width_of(ins);
    case Op::kConst:
      return 2 * lanes_of(ins);
    case Op::kIf:
    case Op::kElse:
    case Op::kEndIf:
      return 1;
    default:
      return 2;
  }
}

}  // namespace

std::vector<int> cells_written(const Instruction& ins) {
  std::vector<int> cells;
  auto lanes = [&](int first, int count) {
    for (int k = 0; k < count; ++k) cells.push_back(first + k);
  };
  const int dst = 4 * ins.dst;
  switch (static_cast<Op>(ins.op)) {
    case Op::kNop:
    case Op::kIf:
    case Op::kElse:
    case Op::kEndIf:
      break;
    case Op::kConst:
    case Op::kSwz:
    case Op::kMulMv:
    case Op::kSample:
    case Op::kLoadAttr:
    case Op::kLoadVar:
    case Op::kLoadFcoord:
      lanes(dst, 4);
      break;
    case Op::kSetLane:
      cells.push_back(dst + (ins.aux & 3));
      break;
    case Op::kMov:
    case Op::kAdd:
    case Op::kSub:
    case Op::kMul:
    case Op::kMax:
    case Op::kMin:
    case Op::kAbs:
    case Op::kRcp:
    case Op::kSin:
    case Op::kCos:
      lanes(dst, lanes_of(ins));
      break;
    case Op::kDot:
    case Op::kRsq:
    case Op::kPow:
    case Op::kTrunc:
    case Op::kCmp:
      cells.push_back(dst);
      break;
    case Op::kMulMm:
      for (int j = 0; j < width_of(ins); ++j) lanes(dst + 4 * j, width_of(ins));
      break;
    case Op::kLoadUni:
      lanes(dst, 4 * ins.aux2);
      break;
    case Op::kStorePos:
      lanes(kPositionCell, 4);
      break;
    case Op::kStoreVar:
      lanes(kVaryingCell + 4 * ins.aux, 4);
      break;
    case Op::kStoreColor:
      lanes(kColorCell, 4);
      break;
    case Op::kDiscard:
      cells.push_back(kAliveCell);
      break;
  }
  return cells;
}

std::vector<int> cells_read(const Instruction& ins) {
  std::vector<int> cells;
  auto lanes = [&](int temp, int count) {
    for (int k = 0; k < count; ++k) cells.push_back(4 * temp + k);
  };
  const OpInfo& info = op_info(static_cast<Op>(ins.op));
  switch (static_cast<Op>(ins.op)) {
    case Op::kMov:
    case Op::kAbs:
    case Op::kRcp:
    case Op::kSin:
    case Op::kCos:
      lanes(ins.a, lanes_of(ins));
      break;
    case Op::kAdd:
    case Op::kSub:
    case Op::kMul:
    case Op::kMax:
    case Op::kMin:
      lanes(ins.a, lanes_of(ins));
      lanes(ins.b, lanes_of(ins));
      break;
    default:  // all lanes of what it names: more than some read
      for (int k = 0; info.a && k < a_span(ins); ++k) lanes(ins.a + k, 4);
      for (int k = 0; info.b && k < b_span(ins); ++k) lanes(ins.b + k, 4);
  }
  return cells;
}

namespace {

using Live = std::bitset<kCells>;

// Which cells somebody may still read, at the two places of a region where lanes meet other code.
struct Joint {
  Live after, other_side;  // behind ENDIF; where the side behind ELSE begins
  bool has_other = false;
};

std::vector<Joint> joints_of(const std::vector<Instruction>& code) {
  std::vector<Joint> joints(code.size());
  std::vector<Joint> open;
  Live live;
  for (int cell = kPositionCell; cell < kCells; ++cell) live.set(static_cast<std::size_t>(cell));
  for (std::size_t n = code.size(); n-- > 0;) {
    const auto op = static_cast<Op>(code[n].op);
    if (op == Op::kEndIf) {
      open.push_back({live, {}, false});
    } else if (op == Op::kElse) {
      open.back().other_side = live;
      open.back().has_other = true;
      live = open.back().after;
    } else if (op == Op::kIf) {
      joints[n] = open.back();
      open.pop_back();
      live |= joints[n].has_other ? joints[n].other_side : joints[n].after;
    }
    // A load writes only if its source exists.
    const bool certain = op < Op::kLoadAttr || op > Op::kLoadFcoord;
    for (const int cell : cells_written(code[n]))
      if (certain && cell < kPositionCell) live.reset(static_cast<std::size_t>(cell));
    for (const int cell : cells_read(code[n])) live.set(static_cast<std::size_t>(cell));
  }
  return joints;
}

}  // namespace

Regions find_regions(const std::vector<Instruction>& code) {
  struct Level {
    std::size_t begin;
    bool second;  // behind ELSE
  };
  const std::vector<Joint> joints = joints_of(code);
  Regions out;
  out.of.resize(code.size());
  out.own.resize(code.size());
  std::vector<Level> open;
  std::vector<int> cost(code.size(), 0);
  for (std::size_t n = 0; n < code.size(); ++n) {
    const Instruction& ins = code[n];
    const auto op = static_cast<Op>(ins.op);
    if (op == Op::kIf) {
      open.push_back({n, false});
      out.of[n].begin = n;
    }
    if (op == Op::kElse) open.back().second = true;
    auto is_own = [&](int cell) {
      const auto c = static_cast<std::size_t>(cell);
      return !open.empty() && std::none_of(open.begin(), open.end(), [&](const Level& level) {
        const Joint& joint = joints[level.begin];
        return joint.after[c] || (!level.second && joint.has_other && joint.other_side[c]);
      });
    };
    std::set<int> shared;
    for (const int cell : cells_written(ins)) (is_own(cell) ? out.own[n] : shared).insert(cell);
    for (const Level& level : open) {
      out.of[level.begin].writes.insert(shared.begin(), shared.end());
      cost[level.begin] += cost_of(ins) + kSelectCost * static_cast<int>(shared.size());
    }
    if (op == Op::kEndIf) {
      Region& region = out.of[open.back().begin];
      region.end = n;
      region.small = cost[region.begin] <= kBranchCost;
      open.pop_back();
    }
  }
  return out;
}

}  // namespace gyre::shader::gpu
