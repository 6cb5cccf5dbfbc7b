// Semihosting without a machine: every operation, and everything a guest may try to leave its directories.
#include <boost/test/unit_test.hpp>

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "error.h"
#include "semihost.h"

using gyre::host::FileSpace;
using gyre::host::OpenMode;
using gyre::host::Semihost;
using gyre::host::SemihostMachine;
namespace fs = std::filesystem;

namespace {

constexpr std::uint64_t kError = ~0ull;

struct Guest : SemihostMachine {
  std::vector<std::uint8_t> memory = std::vector<std::uint8_t>(1 << 18);
  std::uint64_t now = 0;
  int code = -1;
  std::string reason;
  bool ok(std::uint64_t a, std::uint64_t n) const { return a < memory.size() && memory.size() - a >= n; }
  bool read_guest(std::uint64_t a, void* d, std::uint64_t n) override { return ok(a, n) && std::memcpy(d, &memory[a], n); }
  bool write_guest(std::uint64_t a, const void* d, std::uint64_t n) override { return ok(a, n) && std::memcpy(&memory[a], d, n); }
  std::uint64_t time_ps() override { return now; }
  void exit_guest(int c, const std::string& why) override { code = c; reason = why; }
};

struct Fixture {
  static constexpr std::uint64_t kBlock = 0x100, kName = 0x200, kBuffer = 0x2000;
  Guest guest;
  Semihost semihost{guest};
  fs::path dir, other;
  std::string console;

  Fixture() {
    char name[] = "/tmp/gyre-semihost-XXXXXX";
    const fs::path root = mkdtemp(name);
    dir = root / "open";
    other = root / "secret";
    fs::create_directories(dir / "sub");
    fs::create_directories(other);
    std::ofstream(other / "key") << "secret";
    std::ofstream(dir / "a.txt") << "hello world";
    std::ofstream(dir / "sub" / "b.txt") << "below";
    semihost.console_out = [this](std::string_view text) { console += text; };
  }
  ~Fixture() { fs::remove_all(dir.parent_path()); }

