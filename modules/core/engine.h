// The SIMT core without its SystemC shell: warps, scheduling of bursts, control instructions, CSRs, load/store path.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "barrier.h"
#include "cluster_barrier_port.h"
#include "code_cache.h"
#include "context.h"
#include "lsu_timing.h"
#include "machine.h"
#include "mmu.h"
#include "memory_port.h"
#include "op.h"
#include "texture_port.h"

namespace gyre::riscv {
struct Isa;
}

namespace gyre::core {

// Called when a warp has retired; implemented by the CTA dispatcher.
class RetireListener {
 public:
  virtual void warp_retired(const Warp& warp, kernel::Cycle stamp) = 0;

 protected:
  ~RetireListener() = default;
};

class CoreDebug;
class InsnListener;
class MemoryRequests;

constexpr unsigned kLmemWindow = 0;  // index in Machine::windows

struct CoreCounters {
  std::uint64_t instructions = 0, thread_instructions = 0, warps = 0, fragments = 0, ctas = 0;
  std::uint64_t exports = 0, tex = 0, guard_stalls = 0, barriers = 0, busy_cycles = 0, operand_stalls = 0;
  std::uint64_t splits = 0, ipdom_imbalance = 0, faults = 0;
  std::uint64_t warp_cycles = 0;                                          // residency of warps that have retired
  std::uint64_t stalled = 0;                                              // warp-cycles in which a warp could not fetch
  std::uint64_t lsu_stalls = 0, slow_load_cycles = 0;                     // full store path; loads of the slow path
  std::uint64_t fetch_stalls = 0;                                         // cycles of icache misses
  std::uint64_t local_loads = 0, local_stores = 0;                        // local memory, slow path
  std::uint64_t load_waits = 0, texture_waits = 0;                        // of operand_stalls: on memory, on TEX
  std::uint64_t translation_waits = 0;                                    // warp-cycles: for pages of loads and stores
  std::uint64_t drain_waits = 0, sfu_stalls = 0;                          // warp-cycles: for own results; full SFU
  std::uint64_t barrier_waits = 0, guard_waits = 0, alone_waits = 0;      // warp-cycles
  std::uint64_t unit[kUnits] = {};
};

class Engine : public Machine, public kernel::BarrierMember {
 public:
  Engine(std::string name, kernel::Context& ctx, unsigned core_id, kernel::MemoryPort& memory);
  ~Engine();
  Engine(const Engine&) = delete;

  // ---- scheduling
  // The ready warp with the smallest local cycle (lowest id on ties), or nullptr.
  Warp* pick();
  unsigned ready_warps() const { return ready_warps_; }
  // Runs `warp` until it stalls, its local cycle reaches `limit`, or it has run for the time of a few dozen instructions.
  void run_burst(Warp& warp, kernel::Cycle limit);
  void set_state(Warp& warp, WarpState state);
  void set_mask(Warp& warp, std::uint32_t mask);
  // tmask became 0: the warp leaves the machine at its local cycle.
  void retire(Warp& warp);
  // Its life, on the timeline.
  void show(const Warp& warp);
  // Prepares an inactive warp; the caller has filled pc, CTA record and launch registers.
  void activate(Warp& warp, WarpKind kind, std::uint32_t mask, kernel::Cycle when);
  // Nobody has arrived anywhere: for a debugger that has ended all warps.
  void reset_barriers();
  // Fatal for the warp (isa.md §10). `told`: a lint has named it.
  void fault(Warp& warp, unsigned cause, std::uint32_t value, bool told = false);
  // Reads a fragment warp's predecessors at launch: who covers pixels of the same quads (launch.md §5.3).
  void find_older(Warp& warp);
  bool guard_blocks(const Warp& warp) const;
  void export_issued(Warp& warp);

