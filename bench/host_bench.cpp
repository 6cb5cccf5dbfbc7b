// Speed of the host CPU: millions of instructions per second on an integer and a memory loop, at two quanta, with the
// ratio to a calibration loop of the same process (machines differ and are noisy; ratios travel).
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>

#include "host_loops.h"
#include "host_system.h"
#include "simulate.h"

namespace {

using namespace gyre::test;

// Processor time of this process: other work on the machine does not count.
double cpu_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

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
    leave(code);
    system.load_bios("benchmark", code.bytes());
    const double start = cpu_seconds();
    gyre::kernel::simulate();
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
