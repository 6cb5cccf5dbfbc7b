// Random programs of every lane instruction, RV32 and RV64, with divergence around them, on the core and on the
// reference warp: registers, flags, memory and masks must agree. At least a million lane instructions each.
#include <map>
#include <random>

#include "exec.h"
#include "reference_warp.h"
#include "rig.h"
#include "simulate.h"

using namespace gyre;
using namespace gyre::test;
namespace reference = gyre::test::reference;
using reference::Instruction;
using reference::Kind;
using reference::s32;
using reference::u64;

namespace {

constexpr u32 kLaneBytes = 64, kBase = kImage + 0x100000;
// x2, x3: the lane's memory; x5 … x23 and f0 … f15: operands; x24, x25: conditions; x26 … x31: tokens, masks, counters.
constexpr u32 kFirst = 5, kLast = 23, kCond = 24;

struct Shape {
  unsigned xlen, threads;
  bool dmi, baseline;
};

class Generator {
 public:
  Generator(unsigned seed, unsigned xlen)
      : integers_(reference::integer_kinds(xlen)),
        floats_(reference::float_kinds(xlen)),
        memory_(reference::memory_kinds(xlen)),
        control_(reference::control_kinds()),
        random_(seed) {
    for (const Kind& k : integers_) by_name_[k.name].push_back(&k);
  }

  std::vector<Instruction> program() {
    do {
      program_.clear();
      frm_ = below(4);
      block(0, 24);
      emit(control_[3], 0, 0);         // tmc x0
    } while (program_.size() > 1000);  // branches reach 4 KiB
    for (std::size_t at = 0; at < program_.size(); ++at) {
      Instruction& i = program_[at];
      if (i.kind->jumps) i.imm = 4 * (i.target - static_cast<int>(at));
    }
    return program_;
  }
  // What frm holds while the program of the last call runs.
  u32 frm() const { return frm_; }
  u32 value() {
    static const u32 special[] = {0,          1,          2,          31,         32,         63,         0x7FFFFFFF,
                                  0x80000000, 0xFFFFFFFF, 0x3F800000, 0xBF800000, 0x7F800000, 0xFF800000, 0x7FC00000,
                                  0x7F800001, 0x00800000, 0x007FFFFF, 0x7F7FFFFF, 0x4F000000, 0x3FF00000, 0x7FF00000,
                                  0x7FF80000, 0x43E00000, 0x36A00000, 0x41E00000};
    const u32 any = static_cast<u32>(random_());
    switch (below(4)) {
      case 0:
        return special[below(std::size(special))];
      case 1:
        return any >> below(32);
      case 2:
        return (any & 0x807FFFFF) | (110 + below(40)) << 23;
      default:
        return any;
    }
  }
  u32 below(std::size_t n) { return static_cast<u32>(random_() % n); }

 private:
  u32 source() { return below(8) == 0 ? 0 : kFirst + below(kLast - kFirst + 1); }
  Instruction& emit(const Kind& kind, u32 rd, u32 rs1, u32 rs2 = 0, s32 imm = 0) {
    Instruction i;
    i.kind = &kind;
    i.rd = rd, i.rs1 = rs1, i.rs2 = rs2, i.imm = imm;
    program_.push_back(i);
    return program_.back();
  }
  int here() const { return static_cast<int>(program_.size()); }

  void straight() {
    const u32 choice = below(16);
    const std::vector<Kind>& kinds = choice < 6 ? integers_ : choice < 12 ? floats_ : memory_;
    const Kind& kind = kinds[below(kinds.size())];
    const std::string name = kind.name;
    Instruction i;
    i.kind = &kind;
    i.rd = source();
    i.rs1 = source();
    i.rs2 = source();
    i.rs3 = below(16);
    i.rm = below(5);
    i.imm = static_cast<s32>(below(4096)) - 2048;
    if (&kinds == &memory_) {
      i.imm &= kLaneBytes - 8;
      i.imm |= static_cast<s32>(below(8));
      i.rs1 = 2 + below(2);
      if (name == "fload") i.rd = below(16);
      if (name == "fstore") i.rs2 = below(16);
    }
    if (&kinds == &floats_) {
      const bool from_x = name == "fcvt.float" || name == "fmv.w.x" || name == "fmv.d.x";
      const bool to_x =
          name == "fcompare" || name == "fclass" || name == "fcvt.int" || name == "fmv.x.w" || name == "fmv.x.d";
      i.dynamic = i.rm == frm_ && below(2) != 0;
      if (!from_x) i.rs1 = below(16);
      if (!to_x) i.rd = below(16);
      i.rs2 = below(16);
    }
    program_.push_back(i);
    if (&kinds == &floats_ && below(3) != 0) emit(control_[21], source(), 0);  // before others hide what it raised
  }
  void cross_lane() {
    const u32 k = 11 + below(10);
    Instruction& i = emit(control_[k], source(), source(), source());
    i.rs3 = source();
    i.rm = below(4);
  }
  // x24 := bit 0 of some register
  void condition() {
    const Kind* andi = nullptr;
    for (const Kind* k : by_name_["and"])
      if ((k->encode(Instruction{}) & 0x7F) == 0x13) andi = k;
    emit(*andi, kCond, source(), 0, 1);
  }

