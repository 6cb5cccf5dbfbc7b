#include "checker.h"

#include <algorithm>
#include <cstdio>
#include <set>
namespace gyre::simtcheck {
namespace {

constexpr unsigned kMaxVisits = 2000;  // of one block: far above what structured code needs

std::string list(const std::vector<uint32_t>& open) {
  std::string out = "[";
  for (uint32_t split : open) out += (out.size() > 1 ? " " : "") + hex(split);
  return out + "]";
}

bool ends_block(const Insn& insn) {
  return insn.op == Op::kBranch || insn.op == Op::kStop || (insn.op == Op::kTmc && insn.rs1 == 0) ||
         ((insn.op == Op::kJal || insn.op == Op::kJalr) && insn.rd == 0);
}

}  // namespace

std::string hex(uint32_t value) {
  char text[16];
  std::snprintf(text, sizeof text, "0x%08x", value);
  return text;
}

Checker::Checker(const tools::ElfImage& image, std::function<bool(uint32_t)> waived, bool allow_pred)
    : image_(image), waived_(std::move(waived)), allow_pred_(allow_pred) {
  for (const auto& section : image.code)
    for (size_t i = 0; i + 4 <= section.data.size(); i += 4) {
      const uint8_t* p = &section.data[i];
      const uint32_t word = p[0] | p[1] << 8 | p[2] << 16 | static_cast<uint32_t>(p[3]) << 24;
      code_.emplace(section.address + static_cast<uint32_t>(i), decode(word));
    }
  for (const auto& f : image.functions) {
    Function function;
    function.name = f.name;
    function.begin = f.address;
    function.end = f.address + f.bytes;
    function.kernel = f.kernel;
    function.uniform_args = f.kernel ? 1 : 0xFFFF;
    functions_.emplace(f.address, std::move(function));
  }
}

Report Checker::run() {
  // Arguments and results of functions start as uniform and lose it by what callers and returns show. An argument
  // is believed only when every call is direct.
  const bool indirect = std::any_of(functions_.begin(), functions_.end(), [&](const auto& entry) {
    if (entry.first == image_.entry) return false;
    for (uint32_t pc = entry.second.begin; pc < entry.second.end; pc += 4) {
      const Insn* insn = at(pc);
      uint32_t target;
      if (insn != nullptr && insn->op == Op::kJalr && !insn->is_return() && !call_target(pc, *insn, target))
        return true;
    }
    return false;
  });
  for (auto& [address, function] : functions_) {
    split_blocks(function);
    if (indirect && !function.kernel) function.uniform_args = 0;
  }
  do {
    changed_ = false;
    for (auto& [address, function] : functions_) solve(function);
    if (changed_) continue;
    for (auto& [address, function] : functions_)
      if (!function.kernel && !function.called && function.uniform_args != 0) {
        function.uniform_args = 0;
        changed_ = true;
      }
  } while (changed_);

  reporting_ = true;
  report_.functions = functions_.size();
  for (auto& [address, function] : functions_) {
    for (auto& [begin, block] : function.blocks)
      if (block.reached) {
        meet(function, block);
        run_block(function, block, [](uint32_t, const State&) {});
      }
    check_joins(function);
    if (function.unsettled) find(0, function, address, "too tangled to analyse");
  }
  check_coverage();
  std::stable_sort(report_.findings.begin(), report_.findings.end(),
                   [](const Finding& a, const Finding& b) { return a.address < b.address; });
  return report_;
}

const Insn* Checker::at(uint32_t address) const {
  const auto it = code_.find(address);
  return it == code_.end() ? nullptr : &it->second;
}

void Checker::split_blocks(Function& function) {
  std::set<uint32_t> leaders = {function.begin};
  for (uint32_t pc = function.begin; pc < function.end; pc += 4) {
    const Insn* insn = at(pc);
    if (insn == nullptr) continue;
    if (insn->op == Op::kBranch || (insn->op == Op::kJal && insn->rd == 0))
      leaders.insert(pc + static_cast<uint32_t>(insn->imm));
    if (ends_block(*insn)) leaders.insert(pc + 4);
  }
  leaders.insert(function.end);
  for (auto it = leaders.lower_bound(function.begin); it != leaders.end() && *it < function.end; ++it) {
    Block block;
    block.begin = *it;
    block.end = *std::next(it);
    function.blocks.emplace(block.begin, block);
  }
}

// Entry state = meet over what the predecessors deliver now (not over what they once delivered: ids may change).
void Checker::meet(Function& function, Block& block) {
  bool first = block.begin != function.begin;
  if (!first) block.entry = State::at_entry(function.uniform_args, expressions_);
  for (const auto& [from, state] : block.incoming) {
    if (first) {
      block.entry = state;
      first = false;
    } else if (state.open != block.entry.open) {
      if (reporting_)
        find(2, function, block.begin,
             "open SPLITs differ by path: " + list(block.entry.open) + " and " + list(state.open));
    } else {
      block.entry.merge(state, block.begin, function.phis);
    }
  }
  block.entry.name_phis(block.begin, function.phis);
}

void Checker::solve(Function& function) {
  for (auto& [begin, block] : function.blocks) {
    block.reached = false;
    block.visits = 0;
    block.incoming.clear();
  }
  if (function.blocks.empty()) return;
  std::set<uint32_t> work = {function.begin};
  int32_t exposed = function.first_exposed;
  size_t phis = function.phis.size();
  while (!work.empty()) {
    Block& block = function.blocks.at(*work.begin());
    work.erase(work.begin());
    if (++block.visits > kMaxVisits) {
      function.unsettled = true;
      return;
    }
    block.reached = true;
    meet(function, block);
    run_block(function, block, [&](uint32_t target, const State& state) {
      Block& next = function.blocks.at(target);
      auto [it, fresh] = next.incoming.try_emplace(block.begin, state);
      if (!fresh && it->second == state) return;
      it->second = state;
      work.insert(target);
    });
    if (function.first_exposed != exposed || function.phis.size() != phis) {
      // A new place to name, or an address taken: start again with that knowledge, or values of the old view survive.
      exposed = function.first_exposed;
      phis = function.phis.size();
      for (auto& [begin, other] : function.blocks) {
        other.incoming.clear();
        other.reached = false;
        other.visits = 0;
      }
      work = {function.begin};
    }
  }
}

void Checker::run_block(Function& function, const Block& block, const std::function<void(uint32_t, const State&)>& go) {
  State state = block.entry;
  auto leave = [&](uint32_t from, uint32_t target) {
    if (function.blocks.count(target) != 0) return go(target, state);
    if (!reporting_) return;
    require_closed(function, from, state, "a jump out of the function");
    if (functions_.count(target) == 0) find(0, function, from, "jumps to " + hex(target) + ", not a function");
  };
  for (uint32_t pc = block.begin; pc < block.end; pc += 4) {
    const Insn* insn = at(pc);
    if (insn == nullptr) {
      if (reporting_) find(0, function, pc, "runs outside the code");
      return;
    }
    const uint32_t target = pc + static_cast<uint32_t>(insn->imm);
    switch (insn->op) {
      case Op::kBranch:
        if (reporting_) check_branch(function, pc, *insn, state);
        leave(pc, target);
        leave(pc, pc + 4);
        return;
      case Op::kStop:
        return;
      case Op::kTmc:
        if (reporting_) require_closed(function, pc, state, "TMC");
        if (insn->rs1 == 0) return;
        state.forget_uniformity();
        break;
      case Op::kJal:
      case Op::kJalr: {
        uint32_t callee = target;
        const bool direct = insn->op == Op::kJal || call_target(pc, *insn, callee);
        if (insn->is_return()) {
          if (reporting_) require_closed(function, pc, state, "a return");
          for (unsigned i = 0; i < 4; ++i) {
            const unsigned reg = (i < 2 ? kA0 : kFa0) + (i & 1);
            if (state.level(reg) == 0 || (function.uniform_results >> i & 1) == 0) continue;
            function.uniform_results = static_cast<uint8_t>(function.uniform_results & ~(1u << i));
            changed_ = true;
          }
          return;
        }
        if (!direct && reporting_ && !state.uniform(insn->rs1))
          find(5, function, pc, "jump through " + register_name(insn->rs1) + ", which may differ by lane");
        if (insn->rd == 0) {
          if (direct && function.blocks.count(callee) != 0) return leave(pc, callee);
          if (reporting_) require_closed(function, pc, state, direct ? "a tail call" : "an indirect jump");
          if (!direct && reporting_) find(4, function, pc, "indirect jump: its targets cannot be checked");
          if (direct) call(function, pc, callee, state);
          changed_ = changed_ || function.uniform_results != 0;
          function.uniform_results = 0;
          return;
        }
        call(function, pc, direct ? callee : 0, state);
        break;
      }
      default:
        step(function, pc, *insn, state);
    }
  }
  if (block.end == function.end) {
    if (reporting_) find(0, function, block.end - 4, "runs off the end of the function");
    return;
  }
  leave(block.end - 4, block.end);
}

// auipc rd, hi; jalr x, lo(rd): a direct call or jump.
bool Checker::call_target(uint32_t pc, const Insn& insn, uint32_t& target) const {
  if (insn.op == Op::kJal) return target = pc + static_cast<uint32_t>(insn.imm), true;
  const Insn* before = at(pc - 4);
  if (before == nullptr || before->op != Op::kAuipc || before->rd != insn.rs1 || insn.rs1 == 0) return false;
  target = pc - 4 + static_cast<uint32_t>(before->imm) + static_cast<uint32_t>(insn.imm);
  return true;
}

void Checker::check_split(Function& function, uint32_t pc, const Insn& insn) {
  ++report_.splits;
  joins_[pc];
  if (insn.rd == 0) find(1, function, pc, "SPLIT drops its token (rd is x0)");
  if (insn.rd == insn.rs1) find(1, function, pc, "SPLIT overwrites its predicate before the branch reads it");
  const Insn* next = at(pc + 4);
  const bool guarded = next != nullptr && pc + 4 < function.end && next->op == Op::kBranch && next->funct3 <= 1 &&
                       ((next->rs1 == insn.rs1 && next->rs2 == 0) || (next->rs2 == insn.rs1 && next->rs1 == 0));
  if (!guarded) find(1, function, pc, "SPLIT is not followed by a branch on its predicate " + register_name(insn.rs1));
}

void Checker::check_branch(Function& function, uint32_t pc, const Insn& insn, const State& state) {
  ++report_.branches;
  if (!state.open.empty() && state.open.back() == pc - 4) return;
  if (state.comparison_level(insn.rs1, insn.rs2) != kVarying) return;
  std::string bad;
  for (unsigned reg : {insn.rs1, insn.rs2})
    if (!state.uniform(reg)) bad += (bad.empty() ? "" : " and ") + register_name(reg);
  if (waived_(pc)) {
    ++report_.waived;
    return;
  }
  find(5, function, pc, describe(insn, pc) + ": " + bad + " may differ by lane and no SPLIT guards the branch");
}

void Checker::require_closed(Function& function, uint32_t pc, const State& state, const std::string& what) {
  if (!state.open.empty()) find(4, function, pc, what + " with open SPLITs " + list(state.open));
}

void Checker::check_joins(Function& function) {
  for (auto it = joins_.lower_bound(function.begin); it != joins_.end() && it->first < function.end; ++it) {
    const auto& joins = it->second;
    if (joins.empty()) find(4, function, it->first, "SPLIT without a JOIN");
    if (joins.size() > 1) find(4, function, it->first, "SPLIT with several JOINs: " + list(joins));
  }
}

// Code no function symbol covers would escape the check; padding (zero, nop, unimp) is fine.
void Checker::check_coverage() {
  for (const auto& [address, insn] : code_) {
    auto it = functions_.upper_bound(address);
    if (it != functions_.begin() && address < std::prev(it)->second.end) continue;
    if (insn.word == 0 || insn.word == 0x13 || insn.op == Op::kStop) continue;
    report_.findings.push_back({0, address, "?", "code outside any function (assembly needs .type and .size)"});
    return;
  }
}

void Checker::find(int rule, const Function& function, uint32_t pc, const std::string& text) {
  report_.findings.push_back({rule, pc, function.name, text});
}

}  // namespace gyre::simtcheck
