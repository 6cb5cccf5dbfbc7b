#include "regions.h"

namespace gyre::shader::gpu {
namespace {

// Instructions, roughly: a region costs about as much in control (SPLIT, branch, JOIN twice, each of which stops the
// warp's fetch), a predicated write of a float needs six.
constexpr int kBranchCost = 16, kSelectCost = 5, kNever = 1000;

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

std::vector<Region> find_regions(const std::vector<Instruction>& code) {
  std::vector<Region> regions(code.size());
  std::vector<std::size_t> open;
  std::vector<int> cost(code.size(), 0);
  for (std::size_t n = 0; n < code.size(); ++n) {
    const Instruction& ins = code[n];
    const auto op = static_cast<Op>(ins.op);
    if (op == Op::kIf) {
      open.push_back(n);
      regions[n].begin = n;
    }
    const std::vector<int> cells = cells_written(ins);
    for (const std::size_t r : open) {
      regions[r].writes.insert(cells.begin(), cells.end());
      cost[r] += cost_of(ins) + kSelectCost * static_cast<int>(cells.size());
    }
    if (op == Op::kEndIf) {
      Region& region = regions[open.back()];
      region.end = n;
      region.small = cost[open.back()] <= kBranchCost;
      open.pop_back();
    }
  }
  return regions;
}

}  // namespace gyre::shader::gpu
