// Generated images as ELF programs: read back, accepted by the checker of divergence rules, and by readelf.
#include <unistd.h>

#include <boost/test/unit_test.hpp>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <random>

#include "checker.h"
#include "elf_writer.h"
#include "entry.h"
#include "extreme_shader.h"
#include "gpu_image.h"
#include "gyre_paths.h"
#include "random_shader.h"
#include "verifier.h"
#include "vxbin_writer.h"

namespace {

using namespace gyre::shader;

constexpr std::uint32_t kBase = 0x80000000u;

struct File {
  std::string name;
  explicit File(const std::vector<std::uint8_t>& bytes)
      : name(std::string("gpu_elf_test.") + std::to_string(getpid()) + ".elf") {
    std::ofstream out(name, std::ios::binary);
    out.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  }
  ~File() { std::remove(name.c_str()); }
};

gpu::Image random_image(std::mt19937& random, int kernels, int instructions) {
  std::vector<gpu::Function> all;
  for (int k = 0; k < kernels; ++k) {
    gyre::test::RandomShader make(random, k % 2 == 0 ? Stage::kFragment : Stage::kVertex);
    all.push_back(gpu::batch_kernel("kernel_" + std::to_string(k), make.make(instructions),
                                    k % 3 == 0 ? Math::kCompat : Math::kPrecise, {}));
  }
  return gpu::link_image(kBase, all);
}

std::string findings(const gyre::tools::ElfImage& image) {
  std::string text;
  const auto report = gyre::simtcheck::Checker(
                          image, [](std::uint32_t) { return false; }, false)
                          .run();
  for (const auto& f : report.findings) text += f.function + ": rule " + std::to_string(f.rule) + ": " + f.text + "\n";
  return text;
}

BOOST_AUTO_TEST_SUITE(gpu_elf)

BOOST_AUTO_TEST_CASE(what_is_written_is_read_back) {
  std::mt19937 random(1);
  const gpu::Image image = random_image(random, 4, 60);
  const File file(gpu::write_elf(image));
  const gyre::tools::ElfImage read = gyre::tools::read_elf(file.name);
  BOOST_TEST(read.entry == kBase);
  BOOST_REQUIRE(read.segments.size() == 1u);
  BOOST_TEST(read.segments[0].address == kBase);
  BOOST_TEST(read.segments[0].memory_bytes == image.end - kBase);
  BOOST_REQUIRE(read.functions.size() == image.symbols.size());
  for (std::size_t i = 0; i < read.functions.size(); ++i) {
    BOOST_TEST(read.functions[i].name == image.symbols[i].name);
    BOOST_TEST(read.functions[i].address == image.symbols[i].address);
    BOOST_TEST(read.functions[i].bytes == image.symbols[i].bytes);
    BOOST_TEST(read.functions[i].kernel == image.symbols[i].kernel);
  }
  for (const auto& [address, words] :
       {std::pair(image.base, image.start), std::pair(image.kernels_address, image.kernels),
        std::pair(image.routines_address, image.routines), std::pair(image.table_address, image.table)}) {
    BOOST_REQUIRE(!words.empty());
    BOOST_TEST(std::memcmp(read.segments[0].data.data() + (address - kBase), words.data(), 4 * words.size()) == 0);
  }
}

BOOST_AUTO_TEST_CASE(the_loaders_file_is_what_elf2vxbin_makes) {
  std::mt19937 random(4);
  const gpu::Image image = random_image(random, 3, 40);
  const File file(gpu::write_elf(image));
  const std::string packed = file.name + ".vxbin", tool = std::string(GYRE_BUILD_DIR) + "/tools/elf2vxbin/elf2vxbin";
  BOOST_REQUIRE(std::system((tool + " " + file.name + " " + packed).c_str()) == 0);
  std::ifstream in(packed, std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(in)), {});
  std::remove(packed.c_str());
  const std::vector<std::uint8_t> ours = gpu::write_vxbin(image);
  BOOST_TEST((bytes == std::string(ours.begin(), ours.end())));
}