  // ---- helpers of the control instructions
  std::uint32_t* row(Warp& w, unsigned r) const { return w.reg + r * threads; }
  std::uint32_t scalar(Warp& w, unsigned r) const { return w.reg[r * threads + w.hal]; }
  RegisterValue wide_scalar(Warp& w, unsigned r) const {
    return lane_value(w, r, w.hal);
  }
  RegisterValue lane_value(const Warp& w, unsigned r, unsigned lane) const {
    return (wide ? RegisterValue{w.reg[(r + kHighRow) * threads + lane]} << 32 : 0) | w.reg[r * threads + lane];
  }
  // On RV64 32-bit values are extended with zeros.
  void write_row(Warp& w, unsigned r, const std::uint32_t* values);
  void write_values(Warp& w, unsigned r, const RegisterValue* values);
  void write_uniform(Warp& w, unsigned r, std::uint32_t value);
  // ---- lints (lints.cpp). The instruction at w.pc is at fault; true if that has been reported, now or before.
  bool lint_branch(Warp& w, const Inst& inst);
  bool lint_depth(Warp& w, const char* what);
  bool lint_unaligned(Warp& w, std::uint32_t lanes, std::uint32_t address, unsigned bytes);
  bool lint_unmapped(Warp& w, std::uint32_t lanes, std::uint64_t address);
  bool lint_aperture(Warp& w, std::uint32_t lanes, std::uint32_t address);
  // The word at `address` was old.
  void lint_stale(Warp& w, std::uint32_t lanes, const memory::LineReader& lines, std::uint32_t address, const char* what);
  bool lint_fetch(Warp& w, std::uint32_t pc, bool unaligned);
  // FENCE.I: everything is fetched again.
  void refetch() {
    code.refresh();
    fetch_page_ = ~0u;
  }
  // The instruction at `pc`, which lies in pages that are decoded, without stop points.
  Inst instruction(std::uint32_t pc) const;
  // Stop points have changed: at `pc`, or everywhere.
  void decode_again(std::uint32_t pc);
  void decode_all_again();
  // From now on `to` hears of instructions; nullptr: nobody.
  void trace(InsnListener* to);
  // Takes the host's sticky floating-point flags over into the warp's fflags.
  static void fold_flags(Warp& w);
  static void clear_host_flags();
  // False if the number names nothing. One value a lane.
  bool csr_read(Warp& w, unsigned number, RegisterValue* values);
  void csr_write(Warp& w, unsigned number, RegisterValue value);
  // Counters of this core alone (isa.md §8): classes GYRE_MPM_CORE and, for local memory, GYRE_MPM_MEM.
  std::uint64_t mpm(unsigned cls, unsigned idx) const;
  // Where the time of issue port and warps went in a run of `run` cycles (core_activity.cpp).
  kernel::Activity issue_activity(kernel::Cycle run) const;
  kernel::Activity warp_activity(kernel::Cycle run) const;
  kernel::Utilisation::Details warp_waits(kernel::Cycle run) const;
  // Warp-cycles that follow from branches executed so far.
  void settle_branches();
  void wake(std::uint32_t warps, kernel::Cycle when);
  // The warp goes on when all its results are there.
  void wait_for_results(Warp& w);
  // And when its stores have been accepted.
  void wait_for_stores(Warp& w);
  // Warps may pass a barrier the last of them has come to at `latest`: not while loads or stores of the core are under way
  // (isa.md §6). Loose: of those that have been issued so far.
  kernel::Cycle barrier_opens(kernel::Cycle latest) const;
  // Arrival of `w` at barrier `number` of the cluster; `wait`: it stays there until the barrier opens.
  void arrive_global(Warp& w, unsigned number, std::uint32_t cores, bool wait);
  void barrier_opened(unsigned number, kernel::Cycle stamp) override;
  // Somebody outside changed what the core waits for.
  void notify_wake() {
    ++wakes;
    wake_event.notify(sc_core::SC_ZERO_TIME);
  }

  // ---- RV64
  // The executor on the low words for operations whose low words are those of RV32 (narrow_op).
  Handler narrow(unsigned op) const { return narrow_[op]; }
  void fill_row(Warp& w, unsigned r, std::uint32_t value);
  // Addresses above 32 bits fault: rs + offset of the active lanes, or one of the warp.
  bool in_reach(Warp& w, unsigned r, std::int32_t offset);
  bool in_reach(Warp& w, RegisterValue address);

