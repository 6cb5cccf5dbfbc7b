// The counter classes of the fixed-function units, of the instruction cache and of memory (isa.md §8): after a draw, and
// while a kernel runs, host reads, the kernel's CSRs and the report say the same.
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <random>
#include <regex>

#include "device_bench.h"
#include "device_map.h"
#include "om_program.h"
#include "scene.h"

using namespace gyre;
using namespace gyre::test;
namespace data = boost::unit_test::data;

namespace {

constexpr u32 kTexture = 0x200000, kColour = 0x300000, kDepth = 0x340000, kSeen = 0x400000;
constexpr int kWidth = 64, kHeight = 64;
constexpr unsigned kFirst = 0x03, kLast = 0x1F;  // indices of a class

struct Case {
  const char* what;
  void (*change)(GpuConfig& gpu);
  Timing timing = Timing::kLoose;
};
std::ostream& operator<<(std::ostream& out, const Case& c) {
  return out << c.what << (c.timing == Timing::kLoose ? ", loose" : ", approximate");
}

void one_core(GpuConfig&) {}
void no_caches(GpuConfig& gpu) { gpu.caches = false; }
void several(GpuConfig& gpu) {
  gpu.clusters = gpu.sockets = gpu.cores = 2;
  gpu.raster.cores = gpu.tex.cores = gpu.om.cores = 2;
  gpu.raster.bin_log = 5;
  gpu.raster.earlyz = true;
  gpu.l2.enabled = gpu.l3.enabled = true;
}
void tight(GpuConfig& gpu) {
  gpu.rcache.mshr = gpu.tcache.mshr = gpu.ocache.mshr = gpu.icache.mshr = 1;
  gpu.core.warps = 8;
}

const std::vector<Case> kCases = {{"one core", one_core},
                                  {"no caches", no_caches},
                                  {"several of everything", several},
                                  {"one MSHR", tight},
                                  {"one core", one_core, Timing::kApproximate},
                                  {"no caches", no_caches, Timing::kApproximate},
                                  {"several of everything", several, Timing::kApproximate},
                                  {"one MSHR", tight, Timing::kApproximate}};

MachineConfig machine_of(const Case& c) {
  MachineConfig machine;
  c.change(machine.gpu);
  machine.sim.timing = c.timing;
  return machine;
}

// What a class counts, by index, as the report calls it: a unit with caches and without.
struct Meaning {
  unsigned cls, index;
  const char *cached, *alone;
};
// Of the cluster, or of the socket, that serves the core.
const Meaning kOfCluster[] = {
    {GYRE_MPM_RASTER, 0x03, "raster\\d+\\.reads", nullptr},
    {GYRE_MPM_RASTER, 0x04, "raster\\d+\\.read_latency", nullptr},
    {GYRE_MPM_RASTER, 0x05, "raster\\d+\\.stalls", nullptr},
    {GYRE_MPM_RASTER, 0x06, "rcache\\d+\\.reads", "raster\\d+\\.rcache_reads"},
    {GYRE_MPM_RASTER, 0x07, "rcache\\d+\\.read_misses", "raster\\d+\\.rcache_misses"},
    {GYRE_MPM_RASTER, 0x08, "rcache\\d+\\.bank_stalls", ""},
    {GYRE_MPM_RASTER, 0x09, "rcache\\d+\\.mshr_stalls", ""},
    {GYRE_MPM_OM, 0x03, "om\\.reads", nullptr},
    {GYRE_MPM_OM, 0x04, "om\\.writes", nullptr},
    {GYRE_MPM_OM, 0x05, "om\\.read_latency", nullptr},
    {GYRE_MPM_OM, 0x06, "om\\.stalls", nullptr},
    {GYRE_MPM_OM, 0x07, "ocache\\d+\\.reads", "om\\.reads"},
    {GYRE_MPM_OM, 0x08, "ocache\\d+\\.writes", "om\\.writes"},
    {GYRE_MPM_OM, 0x09, "ocache\\d+\\.read_misses", ""},
    {GYRE_MPM_OM, 0x0A, "ocache\\d+\\.write_misses", ""},
    {GYRE_MPM_OM, 0x0B, "ocache\\d+\\.bank_stalls", ""},
    {GYRE_MPM_OM, 0x0C, "ocache\\d+\\.mshr_stalls", ""},
};
const Meaning kOfSocket[] = {
    {GYRE_MPM_TEX, 0x03, "tex\\.reads", nullptr},
    {GYRE_MPM_TEX, 0x04, "tex\\.read_latency", nullptr},
    {GYRE_MPM_TEX, 0x05, "tex\\.stalls", nullptr},
    {GYRE_MPM_TEX, 0x06, "tcache\\d+\\.reads", "tex\\.reads"},
    {GYRE_MPM_TEX, 0x07, "tcache\\d+\\.read_misses", ""},
    {GYRE_MPM_TEX, 0x08, "tcache\\d+\\.bank_stalls", ""},
    {GYRE_MPM_TEX, 0x09, "tcache\\d+\\.mshr_stalls", ""},
    {GYRE_MPM_ICACHE, 0x03, "icache\\d+\\.reads", ""},
    {GYRE_MPM_ICACHE, 0x04, "icache\\d+\\.read_misses", ""},
    {GYRE_MPM_ICACHE, 0x05, "icache\\d+\\.mshr_stalls", ""},
};

struct Bench : DeviceBench {
  explicit Bench(const Case& c) : DeviceBench("bench", machine_of(c)) { kernel::simulate(0); }

