// RV64 cores: device addresses keep 32 bits, registers and CSRs have 64. Instructions are compared in
// random_warp_test.cpp.
#include "rig.h"

using namespace gyre;
using namespace gyre::test;

namespace {

u32 ld(u32 rd, u32 a, int imm) { return enc::i(0x03, 3, rd, a, imm); }
u32 sd(u32 b, u32 a, int imm) { return enc::s(0x23, 3, a, b, imm); }

void wide(MachineConfig& m) {
  m.gpu.core.xlen = 64;
  m.gpu.core.isa_a = true;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(core_wide)

BOOST_AUTO_TEST_CASE(addresses_above_32_bits_fault) {
  struct Case {
    const char* name;
    unsigned cause;
    u32 value;
    void (*body)(Asm&);
  };
  // t0 = 0xFFFFFFFF80000000, t1 = 0x100010000; a0 = kData.
  static const Case cases[] = {
      {"lw", GYRE_FAULT_ACCESS, 0x80000000, [](Asm& k) { k.lw(t2, t0); }},
      {"lbu", GYRE_FAULT_ACCESS, 0x00010001, [](Asm& k) { k.word(enc::i(0x03, 4, t2, t1, 1)); }},
      {"sw", GYRE_FAULT_ACCESS, 0x80000000, [](Asm& k) { k.sw(t2, t0); }},
      {"ld", GYRE_FAULT_ACCESS, 0x00010008, [](Asm& k) { k.word(ld(t2, t1, 8)); }},
      {"sd", GYRE_FAULT_ACCESS, 0x80000000, [](Asm& k) { k.word(sd(t2, t0, 0)); }},
      {"fld", GYRE_FAULT_ACCESS, 0x80000000, [](Asm& k) { k.word(enc::i(0x07, 3, 1, t0, 0)); }},
      {"fsw", GYRE_FAULT_ACCESS, 0x80000000, [](Asm& k) { k.word(enc::s(0x27, 2, t0, 1, 0)); }},
      {"below 0", GYRE_FAULT_ACCESS, 0xFFFFFFFC, [](Asm& k) { k.lw(t2, zero, -4); }},
      {"amoadd.d", GYRE_FAULT_ACCESS, 0x00010000, [](Asm& k) { k.word(enc::r(0x2F, 3, 0, t2, t1, t2)); }},
      {"export", GYRE_FAULT_ACCESS, 0x00010000, [](Asm& k) { k.om_export(1, t1, t2, t3); }},
      {"jalr", GYRE_FAULT_ACCESS, 0x00010004, [](Asm& k) { k.word(enc::i(0x67, 0, ra, t1, 4)); }},
      {"vector", GYRE_FAULT_ACCESS, 0x80000000,
       [](Asm& k) {
         k.csrw(GYRE_CSR_MTVEC, t0);
         k.word(0x00000073);
       }},
      {"mret", GYRE_FAULT_ACCESS, 0x00010000,
       [](Asm& k) {
         k.csrw(GYRE_CSR_MEPC, t1);
         k.word(0x30200073);
       }},
      {"misaligned ld", GYRE_FAULT_MISALIGNED, kData + 4, [](Asm& k) { k.word(ld(t2, a0, 4)); }},
      {"misaligned amo", GYRE_FAULT_MISALIGNED, kData + 4,
       [](Asm& k) {
         k.addi(a0, a0, 4);
         k.word(enc::r(0x2F, 3, 0, t2, a0, t2));
       }},
      {"fld of nothing", GYRE_FAULT_ACCESS, 0x40000000,
       [](Asm& k) {
         k.li(t3, 0x40000000);
         k.word(enc::i(0x07, 3, 1, t3, 0));
       }},
  };
  for (const Case& c : cases)
    for (bool dmi : {true, false})
      run_forked([&] {
        RigConfig config;
        config.dmi = dmi;
        Rig rig(config, wide);
        Asm k(kKernel);
        k.li(t0, 0x80000000);
        k.addi(t1, zero, 1);
        k.slli(t1, t1, 32);
        k.add(t1, t1, a0);
        c.body(k);
        k.addi(t2, zero, 1);
        k.sw(t2, a0);
        k.ret();
        rig.program(k);
        rig.grid(1, 4);
        rig.run_to_idle();
        if (!rig.ctx.faults.valid()) throw std::runtime_error(fmt::format("{}: no fault", c.name));
        const kernel::Fault& f = rig.ctx.faults.first();
        if (f.cause != c.cause || f.value != c.value)
          throw std::runtime_error(fmt::format("{}: cause {} value {:#x}", c.name, f.cause, f.value));
        GYRE_CHECK_EQUAL(rig.memory.word(kData), 0u);
        return std::string();
      });
}

BOOST_AUTO_TEST_CASE(registers_have_64_bits) {
  run_forked([] {
    Rig rig({}, wide);
    Asm k(kKernel);
    int at = 0;
    auto keep = [&](u32 r) {
      k.word(sd(r, a0, at));
      at += 8;
    };
    k.addi(t0, zero, -1);
    k.csrw(GYRE_CSR_MSCRATCH, t0);
    k.csrr(t1, GYRE_CSR_MSCRATCH);
    keep(t1);  // all ones
    k.csrr(t1, GYRE_CSR_MISA);
    keep(t1);                // MXL 2; A D F I M U X
    k.word(0x17 | t2 << 7);  // auipc t2, 0
    const u32 here = k.here() - 4;
    keep(t2);
    const int next = k.label();
    k.jump(t3, next);
    k.bind(next);
    const u32 link = k.here();
    keep(t3);
    k.word(0xFFFFF000u | t4 << 7 | 0x37);  // lui t4, 0xFFFFF
    keep(t4);
    k.csrr(t5, GYRE_CSR_LOCAL_MEM_BASE);
    keep(t5);
    k.word(enc::i(0x07, 2, 1, a0, 0));        // flw f1: boxed
    k.word(enc::r(0x53, 0, 0x71, t6, 1, 0));  // fmv.x.d
    keep(t6);
    k.vote(3, t1, t0);  // ballot
    keep(t1);
    k.ret();
    rig.program(k);
    rig.grid(1, 4);
    rig.run_to_idle();
    GYRE_CHECK(!rig.ctx.faults.valid());
    const std::uint64_t expect[] = {
        ~0ull, 2ull << 62 | 0x901129u, here, link, 0xFFFFFFFFFFFFF000ull, GYRE_DEV_LMEM_BASE, ~0ull, 15};
    for (u32 i = 0; i < std::size(expect); ++i) {
      const std::uint64_t is = rig.memory.word(kData + 8 * i) | std::uint64_t{rig.memory.word(kData + 8 * i + 4)} << 32;
      if (is != expect[i]) throw std::runtime_error(fmt::format("value {} is {:#x}, not {:#x}", i, is, expect[i]));
    }
    return std::string();
  });
}

// A kernel image above 4 GiB is not started.
BOOST_AUTO_TEST_CASE(an_image_above_4_gib_faults) {
  run_forked([] {
    Rig rig({}, wide);
    Asm k(kKernel);
    k.ret();
    rig.program(k);
    rig.grid(2, 4);
    for (auto& launch : rig.launches) launch.message.pc |= 1ull << 32;
    rig.run_to_idle();
    GYRE_CHECK_EQUAL(rig.ctx.faults.count(), std::uint64_t{2});
    GYRE_CHECK_EQUAL(rig.ctx.faults.first().cause, unsigned{GYRE_FAULT_ACCESS});
    return std::string();
  });
}

BOOST_AUTO_TEST_SUITE_END()
