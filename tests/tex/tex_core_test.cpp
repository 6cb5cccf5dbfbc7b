#include "tex_core.h"

#include <array>
#include <boost/test/data/monomorphic.hpp>
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <cstring>
#include <random>

#include "at_cache.h"
#include "at_client.h"
#include "csr.h"
#include "dcr_names.h"
#include "device_memory.h"
#include "fork_case.h"
#include "geometry.h"
#include "log.h"
#include "sampler.h"
#include "simulate.h"

using namespace gyre;
using kernel::Cycle;
namespace data = boost::unit_test::data;

namespace {

// Stands between a unit and memory: refuses DMI and delays every access, by an amount that depends on the address.
struct SlowPath : sc_core::sc_module {
  tlm_utils::simple_target_socket<SlowPath, kernel::kMemoryBusBits> target{"target"};
  tlm_utils::simple_initiator_socket<SlowPath, kernel::kMemoryBusBits> memory{"memory"};
  explicit SlowPath(sc_core::sc_module_name name) : sc_module(name) {
    target.register_b_transport(this, &SlowPath::b_transport);
    target.register_get_direct_mem_ptr(this, &SlowPath::get_direct_mem_ptr);
  }
  void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
    memory->b_transport(payload, delay);
    delay += sc_core::sc_time::from_value(2500 * (100 + payload.get_address() / 4 % 7));
  }
  bool get_direct_mem_ptr(tlm::tlm_generic_payload&, tlm::tlm_dmi& dmi) {
    dmi.set_start_address(0);
    dmi.set_end_address(~0ull);
    return false;
  }
};

struct Bench : sc_core::sc_module {
  tlm_utils::simple_initiator_socket<Bench, kernel::kDcrBusBits> dcr{"dcr"};
  tlm_utils::simple_initiator_socket<Bench, kernel::kMemoryBusBits> loader{"loader"};
  MachineConfig config;
  kernel::Context ctx{config, {}, {}, {}, 0};
  memory::DeviceMemory device{"device", ctx};
  tex::TexCore tex;
  SlowPath* slow = nullptr;

  explicit Bench(sc_core::sc_module_name name, bool with_slow_path = false, unsigned banks = 1)
      : sc_module(name), config(with(banks)), tex("tex", ctx, 0) {
    dcr.bind(tex.dcr);
    loader.bind(device.target);
    if (with_slow_path) {
      slow = new SlowPath("slow");
      tex.memory.socket.bind(slow->target);
      slow->memory.bind(device.target);
    } else {
      tex.memory.socket.bind(device.target);
    }
  }
  ~Bench() override { delete slow; }
  static MachineConfig with(unsigned banks) {
    MachineConfig config;
    config.gpu.tcache.banks = banks;
    return config;
  }

  // Elaborates on first use.
  void start() {
    if (sc_core::sc_get_status() == sc_core::SC_ELABORATION) kernel::simulate(0);
  }
  void write_dcr(unsigned reg, std::uint32_t value) {
    start();
    tlm::tlm_generic_payload payload;
    payload.set_command(tlm::TLM_WRITE_COMMAND);
    payload.set_address(reg * 4);
    payload.set_data_ptr(reinterpret_cast<unsigned char*>(&value));
    payload.set_data_length(4);
    payload.set_streaming_width(4);
    sc_core::sc_time delay;
    dcr->b_transport(payload, delay);
    GYRE_CHECK(payload.is_response_ok());
  }
  void load(std::uint64_t address, const void* bytes, unsigned count) {
    start();
    tlm::tlm_generic_payload payload;
    payload.set_command(tlm::TLM_WRITE_COMMAND);
    payload.set_address(address);
    payload.set_data_ptr(static_cast<unsigned char*>(const_cast<void*>(bytes)));
    payload.set_data_length(count);
    payload.set_streaming_width(count);
    GYRE_CHECK_EQUAL(loader->transport_dbg(payload), count);
  }
  // 2^log square texture with its whole chain at `base`.
  void texture(unsigned stage, std::uint32_t base, unsigned log, unsigned format, unsigned filter, unsigned wrap) {
    write_dcr(GYRE_DCR_TEX_STAGE, stage);
    write_dcr(GYRE_DCR_TEX_ADDR, base >> 6);
    write_dcr(GYRE_DCR_TEX_LOGDIM, log << 16 | log);
    write_dcr(GYRE_DCR_TEX_FORMAT, format);
    write_dcr(GYRE_DCR_TEX_FILTER, filter);
    write_dcr(GYRE_DCR_TEX_WRAP, wrap << 16 | wrap);
    write_dcr(GYRE_DCR_TEX_BORDER, 0x11223344);
    const unsigned bytes = 1u << tex.state().bank(stage).log_stride;
    std::uint32_t offset = 0;
    for (unsigned l = 0; l < 16; ++l) {
      write_dcr(GYRE_DCR_TEX_MIPOFF0 + l, offset);
      if (l < log) offset += bytes << (2 * (log - l));
    }
  }
  std::uint64_t counter(unsigned index) const { return tex.counter(index); }
};

