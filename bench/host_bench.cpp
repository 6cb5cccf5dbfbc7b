// Speed of the host CPU: millions of instructions per second on an integer and a memory loop, at two quanta, with the
// ratio to a calibration loop of the same process (machines differ and are noisy; ratios travel).
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>

#include "asm.h"
#include "host_system.h"

namespace {

using namespace gyre::test;

// Processor time of this process: other work on the machine does not count.
double cpu_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

// Bitwise CRC-32 of 4 KiB, `rounds` times: about 230,000 instructions a round.
Asm crc_loop(unsigned rounds) {
  Asm a;
  a.li(s0, rounds);
  a.li(s1, 0xEDB88320);
  a.label("round");
  a.li(t0, 0x80010000);
  a.li(t1, 0x80011000);
  a.li(a0, 0xFFFFFFFF);
  a.label("byte");
  a.lbu(t2, t0);
  a.op(4, 0, a0, a0, t2);
  a.li(t3, 8);
  a.label("bit");
  a.word(enc::i(0x13, 7, t4, a0, 1));
  a.op(0, 0x20, t4, zero, t4);
  a.op(7, 0, t4, t4, s1);
  a.word(enc::i(0x1B, 5, a0, a0, 1));
  a.op(4, 0, a0, a0, t4);
  a.addi(t3, t3, -1);
  a.bne(t3, zero, "bit");
  a.addi(t0, t0, 1);
  a.bne(t0, t1, "byte");
  a.addi(s0, s0, -1);
  a.bne(s0, zero, "round");
  return a;
}

// 64 × 64 matrix multiplication of 32-bit integers, `rounds` times: about 1.9 million instructions a round.
Asm matrix_loop(unsigned rounds) {
  Asm a;
  a.li(s0, rounds);
  a.li(s1, 0x80010000);
  a.li(s2, 0x80020000);
  a.li(s3, 0x80030000);
  a.li(s8, 64);
  a.li(s9, 256);  // bytes a row
  a.label("round");
  a.li(s4, 0);
  a.label("row");
  a.li(s5, 0);
  a.label("column");
  a.op(0, 1, t0, s4, s9);
  a.add(t0, t0, s1);        // a[row][0]
  a.add(t3, t0, s9);        // its end
  a.word(enc::i(0x13, 1, t1, s5, 2));
  a.add(t1, t1, s2);        // b[0][column]
  a.li(t2, 0);
  a.label("inner");
  a.lw(t4, t0);
  a.lw(t5, t1);
  a.word(enc::r(0x3B, 0, 1, t4, t4, t5));
  a.word(enc::r(0x3B, 0, 0, t2, t2, t4));
  a.addi(t0, t0, 4);
  a.add(t1, t1, s9);
  a.bne(t0, t3, "inner");
  a.op(0, 1, t0, s4, s9);
  a.add(t0, t0, s3);
  a.word(enc::i(0x13, 1, t1, s5, 2));
  a.add(t0, t0, t1);
  a.sw(t2, t0);
  a.addi(s5, s5, 1);
  a.bne(s5, s8, "column");
  a.addi(s4, s4, 1);
  a.bne(s4, s8, "row");
  a.addi(s0, s0, -1);
  a.bne(s0, zero, "round");
  return a;
}

// Simple dependent arithmetic: iterations per second, in millions.
double calibrate() {
  const double start = cpu_seconds();
  std::uint64_t x = 88172645463325252ull;
  constexpr unsigned kSteps = 200'000'000;
  for (unsigned i = 0; i < kSteps; ++i) {
    x ^= x << 13;
    x ^= x >> 7;
    x ^= x << 17;
  }
  volatile std::uint64_t keep = x;
  (void)keep;
  return kSteps / (cpu_seconds() - start) / 1e6;
}

// SystemC elaborates once in a process: each measurement runs in a child and sends its MIPS back.
double measure(Asm code, std::uint64_t quantum_ps) {
  int fds[2];
  if (pipe(fds) != 0) return 0;
  const pid_t child = fork();
  if (child == 0) {
    gyre::MachineConfig config;
    config.sim.quantum_ps = quantum_ps;
    gyre::host::HostSystem system("host", config, [](std::string_view) {});
    code.li(t6, 0x100000);
    code.li(t5, 0x5555);
    code.sw(t5, t6);
    system.load_bios("benchmark", code.bytes());
    const double start = cpu_seconds();
    sc_core::sc_start();
    const double mips = static_cast<double>(system.cpu.hart().retired()) / (cpu_seconds() - start) / 1e6;
    const bool sent = write(fds[1], &mips, sizeof mips) == sizeof mips;
    std::_Exit(sent && system.exit.code == 0 ? 0 : 1);
  }
  close(fds[1]);
  double mips = 0;
  if (read(fds[0], &mips, sizeof mips) != sizeof mips) mips = 0;
  close(fds[0]);
  waitpid(child, nullptr, 0);
  return mips;
}

}  // namespace

// Usage: host_bench [scale]; scale 1 runs about 0.5 s a measurement.
int sc_main(int argc, char** argv) {
  const unsigned scale = argc > 1 ? static_cast<unsigned>(std::atoi(argv[1])) : 1;
  const double calibration = calibrate();
  std::printf("%-28s %10.1f M steps/s\n", "calibration", calibration);
  struct {
    const char* name;
    Asm code;
  } loops[] = {{"crc", crc_loop(1000 * scale)}, {"matrix", matrix_loop(130 * scale)}};
  for (const std::uint64_t quantum_us : {1000, 10})
    for (const auto& loop : loops) {
      const double mips = measure(loop.code, quantum_us * 1'000'000);
      std::printf("host %-8s quantum %4llu us %8.1f MIPS  ratio %.2f\n", loop.name,
                  static_cast<unsigned long long>(quantum_us), mips, mips / calibration);
    }
  return 0;
}