  // Sum of the counters of the report whose name, behind `place`, is `pattern`. Empty: nothing counts it.
  std::uint64_t reported(const std::string& place, const std::string& pattern) const {
    if (pattern.empty()) return 0;
    const std::regex wanted(".*gpu\\." + place + pattern);
    std::uint64_t sum = 0;
    unsigned found = 0;
    for (const auto& [name, value] : ctx.counters.entries())
      if (std::regex_match(name, wanted)) sum += *value, ++found;
    if (found == 0) throw std::runtime_error("the report has no " + place + pattern);
    return sum;
  }
  // Triangles with a texture, blended and with depth, through the whole pipeline.
  void draw(unsigned seed) {
    const unsigned bin_log = config.gpu.raster.bin_log;
    const Scene scene = Scene::random(seed, kWidth, kHeight, 24);
    std::vector<std::uint8_t> image(kMemoryBytes);
    scene.store(image, bin_log);
    GYRE_CHECK(memory.write(kTileBuffer, image.data() + kTileBuffer, kDepthBuffer - kTileBuffer));
    std::mt19937 random(seed);
    std::vector<u32> noise(64 * 64 * 2);
    for (u32& word : noise) word = static_cast<u32>(random());
    load(kTexture, noise);
    load(kColour, std::vector<u32>(kWidth * kHeight));
    load(kDepth, std::vector<u32>(kWidth * kHeight, 0x00FFFFFF));
    Asm k(kCode);
    k.entry();
    const u32 shader = k.here();
    fragment_program(k);
    load(kCode, k.finish());
    const auto write = [this](unsigned reg, u32 value) { write_dcr(reg, value); };
    for (unsigned reg = GYRE_DCR_STARTUP_ADDR0; reg <= GYRE_DCR_WARP_STEP_Z; ++reg) write(reg, 0);  // no grid: a draw
    for (const auto& [reg, value] : scene.registers(bin_log)) write(reg, value);
    write(GYRE_DCR_STARTUP_ADDR0, kCode);
    write(GYRE_DCR_RASTER_FRAG_ENTRY_LO, shader);
    texture();
    merger(write);
    GYRE_CHECK(device.kmu.start(kernel::cycle_now(config.gpu.period_ps())));
    settle();
  }
  void texture() {
    write_dcr(GYRE_DCR_TEX_STAGE, 0);
    write_dcr(GYRE_DCR_TEX_ADDR, kTexture >> 6);
    write_dcr(GYRE_DCR_TEX_LOGDIM, 6u << 16 | 6u);
    write_dcr(GYRE_DCR_TEX_FORMAT, 0);
    write_dcr(GYRE_DCR_TEX_FILTER, 1);  // bilinear
    write_dcr(GYRE_DCR_TEX_WRAP, 1u << 16 | 1u);
    for (unsigned level = 0; level < GYRE_TEX_LEVELS; ++level) write_dcr(GYRE_DCR_TEX_MIPOFF0 + level, 0);
    write_dcr(GYRE_DCR_TEX_BORDER, 0);
  }
  template <class Write>
  void merger(Write write) {
    write(GYRE_DCR_OM_RT_SELECT, 0);
    write(GYRE_DCR_OM_CBUF_ADDR, kColour >> 6);
    write(GYRE_DCR_OM_CBUF_PITCH, kWidth * 4);
    write(GYRE_DCR_OM_ZBUF_ADDR, kDepth >> 6);
    write(GYRE_DCR_OM_ZBUF_PITCH, kWidth * 4);
    RefOm state;
    state.depth_func = 3;
    state.depth_write = 1;
    state.mask[0] = state.mask[1] = 255;
    state.src_rgb = state.src_a = 6;
    state.dst_rgb = state.dst_a = 7;
    program(state, write);
    write(GYRE_DCR_OM_EARLYZ_SAFE, 1);
    write(GYRE_DCR_OM_APERTURE_XBITS, 6);
    write(GYRE_DCR_OM_APERTURE_YBITS, 6);
    write(GYRE_DCR_OM_APERTURE_RECORD_SHIFT, 3);
    write(GYRE_DCR_OM_APERTURE_DEPTH_ONLY, 0);
  }
  // Texel at coordinates made of the position, depth made of the primitive: exported where covered.
  static void fragment_program(Asm& k) {
    k.csrr(s2, GYRE_CSR_FRAG_POS);
    k.csrr(s3, GYRE_CSR_FRAG_PID);
    k.slli(t0, s2, 9);   // u, v: texels beside each other, several times over the texture
    k.srli(t1, s2, 7);
    k.tex(0, s4, t0, t1, zero);
    k.srli(t1, s2, 31);
    const int skip = k.label();
    k.split(t2, t1);
    k.beqz(t1, skip);
    k.slli(t3, s2, 16);
    k.srli(t3, t3, 16);
    k.slli(t4, s2, 1);
    k.srli(t4, t4, 17);
    k.slli(t4, t4, 6);
    k.add(t3, t3, t4);
    k.slli(t3, t3, 3);
    k.li(t5, GYRE_DEV_APERTURE_BASE);
    k.add(t3, t3, t5);
    k.slli(s5, s3, 10);
    k.om_export(3, t3, s4, s5);
    k.bind(skip);
    k.join(t2);
    k.ret();
  }
  // A kernel on one lane of a core: `prologue`, then all counters of the class that a host read has named last. The n-th
  // has been read by the instruction before(n), counted from the program's first.
  template <class Prologue>
  std::vector<std::uint64_t> kernel_reads(unsigned core, Prologue prologue) {
    Asm k(kCode);
    k.li(a0, kSeen);
    prologue(k);
    before_ = static_cast<unsigned>(k.words.size());
    for (unsigned index = kFirst; index <= kLast; ++index) {
      k.csrr(a1, 0xB00 + index);
      k.csrr(a2, 0xB80 + index);
      k.sw(a1, a0, static_cast<int>(index * 8));
      k.sw(a2, a0, static_cast<int>(index * 8 + 4));
    }
    k.wsync();
    k.tmc(zero);
    load(kCode, k.finish());
    program_ = k.words.size();
    run_program(core);
    std::vector<std::uint64_t> seen(kLast + 1);
    GYRE_CHECK(memory.read(kSeen, seen.data(), static_cast<unsigned>(seen.size() * 8)));
    return seen;
  }
  std::uint64_t before(unsigned index) const { return before_ + 4 * (index - kFirst); }
  std::uint64_t length() const { return program_; }

