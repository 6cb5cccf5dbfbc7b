// The host CPU's architecture, without SystemC: RV64GC (IMAFDC, Zicsr, Zifencei, Zicntr), machine, supervisor and user
// mode, Sv39, 16 PMP entries.
//
// Choices the architecture leaves open: A and D bits are set by hardware; no address-space identifiers; a store to
// decoded code is seen at once; misaligned accesses to memory work, atomics have to be aligned; mstatus.FS becomes
// dirty with the first floating-point instruction; performance counters beyond mcycle and minstret read 0.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "block_cache.h"

namespace gyre::host {

enum class Privilege : std::uint8_t { kUser = 0, kSupervisor = 1, kMachine = 3 };

// Kinds of access to memory.
enum class Reach : std::uint8_t { kFetch, kLoad, kStore };

// Why run() returned. The pc is that of the next instruction in every case.
enum class Stop {
  kLimit,   // the cycle limit is reached
  kCheck,   // something that may change interrupts happened: look at the lines again, then go on
  kWfi,     // WFI: nothing to do until an interrupt that is enabled in mie is pending
  kStuck,   // the trap handler itself cannot be fetched: no instruction can ever retire again
  kBreakpoint, kWatchpoint,  // before the instruction; see HartDebug
};

// A range of memory that may be accessed through a pointer: addresses [begin, end], inclusive.
struct Window {
  std::uint64_t begin = 1;
  std::uint64_t end = 0;
  std::uint8_t* host = nullptr;
  bool write = false;
  bool holds(std::uint64_t first, std::uint64_t last) const { return first >= begin && last <= end; }
};

class Hart;
class HartDebug;
class InsnListener;

// What a hart is connected to. Calls come from inside run(), with pc() and cycle() valid; time may pass in them:
// the callee then moves the cycle with set_cycle().
class HartBus {
 public:
  virtual ~HartBus() = default;
  // Memory window around `address` for reading or writing; false: device or nothing.
  virtual bool direct(std::uint64_t address, bool write, Window& window) = 0;
  // Naturally aligned access of 1, 2, 4 or 8 bytes to a device. False: access fault.
  virtual bool read(std::uint64_t address, unsigned bytes, std::uint64_t& value) = 0;
  virtual bool write(std::uint64_t address, unsigned bytes, std::uint64_t value) = 0;
  // Access to memory without time, for fetch and debuggers where there is no window. False: not memory.
  virtual bool debug(std::uint64_t address, void* data, std::uint64_t bytes, bool write) = 0;
  // The time CSR at cycle(), in ticks of the time base.
  virtual std::uint64_t time() = 0;
  // A semihosting call; arguments and result are in the hart's registers (a0, a1).
  virtual void semihost(Hart& hart) = 0;
};

class Hart {
 public:
  explicit Hart(HartBus& bus, std::uint64_t id = 0);

  void reset(std::uint64_t pc);
  // Executes until cycle() reaches `limit` (passed by less than one block) or something else stops it.
  Stop run(std::uint64_t limit);

  // Interrupt lines, bits as in mip. MSIP, MTIP and MEIP are driven from outside only; SEIP also by machine mode.
  void set_lines(std::uint64_t lines) {
    lines_ = lines;
    mip_ = lines_ | soft_mip_;
  }
  // Takes the highest interrupt that is pending and enabled, if any.
  bool take_interrupt();
  // True if WFI has to end: an interrupt is pending and enabled in mie, whatever mstatus says.
  bool wakes() const { return (mip_ & mie_) != 0; }
  bool enabled(unsigned cause) const { return ((mie_ >> cause) & 1) != 0; }

  // One instruction is one cycle. set_cycle lets time pass without instructions; it never goes back.
  std::uint64_t cycle() const { return cycle_; }
  void set_cycle(std::uint64_t cycle) {
    if (cycle > cycle_) {
      idle_ += cycle - cycle_;
      cycle_ = cycle;
    }
  }
  std::uint64_t retired() const { return cycle_ - idle_; }

