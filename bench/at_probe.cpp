// Accesses of the approximate style, for counting what one costs: at_probe hit|l2|memory ROUNDS [outstanding].
// A client reads blocks that are in its data cache, in the L2, or nowhere; prints "accesses N", and the cycles.
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>

#include "at_client.h"
#include "at_hierarchy.h"
#include "context.h"
#include "device_memory.h"
#include "geometry.h"
#include "simulate.h"

using namespace gyre;

int sc_main(int argc, char** argv) {
  const std::string level = argc >= 3 ? argv[1] : "";
  if (level != "hit" && level != "l2" && level != "memory") {
    std::fprintf(stderr, "usage: at_probe hit|l2|memory ROUNDS [OUTSTANDING]\n");
    return 2;
  }
  const auto rounds = static_cast<unsigned>(std::strtoul(argv[2], nullptr, 10));
  const unsigned outstanding = argc > 3 ? static_cast<unsigned>(std::strtoul(argv[3], nullptr, 10)) : 1;
  MachineConfig config;
  config.gpu.l2.enabled = true;
  const GpuConfig gpu = memory::with_geometry(config.gpu);
  kernel::Context ctx{config};
  memory::DeviceMemory memory("memory", ctx);
  kernel::Cables cables(false);
  memory::AtHierarchy caches("caches", gpu, memory.target, cables);
  memory::AtCache& cache = *caches.dcache(0);
  kernel::AtClient client("client", cache.banks(), memory::log2_of(cache.line_bytes()), gpu.period_ps(),
                          kernel::MemSource::kLsu);
  client.bind(cache.in);
  // 4 KiB stay in the data cache, 256 KiB in the L2, 64 MiB nowhere.
  const std::uint32_t bytes = level == "hit" ? 4096 : level == "l2" ? 256 << 10 : 64 << 20;
  const unsigned places = bytes / 64, count = level == "memory" ? rounds : places + rounds;
  unsigned sent = 0, done = 0;
  std::function<void(kernel::Cycle)> next = [&](kernel::Cycle at) {
    ++done;
    if (sent == count) return;
    const kernel::MemoryAccess access{0x80000000u + sent++ % places * 64, 1};
    client.read(&access, 1, at, next);
  };
  kernel::simulate(0);
  for (unsigned i = 0; i < outstanding; ++i) next(1);
  kernel::simulate();
  std::printf("accesses %u\ncycles %llu\n", done - outstanding,
              static_cast<unsigned long long>(kernel::kernel_now() / gpu.period_ps()));
  return 0;
}
