// Warp- and lane-instructions per second of the SIMT core: integer, floating point, memory and divergent code at
// several thread counts, RV32 and RV64. Every figure is also given as a ratio to a scalar calibration loop run in the
// same process (design §11).
//
//   simt_bench                                  the table
//   simt_bench LOOP LANES ITERATIONS [base] [caches [lint]]
//                                               one loop, RV32; prints the warp-instructions it simulated (tests/perf);
//                                               lint: with stale-line, which watches every cached access
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <functional>

#include "../tests/core/cached_rig.h"
#include "exec.h"

namespace {

using namespace gyre;
using namespace gyre::test;

u32 iterations = 60000;

// Processor time: the machine may be shared.
double seconds(const std::function<void()>& work) {
  auto now = [] {
    timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
  };
  const double begin = now();
  work();
  return now() - begin;
}

// Dependent integer steps a second: the unit the results are divided by.
double calibrate() {
  volatile std::uint32_t sink = 1;
  std::uint32_t x = sink;
  constexpr int kSteps = 50'000'000;
  const double t = seconds([&] {
    for (int i = 0; i < kSteps; ++i) x = x * 1664525u + 1013904223u;
    sink = x;
  });
  return kSteps / t;
}

void loop(Asm& k, const std::function<void()>& body) {
  k.li(s0, iterations);
  const int top = k.bound();
  body();
  k.addi(s0, s0, -1);
  k.bnez(s0, top);
  k.ret();
}

void alu(Asm& k) {
  loop(k, [&] {
    for (int i = 0; i < 4; ++i) {
      k.add(t0, t0, t1);
      k.op(4, 0, t1, t1, t0);
      k.slli(t2, t0, 3);
      k.sub(t3, t2, t1);
      k.andi(t4, t3, 255);
      k.slt(t5, t4, t3);
      k.addi(t6, t6, 5);
    }
  });
}

void fp(Asm& k) {
  k.li(t0, 0x3F800001);
  for (u32 f = 0; f < 4; ++f) k.word(enc::r(0x53, 0, 0x78, f, t0, 0));
  loop(k, [&] {
    for (int i = 0; i < 7; ++i) {
      k.word(enc::r4(0x43, 7, 0, 4, 0, 1, 2));
      k.word(enc::r(0x53, 7, 0x00, 5, 4, 1));
      k.word(enc::r(0x53, 7, 0x08, 6, 5, 1));
      k.word(enc::r(0x53, 0, 0x14, 7, 6, 1));
    }
  });
}

void memory(Asm& k) {
  k.csrr(t0, 0xF14);
  k.slli(t0, t0, 2);
  k.add(t0, t0, a0);
  k.csrr(t6, 0xF14);
  k.slli(t6, t6, 8);
  k.add(t6, t6, a0);
  loop(k, [&] {
    for (int i = 0; i < 7; ++i) {
      k.lw(t1, t0, i * 4);
      k.sw(t1, t0, i * 4);
      k.lw(t2, t6, i * 4);  // one word every 256 bytes
      k.add(t3, t1, t2);
    }
  });
}

void divergent(Asm& k) {
  k.csrr(t0, GYRE_CSR_THREAD_ID);
  k.andi(t1, t0, 1);
  loop(k, [&] {
    const int otherwise = k.label(), end = k.label();
    k.split(t2, t1);
    k.beqz(t1, otherwise);
    for (int i = 0; i < 6; ++i) k.add(t3, t3, t0);
    k.jump(zero, end);
    k.bind(otherwise);
    for (int i = 0; i < 6; ++i) k.sub(t3, t3, t0);
    k.bind(end);
    k.join(t2);
  });
}

struct Loop {
  const char* name;
  void (*body)(Asm&);
};
const Loop kLoops[] = {{"alu", alu}, {"fp", fp}, {"memory", memory}, {"divergent", divergent}};

// Runs a loop on four warps of one core; `report` gets warp- and lane-instructions and seconds.
template <class Bench = Rig, class Report>
bool run(const Loop& loop, unsigned xlen, unsigned threads, bool baseline, Report report, bool lint = false) {
  std::fflush(nullptr);
  core::use_baseline_executors(baseline);
  RigConfig c;
  c.threads = threads;
  Bench rig(c, [&](MachineConfig& m) {
    m.gpu.core.xlen = xlen;
    m.lint.stale_line = lint ? Severity::kWarn : Severity::kOff;
  });
  Asm k(kKernel);
  loop.body(k);
  rig.program(k);
  rig.grid(4, threads);
  const double t = seconds([&] { rig.run_to_idle(); });
  report(rig.core.engine().count.instructions, rig.core.engine().count.thread_instructions, t);
  return !rig.ctx.faults.valid();
}

void measure(const Loop& loop, unsigned xlen, unsigned threads, bool baseline, double unit) {
  std::fflush(nullptr);
  const pid_t child = fork();
  if (child == 0) {
    const bool ok = run(loop, xlen, threads, baseline, [&](std::uint64_t warp, std::uint64_t lane, double t) {
      const double rate = static_cast<double>(warp) / t, lanes = static_cast<double>(lane) / t;
      std::printf("%-10s RV%u %2u lanes %-10s %8.1f M warp-instructions/s %9.1f M lane-instructions/s  ratio %.3f\n",
                  loop.name, xlen, threads, core::executor_name(), rate / 1e6, lanes / 1e6, rate / unit);
    });
    std::fflush(stdout);
    _exit(ok ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  if (status != 0) std::printf("%s: failed\n", loop.name);
}

int one_loop(int argc, char** argv) {
  const auto has = [&](const char* word) {
    for (int i = 4; i < argc; ++i)
      if (std::string(argv[i]) == word) return true;
    return false;
  };
  for (const Loop& loop : kLoops) {
    if (std::string(argv[1]) != loop.name) continue;
    iterations = static_cast<u32>(std::atoi(argv[3]));
    const unsigned lanes = static_cast<unsigned>(std::atoi(argv[2]));
    const auto report = [](std::uint64_t warp, std::uint64_t, double) {
      std::printf("%s instructions %llu\n", core::executor_name(), static_cast<unsigned long long>(warp));
    };
    const bool ok = has("caches") ? run<CachedRig>(loop, 32, lanes, has("base"), report, has("lint"))
                                  : run(loop, 32, lanes, has("base"), report);
    return ok ? 0 : 1;
  }
  std::fprintf(stderr, "no loop %s\n", argv[1]);
  return 2;
}

}  // namespace

int sc_main(int argc, char** argv) {
  if (argc >= 4) return one_loop(argc, argv);
  const double unit = calibrate();
  std::printf("calibration: %.1f M dependent multiply-adds/s\n", unit / 1e6);
  for (const bool baseline : {false, true})
    for (const unsigned threads : {4u, 8u, 32u})
      for (const Loop& loop : kLoops) measure(loop, 32, threads, baseline, unit);
  for (const Loop& loop : kLoops) measure(loop, 64, 8, false, unit);
  return 0;
}