  void block(unsigned depth, unsigned statements) {
    for (unsigned k = 0; k < statements; ++k) {
      const u32 choice = below(depth < 3 ? 24 : 18);
      if (choice < 16)
        straight();
      else if (choice < 18)
        cross_lane();
      else if (choice < 22)
        branch(depth);
      else
        loop(depth);
    }
  }
  void branch(unsigned depth) {
    const u32 token = 26 + 2 * depth;
    const bool inverted = below(2) != 0;
    condition();
    emit(control_[0], token, kCond, 0, inverted ? 1 : 0);
    const int test = here();
    emit(control_[inverted ? 5 : 4], 0, kCond, 0);  // bnez, beqz
    block(depth + 1, 1 + below(6));
    const int over = here();
    emit(control_[10], 0, 0);
    program_[static_cast<std::size_t>(test)].target = here();
    block(depth + 1, below(5));
    program_[static_cast<std::size_t>(over)].target = here();
    emit(control_[1], 0, token);
  }
  // One to four rounds, by lane: lanes that are done leave by PRED; the mask comes back with the last one.
  void loop(unsigned depth) {
    const u32 saved = 26 + 2 * depth, count = 27 + 2 * depth;
    const Kind *andi = nullptr, *addi = nullptr;
    for (const Kind* k : by_name_["and"])
      if ((k->encode(Instruction{}) & 0x7F) == 0x13) andi = k;
    for (const Kind* k : by_name_["add"])
      if ((k->encode(Instruction{}) & 0x7F) == 0x13) addi = k;
    const Kind* sltu = nullptr;
    for (const Kind* k : by_name_["sltu"])
      if ((k->encode(Instruction{}) & 0x7F) == 0x33) sltu = k;
    emit(*andi, count, source(), 0, 3);
    emit(control_[20], saved, 0);
    const int top = here();
    block(depth + 1, 1 + below(4));
    emit(*sltu, kCond, 0, count);  // more to do
    emit(*addi, count, count, 0, -1);
    emit(control_[2], 0, kCond, saved, 0);
    emit(control_[5], 0, kCond, 0).target = top;  // bnez: uniform among those that stay
  }

