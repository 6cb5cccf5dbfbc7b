#include "row_builder.h"

namespace gyre::shader {
namespace {

bool is_source(RowOp op) { return op <= RowOp::kInput; }

bool same(const RowValue& a, const RowValue& b) { return a.op == b.op && a.extra == b.extra && a.in == b.in; }

std::uint64_t hash_of(const RowValue& value) {
  std::uint64_t hash = static_cast<std::uint64_t>(value.op) << 32 ^ static_cast<std::uint32_t>(value.extra);
  for (std::size_t i = 0; i < 8 && value.in[i] != kNoValue; ++i)
    hash = (hash ^ static_cast<std::uint32_t>(value.in[i])) * 0x9E3779B97F4A7C15u;
  return (hash * 0x9E3779B97F4A7C15u) >> 20;
}

}  // namespace

RowBuilder::RowBuilder(const Shader& shader, const BatchInputs& in, const BatchOutputs& out)
    : shader_(shader), in_(in), out_(out) {
  lanes_.fill(constant(0.0f));
  lanes_[kPosition + 3] = constant(1.0f);
  for (int k = 0; k < 4 * kMaxVaryings; ++k)
    lanes_[static_cast<std::size_t>(kStored + k)] = add(RowOp::kInput, kNoOperands, row_name(kSpaceStored, k));
}

// A value that is there already is taken again.
int RowBuilder::add(RowOp op, const RowOperands& in, int extra) {
  if (op == RowOp::kSelect && in[1] == in[2]) return in[1];
  RowValue value;
  value.op = op;
  value.in = in;
  value.extra = extra;
  const std::uint64_t hash = hash_of(value);
  const int found = known_.find(hash, [&](int index) { return same(values_[static_cast<std::size_t>(index)], value); });
  if (found >= 0) return found;
  value.once = op != RowOp::kInput;
  for (std::size_t i = 0; i < 8 && in[i] != kNoValue; ++i) value.once &= values_[static_cast<std::size_t>(in[i])].once;
  const int index = static_cast<int>(values_.size());
  values_.push_back(value);
  known_.insert(index, hash, [this](int other) { return hash_of(values_[static_cast<std::size_t>(other)]); });
  order_.push_back(index);
  return index;
}

int RowBuilder::constant(float value) {
  return add(RowOp::kConstant, kNoOperands, static_cast<int>(float_bits(value)));
}

int RowBuilder::control(RowOp op, int x, int extra) {
  RowValue value;
  value.op = op;
  value.in[0] = x;
  value.extra = extra;
  values_.push_back(value);
  return static_cast<int>(values_.size()) - 1;
}

// What only one part of an IF computed is not there behind it; what is the same all the time is.
void RowBuilder::forget(std::size_t mark) {
  std::size_t kept = mark;
  for (std::size_t i = mark; i < order_.size(); ++i) {
    const RowValue& value = values_[static_cast<std::size_t>(order_[i])];
    if (value.once || is_source(value.op))
      order_[kept++] = order_[i];
    else
      known_.erase(order_[i], hash_of(value));
  }
  order_.resize(kept);
}

void RowBuilder::begin_if(int temp) {
  const int condition = lane(temp, 0);
  const int skip = control(RowOp::kSkipIfNone, condition);
  levels_.push_back({condition, skip, false, lanes_, lanes_});
  marks_.push_back(order_.size());
}

void RowBuilder::begin_else() {
  Level& level = levels_.back();
  level.then = lanes_;
  lanes_ = level.before;
  level.otherwise = true;
  const int skip = control(RowOp::kSkipIfAll, level.condition);
  values_[static_cast<std::size_t>(level.skip)].target = skip + 1;
  level.skip = skip;
  forget(marks_.back());
}

void RowBuilder::end_if() {
  const Level& level = levels_.back();
  values_[static_cast<std::size_t>(level.skip)].target = static_cast<int>(values_.size());
  forget(marks_.back());
  marks_.pop_back();
  const Lanes& yes = level.otherwise ? level.then : lanes_;
  const Lanes& no = level.otherwise ? lanes_ : level.before;
  for (std::size_t i = 0; i < kLanes; ++i)
    lanes_[i] = yes[i] == no[i] ? yes[i] : add(RowOp::kSelect, {{level.condition, yes[i], no[i], -1, -1, -1, -1, -1}});
  levels_.pop_back();
}

// The lanes that come here end with what the outputs hold; they go on computing, and nobody looks.
void RowBuilder::discard() {
  control(RowOp::kMaskLive);
  for (const Level& level : levels_) control(level.otherwise ? RowOp::kMaskAndNot : RowOp::kMaskAnd, level.condition);
  if (out_.color != nullptr)
    for (int k = 0; k < 4; ++k)
      control(RowOp::kStoreMasked, lanes_[static_cast<std::size_t>(kColor + k)], row_name(kSpaceColor, k));
  ends_.push_back(control(RowOp::kEndLanes));
}

int RowBuilder::product(const Instruction& ins, int matrix, int c, int vector) {
  const int n = width_of(ins);
  RowOperands in = kNoOperands;
  for (int k = 0; k < n; ++k) {
    in[static_cast<std::size_t>(2 * k)] = lane(matrix + k, c);
    in[static_cast<std::size_t>(2 * k + 1)] = lane(vector, k);
  }
  return add(n == 3 ? RowOp::kDot3 : RowOp::kDot4, in);
}

int RowBuilder::dot(const Instruction& ins) {
  const int n = width_of(ins);
  RowOperands in = kNoOperands;
  for (int k = 0; k < n; ++k) {
    in[static_cast<std::size_t>(2 * k)] = lane(ins.a, k);
    in[static_cast<std::size_t>(2 * k + 1)] = lane(ins.b, k);
  }
  return add(n == 3 ? RowOp::kDot3 : RowOp::kDot4, in);
}

void RowBuilder::matrices(const Instruction& ins) {
  const bool vector = static_cast<Op>(ins.op) == Op::kMulMv;
  const int n = width_of(ins), columns = vector ? 1 : n;
  int result[4][4];
  for (int j = 0; j < columns; ++j)
    for (int c = 0; c < n; ++c) result[j][c] = product(ins, ins.a, c, ins.b + j);
  for (int j = 0; j < columns; ++j)
    for (int c = 0; c < n; ++c) lane(ins.dst + j, c) = result[j][c];
  if (vector && n == 3) lane(ins.dst, 3) = constant(0.0f);
}

void RowBuilder::component_wise(const Instruction& ins) {
  const bool precise = in_.math == Math::kPrecise;
  const auto op = static_cast<Op>(ins.op);
  static constexpr RowOp kCompares[] = {RowOp::kNotEqual,  RowOp::kLess,         RowOp::kGreater,
                                        RowOp::kLessEqual, RowOp::kGreaterEqual, RowOp::kEqual};
  RowOp row = RowOp::kCopy;
  switch (op) {
    case Op::kAdd:
      row = RowOp::kAdd;
      break;
    case Op::kSub:
      row = RowOp::kSub;
      break;
    case Op::kMul:
      row = RowOp::kMul;
      break;
    case Op::kMax:
      row = RowOp::kMax;
      break;
    case Op::kMin:
      row = RowOp::kMin;
      break;
    case Op::kAbs:
      row = RowOp::kAbs;
      break;
    case Op::kRcp:
      row = RowOp::kRcp;
      break;
    case Op::kTrunc:
      row = RowOp::kTrunc;
      break;
    case Op::kRsq:
      row = precise ? RowOp::kRsq : RowOp::kCompatRsq;
      break;
    case Op::kSin:
      row = precise ? RowOp::kSin : RowOp::kCompatSin;
      break;
    case Op::kCos:
      row = precise ? RowOp::kCos : RowOp::kCompatCos;
      break;
    case Op::kPow:
      row = precise ? RowOp::kPow : RowOp::kCompatPow;
      break;
    case Op::kCmp:
      row = kCompares[ins.aux >= kLess && ins.aux <= kEqual ? ins.aux : 0];
      break;
    default:
      break;
  }
  const OpInfo& info = op_info(op);
  for (int k = 0, n = info.lanes ? lanes_of(ins) : 1; k < n; ++k) {
    RowOperands in = kNoOperands;
    in[0] = lane(ins.a, k);
    if (info.b) in[1] = lane(ins.b, k);
    lane(ins.dst, k) = add(row, in);
  }
}

void RowBuilder::sample(const Instruction& ins) {
  if (in_.texture == nullptr) {
    for (int k = 0; k < 4; ++k) lane(ins.dst, k) = constant(0.0f);
    return;
  }
  const int word = add(RowOp::kTexel, {{lane(ins.a, 0), lane(ins.a, 1), -1, -1, -1, -1, -1, -1}});
  for (int k = 0; k < 4; ++k) lane(ins.dst, k) = add(RowOp::kTexelLane, {{word, -1, -1, -1, -1, -1, -1, -1}}, k);
}

// Without its source a load does nothing.
void RowBuilder::load(const Instruction& ins) {
  const auto op = static_cast<Op>(ins.op);
  if (op == Op::kLoadUni) {
    if (in_.uniforms == nullptr) return;
    for (int i = 0; i < 4 * ins.aux2; ++i) lane(ins.dst, i) = add(RowOp::kUniform, kNoOperands, 4 * ins.aux + i);
    return;
  }
  int space = kSpaceFragcoord, slot = 0;
  const float* source = in_.fragcoord;
  if (op == Op::kLoadAttr) {
    space = kSpaceAttributes;
    source = in_.attributes;
    slot = ins.aux;
  } else if (op == Op::kLoadVar) {
    space = kSpaceVaryings;
    source = in_.varyings;
    const int mapped = in_.varying_map != nullptr ? in_.varying_map[ins.aux] : -1;
    slot = mapped >= 0 ? mapped : ins.aux;
  }
  if (source == nullptr) return;
  for (int k = 0; k < 4; ++k) lane(ins.dst, k) = add(RowOp::kInput, kNoOperands, row_name(space, 4 * slot + k));
}

void RowBuilder::store(int first, const Instruction& ins) {
  for (int k = 0; k < 4; ++k) lanes_[static_cast<std::size_t>(first + k)] = lane(ins.a, k);
}

void RowBuilder::instruction(const Instruction& ins) {
  switch (static_cast<Op>(ins.op)) {
    case Op::kNop:
      break;
    case Op::kConst:
      for (int k = 0; k < 4; ++k)
        lane(ins.dst, k) = constant(k < ins.ncomp ? shader_.immediates[static_cast<std::size_t>(ins.aux + k)] : 0.0f);
      break;
    case Op::kMov:
      for (int k = 0; k < lanes_of(ins); ++k) lane(ins.dst, k) = lane(ins.a, k);
      break;
    case Op::kSwz: {
      int from[4];
      for (int k = 0; k < 4; ++k) from[k] = k < lanes_of(ins) ? lane(ins.a, ins.aux >> (2 * k) & 3) : constant(0.0f);
      for (int k = 0; k < 4; ++k) lane(ins.dst, k) = from[k];
      break;
    }
    case Op::kSetLane:
      lane(ins.dst, ins.aux & 3) = lane(ins.a, ins.aux2 & 3);
      break;
    case Op::kDot:
      lane(ins.dst, 0) = dot(ins);
      break;
    case Op::kMulMv:
    case Op::kMulMm:
      matrices(ins);
      break;
    case Op::kSample:
      sample(ins);
      break;
    case Op::kLoadAttr:
    case Op::kLoadVar:
    case Op::kLoadUni:
    case Op::kLoadFcoord:
      load(ins);
      break;
    case Op::kStorePos:
      store(kPosition, ins);
      break;
    case Op::kStoreVar:
      store(kStored + 4 * ins.aux, ins);
      break;
    case Op::kStoreColor:
      store(kColor, ins);
      break;
    case Op::kIf:
      begin_if(ins.a);
      break;
    case Op::kElse:
      begin_else();
      break;
    case Op::kEndIf:
      end_if();
      break;
    case Op::kDiscard:
      discard();
      break;
    default:
      component_wise(ins);
  }
}

std::vector<RowValue> RowBuilder::build() {
  for (const Instruction& ins : shader_.code) instruction(ins);
  const auto put = [&](RowOp op, const float* array, int first, int space, int rows) {
    if (array == nullptr) return;
    for (int k = 0; k < rows; ++k) {
      const int value = lanes_[static_cast<std::size_t>(first + k)];
      const RowValue& from = values_[static_cast<std::size_t>(value)];
      const int to = row_name(space, k);
      if (from.op != RowOp::kInput || from.extra != to) control(op, value, to);
    }
  };
  put(ends_.empty() ? RowOp::kStore : RowOp::kMaskedLive, out_.color, kColor, kSpaceColor, 4);
  for (const int end : ends_) values_[static_cast<std::size_t>(end)].target = static_cast<int>(values_.size());
  // A shader that can end lanes is a fragment shader and stores none of these.
  put(RowOp::kStore, out_.position, kPosition, kSpacePosition, 4);
  put(RowOp::kStore, out_.varyings, kStored, kSpaceStored, 4 * kMaxVaryings);
  return std::move(values_);
}

}  // namespace gyre::shader