struct Warp {
  std::array<std::uint32_t, 32> u{}, v{}, lod{}, texels{};
  Cycle sample(tex::TexCore& core, unsigned stage, std::uint32_t mask, Cycle at, kernel::TexturePort::Done done = {}) {
    return core.sample(stage, mask, u.data(), v.data(), lod.data(), texels.data(), at, std::move(done));
  }
};

}  // namespace

BOOST_AUTO_TEST_SUITE(tex_core)

// Two stages with different textures, warps interleaved, every filter; the unit equals the pure sampler on the same
// bytes, over DMI and over a slow path with unequal delays.
BOOST_DATA_TEST_CASE(texels_equal_the_pure_sampler, data::xrange(4) * data::make({false, true}), filter, slow) {
  test::run_forked([&] {
    Bench bench("bench", slow);
    std::vector<std::uint8_t> bytes(0x20000);
    std::mt19937 random(static_cast<unsigned>(filter));
    for (auto& byte : bytes) byte = static_cast<std::uint8_t>(random());
    bench.load(0x100000, bytes.data(), static_cast<unsigned>(bytes.size()));
    const auto fetch = [&](std::uint64_t address, unsigned count) {
      std::uint32_t value = 0;
      std::memcpy(&value, &bytes[address - 0x100000], count);
      return value;
    };
    bench.texture(0, 0x100000, 5, GYRE_TEX_FORMAT_A8R8G8B8, static_cast<unsigned>(filter), GYRE_TEX_WRAP_REPEAT);
    bench.texture(1, 0x110000, 4, GYRE_TEX_FORMAT_R5G6B5, static_cast<unsigned>(filter), GYRE_TEX_WRAP_BORDER);
    for (int i = 0; i < 50; ++i) {
      Warp warp;
      for (unsigned lane = 0; lane < 32; ++lane) {
        warp.u[lane] = static_cast<std::uint32_t>(random()) >> 7;
        warp.v[lane] = static_cast<std::uint32_t>(random()) >> 7;
        warp.lod[lane] = static_cast<std::uint32_t>(random());
        warp.texels[lane] = 0xDEADBEEF;
      }
      const auto mask = static_cast<std::uint32_t>(random());
      warp.sample(bench.tex, i & 1, mask, 10);
      for (unsigned lane = 0; lane < 32; ++lane)
        GYRE_CHECK_EQUAL(warp.texels[lane], (mask >> lane & 1) == 0
                                                ? 0xDEADBEEF
                                                : tex::sample(bench.tex.state().bank(i & 1), warp.u[lane], warp.v[lane],
                                                              warp.lod[lane], fetch));
    }
    GYRE_CHECK(!bench.ctx.faults.valid());
    return std::string();
  });
}

