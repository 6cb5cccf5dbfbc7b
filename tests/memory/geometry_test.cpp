// The numbers that rules give, and what is refused.
#include "geometry.h"

#include <boost/test/unit_test.hpp>

using namespace gyre;

BOOST_AUTO_TEST_SUITE(memory_geometry)

BOOST_AUTO_TEST_CASE(stock_machine) {
  const GpuConfig gpu = memory::with_geometry(GpuConfig{});
  BOOST_TEST(gpu.core.dcache_word == 8u);
  BOOST_TEST(gpu.dcache.banks == 2u);
  BOOST_TEST(gpu.link.l1_ports == 2u);
  BOOST_TEST(gpu.core.lsu_pending == 8u);
  BOOST_TEST(gpu.core.lmem_banks == 4u);
  BOOST_TEST(gpu.dcache.latency == 2u);
  BOOST_TEST(gpu.l2.latency == 4u);
  BOOST_TEST((gpu.dcache.write == WritePolicy::kBack));  // one core, nothing below
  BOOST_TEST(memory::check_caches(gpu) == "");
}

BOOST_AUTO_TEST_CASE(write_policy_follows_who_shares_memory) {
  GpuConfig gpu;
  gpu.cores = 4;
  BOOST_TEST((memory::with_geometry(gpu).dcache.write == WritePolicy::kThrough));
  gpu = {};
  gpu.l2.enabled = true;
  BOOST_TEST((memory::with_geometry(gpu).dcache.write == WritePolicy::kThrough));
  BOOST_TEST((memory::with_geometry(gpu).l2.write == WritePolicy::kBack));
  gpu.clusters = 2;
  BOOST_TEST((memory::with_geometry(gpu).l2.write == WritePolicy::kThrough));
  gpu.l3.enabled = true;
  BOOST_TEST((memory::with_geometry(gpu).l3.write == WritePolicy::kBack));
  gpu.l2.write = WritePolicy::kBack;
  BOOST_TEST(memory::check_caches(memory::with_geometry(gpu)).find("gpu.l2.write is back") == 0u);
  gpu = {};
  gpu.sockets = 2;
  gpu.dcache.write = WritePolicy::kBackAround;
  BOOST_TEST(memory::check_caches(memory::with_geometry(gpu)).find("gpu.dcache.write is back") == 0u);
}

BOOST_AUTO_TEST_CASE(width_and_banks_by_lanes) {
  const unsigned lanes[] = {1, 2, 4, 8, 16, 32}, words[] = {4, 8, 8, 16, 16, 32}, banks[] = {1, 1, 2, 2, 4, 4};
  for (unsigned i = 0; i < 6; ++i) {
    GpuConfig gpu;
    gpu.core.threads = lanes[i];
    BOOST_TEST(memory::with_geometry(gpu).core.dcache_word == words[i]);
    BOOST_TEST(memory::with_geometry(gpu).dcache.banks == banks[i]);
  }
}

BOOST_AUTO_TEST_CASE(one_cache_for_four_clients) {
  GpuConfig gpu;
  gpu.cores = 16;
  BOOST_TEST(memory::with_geometry(gpu).icache.count == 4u);
  gpu.cores = 4;
  BOOST_TEST(memory::with_geometry(gpu).dcache.count == 1u);
  gpu.om.cores = 5;
  BOOST_TEST(memory::with_geometry(gpu).ocache.count == 2u);
}

BOOST_AUTO_TEST_CASE(bad_geometry_is_named) {
  CacheConfig good;
  good.latency = 2;
  CacheConfig c = good;
  BOOST_TEST(memory::check_geometry(c, "gpu.dcache") == "");
  c.ways = 3;
  BOOST_TEST(memory::check_geometry(c, "gpu.dcache").find("gpu.dcache.bytes is 16384") == 0u);
  c.bytes = 3 << 12;
  BOOST_TEST(memory::check_geometry(c, "gpu.dcache") == "");
  c.replacement = Replacement::kPlru;
  BOOST_TEST(memory::check_geometry(c, "x").find("x.ways is 3: PLRU") == 0u);
  c = good;
  c.line = 96;
  BOOST_TEST(memory::check_geometry(c, "x").find("x.line is 96") == 0u);
  c = good;
  c.ways = 8;
  c.banks = 64;
  BOOST_TEST(memory::check_geometry(c, "x") == "x.banks is 64: more banks than the 32 sets");
  c.banks = 3;
  BOOST_TEST(memory::check_geometry(c, "x") == "x.banks is 3: use a power of two up to 64");
}

BOOST_AUTO_TEST_CASE(latency_grows_with_size) {
  BOOST_TEST(memory::stock_latency(4 << 10, 16 << 10, 2) == 2u);
  BOOST_TEST(memory::stock_latency(16 << 10, 16 << 10, 2) == 2u);
  BOOST_TEST(memory::stock_latency(64 << 10, 16 << 10, 2) == 4u);
  BOOST_TEST(memory::stock_latency(2 << 20, 1 << 20, 4) == 5u);
}

BOOST_AUTO_TEST_SUITE_END()
