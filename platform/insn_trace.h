// gyre --trace-insn: a line for every instruction that the host CPU and the cores execute (docs/trace.md).
#pragma once

#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "core_trace.h"
#include "disassembler.h"
#include "gpu.h"
#include "hart_trace.h"
#include "host_system.h"
#include "insn_filter.h"
#include "program_names.h"

namespace gyre::platform {

// Fields of a line, with tabs between them: cycle of the agent's clock, agent, mask of active lanes (host: privilege
// M, S or U), pc, word, instruction, function and offset, register written and its value. Lines are in the order in
// which the simulator executes; agents run ahead of each other by up to a quantum.
class InsnTrace : private core::InsnListener, private host::InsnListener {
 public:
  // Throws UserError if the file cannot be made. `names` must outlive the trace.
  InsnTrace(const std::string& path, InsnFilter filter, const ProgramNames& names, const MachineConfig& machine);
  ~InsnTrace();
  InsnTrace(const InsnTrace&) = delete;

  // Before the first instruction. Both must outlive the trace.
  void attach(gpu::Gpu& gpu);
  void attach(host::HostSystem& system);
  // Throws UserError if not everything could be written.
  void finish();

 private:
  // What is the same whenever the instruction at a pc executes.
  struct Text {
    std::uint32_t word = 0;
    bool wanted = false;
    std::string text;    // from pc to function
    std::string result;  // name of the register written; empty: none
    unsigned index = 0;
    bool is_float = false;
  };
  struct Cache {
    std::unordered_map<std::uint64_t, Text> texts;  // looked up only, never iterated
    unsigned changes = 0;
  };

  bool wants(const core::Engine& engine, std::uint32_t pc) override;
  void executed(const core::Engine& engine, const core::Executed& done) override;
  void next(const host::Hart& hart, std::uint64_t pc, std::uint32_t word, std::uint64_t cycle) override;
  void trapped(const host::Hart& hart, std::uint64_t cause) override;

  const Text& text_of(Cache& cache, const tools::Symbols& names, const riscv::Isa& isa, std::uint64_t pc,
                      std::uint32_t word);
  void complete(const host::Hart& hart);  // the host's last line, when its result is there
  void put(const std::string& line);
  void stop();

  const std::string path_;
  const InsnFilter filter_;
  const ProgramNames& names_;
  const riscv::Isa core_isa_;
  std::FILE* file_ = nullptr;
  bool stopped_ = false;  // at the limit, or because the file cannot be written
  std::uint64_t lines_ = 0, bytes_ = 0;
  Cache host_cache_, device_cache_;
  // The host's last line, without the value of the register that the instruction writes.
  std::string pending_, pending_register_;
  std::uint64_t pending_pc_ = 0;
  unsigned pending_index_ = 0;
  bool pending_is_float_ = false;
  std::vector<core::Engine*> engines_;
  host::Hart* hart_ = nullptr;
};

}  // namespace gyre::platform