BOOST_AUTO_TEST_CASE(unloaded_latency_is_the_sum_of_the_stages) {
  test::run_forked([] {
    Bench bench("bench");
    bench.texture(0, 0x100000, 6, GYRE_TEX_FORMAT_A8R8G8B8, GYRE_TEX_FILTER_BILINEAR, GYRE_TEX_WRAP_REPEAT);
    Warp warp;
    for (unsigned lane = 0; lane < 4; ++lane) warp.u[lane] = lane << 19;
    GYRE_CHECK_EQUAL(warp.sample(bench.tex, 0, 0x1, 1600), Cycle{1600 + 5 + 4 + 2 + 13});
    GYRE_CHECK_EQUAL(warp.sample(bench.tex, 0, 0xF, 3200), Cycle{3200 + 5 + 16 + 2 + 13});
    GYRE_CHECK_EQUAL(warp.sample(bench.tex, 0, 0, 77), Cycle{77});
    GYRE_CHECK_EQUAL(bench.counter(0x03), std::uint64_t{20});
    GYRE_CHECK_EQUAL(bench.counter(0x04), std::uint64_t{40});
    return std::string();
  });
  test::run_forked([] {
    Bench bench("bench", false, 4);
    bench.texture(0, 0x100000, 6, GYRE_TEX_FORMAT_A8R8G8B8, GYRE_TEX_FILTER_BILINEAR, GYRE_TEX_WRAP_REPEAT);
    Warp warp;
    for (unsigned lane = 0; lane < 4; ++lane) warp.u[lane] = lane << 19;
    GYRE_CHECK_EQUAL(warp.sample(bench.tex, 0, 0xF, 3200), Cycle{3200 + 5 + 4 + 2 + 13});
    return std::string();
  });
}

BOOST_AUTO_TEST_CASE(fetch_port_is_the_limit_under_load) {
  test::run_forked([] {
    Bench bench("bench");
    bench.texture(0, 0x100000, 6, GYRE_TEX_FORMAT_A8R8G8B8, GYRE_TEX_FILTER_BILINEAR, GYRE_TEX_WRAP_REPEAT);
    Warp warp;
    for (unsigned lane = 0; lane < 4; ++lane) warp.u[lane] = lane << 19;
    Cycle last = 0;
    for (int i = 0; i < 100; ++i) last = std::max(last, warp.sample(bench.tex, 0, 0xF, 1000));
    // 100 warps of 4 lanes and 4 taps: 1,600 words through one bank.
    GYRE_CHECK(last >= 1000 + 1600);
    GYRE_CHECK(last <= 1000 + 1600 + 60);
    GYRE_CHECK(bench.counter(0x05) > 0);
    return std::string();
  });
}

BOOST_AUTO_TEST_CASE(a_slow_memory_delays_by_its_slowest_tap) {
  test::run_forked([] {
    Bench bench("bench", true);
    bench.texture(0, 0x100000, 6, GYRE_TEX_FORMAT_A8R8G8B8, 0, GYRE_TEX_WRAP_REPEAT);
    Warp warp;
    for (unsigned lane = 0; lane < 4; ++lane) warp.u[lane] = lane << 17;  // texels 0..3: 100..103 + DRAM
    const Cycle fast = 1600 + 5 + 4 + 2 + 13;
    const Cycle got = warp.sample(bench.tex, 0, 0xF, 1600);
    GYRE_CHECK(got > fast + 100);
    GYRE_CHECK(got < fast + 300);
    return std::string();
  });
}

