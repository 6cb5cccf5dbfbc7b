// The compute kernels of the device image, as the compiler made them, on cores of every shape.
#include <fstream>
#include <iterator>
#include <random>

#include "../../firmware/device/kernels.h"
#include "gyre_paths.h"
#include "rig.h"

using namespace gyre;
using namespace gyre::test;

namespace {

// A binary file of isa.md §12, loaded into the rig's memory; returns the address of `symbol`.
u32 load_image(Rig& rig, const std::string& path, const std::string& symbol) {
  std::ifstream file(path, std::ios::binary);
  std::vector<char> bytes((std::istreambuf_iterator<char>(file)), {});
  GYRE_CHECK(bytes.size() > 28);
  std::uint64_t low, high;
  std::memcpy(&low, bytes.data(), 8);
  std::memcpy(&high, bytes.data() + 8, 8);
  GYRE_CHECK(low == kImage && high > low && high - low <= bytes.size() - 28);
  GYRE_CHECK(std::memcmp(bytes.data() + bytes.size() - 8, "VXSYMTAB", 8) == 0);
  u32 count;
  std::memcpy(&count, bytes.data() + bytes.size() - 12, 4);
  std::memcpy(rig.memory.at(kImage, high - low), bytes.data() + 16, high - low);
  const char* names = bytes.data() + 16 + (high - low);
  const char* entries = bytes.data() + bytes.size() - 12 - 16 * std::size_t{count};
  for (u32 i = 0; i < count; ++i) {
    u32 offset;
    std::uint16_t length;
    std::uint64_t pc;
    std::memcpy(&offset, entries + 16 * i, 4);
    std::memcpy(&length, entries + 16 * i + 4, 2);
    std::memcpy(&pc, entries + 16 * i + 8, 8);
    if (std::string(names + offset, length) == symbol) return static_cast<u32>(pc);
  }
  throw std::runtime_error("no symbol " + symbol);
}

constexpr u32 kIn = 0x00100000, kOut = 0x00200000, kThird = 0x00300000;

template <class Arg>
void put_argument(Rig& rig, const Arg& arg) {
  std::memcpy(rig.memory.at(kData, sizeof arg), &arg, sizeof arg);
}

struct Shape {
  unsigned threads, warps;
  const char* image;
};

// Runs `body` for every thread count, several warp counts and the three optimisation levels.
template <class Body>
void every_shape(Body body) {
  const char* images[] = {"device", "device_O1", "device_O3"};
  unsigned n = 0;
  for (unsigned threads : {1u, 2u, 4u, 8u, 16u, 32u})
    for (unsigned warps : {1u, 4u, 32u}) {
      const Shape shape{threads, warps, images[n++ % 3]};
      if (threads * warps > 200) continue;  // stacks of the test memory
      run_forked([&] {
        RigConfig c;
        c.threads = shape.threads;
        c.warps = shape.warps;
        Rig rig(c);
        body(rig, std::string(GYRE_FIRMWARE_DIR) + "/" + shape.image + ".vxbin", shape);
        GYRE_CHECK(!rig.ctx.faults.valid());
        GYRE_CHECK_EQUAL(rig.core.engine().divergent_branches, std::uint64_t{0});
        GYRE_CHECK_EQUAL(rig.core.engine().count.ipdom_imbalance, std::uint64_t{0});
        return std::string();
      });
    }
}

}  // namespace

BOOST_AUTO_TEST_SUITE(core_device)

BOOST_AUTO_TEST_CASE(vector_add) {
  every_shape([](Rig& rig, const std::string& path, const Shape& s) {
    const u32 n = 1237, entry = load_image(rig, path, "gyre_vector_add");
    std::mt19937 rng(1);
    for (u32 i = 0; i < n; ++i) {
      rig.memory.put(kIn + 4 * i, static_cast<u32>(rng()));
      rig.memory.put(kThird + 4 * i, static_cast<u32>(rng()));
    }
    put_argument(rig, gyre_vector_add_arg{kIn, kThird, kOut, n, 0});
    rig.grid(5, s.threads * s.warps, entry);
    rig.run_to_idle();
    for (u32 i = 0; i < n; ++i)
      GYRE_CHECK_EQUAL(rig.memory.word(kOut + 4 * i), rig.memory.word(kIn + 4 * i) + rig.memory.word(kThird + 4 * i));
    GYRE_CHECK_EQUAL(rig.memory.word(kOut + 4 * n), 0u);
  });
}

BOOST_AUTO_TEST_CASE(reduce_through_local_memory) {
  every_shape([](Rig& rig, const std::string& path, const Shape& s) {
    const u32 n = 3000, entry = load_image(rig, path, "gyre_reduce"),
              block = s.threads * s.warps > 3 ? s.threads * s.warps - 1 : 1;
    std::mt19937 rng(2);
    std::vector<u32> sums(4);
    for (u32 i = 0; i < n; ++i) {
      const u32 v = static_cast<u32>(rng());
      rig.memory.put(kIn + 4 * i, v);
      sums[i / block % 4] += v;
    }
    put_argument(rig, gyre_reduce_arg{kIn, kOut, n, 0});
    rig.grid(4, block, entry, kData, 1, 4 * block);
    rig.run_to_idle();
    for (u32 b = 0; b < 4; ++b) GYRE_CHECK_EQUAL(rig.memory.word(kOut + 4 * b), sums[b]);
  });
}

BOOST_AUTO_TEST_CASE(nested_divergence) {
  every_shape([](Rig& rig, const std::string& path, const Shape& s) {
    const u32 n = 777, entry = load_image(rig, path, "gyre_divergence");
    std::mt19937 rng(3);
    for (u32 i = 0; i < n; ++i) rig.memory.put(kIn + 4 * i, static_cast<u32>(rng()) >> rng() % 32);
    put_argument(rig, gyre_divergence_arg{kIn, kOut, n, 0});
    rig.grid(3, s.threads * s.warps, entry);
    rig.run_to_idle();
    for (u32 i = 0; i < n; ++i)
      GYRE_CHECK_EQUAL(rig.memory.word(kOut + 4 * i), gyre_divergence_value(rig.memory.word(kIn + 4 * i)));
  });
}

BOOST_AUTO_TEST_SUITE_END()