BOOST_AUTO_TEST_CASE(readelf_has_nothing_to_complain_of) {
  if (std::system("readelf --version > /dev/null 2>&1") != 0) {
    std::puts("SKIPPED gpu_elf/readelf_has_nothing_to_complain_of: readelf is not installed (package binutils)");
    return;
  }
  std::mt19937 random(2);
  const File file(gpu::write_elf(random_image(random, 2, 30)));
  FILE* pipe = popen(("readelf --all --lint " + file.name + " 2>&1").c_str(), "r");
  BOOST_REQUIRE(pipe != nullptr);
  std::string text;
  char line[512];
  while (std::fgets(line, sizeof line, pipe) != nullptr) text += line;
  BOOST_TEST(pclose(pipe) == 0);
  BOOST_TEST(text.find("arning") == std::string::npos, text);
  BOOST_TEST(text.find(".simt_kernel") != std::string::npos, text);
}

BOOST_AUTO_TEST_CASE(the_divergence_checker_accepts_random_programs) {
  std::mt19937 random(3);
  for (int round = 0; round < 40; ++round) {
    const gpu::Image image = random_image(random, 6, 20 + 3 * round);
    const File file(gpu::write_elf(image));
    BOOST_REQUIRE_EQUAL(findings(gyre::tools::read_elf(file.name)), "");
  }
}

// Whatever the verifier lets through is compiled, or is refused for the stack it needs; nothing else may be thrown.
BOOST_AUTO_TEST_CASE(whatever_is_verified_compiles) {
  std::mt19937 random(6);
  int accepted = 0;
  for (int round = 0; round < 4000; ++round) {
    gyre::test::RandomShader make(random, round % 2 == 0 ? Stage::kFragment : Stage::kVertex);
    Shader shader = make.make(30);
    for (unsigned k = 0, n = 1 + static_cast<unsigned>(random() % 3); k < n; ++k) {
      Instruction& ins = shader.code[random() % shader.code.size()];
      const auto value = static_cast<std::int16_t>(static_cast<int>(random() % 140) - 4);
      switch (random() % 7) {
        case 0:
          ins.op = static_cast<std::uint8_t>(random() % 34);
          break;
        case 1:
          ins.ncomp = static_cast<std::uint8_t>(random() % 6);
          break;
        case 2:
          ins.dst = value;
          break;
        case 3:
          ins.a = value;
          break;
        case 4:
          ins.b = value;
          break;
        case 5:
          ins.aux = value;
          break;
        default:
          ins.aux2 = value;
          break;
      }
    }
    Diagnostics diagnostics("mutated");
    if (!verify(shader, &diagnostics)) continue;
    ++accepted;
    BOOST_REQUIRE_NO_THROW(
        gpu::link_image(kBase, {gpu::batch_kernel("k", shader, round % 4 < 2 ? Math::kCompat : Math::kPrecise, {})}));
  }
  BOOST_TEST(accepted > 500);
}

// The longest programs: 384 instructions over all temporaries.
BOOST_AUTO_TEST_CASE(the_largest_programs_compile) {
  std::mt19937 random(7);
  for (int round = 0; round < 30; ++round) {
    gyre::test::RandomShader make(random, Stage::kFragment, 96);
    const Shader shader = make.make(350);
    const gpu::Image image = gpu::link_image(kBase, {gpu::batch_kernel("k", shader, Math::kPrecise, {})});
    BOOST_TEST(image.facts[0].stack_bytes < 4096);
    if (round % 6 != 0) continue;
    const File file(gpu::write_elf(image));
    BOOST_REQUIRE_EQUAL(findings(gyre::tools::read_elf(file.name)), "");
  }
}

BOOST_AUTO_TEST_CASE(the_divergence_checker_accepts_extreme_programs) {
  const gpu::Image image =
      gpu::link_image(kBase, {gpu::batch_kernel("extreme", gyre::test::extreme_shader(), Math::kPrecise, {})});
  BOOST_TEST(image.facts[0].spilled > 100);
  BOOST_TEST(image.facts[0].branches == 32);
  const File file(gpu::write_elf(image));
  BOOST_REQUIRE_EQUAL(findings(gyre::tools::read_elf(file.name)), "");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
