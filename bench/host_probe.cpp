// One loop on the host CPU, for counting what it costs: host_probe crc|matrix ROUNDS QUANTUM_US prints "instructions N".
#include <cstdio>
#include <cstdlib>
#include <string>

#include "host_loops.h"
#include "host_system.h"
#include "simulate.h"

int sc_main(int argc, char** argv) {
  using namespace gyre;
  const std::string loop = argc == 4 ? argv[1] : "";
  if (loop != "crc" && loop != "matrix") {
    std::fprintf(stderr, "usage: host_probe crc|matrix ROUNDS QUANTUM_US\n");
    return 2;
  }
  const auto rounds = static_cast<unsigned>(std::strtoul(argv[2], nullptr, 10));
  MachineConfig config;
  config.sim.quantum_ps = std::strtoull(argv[3], nullptr, 10) * 1'000'000;
  config.host.ram_bytes = 4 << 20;
  host::HostSystem system("host", config, [](std::string_view) {});
  test::Asm code = loop == "crc" ? test::crc_loop(rounds) : test::matrix_loop(rounds);
  test::leave(code);
  system.load_bios("loop", code.bytes());
  kernel::simulate();
  std::printf("instructions %llu\n", static_cast<unsigned long long>(system.cpu.hart().retired()));
  return system.exit.code;
}
