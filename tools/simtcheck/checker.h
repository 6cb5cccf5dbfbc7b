// The divergence rules of simt_c.md §5 on a linked device program.
#ifndef GYRE_TOOLS_SIMTCHECK_CHECKER_H
#define GYRE_TOOLS_SIMTCHECK_CHECKER_H

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "elf_image.h"
#include "rv32.h"
#include "state.h"

namespace gyre::simtcheck {

struct Finding {
  int rule;  ///< 1..5 as in simt_c.md §5; 0 = the code cannot be analysed
  uint32_t address;
  std::string function;
  std::string text;
};

struct Report {
  std::vector<Finding> findings;  ///< ascending by address
  size_t functions = 0, splits = 0, branches = 0, waived = 0;
};

/// "0x80001234".
std::string hex(uint32_t value);

class Checker {
 public:
  /// `waived(address)`: the source line of the address says why a branch is uniform. PRED is refused unless allowed
  /// (hand-written assembly, generated code with one PRED a loop).
  Checker(const tools::ElfImage& image, std::function<bool(uint32_t)> waived, bool allow_pred);

  Report run();

 private:
  struct Block {
    uint32_t begin = 0, end = 0;
    bool reached = false;
    State entry;
    std::map<uint32_t, State> incoming;  ///< state at the end of each predecessor, by its begin
    unsigned visits = 0;
  };
  struct Function {
    std::string name;
    uint32_t begin = 0, end = 0;
    bool kernel = false;
    bool called = false;
    bool unsettled = false;
    uint32_t uniform_args = 0;        ///< a0-a7, fa0-fa7
    uint8_t uniform_results = 0xF;    ///< a0, a1, fa0, fa1
    int32_t first_exposed = 1 << 20;  ///< lowest stack offset whose address was taken
    std::set<uint64_t> phis;          ///< places that need an id of their own at a block (state.h)
    std::map<uint32_t, Block> blocks;
  };

  const Insn* at(uint32_t address) const;
  void split_blocks(Function& function);
  void solve(Function& function);
  void meet(Function& function, Block& block);
  /// Runs a block from its entry state and hands the state to its successors through `go`.
  void run_block(Function& function, const Block& block, const std::function<void(uint32_t, const State&)>& go);
  void step(Function& function, uint32_t pc, const Insn& insn, State& state);
  void step_memory(Function& function, uint32_t pc, const Insn& insn, State& state);
  void step_arithmetic(Function& function, uint32_t pc, const Insn& insn, State& state);
  void step_csr(uint32_t pc, const Insn& insn, State& state);
  void step_join(Function& function, uint32_t pc, const Insn& insn, State& state);
  void call(Function& caller, uint32_t pc, uint32_t target, State& state);
  bool call_target(uint32_t pc, const Insn& insn, uint32_t& target) const;
  void check_split(Function& function, uint32_t pc, const Insn& insn);
  void check_branch(Function& function, uint32_t pc, const Insn& insn, const State& state);
  void require_closed(Function& function, uint32_t pc, const State& state, const std::string& what);
  void check_joins(Function& function);
  void check_coverage();
  void find(int rule, const Function& function, uint32_t pc, const std::string& text);

  const tools::ElfImage& image_;
  std::function<bool(uint32_t)> waived_;
  bool allow_pred_;
  bool reporting_ = false;
  bool changed_ = false;
  std::map<uint32_t, Insn> code_;
  std::map<uint32_t, Function> functions_;
  Expressions expressions_;
  std::map<uint32_t, std::vector<uint32_t>> joins_;  ///< of each SPLIT met
  Report report_;
};

}  // namespace gyre::simtcheck

#endif
