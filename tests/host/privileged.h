// A hart with page tables and single instructions to try, for the tests of what privileged software relies on.
#pragma once

#include "asm.h"
#include "flat_bus.h"
#include "hart_debug.h"

namespace gyre::test {

enum class Try { kFetch, kLoad, kStore };
constexpr std::uint64_t kV = 1, kR = 2, kW = 4, kX = 8, kU = 16, kG = 32, kA = 64, kD = 128;  // of a page table entry

// What came of an instruction: cause 0 is none; then the handler did not run.
struct Outcome {
  std::uint64_t cause = 0, value = 0, pc = 0;
  host::Privilege handler = host::Privilege::kMachine;
};

struct PrivilegedMachine {
  static constexpr std::uint64_t kBase = FlatBus::kBase, kRoot = kBase + 0x10000, kHandler = kBase + 0x800;
  static constexpr std::uint64_t kCode = kBase + 0x1000;  // the instruction to try
  static constexpr std::uint32_t kLd = 0x0002B303, kSd = 0x0062B023, kNop = 0x00000013;  // ld t1, 0(t0); sd t1, 0(t0)

  FlatBus bus{4 << 20};
  host::Hart hart{bus};
  host::HartDebug debug{hart};
  std::uint64_t next_table = kRoot + 0x1000;

  PrivilegedMachine() {
    hart.reset(kBase);
    csr(0x305, kHandler);
    csr(0x105, kHandler + 0x400);
  }
  // Physical memory protection lets every mode use all of memory, as firmware arranges it.
  void open() {
    csr(0x3B0, ~0ull);
    csr(0x3A0, 0x1F);
  }
  void csr(unsigned number, std::uint64_t value) { debug.write_csr(number, value); }
  std::uint64_t csr(unsigned number) {
    std::uint64_t value = 0;
    debug.read_csr(number, value);
    return value;
  }
  std::uint64_t word(std::uint64_t physical) {
    std::uint64_t value = 0;
    bus.debug(physical, &value, 8, false);
    return value;
  }
  void word(std::uint64_t physical, std::uint64_t value) { bus.debug(physical, &value, 8, true); }
  void instruction(std::uint64_t physical, std::uint32_t bits) { bus.debug(physical, &bits, 4, true); }

  // Where the entry of `level` (2..0) for a virtual address lies; tables on the way are made.
  std::uint64_t entry_at(std::uint64_t address, int level) {
    std::uint64_t table = kRoot;
    for (int at = 2; at > level; --at) {
      const std::uint64_t slot = table + (address >> (12 + 9 * at) & 511) * 8;
      if ((word(slot) & kV) == 0) {
        word(slot, next_table >> 12 << 10 | kV);
        next_table += 0x1000;
      }
      table = word(slot) >> 10 << 12;
    }
    return table + (address >> (12 + 9 * level) & 511) * 8;
  }
  void map(std::uint64_t address, std::uint64_t physical, std::uint64_t bits, int level = 0) {
    word(entry_at(address, level), physical >> 12 << 10 | bits);
  }
  void paging() { csr(0x180, 8ull << 60 | kRoot >> 12); }

  // One access in a mode. Loads and stores are 8 bytes by an instruction at kCode, which has to be mapped there.
  Outcome attempt(Try kind, std::uint64_t address, host::Privilege privilege, std::uint32_t instruction_bits = 0) {
    if (kind != Try::kFetch) {
      instruction(kCode, instruction_bits != 0 ? instruction_bits : kind == Try::kLoad ? kLd : kSd);
      hart.invalidate_code();
    }
    hart.set_reg(t0, address);
    hart.set_pc(kind == Try::kFetch ? address : kCode);
    debug.set_privilege(privilege);
    debug.step();
    return outcome();
  }
  Outcome outcome() {
    Outcome result;
    result.pc = hart.pc();
    result.handler = hart.privilege();
    const bool machine = (hart.pc() & ~0x3FFull) == kHandler, supervisor = (hart.pc() & ~0x3FFull) == kHandler + 0x400;
    if (machine) { result.cause = csr(0x342); result.value = csr(0x343); }
    if (supervisor) { result.cause = csr(0x142); result.value = csr(0x143); }
    return result;
  }
};

}  // namespace gyre::test
