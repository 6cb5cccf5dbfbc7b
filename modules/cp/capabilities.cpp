#include "capabilities.h"

#include "cp.h"
#include "dcr.h"
#include "error.h"

namespace gyre::cp {
namespace {

constexpr unsigned kQueues = 1;
constexpr unsigned kAxiTagWidth = 6;
constexpr unsigned kDeviceAddressBits = 32;

unsigned exact_log2(const char* key, unsigned value) {
  unsigned bits = 0;
  while (bits < 31 && (1u << bits) < value) ++bits;
  if (value == 0 || (1u << bits) != value)
    user_error("{}: {} is not a power of two, and the capability words of the command processor need one", key, value);
  return bits;
}

std::uint64_t isa_word(const GpuConfig& gpu) {
  const unsigned xlen = gpu.core.xlen == 64 ? 2u << 30 : 1u << 30;  // log2(XLEN) - 4
  unsigned custom = 1u << 0 | 1u << 1 | 1u << 4;        // icache dcache LMEM
  if (gpu.core.isa_zicond) custom |= 1u << 5;
  if (gpu.l2.enabled) custom |= 1u << 2;
  if (gpu.l3.enabled) custom |= 1u << 3;
  if (gpu.tex.cores != 0) custom |= 1u << 6;
  if (gpu.raster.cores != 0) custom |= 1u << 7;
  if (gpu.om.cores != 0) custom |= 1u << 8;
  return std::uint64_t{custom} << 32 | xlen | gpu.core.misa_extensions();
}

}  // namespace

Capabilities capabilities(const GpuConfig& gpu) {
  Capabilities words;
  words.cp_dev =
      kQueues | GYRE_CP_RING_LOG2_MAX << 8 | kAxiTagWidth << 16 | (gpu.cp.vm || gpu.vm ? 1u << 24 : 0) | 1u << 25 | 1u << 26;
  const std::uint64_t bank_bits = exact_log2("gpu.dram.banks", gpu.dram.banks);
  words.gpu_dev = std::uint64_t{exact_log2("gpu.core.threads", gpu.core.threads)} << 8 |
                  std::uint64_t{exact_log2("gpu.core.warps", gpu.core.warps)} << 11 |
                  std::uint64_t{exact_log2("gpu.cores", gpu.cores)} << 14 |
                  std::uint64_t{exact_log2("gpu.sockets", gpu.sockets)} << 17 |
                  std::uint64_t{exact_log2("gpu.clusters", gpu.clusters)} << 20 |
                  std::uint64_t{exact_log2("gpu.core.lmem_bytes", gpu.core.lmem_bytes)} << 26 | bank_bits << 34 |
                  (kDeviceAddressBits - bank_bits - 20) << 37;
  words.gpu_isa = isa_word(gpu);
  words.gfx = gpu.raster.bin_log | gpu.raster.block_log << 4 | GYRE_OM_MAX_RT << 8 |
              (gpu.raster.earlyz ? 1u << 12 : 0) | (GYRE_TEX_STAGES - 1) << 13;
  return words;
}

}  // namespace gyre::cp
