// The machine as plain structs: every field is one documented knob of the YAML configuration (design §7).
// The YAML path of a field is its path here (gpu.core.threads). Ranges are checked by platform/config.
// Defaults are the facts of timing.md §6 and memory.md §2 unless marked chosen.
#pragma once

#include <cstdint>
#include <string>

namespace gyre {

enum class Timing { kLoose, kApproximate };
enum class Replacement { kFifo, kPlru, kRandom };

// What a lint does (docs/lints.md): nothing; says so and goes on; says so and ends the run.
enum class Severity { kOff, kWarn, kError };

struct LintConfig {
  Severity divergent_branch = Severity::kWarn;
  Severity ipdom_imbalance = Severity::kWarn;
  Severity unaligned = Severity::kWarn;
  Severity unmapped = Severity::kWarn;
  Severity aperture_load = Severity::kWarn;
  Severity dcr_unset = Severity::kWarn;
  Severity pinned_slab = Severity::kWarn;
  Severity stale_line = Severity::kWarn;
};

struct SimConfig {
  Timing timing = Timing::kLoose;
  bool check_protocol = false;                // approximate: a checker of the base protocol on every cable
  std::uint64_t quantum_ps = 1'000'000;       // global quantum, 1 µs
  std::uint64_t watchdog_cycles = 50'000'000; // GPU cycles without progress before a hang is reported; 0 = off
  std::uint64_t time_limit_ps = 0;            // simulated time after which a run is stopped; 0 = none
};

struct HostConfig {
  std::uint64_t ram_bytes = 256ull << 20;
  std::uint64_t clock_hz = 1'000'000'000;
  std::uint64_t timebase_hz = 10'000'000;
};

struct CoreConfig {
  unsigned xlen = 32;          // width of the integer registers: 32 or 64
  unsigned threads = 4;        // lanes per warp, power of two 1..32
  unsigned warps = 4;          // per core, power of two 1..32
  unsigned barriers = 8;       // per CTA slot
  unsigned lmem_bytes = 16384; // power of two
  unsigned fetch_interval = 6; // cycles between two instructions of one warp, straight line
  unsigned branch_interval = 12;
  unsigned warp_control_interval = 14;
  unsigned latency_alu = 2;
  unsigned latency_mul = 3;
  unsigned latency_div = 34;   // of 32 bits; of 64 bits 32 more
  unsigned latency_csr = 4;
  unsigned latency_fma = 8;
  unsigned latency_fdiv = 17;
  unsigned latency_fsqrt = 17;
  unsigned latency_fma_d = 12; // double precision (XLEN 64)
  unsigned latency_fdiv_d = 32;
  unsigned latency_fsqrt_d = 32;
  unsigned latency_fcvt = 5;
  unsigned latency_fncp = 2;
  unsigned latency_load = 11;  // global load, dcache hit of 2 cycles
  unsigned latency_lmem = 6;
  unsigned dcache_word = 0;    // bytes of a dcache port; 0 = by the number of lanes (memory.md §2)
  unsigned lsu_pending = 0;    // loads of a core under way; 0 = min(32, max(8, 2 warps))
  unsigned lmem_banks = 0;     // 0 = one a lane
  bool fence_flush = false;    // FENCE flushes the data cache (isa.md §1)
  unsigned lsu_staging = 4;    // accesses on their way to the data cache (approximate style)
  unsigned launch_queue = 3;   // messages buffered in front of the dispatcher
  bool strict = false;         // a warp fault stops the simulation
  // Extensions beyond I, custom opcodes and Zicsr (isa.md §1). Without one its instructions are illegal.
  bool isa_m = true;
  bool isa_a = false;          // atomics, on global and local memory
  bool isa_f = true;
  bool isa_c = false;          // compressed instructions
  bool isa_zicond = true;
  bool isa_pack = false;       // PACKLB.F, PACKLH.F (isa.md §4.3)

  bool isa_d() const { return xlen == 64 && isa_f; }