  // ---- memory
  // Dates of fetches, loads and stores from caches; null: every access hits. Before anything runs.
  // `shared_icache`: other cores fetch there too.
  void set_caches(memory::Cache* instructions, bool shared_icache, memory::Cache* data);
  // The approximate style instead.
  void set_requests(std::unique_ptr<MemoryRequests> path);
  // Loads and stores have dates of their own: one of the two.
  bool timed() const;
  void refresh_windows();
  void load_lanes(Warp& w, const Inst& inst, const std::uint32_t* address);
  void store_lanes(Warp& w, const Inst& inst, const std::uint32_t* address);
  void export_lanes(Warp& w, const Inst& inst);
  bool sample(Warp& w, const Inst& inst);
  void atomic_lanes(Warp& w, const Inst& inst);
  void pack_lanes(Warp& w, const Inst& inst);

  std::string describe_wait() const;
  // Approximate style: where the running burst fetches the instruction at `pc`.
  std::uint32_t physical_pc(std::uint32_t pc) const { return pc + fetch_offset_; }

  const std::string name;
  kernel::Context& ctx;
  const CoreConfig& config;
  const unsigned core_id;
  const unsigned total_cores;
  kernel::MemoryPort& memory;
  kernel::TexturePort* texture = nullptr;
  RetireListener* listener = nullptr;
  CoreDebug* debug = nullptr;  // null: no debugger
  kernel::ClusterBarrierPort* cluster = nullptr;  // null: the core is a cluster of its own
  CodeCache code;
  LsuTiming lsu;
  memory::Cache* icache = nullptr;
  std::unique_ptr<MemoryRequests> requests;  // null: loose
  memory::LineWatch* lines = nullptr;  // stale-line lint; null: off
  kernel::PlaceCalendar tex_queue;  // texture requests under way; counts with caches only
  const bool wide;  // XLEN 64
  std::vector<Warp> warps;
  std::vector<Barrier> barriers;
  std::vector<GlobalBarrier> global_barriers;
  std::vector<std::uint8_t> lmem;
  std::uint32_t active_mask = 0;
  RegisterValue satp = 0;
  std::unique_ptr<Mmu> mmu;  // null: gpu.vm is off
  bool translating = false;  // satp is on
  unsigned mpm_class = 0;  // class of kernel CSR reads (isa.md §8)
  kernel::BusyTree::Node busy_node = 0;
  CoreCounters count;
  sc_core::sc_event wake_event{"wake"};
  std::uint64_t wakes = 0;

