// The compute kernels and the 64-bit helpers, compiled for the host (simt.h host twins).
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <random>
#include <thread>

#include "kernels.h"
#include "wide.h"

SIMT_KERNEL void gyre_vector_add(const gyre_vector_add_arg* arg);
SIMT_KERNEL void gyre_reduce(const gyre_reduce_arg* arg);
SIMT_KERNEL void gyre_divergence(const gyre_divergence_arg* arg);

namespace {

struct Lane {
  uint32_t grid, block_dim, block, thread;
};
thread_local Lane lane;
uint32_t local_memory[1024];

// A barrier over the threads of the block being run.
std::mutex mutex;
std::condition_variable turn;
uint32_t arrived, phase, expected;

void run_block(uint32_t grid, uint32_t block_dim, uint32_t block, const std::function<void()>& kernel) {
  arrived = 0;
  expected = block_dim;
  std::vector<std::thread> threads;
  for (uint32_t t = 0; t < block_dim; ++t)
    threads.emplace_back([=] {
      lane = {grid, block_dim, block, t};
      kernel();
    });
  for (auto& thread : threads) thread.join();
}

void run_serial(uint32_t grid, uint32_t block_dim, const std::function<void()>& kernel) {
  for (uint32_t block = 0; block < grid; ++block)
    for (uint32_t t = 0; t < block_dim; ++t) {
      lane = {grid, block_dim, block, t};
      kernel();
    }
}

uint64_t address(const void* p) { return reinterpret_cast<uintptr_t>(p); }

std::vector<uint32_t> random_words(uint32_t count, uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<uint32_t> out(count);
  for (auto& word : out) word = random() >> (random() & 31);
  return out;
}

BOOST_AUTO_TEST_CASE(vector_add) {
  for (uint32_t count : {0u, 1u, 7u, 100u, 1000u}) {
    const auto a = random_words(count, 1), b = random_words(count, 2);
    std::vector<uint32_t> c(count + 1, 77);
    const gyre_vector_add_arg arg = {address(a.data()), address(b.data()), address(c.data()), count, 0};
    run_serial(3, 8, [&] { gyre_vector_add(&arg); });
    for (uint32_t i = 0; i < count; ++i) BOOST_REQUIRE(c[i] == a[i] + b[i]);
    BOOST_TEST(c[count] == 77u);
  }
}

BOOST_AUTO_TEST_CASE(divergence) {
  const auto in = random_words(5000, 3);
  std::vector<uint32_t> out(in.size());
  const gyre_divergence_arg arg = {address(in.data()), address(out.data()), 5000, 0};
  run_serial(4, 16, [&] { gyre_divergence(&arg); });
  for (size_t i = 0; i < in.size(); ++i) BOOST_REQUIRE(out[i] == gyre_divergence_value(in[i]));
}

BOOST_AUTO_TEST_CASE(reduce) {
  for (uint32_t block_dim : {1u, 2u, 3u, 8u, 13u})
    for (uint32_t count : {0u, 5u, 333u}) {
      const auto in = random_words(count, 4);
      std::vector<uint32_t> sums(2);
      const gyre_reduce_arg arg = {address(in.data()), address(sums.data()), count, 0};
      for (uint32_t block = 0; block < 2; ++block) run_block(2, block_dim, block, [&] { gyre_reduce(&arg); });
      uint32_t want[2] = {0, 0};
      for (uint32_t i = 0; i < count; ++i) want[i / block_dim % 2] += in[i];
      BOOST_TEST(sums[0] == want[0]);
      BOOST_TEST(sums[1] == want[1]);
    }
}

BOOST_AUTO_TEST_CASE(wide_helpers) {
  std::mt19937_64 random(5);
  for (int i = 0; i < 200000; ++i) {
    const uint64_t v = random() >> (random() & 63);
    const auto s = static_cast<int64_t>(random() & 1 ? v : 0 - v);
    BOOST_REQUIRE(simt_i64_to_f32(s) == static_cast<float>(s));
    const uint32_t d = static_cast<uint32_t>(random()) >> (random() & 31);
    if (d != 0) {
      uint32_t r;
      BOOST_REQUIRE(simt_udiv64_32(v, d, &r) == v / d);
      BOOST_REQUIRE(r == v % d);
    }
    const float f = simt_bits_f32(static_cast<uint32_t>(random()));
    const int64_t want = f != f || f >= 9223372036854775808.0f ? INT64_MAX
                         : f < -9223372036854775808.0f         ? INT64_MIN
                                                               : static_cast<int64_t>(f);
    BOOST_REQUIRE(simt_f32_to_i64_sat(f) == want);
    BOOST_REQUIRE(
        simt_clz32(static_cast<uint32_t>(v)) ==
        (static_cast<uint32_t>(v) == 0 ? 32u : static_cast<uint32_t>(__builtin_clz(static_cast<uint32_t>(v)))));
  }
}

BOOST_AUTO_TEST_CASE(float_twins_follow_riscv) {
  const float nan = simt_bits_f32(0x7F800001u), negative_zero = simt_bits_f32(0x80000000u);
  BOOST_TEST(simt_f32_bits(simt_fminf(0.0f, negative_zero)) == 0x80000000u);
  BOOST_TEST(simt_f32_bits(simt_fmaxf(negative_zero, 0.0f)) == 0u);
  BOOST_TEST(simt_fminf(nan, 3.0f) == 3.0f);
  BOOST_TEST(simt_fmaxf(3.0f, nan) == 3.0f);
  BOOST_TEST(simt_f32_bits(simt_fminf(nan, nan)) == 0x7FC00000u);
  BOOST_TEST(simt_floor_i32(-1.5f) == -2);
  BOOST_TEST(simt_ceil_i32(-1.5f) == -1);
  BOOST_TEST(simt_floor_i32(nan) == INT32_MAX);
  BOOST_TEST(simt_floor_i32(-4e9f) == INT32_MIN);
  BOOST_TEST(simt_ceil_i32(4e9f) == INT32_MAX);
}

}  // namespace

extern "C" {
uint32_t gyre_host_csr(uint32_t number) {
  switch (number) {
    case GYRE_CSR_CTA_THREAD_ID_X:
      return lane.thread;
    case GYRE_CSR_CTA_BLOCK_ID_X:
      return lane.block;
    case GYRE_CSR_CTA_BLOCK_DIM_X:
      return lane.block_dim;
    case GYRE_CSR_CTA_GRID_DIM_X:
      return lane.grid;
    default:
      return 0;
  }
}
void gyre_host_barrier(void) {
  std::unique_lock<std::mutex> lock(mutex);
  const uint32_t mine = phase;
  if (++arrived == expected) {
    arrived = 0;
    ++phase;
    turn.notify_all();
  } else {
    turn.wait(lock, [&] { return phase != mine; });
  }
}
void* gyre_host_local_memory(void) { return local_memory; }
uint32_t gyre_host_tex(uint32_t, int32_t, int32_t, uint32_t) { return 0; }
void gyre_host_om_export(uint32_t, uint32_t, uint32_t, uint32_t) {}
}
