#include "launch_registers.h"

namespace gyre::kmu {
namespace {

// Bits needed to hold n distinct values, n a power of two.
unsigned log2_of(std::uint32_t n) {
  unsigned bits = 0;
  while ((std::uint64_t{1} << bits) < n) ++bits;
  return bits;
}

std::string text(std::uint64_t value) { return std::to_string(value); }
std::string text(const Dim3& dim) { return text(dim[0]) + "x" + text(dim[1]) + "x" + text(dim[2]); }

// Registers a grid launch needs. The high address halves and CLUSTER_DIM (which has a reset value) are not asked for.
constexpr unsigned kNeeded[] = {
    GYRE_DCR_STARTUP_ADDR0, GYRE_DCR_KERNEL_ENTRY0, GYRE_DCR_STARTUP_ARG0, GYRE_DCR_BLOCK_DIM_X,
    GYRE_DCR_BLOCK_DIM_Y, GYRE_DCR_BLOCK_DIM_Z, GYRE_DCR_GRID_DIM_X, GYRE_DCR_GRID_DIM_Y,
    GYRE_DCR_GRID_DIM_Z, GYRE_DCR_LMEM_SIZE, GYRE_DCR_BLOCK_SIZE, GYRE_DCR_WARP_STEP_X,
    GYRE_DCR_WARP_STEP_Y, GYRE_DCR_WARP_STEP_Z,
};

}  // namespace

LaunchRegisters::LaunchRegisters() {
  for (unsigned axis = 0; axis < 3; ++axis) values_[GYRE_DCR_CLUSTER_DIM_X + axis - kFirst] = 1;
}

LaunchParameters LaunchRegisters::parameters() const {
  LaunchParameters p;
  p.pc = value(GYRE_DCR_STARTUP_ADDR0);
  p.entry = value(GYRE_DCR_KERNEL_ENTRY0);
  p.param = value(GYRE_DCR_STARTUP_ARG0);
  p.block = dim(GYRE_DCR_BLOCK_DIM_X);
  p.grid = dim(GYRE_DCR_GRID_DIM_X);
  p.lmem = value(GYRE_DCR_LMEM_SIZE);
  p.block_size = value(GYRE_DCR_BLOCK_SIZE);
  p.step = dim(GYRE_DCR_WARP_STEP_X);
  p.cluster = effective_cluster(dim(GYRE_DCR_CLUSTER_DIM_X));
  return p;
}

std::string LaunchRegisters::lost_bits(const CoreLimits& core) const {
  const unsigned thread_bits = log2_of(core.threads * core.warps);
  const struct {
    const char* name;
    unsigned reg, count, bits;
  } fields[] = {
      {"BLOCK_DIM", GYRE_DCR_BLOCK_DIM_X, 3, thread_bits + 1},
      {"LMEM_SIZE", GYRE_DCR_LMEM_SIZE, 1, log2_of(core.lmem_bytes) + 1},
      {"BLOCK_SIZE", GYRE_DCR_BLOCK_SIZE, 1, thread_bits + 1},
      {"WARP_STEP", GYRE_DCR_WARP_STEP_X, 3, thread_bits},
      {"CLUSTER_DIM", GYRE_DCR_CLUSTER_DIM_X, 3, log2_of(core.warps) + 1},
  };
  for (const auto& field : fields)
    for (unsigned i = 0; i < field.count; ++i)
      if ((std::uint64_t{value(field.reg + i)} >> field.bits) != 0)
        return std::string(field.name) + " register holds " + text(value(field.reg + i)) + ", but has only " +
               text(field.bits) + " bits";
  return {};
}

std::vector<unsigned> LaunchRegisters::unset() const {
  std::vector<unsigned> missing;
  for (const unsigned reg : kNeeded)
    if (!was_written(reg)) missing.push_back(reg);
  return missing;
}

StartCheck LaunchRegisters::check(const CoreLimits& core) const {
  StartCheck result;
  const LaunchParameters p = parameters();
  const auto refuse = [&](std::string why) {
    result.kind = StartKind::kRefused;
    result.refusal = std::move(why);
    return result;
  };
  if (any_zero(p.grid)) {
    result.kind = StartKind::kKick;  // RASTER knows what a draw needs
    bool meant = false;
    for (unsigned axis = 0; axis < 3; ++axis) meant |= p.grid[axis] == 0 && was_written(GYRE_DCR_GRID_DIM_X + axis);
    for (unsigned axis = 0; axis < 3 && !meant; ++axis)
      if (!was_written(GYRE_DCR_GRID_DIM_X + axis)) result.unset.push_back(GYRE_DCR_GRID_DIM_X + axis);
    return result;
  }
  if (std::string lost = lost_bits(core); !lost.empty()) return refuse(std::move(lost));
  for (unsigned axis = 0; axis < 3; ++axis)
    if (p.grid[axis] % p.cluster[axis] != 0)
      return refuse("grid " + text(p.grid) + " is not a multiple of cluster " + text(p.cluster));
  result.unset = unset();
  if (p.block_size == 0) {
    result.kind = StartKind::kNothing;
    result.warnings.push_back("BLOCK_SIZE is 0: nothing runs");
    return result;
  }
  const std::uint32_t capacity = core.threads * core.warps;
  if (p.block_size > capacity)
    return refuse("BLOCK_SIZE " + text(p.block_size) + " is more than the " + text(capacity) + " threads of a core");
  if (p.block_size != volume(p.block))
    return refuse("BLOCK_SIZE " + text(p.block_size) + " is not the product of BLOCK_DIM " + text(p.block));
  const std::uint64_t stride = align_lmem(p.lmem);
  if (stride > core.lmem_bytes)
    return refuse("LMEM_SIZE " + text(p.lmem) + " is more than the local memory of " + text(core.lmem_bytes));
  if (p.step != warp_step(p.block, core.threads))
    result.warnings.push_back("WARP_STEP " + text(p.step) + " differs from " + text(warp_step(p.block, core.threads)) +
                              " for block " + text(p.block));
  const std::uint64_t members = volume(p.cluster);
  if (members > usable_slots(stride, core.lmem_bytes, core.warps) ||
      members * warps_per_block(p.block_size, core.threads) > core.warps)
    result.warnings.push_back("cluster " + text(p.cluster) +
                              " does not fit on a core at once: a barrier over the cluster would deadlock");
  return result;
}

}  // namespace gyre::kmu