  // Extension letters of the MISA word: bit 0 = A; I, U and X always.
  unsigned misa_extensions() const {
    return 1u << 8 | 1u << 20 | 1u << 23 | unsigned{isa_a} << 0 | unsigned{isa_c} << 2 | unsigned{isa_d()} << 3 |
           unsigned{isa_f} << 5 | unsigned{isa_m} << 12;
  }
};

struct RasterConfig {
  unsigned cores = 1;      // engines per cluster
  unsigned slices = 1;     // walker slices per engine
  unsigned bin_log = 7;    // log2 of the bin edge in pixels, 2..7
  unsigned block_log = 2;  // log2 of the block edge in pixels
  unsigned mem_fifo = 8;
  unsigned quad_fifo = 32;
  unsigned mem_queue = 4;
  unsigned packer_idle = 32;  // cycles without input before a partial wave is flushed
  bool earlyz = false;
};

struct TexConfig {
  unsigned cores = 1;  // samplers per socket
  unsigned queue = 0;  // requests of a core under way; 0 = max(8, 2 lanes)
};

struct OmConfig {
  unsigned cores = 1;  // per cluster
  unsigned mem_queue = 4;
};

// How device memory takes its time (memory.md §8). flat: `latency`, whatever the address. open_row: banks with a row
// buffer each, by the numbers below. lpddr4, hbm2: the same with the numbers of a part (memory/dram.cpp), which replace
// those below `kind`.
enum class DramKind { kFlat, kOpenRow, kLpddr4, kHbm2 };
enum class DramScheduler { kFrFcfs, kFcfs };

struct DramConfig {
  DramKind kind = DramKind::kFlat;
  unsigned latency = 50;      // GPU cycles of an access, flat
  unsigned banks = 2;         // platform banks, each with its own data bus: what the original's fabric sees
  unsigned interleave = 64;   // bytes until the next of them
  DramScheduler scheduler = DramScheduler::kFrFcfs;
  unsigned burst = 1;         // GPU cycles a data bus is taken by 64 bytes, all kinds but the parts
  unsigned row_bytes = 2048;  // of one row buffer
  unsigned row_banks = 16;    // banks with a row buffer behind one data bus
  unsigned t_cas = 40;        // access to an open row, path through the controller included
  unsigned t_rcd = 20;        // activate
  unsigned t_rp = 20;         // precharge
  unsigned t_refi = 0;        // between refreshes; 0 = none
  unsigned t_rfc = 0;         // of one refresh, all banks
  unsigned queue = 32;        // requests of a port inside, approximate style
};

// auto: the rule of memory.md §4.2. through, back: what a write hit does; a write miss fills with through_allocate and
// back, and passes by with through and back_around.
enum class WritePolicy { kAuto, kThrough, kThroughAllocate, kBack, kBackAround };

// One kind of cache (memory.md §2). 0 = by its rule (memory/geometry.h). Sizes are powers of two but for the ways of FIFO
// and random replacement.
struct CacheConfig {
  bool enabled = true;
  std::uint64_t bytes = 16384;
  unsigned ways = 4;
  unsigned line = 64;    // bytes; valid, dirty, fill and write-back go by sectors of 64 bytes
  unsigned banks = 1;    // interleaved by line
  unsigned mshr = 16;    // entries a bank
  unsigned latency = 0;  // cycles from entry to answer of a hit
  unsigned miss = 2;     // cycles from the failed lookup until the fill request leaves
  unsigned count = 0;    // caches of this kind where it lives (socket or cluster); clients are dealt in turn
  Replacement replacement = Replacement::kFifo;
  WritePolicy write = WritePolicy::kAuto;

  static CacheConfig of(std::uint64_t bytes, unsigned ways) {
    CacheConfig c;
    c.bytes = bytes;
    c.ways = ways;
    return c;
  }
  // L2 or L3.
  static CacheConfig level(std::uint64_t bytes) {
    CacheConfig c = of(bytes, 8);
    c.enabled = false;
    c.line = 128;
    c.banks = 0;
    c.miss = 0;
    c.count = 1;
    return c;
  }
};

// The ways between caches (timing.md §2.2).
struct LinkConfig {
  unsigned l1_ports = 0;  // of a socket's trunk, one request a cycle each
  unsigned slice = 1;     // register slice of the trunk, each way
  unsigned arbiter = 1;   // in front of L2, L3 or memory
  unsigned l3 = 0;        // L2 to L3, beside the fill and replay of the L2
};

// The MMU of a core (memory.md §9). Numbers of entries are powers of two.
struct MmuConfig {
  unsigned itlb = 8;           // entries, fully associative, FIFO
  unsigned dtlb = 16;
  unsigned l2tlb = 512;        // shared by both; set associative, FIFO
  unsigned l2tlb_ways = 4;
  unsigned l2tlb_latency = 2;  // cycles of a lookup (chosen)
  unsigned walkers = 2;        // page walks under way
  unsigned walk_cache = 16;    // entries of upper levels the walkers keep; 0 = none
};

struct CpConfig {
  unsigned line_latency = 60;  // cycles to fetch a ring line from host memory
  unsigned dma_startup = 10;
  bool compat = false;         // original behaviour instead of errors 1, 4, 5, 6, 8 (cp.md §9)
  std::uint64_t watchdog_cycles = 0;  // cycles without progress before a launch fails with WATCHDOG; 0 = off
  bool vm = false;             // the CP translates device addresses by CP_SATP (cp.md §6)
  std::uint32_t pinned_base = 0xD0000000;   // slab of buffers the graphics units may address; checked with vm only
  std::uint32_t pinned_bytes = 256u << 20;
};

struct GpuConfig {
  std::uint64_t clock_hz = 400'000'000;
  unsigned clusters = 1;
  unsigned sockets = 1;        // per cluster
  unsigned cores = 1;          // per socket (SOCKET_SIZE)
  CoreConfig core;
  RasterConfig raster;
  TexConfig tex;
  OmConfig om;
  bool caches = true;          // false: every access hits and nothing is shared
  std::uint64_t cache_seed = 1;  // random replacement
  CacheConfig icache, dcache = dcache_default();
  CacheConfig tcache = CacheConfig::of(8192, 2), rcache = CacheConfig::of(4096, 2), ocache = CacheConfig::of(16384, 2);
  CacheConfig l2 = CacheConfig::level(1 << 20), l3 = CacheConfig::level(2 << 20);
  LinkConfig link;
  DramConfig dram;
  CpConfig cp;
  bool vm = false;  // cores and CP translate by satp and CP_SATP
  MmuConfig mmu;

  static CacheConfig dcache_default() {
    CacheConfig c;
    c.banks = 0;
    return c;
  }
  unsigned cores_per_cluster() const { return sockets * cores; }
  unsigned total_cores() const { return clusters * cores_per_cluster(); }
  unsigned raster_engines() const { return clusters * raster.cores; }
  std::uint64_t period_ps() const { return 1'000'000'000'000ull / clock_hz; }
};

struct MachineConfig {
  std::string name = "default";
  SimConfig sim;
  HostConfig host;
  GpuConfig gpu;
  LintConfig lint;
};

}  // namespace gyre