 private:
  // `what` makes the text, when it is needed.
  template <class F>
  bool lint(kernel::Lint kind, Warp& w, std::uint32_t lanes, F what);
  template <bool kCompressed, bool kApproximate>
  void burst(Warp& warp, kernel::Cycle limit);
  // The instruction at `pc`, decoded; nullptr after a fault.
  template <bool kCompressed>
  Inst* find(Warp& w, std::uint32_t pc);
  // Fills the slot of `pc`. Returns where the instruction is kept: `slot`, or elsewhere if it may lie in two pages.
  Inst* decode(Warp& w, std::uint32_t pc, Inst* slot);
  void set_stop_point(std::uint32_t pc, Inst& inst);
  void set_break(std::uint32_t pc, Inst& inst) const;
  static void traced(Machine& machine, Warp& warp, const Inst& inst);
  void check_global(unsigned number);
  // A store of this core to a page that has code or reservations.
  void stored(std::uint32_t address);
  std::uint64_t reservation_key(std::uint32_t address) const;
  template <class U>
  bool atomic_lane(riscv::Op op, std::uint32_t address, std::uint32_t hart, U operand, U& result, kernel::Cycle& when);
  unsigned atomic_latency() const;
  kernel::Cycle wait_operands(const Warp& w, const Inst& inst, kernel::Cycle t);
  // Checks the addresses of the active lanes in order; the first bad one is the warp's fault (false).
  bool check_lanes(Warp& w, const std::uint32_t* address, unsigned bytes, bool write);
  // The access of the lanes in the block of `bad` has found no memory.
  void unmapped(Warp& w, const std::uint32_t* address, std::uint32_t bad);
  bool read_blocks(const Warp& w, const std::uint32_t* address, unsigned bytes, RegisterValue* values,
                   kernel::Cycle& when, std::uint32_t& bad);
  bool write_blocks(const Warp& w, const std::uint32_t* address, unsigned bytes, const RegisterValue* values,
                    kernel::Cycle& when, std::uint32_t& bad);
  bool write_word(std::uint32_t address, std::uint32_t value, kernel::Cycle& when);
  void posted(Warp& w, kernel::Cycle accepted);
  // The part of a warp's addresses in local memory, IO region and cached memory.
  struct LaneKinds {
    std::uint32_t local = 0, io = 0, cached = 0;
  };
  LaneKinds kinds(std::uint32_t mask, const std::uint32_t* address) const;
  // Who says when rows and gathers are done: dates of the caches, or requests that travel (approximate style).
  void set_row_times();
  void set_row_dates();
  void set_row_requests();
  void load_row(Warp& w, const Inst& inst, std::uint32_t first, unsigned stride);
  void local_row(Warp& w, const Inst& inst, std::uint32_t first, unsigned stride);
  void local_lanes(Warp& w, const Inst& inst, const std::uint32_t* address);
  // Accesses the fast paths do not serve, when timed(). The cycle known so far at which the result may be read;
  // `delay`: cycles after the issue. Approximate: of the load that has been begun.
  kernel::Cycle timed_load(Warp& w, const std::uint32_t* address, unsigned bytes, kernel::Cycle delay = 0);
  // The cycle the last word was accepted, as far as that is known.
  kernel::Cycle timed_store(Warp& w, const std::uint32_t* address, unsigned bytes);
  void begin_load(Warp& w, const Inst& inst);
  void end_load(Warp& w, const Inst& inst, kernel::Cycle ready);
  // The load waited for its turn in the pool, and the warp with it.
  void wait_for_pool(Warp& w);
  // Fetch of the instructions from fetched_from_ up to `end`, which have run or are about to; the warp pays for misses now.
  [[gnu::always_inline]] void charge_fetch(Warp& w, std::uint32_t end) {
    const std::uint32_t begin = fetched_from_;
    if (end <= begin) return;
    fetched_from_ = end;
    // Lines that are known to be there, in one page: the common case. (A straight line that began in the page it is in has
    // not left it; with compressed instructions nothing is known.)
    if (fetch_offset_ == 0 && begin >> 12 == fetch_page_ &&
        fetched_->cached_version == icache->version() && fetched_since_ >= icache->settled() &&
        (~fetched_->cached_lines & lines_of_page(begin, end)) == 0) {
      icache->fetched((end - begin) / 4);
      if (icache->may_be_old()) watch_fetch(w, begin, end);
    } else {
      fetch_lines(w, begin + fetch_offset_, end + fetch_offset_);
    }
  }
  // Fetches of the running burst reach the cache's counters: up to the current instruction, which reads them.
  void settle_fetches(Warp& w);
  void settle_requests(Warp& w);
  // Of physical addresses.
  void fetch_lines(Warp& w, std::uint32_t begin, std::uint32_t end);
  void note_cached(std::uint32_t begin, std::uint32_t end);
  // Bits of the 64-byte lines of [begin, end), which lies in one page.
  static std::uint64_t lines_of_page(std::uint32_t begin, std::uint32_t end) {
    return (~std::uint64_t{0} << (begin >> 6 & 63)) & (~std::uint64_t{0} >> (63 - ((end - 1) >> 6 & 63)));
  }
  // ---- virtual memory (virtual_memory.cpp); with mmu only
  void write_satp(Warp& w, RegisterValue value);
  // Fills `physical` (which may be `address`) for the active lanes and returns it; null after a page fault: the warp has
  // ended.
  const std::uint32_t* translate_lanes(Warp& w, const std::uint32_t* address, std::uint32_t* physical);
  // False: the same.
  bool translate_fetch(Warp& w, std::uint32_t pc, std::uint32_t* physical);
  bool enter_page(Warp& w);
  void page_fault(Warp& w, std::uint32_t address);
  // Stale-line lint (stale_lines.cpp), of accesses that have got their dates, approximate: whose requests are on their way:
  // a row as in LsuTiming, lanes anywhere, and the instructions from `begin` up to `end`.
  void watch_caches(const memory::LineReader& data, const memory::LineReader& code);
  void watch_row(Warp& w, std::uint32_t first, unsigned stride, bool store);
  void watch_lanes(Warp& w, const std::uint32_t* address, std::uint32_t mask, unsigned bytes, bool store);
  void watch_fetch(Warp& w, std::uint32_t begin, std::uint32_t end);
  // Approximate: the instruction at `pc`. True: its line has something old, so that the next one has to be looked at too.
  bool watch_fetch(Warp& w, std::uint32_t pc);
  void found_old(Warp& w, const std::uint32_t* address, std::uint32_t mask, unsigned bytes, std::uint32_t block,
                 std::uint16_t old);
  // Slow-path loads and stores: what the counters want to know.
  void count_access(const Warp& w, const std::uint32_t* address, kernel::Cycle cycles, bool load, bool store);
  std::uint64_t busy_cycles() const;
  std::uint64_t resident_cycles(kernel::Cycle run) const;
  void count_wait(const Warp& w, const Inst& inst, kernel::Cycle ready, kernel::Cycle waited);
  void note_written(std::uint32_t address) {
    if (((code_pages[address >> 18] >> ((address >> 12) & 63)) & 1) != 0) stored(address);
  }