  unsigned before_ = 0;
  std::uint64_t program_ = 0;
};

std::string cluster_of(unsigned core, const GpuConfig& gpu) {
  return "cluster" + std::to_string(core / gpu.cores_per_cluster()) + "\\.";
}
std::string socket_of(unsigned core, const GpuConfig& gpu) {
  return cluster_of(core, gpu) + "socket" + std::to_string(core / gpu.cores % gpu.sockets) + "\\.";
}

}  // namespace

BOOST_AUTO_TEST_SUITE(unit_counters)

BOOST_DATA_TEST_CASE(a_draw_counts_the_same_for_host_kernel_and_report, data::make(kCases), c) {
  run_forked([&] {
    Bench bench(c);
    const GpuConfig& gpu = bench.config.gpu;
    bench.draw(3);
    bench.draw(4);
    GYRE_CHECK(bench.reported(".*", "raster\\d+\\.slice\\d+\\.pixels") > 1000);
    std::map<unsigned, unsigned> used;
    for (unsigned core = 0; core < gpu.total_cores(); core += gpu.total_cores() > 1 ? 3 : 1) {
      const auto check = [&](const Meaning& m, const std::string& place) {
        const char* const pattern = gpu.caches || m.alone == nullptr ? m.cached : m.alone;
        const std::uint64_t host = bench.read_whole(m.cls, m.index, core);
        if (host != bench.reported(place, pattern))
          throw std::runtime_error(fmt::format("class {} index {:#x} of core {}: {} but {} is {}", m.cls, m.index, core, host,
                                               pattern, bench.reported(place, pattern)));
      };
      for (const Meaning& m : kOfCluster) check(m, cluster_of(core, gpu));
      for (const Meaning& m : kOfSocket) check(m, socket_of(core, gpu));
      for (const unsigned cls : {GYRE_MPM_RASTER, GYRE_MPM_TEX, GYRE_MPM_OM}) {
        std::vector<std::uint64_t> host(kLast + 1);
        for (unsigned index = kFirst; index <= kLast; ++index) host[index] = bench.read_whole(cls, index, core);
        used[cls] += host[0x03] > 0 && host[0x04] > 0;
        // The kernel uses none of the units: what it reads is what the draw has left.
        const auto seen = bench.kernel_reads(core, [](Asm&) {});
        for (unsigned index = kFirst; index <= kLast; ++index) GYRE_CHECK_EQUAL(seen[index], host[index]);
        for (unsigned index = kFirst; index <= kLast; ++index)
          GYRE_CHECK_EQUAL(bench.read_whole(cls, index, core), host[index]);
      }
    }
    for (const unsigned cls : {GYRE_MPM_RASTER, GYRE_MPM_TEX, GYRE_MPM_OM}) GYRE_CHECK(used[cls] > 0);
    return std::string();
  });
}