BOOST_AUTO_TEST_CASE(duplicates_change_traffic_and_nothing_else) {
  test::run_forked([] {
    Bench bench("bench");
    std::vector<std::uint32_t> texels(64 * 64 * 2);
    for (std::size_t i = 0; i < texels.size(); ++i) texels[i] = static_cast<std::uint32_t>(i * 2654435761u);
    bench.load(0x100000, texels.data(), static_cast<unsigned>(texels.size() * 4));
    bench.texture(0, 0x100000, 6, GYRE_TEX_FORMAT_A8R8G8B8, GYRE_TEX_FILTER_BILINEAR, GYRE_TEX_WRAP_REPEAT);
    const auto reads = [&](std::uint32_t mask, Warp& warp) {
      const std::uint64_t before = bench.counter(0x03);
      warp.sample(bench.tex, 0, mask, 100);
      return bench.counter(0x03) - before;
    };
    Warp same;  // all lanes in one place
    same.u.fill(0x212345), same.v.fill(0x312345);
    Warp row = same;  // one row, other columns, but the last lane agrees with the first in the right-hand taps only
    for (unsigned lane = 0; lane < 8; ++lane) row.u[lane] += lane << 17;

    GYRE_CHECK_EQUAL(reads(0xFF, same), 4u);
    GYRE_CHECK_EQUAL(reads(0xFE, same), 28u);  // lane 0 is out: nothing is detected
    GYRE_CHECK_EQUAL(reads(0xFF, row), 32u);
    const auto with = same.texels;
    bench.tex.set_duplicate_elimination(false);
    GYRE_CHECK_EQUAL(reads(0xFF, same), 32u);
    GYRE_CHECK(with == same.texels);
    bench.tex.set_duplicate_elimination(true);

    // Lanes differ in lod: level 14 and 15 of this chain share one offset, so the byte addresses agree.
    same.lod.fill(14);
    same.lod[3] = 15;
    GYRE_CHECK_EQUAL(reads(0xF, same), 4u);
    same.lod[3] = 0;
    GYRE_CHECK_EQUAL(reads(0xF, same), 16u);

    bench.write_dcr(GYRE_DCR_TEX_FILTER, GYRE_TEX_FILTER_MIP_LINEAR);
    GYRE_CHECK_EQUAL(reads(0xFE, row), 7u * 2);
    bench.write_dcr(GYRE_DCR_TEX_FILTER, GYRE_TEX_FILTER_MIP_LINEAR | GYRE_TEX_FILTER_BILINEAR);
    GYRE_CHECK_EQUAL(reads(0xFE, row), 7u * 8);
    return std::string();
  });
}

BOOST_AUTO_TEST_CASE(bad_registers_fault_and_reserved_ones_warn) {
  test::run_forked([] {
    Bench bench("bench");
    kernel::logger().set_level(spdlog::level::off);
    const auto fault = [&] {
      const kernel::Fault first = bench.ctx.faults.first();
      GYRE_CHECK(bench.ctx.faults.valid());
      GYRE_CHECK_EQUAL(first.core, 0xFFFFu);
      GYRE_CHECK_EQUAL(first.warp, unsigned{GYRE_MPM_TEX});
      bench.ctx.faults.clear();
      return std::make_pair(first.cause, first.value);
    };
    const auto state = [](std::uint32_t reg) { return std::make_pair(unsigned{GYRE_FAULT_UNIT_STATE}, reg); };
    bench.write_dcr(GYRE_DCR_TEX_STAGE, 2);
    GYRE_CHECK(fault() == state(GYRE_DCR_TEX_STAGE));
    bench.write_dcr(GYRE_DCR_TEX_FORMAT, 9);
    GYRE_CHECK(fault() == state(GYRE_DCR_TEX_FORMAT));
    bench.write_dcr(GYRE_DCR_TEX_LOGDIM, 16);
    GYRE_CHECK(fault() == state(GYRE_DCR_TEX_LOGDIM));

    const std::uint64_t warnings = kernel::warnings_logged();
    bench.write_dcr(0x057, 1);
    bench.write_dcr(0x05F, 1);
    GYRE_CHECK_EQUAL(kernel::warnings_logged() - warnings, 2u);
    bench.write_dcr(0x010, 1);  // another unit's
    bench.write_dcr(0x060, 1);
    GYRE_CHECK_EQUAL(kernel::warnings_logged() - warnings, 2u);
    GYRE_CHECK(!bench.ctx.faults.valid());

    // A misaligned level faults once, at the first request that could use it.
    bench.texture(0, 0x100000, 2, GYRE_TEX_FORMAT_A8R8G8B8, 0, 0);
    bench.write_dcr(GYRE_DCR_TEX_MIPOFF0 + 4, 3);
    Warp warp;
    warp.sample(bench.tex, 0, 1, 10);
    GYRE_CHECK(fault() == state(GYRE_DCR_TEX_MIPOFF0 + 4));
    warp.sample(bench.tex, 0, 1, 10);
    GYRE_CHECK(!bench.ctx.faults.valid());
    return std::string();
  });
}

