// Descriptors in device memory: queue meta data and draws (cp.md §5.3, §5.4).
#include <array>
#include <cstring>

#include "command_processor.h"
#include "log.h"

namespace gyre::cp {

using kernel::Cycle;

CommandProcessor::Failure CommandProcessor::launch_qmd(std::uint64_t address, bool physical) {
  constexpr unsigned kOpcode = GYRE_CMD_LAUNCH_QMD;
  std::uint32_t count = 0;
  if (const unsigned code = device_.read(address, &count, sizeof count, physical)) return {code, kOpcode};
  if (count > GYRE_CP_QMD_MAX) {
    if (!gpu_.cp.compat) return {GYRE_CP_ERR_QMD_COUNT, kOpcode};
    kernel::log_warn(name(), "QMD of {} registers: only {} are written", count, GYRE_CP_QMD_MAX);
    count = GYRE_CP_QMD_MAX;
  }
  std::array<std::uint32_t, 2 * GYRE_CP_QMD_MAX> pairs{};
  if (const unsigned code = device_.read(address + 4, pairs.data(), std::uint64_t{count} * 8, physical))
    return {code, kOpcode};
  const std::uint64_t end = address + 4 + std::uint64_t{count} * 8;
  spent(kernel::Doing::kBusy);
  LineStream(time_, device_, clock_, address, end, physical, 0).reach(end - 1);
  spent(kernel::Doing::kMemory);
  Cycle done = clock_.now();
  for (unsigned i = 0; i < count; ++i)
    if (const Failure failure = dcr_write(kOpcode, pairs[2 * i], pairs[2 * i + 1], &done)) return failure;
  clock_.advance_to(done);
  return start_launch(kOpcode);
}

CommandProcessor::Failure CommandProcessor::draw(std::uint64_t address, bool physical) {
  std::uint32_t steps = 0;
  if (const unsigned code = device_.read(address, &steps, sizeof steps, physical)) return {code, GYRE_CMD_DRAW};
  if (steps > GYRE_CP_DRAW_MAX) {
    if (!gpu_.cp.compat) return {GYRE_CP_ERR_DRAW_COUNT, GYRE_CMD_DRAW};
    kernel::log_warn(name(), "DRAW of {} steps: only {} are run", steps, GYRE_CP_DRAW_MAX);
    steps = GYRE_CP_DRAW_MAX;
  }
  spent(kernel::Doing::kBusy);
  const std::uint64_t end = address + 4 + std::uint64_t{steps} * GYRE_CP_DRAW_STEP_BYTES;
  LineStream stream(time_, device_, clock_, address, end, physical, 1);
  stream.reach(address + 3);
  spent(kernel::Doing::kMemory);
  for (unsigned i = 0; i < steps; ++i) {
    const std::uint64_t at = address + 4 + std::uint64_t{i} * GYRE_CP_DRAW_STEP_BYTES;
    StepBytes bytes{};
    if (const unsigned code = device_.read(at, bytes.data(), bytes.size(), physical)) return {code, GYRE_CMD_DRAW};
    spent(kernel::Doing::kBusy);
    stream.reach(at + bytes.size() - 1);
    spent(kernel::Doing::kMemory);
    const Command step = decode_step(bytes);
    ++draw_steps_;
    const std::uint64_t faults = ctx_.faults.count();
    clock_.advance(1);  // decode
    const Cycle start = clock_.now();
    const Failure failure = perform_simple(step);
    show(step, start);
    if (failure.code == GYRE_CP_ERR_DRAW_STEP_OP && gpu_.cp.compat) {
      kernel::log_warn(name(), "DRAW step {} has opcode {:#x}, which a step cannot have: ignored", i, step.opcode);
      continue;
    }
    if (failure) return failure;
    if (ctx_.faults.count() != faults) return {GYRE_CP_ERR_GPU_FAULT, step.opcode};
  }
  return {};
}

}  // namespace gyre::cp
