#include "insn_trace.h"

#include <cerrno>
#include <cstring>

#include "disassembler.h"
#include "error.h"
#include "log.h"

namespace gyre::platform {
namespace {

char letter(host::Privilege privilege) {
  return privilege == host::Privilege::kMachine ? 'M' : privilege == host::Privilege::kSupervisor ? 'S' : 'U';
}

// The register an instruction writes, by the first letter of its operands.
enum class Result { kNone, kInteger, kFloat };
Result result_of(const riscv::Decoded& decoded) {
  const char first = riscv::syntax_of(decoded.op).operands[0];
  return first == 'd' && decoded.rd != 0 ? Result::kInteger : first == 'D' ? Result::kFloat : Result::kNone;
}

}  // namespace

InsnTrace::InsnTrace(const std::string& path, InsnFilter filter, const ProgramNames& names,
                     const MachineConfig& machine)
    : path_(path), filter_(std::move(filter)), names_(names), core_isa_(core::isa_of(machine.gpu.core)) {
  file_ = std::fopen(path.c_str(), "w");
  if (file_ == nullptr) user_error("{}: {}", path, std::strerror(errno));
  std::fputs("# cycle\tagent\tlanes\tpc\tword\tinstruction\tfunction\tresult\n", file_);
}

InsnTrace::~InsnTrace() {
  stop();
  if (file_ != nullptr) std::fclose(file_);
}

void InsnTrace::attach(gpu::Gpu& gpu) {
  gpu.for_each_core([&](core::SimtCore& core) {
    if (!filter_.wants_core(core.engine().core_id)) return;
    engines_.push_back(&core.engine());
    core.engine().trace(this);
  });
}

void InsnTrace::attach(host::HostSystem& system) {
  if (!filter_.host) return;
  hart_ = &system.cpu.hart();
  hart_->trace(this);
}

void InsnTrace::finish() {
  if (hart_ != nullptr) complete(*hart_);
  stop();
  for (const std::string& symbol : filter_.symbols)
    if (!names_.host.range(symbol) && !names_.device.range(symbol))
      kernel::log_warn("trace-insn", "no program of this run has a function {}", symbol);
  const bool bad = std::ferror(file_) != 0 || std::fflush(file_) != 0;
  const int reason = errno;
  std::fclose(file_);
  file_ = nullptr;
  if (bad) user_error("{}: {}", path_, std::strerror(reason));
}

// Everybody runs as without a trace from now on.
void InsnTrace::stop() {
  for (core::Engine* engine : engines_) engine->trace(nullptr);
  engines_.clear();
  if (hart_ != nullptr) hart_->trace(nullptr);
  hart_ = nullptr;
}

void InsnTrace::put(const std::string& line) {
  if (stopped_) return;
  const bool enough_lines = lines_ >= filter_.max_lines;
  if (enough_lines || bytes_ + line.size() > filter_.max_bytes) {
    const std::string limit =
        enough_lines ? fmt::format("lines={}", filter_.max_lines) : fmt::format("bytes={}", filter_.max_bytes);
    std::fprintf(file_, "# the limit %s is reached\n", limit.c_str());
    kernel::log_warn("trace-insn", "{}: the limit {} is reached, the run goes on without a trace", path_, limit);
    stopped_ = true;
  } else {
    ++lines_;
    bytes_ += line.size();
    stopped_ = std::fwrite(line.data(), 1, line.size(), file_) != line.size();  // finish() says why
  }
  if (stopped_) stop();
}

const InsnTrace::Text& InsnTrace::text_of(Cache& cache, const tools::Symbols& names, const riscv::Isa& isa,
                                          std::uint64_t pc, std::uint32_t word) {
  if (cache.changes != names.changes()) {  // another program was loaded
    cache.texts.clear();
    cache.changes = names.changes();
  }
  const auto [at, fresh] = cache.texts.try_emplace(pc);
  Text& text = at->second;
  if (!fresh && text.word == word) return text;
  const riscv::Decoded decoded = riscv::decode(word, isa);
  const bool is_short = (word & 3) != 3 && isa.c;
  text.word = word;
  text.wanted = filter_.wants_pc(pc, names);
  text.text = fmt::format("{:#x}\t{:0{}x}\t{}\t{}", pc, is_short ? word & 0xFFFF : word, is_short ? 4 : 8,
                          riscv::disassemble(decoded, pc, isa), names.name(pc));
  const Result result = result_of(decoded);
  text.is_float = result == Result::kFloat;
  text.index = decoded.rd;
  text.result = result == Result::kNone      ? ""
                : result == Result::kInteger ? riscv::register_name(decoded.rd)
                                             : riscv::float_register_name(decoded.rd);
  return text;
}

bool InsnTrace::wants(const core::Engine& engine, std::uint32_t pc) {
  return filter_.wants_core(engine.core_id) && filter_.wants_pc(pc, names_.device);
}

void InsnTrace::executed(const core::Engine& engine, const core::Executed& done) {
  if (!filter_.wants_warp(done.warp.id)) return;
  const Text& text = text_of(device_cache_, names_.device, core_isa_, done.pc, done.word);
  std::string line =
      fmt::format("{}\tcore{}.warp{}\t{:#x}\t{}\t", done.cycle, engine.core_id, done.warp.id, done.mask, text.text);
  if (done.faulted) {
    line += "fault";
  } else if (!text.result.empty()) {
    const unsigned row = text.index + (text.is_float ? core::kFpRow : 0);
    const auto value = [&](unsigned lane) { return engine.lane_value(done.warp, row, lane); };
    const unsigned first = static_cast<unsigned>(__builtin_ctz(done.mask));
    bool uniform = true;
    for (unsigned l = first; l < engine.threads; ++l)
      uniform = uniform && ((done.mask >> l & 1) == 0 || value(l) == value(first));
    line += text.result + "=";
    if (uniform) {
      line += fmt::format("{:#x}", value(first));
    } else {
      for (unsigned l = 0; l < engine.threads; ++l) {
        line += l == 0 ? "[" : ",";
        line += (done.mask >> l & 1) != 0 ? fmt::format("{:#x}", value(l)) : "-";
      }
      line += "]";
    }
  }
  put(line + "\n");
}

void InsnTrace::complete(const host::Hart& hart) {
  if (pending_.empty()) return;
  if (!pending_register_.empty())
    pending_ += fmt::format("{}={:#x}", pending_register_,
                            pending_is_float_ ? hart.freg(pending_index_) : hart.reg(pending_index_));
  const std::string line = pending_ + "\n";
  pending_.clear();
  put(line);
}

void InsnTrace::next(const host::Hart& hart, std::uint64_t pc, std::uint32_t word, std::uint64_t cycle) {
  complete(hart);
  if (stopped_) return;
  const Text& text = text_of(host_cache_, names_.host, riscv::kHostIsa, pc, word);
  if (!text.wanted) return;
  pending_ = fmt::format("{}\thost\t{}\t{}\t", cycle, letter(hart.privilege()), text.text);
  pending_pc_ = pc;
  pending_register_ = text.result;
  pending_index_ = text.index;
  pending_is_float_ = text.is_float;
}

void InsnTrace::trapped(const host::Hart& hart, std::uint64_t cause) {
  constexpr std::uint64_t kInterrupt = std::uint64_t{1} << 63;
  const bool interrupt = (cause & kInterrupt) != 0;
  if (!interrupt && !pending_.empty() && hart.pc() == pending_pc_) {
    pending_register_.clear();  // it has written nothing
    pending_ += fmt::format("exception {}", cause);
  }
  complete(hart);
  if (interrupt && filter_.ranges.empty() && filter_.symbols.empty())
    put(fmt::format("# host: interrupt {} before pc {:#x}\n", cause & ~kInterrupt, hart.pc()));
}

}  // namespace gyre::platform