BOOST_AUTO_TEST_CASE(taps_outside_memory_read_zero_and_fault) {
  test::run_forked([] {
    Bench bench("bench");
    kernel::logger().set_level(spdlog::level::off);
    for (std::uint32_t base : {0xE0000000u, 0xFFFFFFC0u, 0x0u}) {
      bench.texture(0, base, 0, GYRE_TEX_FORMAT_A8R8G8B8, 0, 0);
      Warp warp;
      warp.texels[0] = 5;
      const Cycle ready = warp.sample(bench.tex, 0, 1, 10);
      GYRE_CHECK(ready > 10);
      GYRE_CHECK_EQUAL(warp.texels[0], 0u);
      GYRE_CHECK(bench.ctx.faults.valid());
      GYRE_CHECK_EQUAL(bench.ctx.faults.first().cause, unsigned{GYRE_FAULT_UNIT_ACCESS});
      GYRE_CHECK_EQUAL(bench.ctx.faults.first().value, base);
      bench.ctx.faults.clear();
    }
    return std::string();
  });
}

// The same when the words travel (approximate style), within 2 % for one bank; the rest of a request is the pipeline.
namespace {
void travel(unsigned banks) {
  test::run_forked([banks] {
    Bench bench("bench", false, banks);
    const GpuConfig gpu = memory::with_geometry(bench.config.gpu);
    memory::AtCache cache("cache", {gpu.tcache, false, 1}, gpu.period_ps());
    cache.out.bind(bench.device.target);
    kernel::AtClient client("client", banks, 6, gpu.period_ps(), kernel::MemSource::kTex);
    client.bind(cache.in);
    bench.tex.set_clients({&client});
    bench.texture(0, 0x100000, 4, GYRE_TEX_FORMAT_A8R8G8B8, GYRE_TEX_FILTER_BILINEAR, GYRE_TEX_WRAP_REPEAT);
    Warp warp;
    for (unsigned l = 0; l < 32; ++l) {
      warp.u[l] = l * 0x5A5A5u;
      warp.v[l] = l * 0x31313u;
    }
    constexpr unsigned kRequests = 64;
    Cycle last = 0;
    unsigned done = 0;
    const auto ask = [&](Cycle at) {
      GYRE_CHECK_EQUAL(warp.sample(bench.tex, 0, 0xFFFFFFFFu, at,
                                   [&](Cycle ready) {
                                     last = std::max(last, ready);
                                     ++done;
                                   }),
                       kernel::TexturePort::kLater);
    };
    ask(1000);
    kernel::simulate();
    GYRE_CHECK_EQUAL(done, 1u);
    const std::uint64_t words = bench.counter(0x03);
    GYRE_CHECK(last - 1000 > 50);  // cold
    GYRE_CHECK_EQUAL(cache.counters().fills, bench.device.dram.counters().reads);
    ask(20'000);
    kernel::simulate();
    const Cycle one = last - 20'000;
    for (unsigned i = 0; i < kRequests; ++i) ask(40'000);
    kernel::simulate();
    GYRE_CHECK_EQUAL(done, 2 + kRequests);
    GYRE_CHECK_EQUAL(cache.counters().reads, words * (2 + kRequests));
    const double measured = static_cast<double>(last - 40'000 - one) / (kRequests - 1), closed = static_cast<double>(words) / banks;
    std::printf("%u banks, travelling: %.1f cycles for 32 bilinear samples, words / banks %.1f, alone %llu\n", banks, measured,
                closed, static_cast<unsigned long long>(one));
    GYRE_CHECK(measured > 0.98 * closed);
    GYRE_CHECK(measured < (banks == 1 ? 1.02 : 1.25) * closed);  // words are not dealt evenly to several banks
    return std::string();
  });
}
}  // namespace
BOOST_DATA_TEST_CASE(travelling_bilinear_samples_take_four_words, data::make({1u, 2u, 4u}), banks) { travel(banks); }

// A quarter of a bilinear sample a cycle and bank when everything hits; a cold line costs the memory's latency once.
BOOST_DATA_TEST_CASE(cached_bilinear_samples_take_four_words, data::make({1u, 2u, 4u}), banks) {
  test::run_forked([&] {
    Bench bench("bench", false, banks);
    const GpuConfig gpu = memory::with_geometry(bench.config.gpu);
    memory::Cache cache({gpu.tcache, false, 1}, bench.device.dram);
    bench.tex.set_caches({&cache});
    bench.texture(0, 0x100000, 4, GYRE_TEX_FORMAT_A8R8G8B8, GYRE_TEX_FILTER_BILINEAR, GYRE_TEX_WRAP_REPEAT);
    Warp warp;
    for (unsigned l = 0; l < 32; ++l) {
      warp.u[l] = l * 0x5A5A5u;
      warp.v[l] = l * 0x31313u;
    }
    const Cycle cold = warp.sample(bench.tex, 0, 0xFFFFFFFFu, 1000) - 1000;
    const auto& c = cache.counters();
    GYRE_CHECK_EQUAL(c.reads, bench.counter(0x03));
    GYRE_CHECK(c.read_misses > 0);
    GYRE_CHECK_EQUAL(c.fills, bench.device.dram.counters().reads);
    const std::uint64_t words = c.reads;
    constexpr unsigned kRequests = 64;
    Cycle last = 0;
    for (unsigned i = 0; i < kRequests; ++i) last = std::max(last, warp.sample(bench.tex, 0, 0xFFFFFFFFu, 20'000));
    GYRE_CHECK_EQUAL(c.reads - words, words * kRequests);
    GYRE_CHECK_EQUAL(c.read_misses + c.read_hits, c.reads);
    const double measured = static_cast<double>(last - 20'000) / kRequests, closed = static_cast<double>(words) / banks;
    std::printf("%u banks: %.1f cycles for 32 bilinear samples, words / banks %.1f, cold %llu\n", banks, measured, closed,
                static_cast<unsigned long long>(cold));
    GYRE_CHECK(measured >= 0.97 * closed);
    GYRE_CHECK(measured <= 1.15 * closed);
    return std::string();
  });
}

// Lint dcr-unset: what a sample uses, by stage and level.
BOOST_AUTO_TEST_CASE(registers_nobody_has_written_are_named) {
  test::run_forked([] {
    Bench bench("bench");
    bench.texture(0, 0x10000, 4, GYRE_TEX_FORMAT_A8R8G8B8, GYRE_TEX_FILTER_BILINEAR, GYRE_TEX_WRAP_BORDER);
    Warp warp;
    warp.sample(bench.tex, 0, 15, 0);
    GYRE_CHECK(bench.ctx.lints.findings().empty());
    for (const unsigned reg : {GYRE_DCR_TEX_ADDR, GYRE_DCR_TEX_LOGDIM, GYRE_DCR_TEX_FORMAT, GYRE_DCR_TEX_FILTER,
                               GYRE_DCR_TEX_MIPOFF0, GYRE_DCR_TEX_MIPOFF0 + 2}) {
      bench.write_dcr(GYRE_DCR_TEX_STAGE, 1);
      bench.write_dcr(reg, 0);
    }
    warp.lod = {0, 2, 3, 4};
    warp.sample(bench.tex, 1, 3, 0);
    warp.sample(bench.tex, 1, 7, 0);
    warp.sample(bench.tex, 1, 7, 0);
    bench.write_dcr(GYRE_DCR_TEX_FILTER, GYRE_TEX_FILTER_MIP_LINEAR);
    warp.lod = {4 << 8};
    warp.sample(bench.tex, 1, 1, 0);
    std::string text;
    for (const auto& [key, finding] : bench.ctx.lints.findings())
      text += kernel::dcr_name(static_cast<unsigned>(finding.pc)) + " " + std::to_string(finding.count) + ", ";
    GYRE_CHECK_EQUAL(text, std::string("TEX_WRAP 2, TEX_MIPOFF3 1, TEX_MIPOFF4 1, TEX_MIPOFF5 1, "));
    return std::string();
  });
}

// Lint stale-line: a texture that is written again under the cache is named until the flush.
namespace {
template <class Sample, class Flush>
std::string check_old_texels(Bench& bench, memory::LineWatch& watch, Sample sample, Flush flush) {
  bench.texture(0, 0x100000, 4, GYRE_TEX_FORMAT_A8R8G8B8, 0, GYRE_TEX_WRAP_REPEAT);
  const auto& lints = bench.ctx.lints;
  watch.written(0x100000, 1024);
  sample(1000);
  GYRE_CHECK(lints.findings().empty());
  watch.written(0x100004, 4);  // the texel beside it
  sample(2000);
  GYRE_CHECK(lints.findings().empty());
  watch.written(0x100000, 4);
  sample(3000);
  GYRE_CHECK_EQUAL(lints.count(kernel::Lint::kStaleLine), std::uint64_t{1});
  const auto& [key, finding] = *lints.findings().begin();
  GYRE_CHECK_EQUAL(finding.subject, std::string("DCR 0x041 (TEX_ADDR)"));
  GYRE_CHECK(finding.what.find("the texel at 0x100000 is old: tcache0 holds it from before the command processor") == 0);
  flush(4000);
  sample(6000);
  GYRE_CHECK_EQUAL(lints.count(kernel::Lint::kStaleLine), std::uint64_t{1});
  return std::string();
}
}  // namespace
BOOST_AUTO_TEST_CASE(old_texels_are_named) {
  test::run_forked([] {
    Bench bench("bench");
    memory::Cache cache({memory::with_geometry(bench.config.gpu).tcache, false, 1}, bench.device.dram);
    memory::LineWatch watch;
    watch.add_cache(cache, memory::CacheKind::kTcache, "tcache0", nullptr);
    bench.tex.set_caches({&cache});
    Warp warp;
    return check_old_texels(
        bench, watch, [&](Cycle at) { warp.sample(bench.tex, 0, 1, at); }, [&](Cycle at) { cache.flush(at); });
  });
}
BOOST_AUTO_TEST_CASE(old_texels_are_named_when_words_travel) {
  test::run_forked([] {
    Bench bench("bench");
    const GpuConfig gpu = memory::with_geometry(bench.config.gpu);
    memory::AtCache cache("cache", {gpu.tcache, false, 1}, gpu.period_ps());
    cache.out.bind(bench.device.target);
    kernel::AtClient client("client", gpu.tcache.banks, 6, gpu.period_ps(), kernel::MemSource::kTex);
    client.bind(cache.in);
    memory::LineWatch watch;
    watch.add_cache(watched_by_lint(cache), memory::CacheKind::kTcache, "tcache0", nullptr);
    bench.tex.set_clients({&client}, {cache.lines()});
    Warp warp;
    return check_old_texels(
        bench, watch,
        [&](Cycle at) {
          warp.sample(bench.tex, 0, 1, at, [](Cycle) {});
          kernel::simulate();
        },
        [&](Cycle) {
          cache.flush([] {});
          kernel::simulate();
        });
  });
}

BOOST_AUTO_TEST_SUITE_END()