  std::uint64_t call(std::uint64_t operation, std::vector<std::uint64_t> block) {
    guest.write_guest(kBlock, block.data(), block.size() * 8);
    return semihost.call(operation, kBlock);
  }
  std::uint64_t open(const std::string& name, unsigned mode) {
    guest.write_guest(kName, name.data(), name.size());
    return call(1, {kName, mode, name.size()});
  }
  std::uint64_t last_errno() { return semihost.call(0x13, 0); }
  std::string read(std::uint64_t handle, std::uint64_t bytes) {
    const std::uint64_t left = call(6, {handle, kBuffer, bytes});
    return std::string(reinterpret_cast<char*>(&guest.memory[kBuffer]), bytes - left);
  }
  std::uint64_t write(std::uint64_t handle, const std::string& text) {
    guest.write_guest(kBuffer, text.data(), text.size());
    return call(5, {handle, kBuffer, text.size()});
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(semihosting, Fixture)

BOOST_AUTO_TEST_CASE(files_below_a_directory) {
  semihost.files.add_directory(dir.string());
  const std::uint64_t handle = open("a.txt", 0);
  BOOST_TEST(handle != kError);
  BOOST_TEST(call(0x0C, {handle}) == 11u);
  BOOST_TEST(call(0x09, {handle}) == 0u);
  BOOST_TEST(read(handle, 5) == "hello");
  BOOST_TEST(call(0x0A, {handle, 6}) == 0u);
  BOOST_TEST(read(handle, 100) == "world");
  BOOST_TEST(read(handle, 100) == "");
  BOOST_TEST(write(handle, "x") == 1u);  // opened for reading
  BOOST_TEST(call(2, {handle}) == 0u);
  BOOST_TEST(call(2, {handle}) == kError);
  BOOST_TEST(last_errno() == std::uint64_t{EBADF});
  const std::uint64_t created = open("sub/new.bin", 5);
  BOOST_TEST(write(created, "data") == 0u);
  BOOST_TEST(call(2, {created}) == 0u);
  const std::uint64_t appended = open("./sub/../sub//new.bin", 8);
  BOOST_TEST(write(appended, "+more") == 0u);
  call(2, {appended});
  BOOST_TEST(read(open((dir / "sub/new.bin").string(), 1), 99) == "data+more");
  BOOST_TEST(open("missing", 0) == kError);
  BOOST_TEST(last_errno() == std::uint64_t{ENOENT});
}

BOOST_AUTO_TEST_CASE(nothing_leads_out_of_the_directory) {
  semihost.files.add_directory(dir.string());
  fs::create_symlink(other, dir / "link");
  fs::create_symlink(other / "key", dir / "keylink");
  fs::create_symlink("..", dir / "up");
  fs::create_symlink("a.txt", dir / "inner");
  BOOST_REQUIRE(mkfifo((dir / "pipe").c_str(), 0600) == 0);
  unsigned refused = 0;
  semihost.files.on_refused = [&](const std::string&, const char*) { ++refused; };
  const std::string escapes[] = {"../secret/key", "sub/../../secret/key", "/etc/passwd", (other / "key").string(),
                                 "link/key", "keylink", "up/secret/key", "sub/../up/secret/key", "..", "sub/..",
                                 dir.string() + "/../secret/key", dir.string() + "x/key", "pipe", "sub", "inner"};
  for (const std::string& name : escapes)
    for (const unsigned mode : {0u, 2u, 4u, 6u, 8u}) {
      BOOST_TEST_INFO(name << " mode " << mode);
      BOOST_TEST(open(name, mode) == kError);
      BOOST_TEST(last_errno() == std::uint64_t{EACCES});
    }
  BOOST_TEST(refused == std::size(escapes) * 5);
  std::ifstream key(other / "key");
  std::string content;
  key >> content;
  BOOST_TEST(content == "secret");
  const auto files = std::distance(fs::directory_iterator(other), fs::directory_iterator());
  BOOST_TEST(files == 1);
}

BOOST_AUTO_TEST_CASE(read_only_directories_stay_as_they_are) {
  semihost.files.add_directory(dir.string() + ":ro");
  BOOST_TEST(open("a.txt", 0) != kError);
  for (const unsigned mode : {2u, 4u, 6u, 8u, 10u}) {
    BOOST_TEST(open("a.txt", mode) == kError);
    BOOST_TEST(last_errno() == std::uint64_t{EACCES});
    BOOST_TEST(open("new", mode) == kError);
  }
  BOOST_TEST(fs::file_size(dir / "a.txt") == 11u);
  BOOST_TEST(!fs::exists(dir / "new"));
  semihost.files.add_directory(other.string());
  BOOST_TEST(open("new", 4) != kError);
  BOOST_TEST(fs::exists(other / "new"));
  BOOST_TEST(open("key", 0) != kError);
}

BOOST_AUTO_TEST_CASE(memory_files) {
  semihost.files.add_input("scene.pkg", {1, 2, 3, 4, 5});
  semihost.files.add_output("color");
  const std::uint64_t in = open("scene.pkg", 1);
  BOOST_TEST(call(0x0C, {in}) == 5u);
  BOOST_TEST(read(in, 9) == "\1\2\3\4\5");
  BOOST_TEST(open("scene.pkg", 5) == kError);
  BOOST_TEST(last_errno() == std::uint64_t{EACCES});
  const std::uint64_t out = open("color", 5);
  const std::string large(100'000, 'q');
  BOOST_TEST(write(out, large) == 0u);
  BOOST_TEST(call(0x0A, {out, 2}) == 0u);
  BOOST_TEST(write(out, "zz") == 0u);
  const auto& bytes = semihost.files.output("color");
  BOOST_TEST(bytes.size() == 100'000u);
  BOOST_TEST(std::string(bytes.begin(), bytes.begin() + 5) == "qqzzq");
  BOOST_TEST(call(0x0A, {out, 1ull << 60}) == kError);
}

BOOST_AUTO_TEST_CASE(console_streams) {
  const std::uint64_t in = open(":tt", 0), out = open(":tt", 4);
  for (const char c : std::string("typed")) semihost.console_in.push_back(c);
  BOOST_TEST(call(0x09, {in}) == 1u);
  BOOST_TEST(read(in, 3) == "typ");
  BOOST_TEST(read(in, 9) == "ed");
  BOOST_TEST(read(in, 9) == "");
  BOOST_TEST(write(out, "out ") == 0u);
  guest.write_guest(kBuffer, "zero ", 6);
  BOOST_TEST(semihost.call(4, kBuffer) == 0u);
  BOOST_TEST(semihost.call(3, kBuffer) == 0u);
  BOOST_TEST(console == "out zero z");
}

BOOST_AUTO_TEST_CASE(time_is_simulated_time) {
  guest.now = 12'345'678'901'234ull;  // 12.3 s
  BOOST_TEST(semihost.call(0x10, 0) == 1234u);
  semihost.epoch_seconds = 1000;
  BOOST_TEST(semihost.call(0x11, 0) == 1012u);
  BOOST_TEST(semihost.call(0x31, 0) == 10'000'000u);
  BOOST_TEST(semihost.call(0x30, kBuffer) == 0u);
  std::uint64_t ticks = 0;
  guest.read_guest(kBuffer, &ticks, 8);
  BOOST_TEST(ticks == 123'456'789u);
}

BOOST_AUTO_TEST_CASE(command_line) {
  semihost.command_line = "player --image x";
  BOOST_TEST(call(0x15, {kBuffer, 17}) == 0u);
  BOOST_TEST(std::string(reinterpret_cast<char*>(&guest.memory[kBuffer])) == "player --image x");
  BOOST_TEST(guest.memory[kBlock + 8] == 16);
  BOOST_TEST(call(0x15, {kBuffer, 16}) == kError);
}

BOOST_AUTO_TEST_CASE(exit_codes) {
  call(0x18, {0x20026, 0});
  BOOST_TEST(guest.code == 0);
  call(0x20, {0x20026, 300});
  BOOST_TEST(guest.code == 300 % 256);
  call(0x18, {0x20024, 0});
  BOOST_TEST(guest.code == 1);
}

BOOST_AUTO_TEST_CASE(bad_arguments_are_errors) {
  semihost.files.add_directory(dir.string());
  for (std::uint64_t operation = 0; operation < 0x40; ++operation)
    for (const std::uint64_t argument : {kError, std::uint64_t{0x8000'0000}, std::uint64_t{guest.memory.size() - 4}}) {
      BOOST_TEST_INFO("operation " << operation);
      const std::uint64_t result = semihost.call(operation, argument);
      const bool no_block = operation == 7 || operation == 8 || operation == 0x10 || operation == 0x11 ||
                            operation == 0x13 || operation == 0x31 || operation == 3;
      BOOST_TEST((no_block || result == kError || operation == 4));
    }
  BOOST_TEST(call(0x0E, {kName, 5}) == kError);
  BOOST_TEST(last_errno() == std::uint64_t{EACCES});
  BOOST_TEST(call(0x12, {kName, 5}) == kError);
  BOOST_TEST(call(1, {kName, 12, 1}) == kError);
  BOOST_TEST(call(1, {kName, 0, 1ull << 40}) == kError);
  BOOST_TEST(open(std::string("a.txt\0x", 7), 0) == kError);
  BOOST_TEST(open("", 0) == kError);
  const std::uint64_t handle = open("a.txt", 0);
  BOOST_TEST(call(6, {handle, ~0ull - 2, 5}) == 5u);
  BOOST_TEST(last_errno() == std::uint64_t{EFAULT});
  BOOST_TEST(call(6, {handle, kBuffer, 1ull << 50}) != 0u);
  BOOST_TEST(call(5, {77, kBuffer, 3}) == 3u);
  BOOST_TEST(call(5, {0, kBuffer, 3}) == 3u);
  while (open("a.txt", 0) != kError) {
  }
  BOOST_TEST(last_errno() == std::uint64_t{EMFILE});
}

BOOST_AUTO_TEST_CASE(a_directory_that_is_none_is_the_users_mistake) {
  BOOST_CHECK_THROW(semihost.files.add_directory((dir / "a.txt").string()), gyre::UserError);
  BOOST_CHECK_THROW(semihost.files.add_directory((dir / "nothing:ro").string()), gyre::UserError);
}

BOOST_AUTO_TEST_SUITE_END()