// A kernel that reads counters is counted by them: fetches up to the instruction that reads.
BOOST_DATA_TEST_CASE(a_kernel_finds_its_own_fetches, data::make(kCases), c) {
  run_forked([&] {
    Bench bench(c);
    if (!bench.config.gpu.caches) return std::string();
    for (unsigned run = 0; run < 3; ++run) {  // the first one misses
      std::uint64_t host[6];
      for (unsigned index = 3; index < 6; ++index) host[index] = bench.read_whole(GYRE_MPM_ICACHE, index, 0);
      const auto seen = bench.kernel_reads(0, [](Asm& k) {
        for (int i = 0; i < 21; ++i) k.addi(a3, a3, 1);
      });
      const auto last = [&](unsigned index) { return bench.read_whole(GYRE_MPM_ICACHE, index, 0); };
      GYRE_CHECK_EQUAL(seen[3], host[3] + bench.before(3) + 1);
      GYRE_CHECK_EQUAL(last(3), host[3] + bench.length());
      GYRE_CHECK(seen[4] >= host[4] && seen[4] <= last(4));
      if (run > 0) GYRE_CHECK_EQUAL(last(4), host[4]);
      GYRE_CHECK(run > 0 || last(4) > host[4]);
      for (unsigned index = 6; index <= kLast; ++index) GYRE_CHECK_EQUAL(seen[index], 0u);
    }
    return std::string();
  });
}

// Loads and stores of local memory are the core's own; blocks of the memory those of the device.
BOOST_DATA_TEST_CASE(a_kernel_finds_its_own_accesses, data::make(kCases), c) {
  run_forked([&] {
    Bench bench(c);
    const std::string dram = "memory\\.dram\\.";
    const char* const shared[] = {"reads", "writes", "read_latency", "bus_stalls"};
    for (unsigned run = 0; run < 2; ++run) {
      std::vector<std::uint64_t> host(kLast + 1);
      for (unsigned index = kFirst; index <= kLast; ++index) host[index] = bench.read_whole(GYRE_MPM_MEM, index, 0);
      for (unsigned i = 0; i < 4; ++i) GYRE_CHECK_EQUAL(host[3 + i], bench.reported(dram, shared[i]));
      const auto seen = bench.kernel_reads(0, [&](Asm& k) {
        k.li(a4, GYRE_DEV_LMEM_BASE);
        for (int i = 0; i < 5; ++i) k.lw(a5, a4, 4 * i);
        for (int i = 0; i < 3; ++i) k.sw(a4, a4, 64 + 4 * i);
        k.li(a4, kColour + run * 4096);
        for (int i = 0; i < 4; ++i) k.lw(a5, a4, 64 * i);
        k.word(enc::i(0x0F, 0, 0, 0, 0x0FF));  // fence: the blocks have come
      });
      const auto last = [&](unsigned index) { return bench.read_whole(GYRE_MPM_MEM, index, 0); };
      for (unsigned i = 0; i < 4; ++i) {
        GYRE_CHECK_EQUAL(last(3 + i), bench.reported(dram, shared[i]));
        GYRE_CHECK(seen[3 + i] >= host[3 + i] && seen[3 + i] <= last(3 + i));
      }
      if (bench.config.gpu.caches) GYRE_CHECK(seen[3] >= host[3] + 4 && seen[5] > host[5]);
      GYRE_CHECK_EQUAL(seen[7], host[7] + 5);
      GYRE_CHECK_EQUAL(seen[8], host[8] + 3);
      for (unsigned index = 9; index <= kLast; ++index) GYRE_CHECK_EQUAL(seen[index], host[index]);
      for (unsigned index = 7; index <= kLast; ++index) GYRE_CHECK_EQUAL(last(index), seen[index]);
    }
    return std::string();
  });
}

BOOST_AUTO_TEST_SUITE_END()