  const std::vector<Kind> integers_, floats_, memory_, control_;
  std::map<std::string, std::vector<const Kind*>> by_name_;
  std::vector<Instruction> program_;
  u32 frm_ = 0;
  std::mt19937 random_;
};

u32 lane_global(unsigned l) { return kBase + l * kLaneBytes; }
u32 lane_local(unsigned l) { return GYRE_DEV_LMEM_BASE + l * kLaneBytes; }

// Runs `count` programs on one core; throws at the first difference. Returns the lane instructions executed.
u64 run_programs(const Shape& shape, unsigned seed, unsigned count) {
  core::use_baseline_executors(shape.baseline);
  RigConfig config;
  config.threads = shape.threads;
  config.dmi = shape.dmi;
  Rig rig(config, [&](MachineConfig& m) {
    m.gpu.core.xlen = shape.xlen;
    m.gpu.core.isa_a = true;
  });
  kernel::simulate(0);
  Generator generator(seed, shape.xlen);
  core::Engine& engine = rig.core.engine();
  u64 executed = 0;
  for (unsigned number = 0; number < count; ++number) {
    const auto program = generator.program();
    std::vector<u32> words;
    for (const Instruction& i : program) words.push_back(i.kind->encode(i));
    rig.memory.load(kImage, words);

    reference::Warp model(shape.xlen, shape.threads);
    rig.core.start_bare(kImage, rig.core.now());
    core::Warp& warp = engine.warps[0];
    engine.set_mask(warp, warp.full);
    engine.csr_write(warp, GYRE_CSR_FCSR, generator.frm() << 5);
    for (unsigned l = 0; l < shape.threads; ++l) {
      reference::Lane& lane = model.lanes[l];
      auto set = [&](u32 r, u64 v) {
        model.write(l, r, v);
        rig.core.write_register(0, l, r, lane.x[r]);
      };
      for (u32 r = 1; r < 32; ++r) set(r, generator.value() | u64{generator.value()} << 32);
      set(2, lane_global(l));
      set(3, lane_local(l));
      for (u32 r = 0; r < 32; ++r) {
        lane.f[r] = generator.value() | (generator.below(2) != 0 ? 0xFFFFFFFFull : u64{generator.value()}) << 32;
        rig.core.write_register(0, l, 32 + r, lane.f[r]);
      }
      for (auto* memory : {&lane.global, &lane.local}) {
        for (u32 b = 0; b < kLaneBytes; ++b) memory->push_back(static_cast<std::uint8_t>(generator.value()));
        std::memcpy(memory == &lane.global ? rig.memory.at(lane_global(l), kLaneBytes) : &engine.lmem[l * kLaneBytes],
                    memory->data(), kLaneBytes);
      }
    }
    model.run(program);
    const u64 before = engine.count.thread_instructions;
    rig.run_to_idle();
    auto fail = [&](const std::string& what) {
      throw std::runtime_error(fmt::format("RV{}, {} lanes, dmi {}, seed {}, program {} ({} instructions): {}",
                                           shape.xlen, shape.threads, shape.dmi, seed, number, program.size(), what));
    };
    auto last_writer = [&](bool is_float, u32 r) {
      std::string text;
      for (const Instruction& i : program) {
        const bool fp = (i.kind->name[0] == 'f' && std::string(i.kind->name).find("int") == std::string::npos);
        if (i.rd == r && fp == is_float) text = fmt::format("{} {:#x}", i.kind->name, i.kind->encode(i));
      }
      return text;
    };
    if (rig.ctx.faults.valid())
      fail(fmt::format("fault {} at {:#x}", rig.ctx.faults.first().cause, rig.ctx.faults.first().pc));
    if (engine.count.thread_instructions - before != model.executed) fail("number of executed instructions");
    if (engine.divergent_branches != 0) fail("a divergent branch");
    executed += model.executed;
    if (warp.fflags != model.flags) fail(fmt::format("flags {:#x} not {:#x}", warp.fflags, model.flags));
    const u64 significant = shape.xlen == 64 ? ~u64{0} : 0xFFFFFFFF;
    for (unsigned l = 0; l < shape.threads; ++l) {
      const reference::Lane& lane = model.lanes[l];
      for (u32 r = 0; r < 64; ++r) {
        const u64 want = (r < 32 ? lane.x[r] : lane.f[r - 32]) & significant, is = rig.core.read_register(0, l, r);
        if (is != want)
          fail(fmt::format("{}{} of lane {} is {:#x} not {:#x}; last written by {}", r < 32 ? "x" : "f", r % 32, l, is,
                           want, last_writer(r >= 32, r % 32)));
      }
      if (std::memcmp(lane.global.data(), rig.memory.at(lane_global(l), kLaneBytes), kLaneBytes) != 0 ||
          std::memcmp(lane.local.data(), &engine.lmem[l * kLaneBytes], kLaneBytes) != 0)
        fail(fmt::format("memory of lane {}", l));
    }
  }
  return executed;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(core_random)

BOOST_AUTO_TEST_CASE(random_programs_equal_the_reference_warp) {
  const char* more = std::getenv("GYRE_TORTURE");
  const unsigned factor = more != nullptr ? 20 : 1;
  for (unsigned xlen : {32u, 64u}) {
    u64 executed = 0;
    for (unsigned threads : {1u, 2u, 4u, 8u, 16u, 32u})
      for (const auto& [dmi, baseline] : {std::pair(true, false), std::pair(true, true), std::pair(false, false)}) {
        const Shape shape{xlen, threads, dmi, baseline};
        const unsigned count = factor * (threads < 8 ? 40 : 60);
        const std::string result = run_forked(
            [&] { return std::to_string(run_programs(shape, xlen + threads + 100 * dmi + 200 * baseline, count)); });
        executed += std::stoull(result);
      }
    BOOST_TEST_MESSAGE("RV" << xlen << ": " << executed << " lane instructions");
    BOOST_TEST(executed >= 1'000'000u);
  }
}

BOOST_AUTO_TEST_SUITE_END()