  std::uint64_t pc() const { return pc_; }
  void set_pc(std::uint64_t pc) { pc_ = pc & ~std::uint64_t{1}; }
  std::uint64_t reg(unsigned index) const { return x_[index]; }
  void set_reg(unsigned index, std::uint64_t value) {
    if (index != 0) x_[index] = value;
  }
  std::uint64_t freg(unsigned index) const { return x_[kFpRegisters + index]; }
  void set_freg(unsigned index, std::uint64_t value) { x_[kFpRegisters + index] = value; }
  Privilege privilege() const { return privilege_; }
  // "mcause 5 (load access fault) at pc 0x80000010, mtval 0x0": the last trap taken, for messages.
  std::string describe_trap() const;

  // CSR access with the rights of the present privilege. False: illegal instruction.
  bool csr_read(unsigned number, std::uint64_t& value);
  bool csr_write(unsigned number, std::uint64_t value);

  // Guest memory for semihosting and debuggers: memory only, no devices. False: not all of it is memory.
  bool read_memory(std::uint64_t address, void* data, std::uint64_t bytes);
  bool write_memory(std::uint64_t address, const void* data, std::uint64_t bytes);

  // From now on `to` hears of instructions and traps (hart_trace.h); nullptr: nobody.
  void trace(InsnListener* to) {
    tracer_ = to;
    flush_pending_ = true;
  }

  // Memory changed behind the hart's back: decoded code, or where memory is, may be out of date.
  void invalidate_code() { flush_pending_ = true; }
  void invalidate_windows();

 private:
  friend class HartDebug;
  struct TlbEntry {
    // Page address, compared with the address's page bits and low alignment bits. Bit 11 is neither: never equal.
    std::uint64_t tag = 0x800;
    std::uint64_t addend = 0;  // host pointer = addend + address
  };
  static constexpr std::size_t kTlbEntries = 256;
  // Translations of one effective privilege (0 user, 1 supervisor, 2 the same with SUM, 3 machine).
  struct Tlb {
    std::array<TlbEntry, kTlbEntries> load{}, store{};
    bool used = true;  // may hold something
  };
  struct PmpRange {
    std::uint64_t begin = 1, end = 0;  // inclusive
  };
  static constexpr unsigned kPmpEntries = 16;
  static constexpr unsigned kOverBus = 64, kWatched = 65;  // no exceptions
  enum class Access { kDone, kDevice, kFault };

  TlbEntry& tlb_entry(std::array<TlbEntry, kTlbEntries>& tlb, std::uint64_t address) {
    return tlb[(address >> kPageBits) % kTlbEntries];
  }
  // hart_memory.cpp: what the fast paths of loads and stores do not handle.
  std::uint8_t* fill(std::uint64_t address, std::uint64_t physical, unsigned bytes, bool write);
  Access split(std::uint64_t address, unsigned bytes, void* data, bool write);
  Access load_slow(std::uint64_t address, unsigned code, std::uint64_t& value);
  Access store_slow(std::uint64_t address, unsigned code, std::uint64_t value);
  // At physical_, where the slow path came to.
  bool load_device(unsigned code, std::uint64_t& value);
  bool store_device(unsigned code, std::uint64_t value);
  // 0, the exception cause (trap_value_ is set), kOverBus or kWatched.
  unsigned atomic(Op op, const Slot& slot, bool over_bus = false);
  bool guest_access(std::uint64_t address, void* data, std::uint64_t bytes, bool write);
  void stored(std::uint64_t address, std::uint64_t bytes);

  // hart_run.cpp. Called with hart == nullptr it returns the table of handlers.
  static Stop execute(Hart* hart, std::uint64_t limit, const void* const** handlers);

  // hart_fp.cpp. False: illegal, because of its rounding mode.
  bool fp_operation(const Slot& slot);

