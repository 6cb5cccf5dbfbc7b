// Random structured programs on the SIMT core against the same source compiled for the host, lane by lane: 4 to 32
// lanes, images built at -O1, -O2 and -O3 (simt_c.md §5). Every branch the lanes take goes through the IPDOM stack.
#include <random>

#include "elf_image.h"
#include "random_programs.h"
#include "rig.h"

using namespace gyre;
using namespace gyre::test;

namespace {

constexpr u32 kPrograms = SIMT_RANDOM_PROGRAMS, kLanesRun = 44;
constexpr u32 kIn = kData + 64, kOut = kIn + 4 * 8 * kLanesRun;

u32 host_lane;

std::vector<u32> inputs(u32 program) {
  std::mt19937 random(program + 99);
  std::vector<u32> out(8 * kLanesRun);
  for (auto& word : out) word = static_cast<u32>(random()) >> (random() & 31);
  return out;
}

using Program = void (*)(const random_arg*);
extern "C" Program random_table[];

std::vector<u32> expected(u32 program, const std::vector<u32>& in) {
  std::vector<u32> out(12 * kLanesRun);
  const random_arg arg = {reinterpret_cast<uintptr_t>(in.data()), reinterpret_cast<uintptr_t>(out.data()), kLanesRun,
                          program};
  for (host_lane = 0; host_lane < kLanesRun; ++host_lane) random_table[program](&arg);
  return out;
}

// Runs a program on a core of `threads` lanes; throws at the first word that is wrong.
std::string run_program(const tools::ElfImage& image, unsigned threads, u32 program) {
  Rig rig(RigConfig{.threads = threads});
  for (const auto& segment : image.segments)
    std::memcpy(rig.memory.at(segment.address, segment.data.size()), segment.data.data(), segment.data.size());
  const auto in = inputs(program);
  const random_arg arg = {kIn, kOut, kLanesRun, program};
  std::memcpy(rig.memory.at(kData, sizeof arg), &arg, sizeof arg);
  rig.memory.load(kIn, in);
  u32 entry = 0;
  for (const auto& function : image.functions)
    if (function.name == "random_" + std::to_string(program)) entry = function.address;
  GYRE_CHECK(entry != 0);
  const u32 block = 4 * threads - 1;
  rig.grid((kLanesRun + block - 1) / block, block, entry, kData);
  rig.run_to_idle();
  GYRE_CHECK(!rig.ctx.faults.valid());
  const auto want = expected(program, in);
  for (u32 k = 0; k < want.size(); ++k)
    if (rig.memory.word(kOut + 4 * k) != want[k])
      throw std::runtime_error(image.path + ": program " + std::to_string(program) + " on " + std::to_string(threads) +
                               " lanes: word " + std::to_string(k % 12) + " of lane " + std::to_string(k / 12) +
                               " differs");
  return "";
}

BOOST_AUTO_TEST_CASE(lanes_agree_with_the_plain_program) {
  for (const char* name : {SIMT_RANDOM_NAME "_O1.elf", SIMT_RANDOM_NAME "_O2.elf", SIMT_RANDOM_NAME "_O3.elf"}) {
    const tools::ElfImage image = tools::read_elf(std::string(SIMT_CASE_DIR) + "/" + name);
    for (u32 program = 0; program < kPrograms; ++program)
      for (unsigned threads : {4u, 8u, 16u, 32u}) run_forked([&] { return run_program(image, threads, program); });
  }
}

}  // namespace

extern "C" {
uint32_t gyre_host_csr(uint32_t number) { return number == GYRE_CSR_CTA_THREAD_ID_X ? host_lane : 0; }
void gyre_host_barrier(void) {}
void* gyre_host_local_memory(void) { return nullptr; }
uint32_t gyre_host_tex(uint32_t, int32_t, int32_t, uint32_t) { return 0; }
void gyre_host_om_export(uint32_t, uint32_t, uint32_t, uint32_t) {}
}
