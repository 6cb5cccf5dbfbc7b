// From a decoded instruction to its executable form: operand rows, executor, timing class (timing.md §1.1, §2).
#include "decode.h"
#include "engine.h"
#include "exec.h"

namespace gyre::core {
namespace {

using riscv::Decoded;
using riscv::Op;

constexpr bool within(Op op, Op first, Op last) { return op >= first && op <= last; }

// Which operand fields mean something, and in which file.
struct Operands {
  bool rd, rs1, rs2, rs3;
  bool fd, fs;  // destination / sources are FP registers (rs1 of loads and stores is always an integer)
};

Operands operands_of(Op op) {
  if (within(op, Op::kFld, Op::kFmvDX)) {  // the doubles are listed in the order of the singles
    constexpr unsigned kStep = static_cast<unsigned>(Op::kFld) - static_cast<unsigned>(Op::kFlw);
    op = static_cast<Op>(static_cast<unsigned>(op) - kStep);
  }
  if (op == Op::kFcvtSD || op == Op::kFcvtDS) return {true, true, false, false, true, true};
  if (op == Op::kLui || op == Op::kAuipc || op == Op::kJal) return {true, false, false, false, false, false};
  if (op == Op::kJalr || within(op, Op::kLb, Op::kLd)) return {true, true, false, false, false, false};
  if (within(op, Op::kBeq, Op::kBgeu)) return {false, true, true, false, false, false};
  if (within(op, Op::kSb, Op::kSd)) return {false, true, true, false, false, false};
  if (within(op, Op::kAddi, Op::kSrai) || within(op, Op::kAddiw, Op::kSraiw))
    return {true, true, false, false, false, false};
  if (within(op, Op::kAdd, Op::kAnd) || within(op, Op::kAddw, Op::kSraw) || within(op, Op::kMul, Op::kRemuw))
    return {true, true, true, false, false, false};
  if (within(op, Op::kLrW, Op::kAmomaxuD)) return {true, true, op != Op::kLrW && op != Op::kLrD, false, false, false};
  if (op == Op::kCzeroEqz || op == Op::kCzeroNez) return {true, true, true, false, false, false};
  if (within(op, Op::kCsrrw, Op::kCsrrc)) return {true, true, false, false, false, false};
  if (within(op, Op::kCsrrwi, Op::kCsrrci)) return {true, false, false, false, false, false};
  if (op == Op::kFlw) return {true, true, false, false, true, false};
  if (op == Op::kFsw) return {false, true, true, false, false, false};
  if (within(op, Op::kFmaddS, Op::kFnmaddS)) return {true, true, true, true, true, true};
  if (within(op, Op::kFaddS, Op::kFdivS) || within(op, Op::kFsgnjS, Op::kFmaxS))
    return {true, true, true, false, true, true};
  if (op == Op::kFsqrtS) return {true, true, false, false, true, true};
  if (within(op, Op::kFcvtWS, Op::kFmvXW) || op == Op::kFclassS) return {true, true, false, false, false, true};
  if (within(op, Op::kFeqS, Op::kFleS)) return {true, true, true, false, false, true};
  if (within(op, Op::kFcvtSW, Op::kFmvWX)) return {true, true, false, false, true, false};
  switch (op) {
    case Op::kPacklb:
    case Op::kPacklh:
      return {true, true, true, false, true, false};
    case Op::kTmc:
    case Op::kJoin:
      return {false, true, false, false, false, false};
    case Op::kWspawn:
    case Op::kBar:
    case Op::kBarWait:
    case Op::kPred:
      return {false, true, true, false, false, false};
    case Op::kSplit:
      return {true, true, false, false, false, false};
    case Op::kBarArrive:
      return {true, true, true, false, false, false};
    case Op::kVoteAll:
    case Op::kVoteAny:
    case Op::kVoteUni:
    case Op::kVoteBallot:
      return {true, true, false, false, false, false};
    case Op::kShflUp:
    case Op::kShflDown:
    case Op::kShflBfly:
    case Op::kShflIdx:
      return {true, true, true, false, false, false};
    case Op::kWgather:
    case Op::kTex:
      return {true, true, true, true, false, false};
    case Op::kOmExport:
      return {false, true, true, true, false, false};
    default:
      return {false, false, false, false, false, false};
  }
}

// Execute-stage cycles whose result does not arrive within the fetch interval; 0 for those that do. Loads and TEX
// set their own dates.
unsigned latency_of(Op op, const CoreConfig& c) {
  if (within(op, Op::kMul, Op::kMulhu)) return c.latency_mul;
  if (op == Op::kMulw) return c.latency_mul;
  if (within(op, Op::kDiv, Op::kRemu)) return c.latency_div + (c.xlen - 32);
  if (within(op, Op::kDivw, Op::kRemuw)) return c.latency_div;
  if (within(op, Op::kCsrrw, Op::kCsrrci)) return c.latency_csr;
  if (within(op, Op::kFmaddS, Op::kFmulS)) return c.latency_fma;
  if (op == Op::kFdivS) return c.latency_fdiv;
  if (op == Op::kFsqrtS) return c.latency_fsqrt;
  if (within(op, Op::kFmaddD, Op::kFmulD)) return c.latency_fma_d;
  if (op == Op::kFdivD) return c.latency_fdiv_d;
  if (op == Op::kFsqrtD) return c.latency_fsqrt_d;
  if (within(op, Op::kFcvtWS, Op::kFcvtLuS) || within(op, Op::kFcvtSW, Op::kFcvtSLu) ||
      within(op, Op::kFcvtWD, Op::kFcvtLuD) || within(op, Op::kFcvtDW, Op::kFcvtDLu) || op == Op::kFcvtSD ||
      op == Op::kFcvtDS)
    return c.latency_fcvt;
  if (within(op, Op::kFsgnjS, Op::kFclassS) || within(op, Op::kFsgnjD, Op::kFclassD)) return c.latency_fncp;
  return 0;
}

Want want_of(Op op) {
  if (op == Op::kFlw || op == Op::kFld || op == Op::kPacklb || op == Op::kPacklh || within(op, Op::kLrW, Op::kAmomaxuD))
    return Want::kLoad;
  if (op == Op::kFsw || op == Op::kFsd || within(op, Op::kSb, Op::kSd)) return Want::kStore;
  if (within(op, Op::kLb, Op::kLd)) return Want::kLoad;
  switch (op) {
    case Op::kTex: return Want::kTexture;
    case Op::kOmExport: return Want::kExport;
    case Op::kBar:
    case Op::kBarArrive: return Want::kIdle;
    case Op::kWsync: return Want::kDrain;
    case Op::kFence: return Want::kFence;
    case Op::kFenceI: return Want::kFenceI;
    default: return Want::kNothing;
  }
}

Interval interval_of(Op op) {
  if (within(op, Op::kJal, Op::kBgeu) || within(op, Op::kEcall, Op::kSfenceVma)) return kBranch;
  if (within(op, Op::kTmc, Op::kWsync) && op != Op::kBarArrive) return kControl;
  return kStraight;
}

Unit unit_of(Op op) {
  switch (want_of(op)) {
    case Want::kLoad:
    case Want::kStore:
    case Want::kExport:
    case Want::kFence:
    case Want::kFenceI: return kUnitLsu;
    default: break;
  }
  if (within(op, Op::kFmaddS, Op::kFmvWX) || within(op, Op::kFmaddD, Op::kFcvtDS)) return kUnitFpu;
  if (within(op, Op::kCsrrw, Op::kCsrrci) || within(op, Op::kTmc, Op::kWsync) || op == Op::kTex) return kUnitSfu;
  return kUnitAlu;
}

}  // namespace

riscv::Isa isa_of(const CoreConfig& config) {
  return {config.xlen,  config.isa_m,      config.isa_a, config.isa_f,   config.isa_d(),
          config.isa_c, config.isa_zicond, true,         config.isa_pack};
}

Inst make_inst(std::uint32_t word, unsigned threads, const CoreConfig& config) {
  const Decoded d = riscv::decode(word, isa_of(config));
  const Operands use = operands_of(d.op);
  const unsigned sources = use.fs ? kFpRow : 0;
  Inst inst;
  inst.word = word;
  inst.length = d.length;
  inst.imm = d.imm;
  inst.rm = d.rm;
  inst.op = static_cast<std::uint8_t>(d.op);
  if (use.rd) inst.rd = static_cast<std::uint8_t>(use.fd ? kFpRow + d.rd : d.rd == 0 ? kSinkRow : d.rd);
  if (use.rs1) inst.rs1 = static_cast<std::uint8_t>(sources + d.rs1);
  if (use.rs2) inst.rs2 = static_cast<std::uint8_t>((d.op == Op::kFsw || d.op == Op::kFsd ? kFpRow : sources) + d.rs2);
  if (use.rs3) inst.rs3 = static_cast<std::uint8_t>(sources + d.rs3);
  if (within(d.op, Op::kCsrrwi, Op::kCsrrci)) inst.rs1 = 0;
  inst.interval = interval_of(d.op);
  inst.unit = unit_of(d.op);
  inst.want = want_of(d.op);
  const unsigned latency = latency_of(d.op, config);
  if (latency + kPipeOverhead > config.fetch_interval + 1 && latency != 0 && inst.rd != kSinkRow)
    inst.latency = static_cast<std::uint16_t>(latency + kPipeOverhead);
  place_rows(inst, threads);
  inst.run = config.xlen == 64 ? wide_handler(d.op) : lane_handler(d.op, threads);
  if (inst.run == nullptr) inst.run = control_handler(inst.op);
  return inst;
}

}  // namespace gyre::core