  // hart_fetch.cpp
  bool fetch_half(std::uint64_t address, std::uint16_t& half);
  Block* find_or_build(std::uint64_t pc);
  Block* build(std::uint64_t pc, std::uint64_t physical);
  Block* single(std::uint64_t pc);  // for one step: not kept
  void drop_store_entries(std::uint64_t physical);
  std::uint32_t instruction_bits();  // at pc_

  // hart_debug.cpp
  bool watched(std::uint64_t address, unsigned bytes, bool write);

  // hart_mmu.cpp
  Privilege data_privilege() const;
  void update_mode();
  void forget_translations();
  bool translates(Privilege privilege) const;
  bool physical_access(std::uint64_t address, void* data, std::uint64_t bytes, bool write);
  unsigned translate(std::uint64_t address, Reach reach, Privilege privilege, std::uint64_t& physical);
  bool locate(std::uint64_t address, unsigned bytes, Reach reach, std::uint64_t& physical);
  void write_pmp_config(unsigned first, std::uint64_t value);
  void write_pmp_address(unsigned index, std::uint64_t value);
  void update_pmp();
  bool pmp_allows(std::uint64_t address, std::uint64_t bytes, Reach reach, Privilege privilege) const;
  bool pmp_uniform(std::uint64_t page) const;

  // hart_csr.cpp
  unsigned csr_access(const Slot& slot);
  bool csr_accessible(unsigned number) const;
  void write_mstatus(std::uint64_t value, std::uint64_t writable);
  void set_soft_interrupts(std::uint64_t bits) {
    soft_mip_ = bits;
    mip_ = lines_ | soft_mip_;
  }

  // hart_trap.cpp
  void trap(std::uint64_t cause, std::uint64_t value);
  int pending_interrupt() const;
  bool return_from_trap(Op op);
  unsigned system(Op op, const Slot& slot);  // 0, or the exception cause; trap_value_ is set
  bool semihost_sequence();

  HartBus& bus_;
  const void* const* handlers_ = nullptr;  // by Op

  std::array<std::uint64_t, kFpRegisters + 32> x_{};  // [32]: sink of writes to x0; kFpRegisters: f0
  std::uint64_t pc_ = 0;
  std::uint64_t cycle_ = 0;
  std::uint64_t idle_ = 0;  // cycles in which nothing retired
  std::array<Tlb, 4> tlbs_{};
  Tlb* tlb_ = &tlbs_[3];
  BlockCache blocks_;
  bool flush_pending_ = false;
  bool check_pending_ = false;  // leave run() after the present instruction
  bool stepping_ = false;       // blocks are single instructions, breakpoints are off
  HartDebug* debug_ = nullptr;  // nullptr while there are no points
  InsnListener* tracer_ = nullptr;

  Privilege privilege_ = Privilege::kMachine;
  std::uint64_t id_;
  std::uint64_t mstatus_ = 0, mie_ = 0, mip_ = 0, mtvec_ = 0, mscratch_ = 0, mepc_ = 0, mcause_ = 0, mtval_ = 0;
  unsigned fcsr_ = 0;
  std::uint64_t mcounteren_ = 0, menvcfg_ = 0;
  std::uint64_t mcycle_offset_ = 0, minstret_offset_ = 0;
  std::uint64_t medeleg_ = 0, mideleg_ = 0, stvec_ = 0, sscratch_ = 0, sepc_ = 0, scause_ = 0, stval_ = 0, satp_ = 0;
  std::uint64_t scounteren_ = 0, senvcfg_ = 0;
  std::uint64_t lines_ = 0, soft_mip_ = 0;  // what mip is made of
  std::array<std::uint8_t, kPmpEntries> pmp_config_{};
  std::array<std::uint64_t, kPmpEntries> pmp_address_{};
  std::array<PmpRange, kPmpEntries> pmp_ranges_{};
  std::uint64_t trap_value_ = 0;
  std::uint64_t physical_ = 0;  // of the access in the slow path
  unsigned fault_ = 0;          // its exception
  Window fetch_window_;
  bool reserved_ = false;
  std::uint64_t reserved_address_ = 0, reserved_value_ = 0;
};

}  // namespace gyre::host