  std::vector<kernel::Timeline::Row> rows_;  // one a warp; empty until something is shown
  InsnListener* tracer_ = nullptr;  // core_trace.h
  std::vector<std::uint32_t> registers_, lane_masks_;
  unsigned ready_warps_ = 0;
  std::uint32_t fetch_page_ = ~0u;  // page the running burst fetches from; its number, ~0: not known
  CodePage* fetched_ = nullptr;
  Inst nowhere_;  // never decoded: stands where the next instruction has to be looked for
  std::array<Handler, riscv::kOpCount> narrow_{};
  Inst straddling_;                 // the last instruction decoded at the end of a page
  std::uint32_t straddling_pc_ = ~0u;
  unsigned atomic_latency_ = 0;
  std::uint64_t settled_branches_ = 0;
  std::uint64_t memory_epoch_ = ~std::uint64_t{0};
  kernel::Cycle busy_since_ = 0, busy_until_ = 0;
  bool shared_icache_ = false;
  memory::LineReader data_lines_, code_lines_;
  std::uint32_t fetch_offset_ = 0;        // of physical addresses, in the page the burst fetches from
  std::uint32_t translated_page_ = ~0u;   // approximate: that page
  std::uint32_t fetched_from_ = 0;        // icache: where the straight line the burst runs began, and when
  kernel::Cycle fetched_since_ = 0;
  std::uint64_t settled_instructions_ = 0;  // approximate: count.instructions whose fetches have been counted
};

// What a core of this configuration decodes.
riscv::Isa isa_of(const CoreConfig& config);
// Builds the executable form of a 32-bit word for warps of `threads` lanes.
Inst make_inst(std::uint32_t word, unsigned threads, const CoreConfig& config);
// Executors of the operations that are not lane-parallel (control.cpp).
Handler control_handler(unsigned op);
// RV64: executors of the lane-parallel operations, for any number of lanes; null for others (exec_wide.cpp).
Handler wide_handler(riscv::Op op);
// The RV32 operation that does the low words of an RV64 one; kIllegal if there is none.
riscv::Op narrow_op(riscv::Op op);

}  // namespace gyre::core
