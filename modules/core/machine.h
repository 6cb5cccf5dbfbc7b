// State the instruction executors work on. Plain data only: this header is compiled for several instruction sets
// (exec_*.cpp), so it must not pull in inline functions that the linker could share between them.
#pragma once

#include <cstdint>

namespace gyre::core {

constexpr unsigned kMaxLanes = 32;
constexpr unsigned kMaxWarps = 32;
constexpr unsigned kFpRow = 32;  // register rows: x0..x31, f0..f31, and a sink for writes to x0
constexpr unsigned kSinkRow = 64;
constexpr unsigned kScratchRow = 65;  // three rows for operands that an instruction reads in another form
constexpr unsigned kRows = 68;
// RV64: row r holds the low words of a register, row r + kHighRow the high words. What only moves lanes or looks at the
// low words is the same code as on RV32 (exec_wide.cpp).
constexpr unsigned kHighRow = kRows;
using RegisterValue = std::uint64_t;  // of either width; on RV32 the upper half is ignored
constexpr unsigned kPipeOverhead = 5;  // issue + operands + dispatch + commit + release around the execute stage

constexpr std::uint64_t kPending = ~std::uint64_t{0} >> 1;  // the date of a register whose value is under way

struct Machine;
struct Warp;
struct Inst;
using Handler = void (*)(Machine&, Warp&, const Inst&);

enum Interval : std::uint8_t { kStraight, kBranch, kControl, kIntervals };
enum Unit : std::uint8_t { kUnitAlu, kUnitFpu, kUnitLsu, kUnitSfu, kUnits };
// What an instruction wants of the memory path (approximate style).
enum class Want : std::uint8_t { kNothing, kLoad, kStore, kExport, kTexture, kIdle, kDrain, kFence, kFenceI };

// A decoded instruction, as stored in the code pages. rd, rs1, rs2, rs3 are register rows.
struct Inst {
  Handler run = nullptr;  // null: this word has not been decoded yet
  std::int32_t imm = 0;
  std::uint8_t rd = kSinkRow;
  std::uint8_t rs1 = 0;
  std::uint8_t rs2 = 0;
  std::uint8_t rs3 = 0;
  std::uint32_t word = 0;
  std::uint16_t at_rd = 0, at_rs1 = 0, at_rs2 = 0, at_rs3 = 0;  // the rows, in bytes from Warp::reg
  std::uint16_t latency = 0;  // cycles from issue until rd may be read; 0: hidden by the fetch interval
  std::uint8_t rm = 0;        // floating-point rounding mode field
  Interval interval = kStraight;
  std::uint8_t op = 0;  // riscv::Op
  Unit unit = kUnitAlu;
  Want want = Want::kNothing;
  std::uint8_t length = 4;      // bytes
  mutable std::uint8_t window = 0;  // loads and stores: where the last one went
};

// Fills in where the rows lie. Call after any change of rd, rs1, rs2 or rs3.
[[gnu::always_inline]] inline void place_rows(Inst& inst, unsigned threads) {
  inst.at_rd = static_cast<std::uint16_t>(inst.rd * threads * 4);
  inst.at_rs1 = static_cast<std::uint16_t>(inst.rs1 * threads * 4);
  inst.at_rs2 = static_cast<std::uint16_t>(inst.rs2 * threads * 4);
  inst.at_rs3 = static_cast<std::uint16_t>(inst.rs3 * threads * 4);
}

// kMemory, approximate style: something of the memory system has to come or to make room first.
enum class WarpState : std::uint8_t { kInactive, kReady, kBarrier, kGuard, kAlone, kMemory };
enum class WarpKind : std::uint8_t { kPlain, kCompute, kFragment };

struct IpdomEntry {
  std::uint32_t original;
  std::uint32_t else_pc;
  bool visited;
};

// The CTA record the dispatcher writes (launch.md §7.3).
struct CtaRecord {
  std::uint32_t slot = 0, rank = 0, size = 0;
  std::uint32_t block_idx[3] = {0, 0, 0};
  std::uint32_t block_dim[3] = {0, 0, 0};
  std::uint32_t grid_dim[3] = {0, 0, 0};
  std::uint32_t lmem = 0, cluster_size = 0;
  std::uint64_t entry = 0;
};

struct Warp {
  std::uint32_t* reg = nullptr;        // [kRows][threads], RV64: [2 * kRows][threads]
  std::uint32_t* lane_mask = nullptr;  // [threads]: all ones for an active lane
  std::uint32_t pc = 0;
  std::uint32_t next_pc = 0;
  std::uint32_t mask = 0;       // tmask
  std::uint32_t full = 0;       // mask with every lane active
  std::uint32_t lanes = 0;      // number of active lanes
  std::uint32_t hal = 0;        // highest active lane
  std::uint64_t local = 0;      // GPU cycle at which the warp may issue next
  std::uint64_t issue = 0;      // cycle the current instruction issued
  std::uint64_t started = 0;    // cycle of its activation
  std::uint64_t max_ready = 0;  // largest pending entry of ready[]
  std::uint64_t ready[kRows] = {};
  // The date of the last load and of the last texel: equal to ready[] while that is what the register waits for.
  std::uint64_t loaded[kRows] = {}, sampled[kRows] = {};
  std::uint64_t memory_until = 0;  // the largest of them
  std::uint64_t stores_until = 0;  // loose: the last store has been accepted
  std::uint32_t id = 0;
  WarpState state = WarpState::kInactive;
  WarpKind kind = WarpKind::kPlain;
  std::uint8_t depth = 0;  // IPDOM entries in use
  std::uint8_t frm = 0;
  std::uint8_t fflags = 0;  // without what the host's MXCSR still holds
  IpdomEntry ipdom[kMaxLanes];
  RegisterValue mscratch = 0, mstatus = 0, mtvec = 0, mepc = 0, mcause = 0, mtval = 0;
  CtaRecord cta;
  std::uint32_t thread_id[3][kMaxLanes] = {};  // compute: CTA_THREAD_ID; fragment: [0] FRAG_POS, [1] FRAG_PID
  std::uint32_t exports[kMaxLanes] = {};       // exports issued by each lane (order guard)
  std::uint32_t full_quads = 0;                // fragment: quads present in the wave
  std::uint32_t older = 0;                     // warps this fragment warp may have to wait for at an export
  std::uint32_t barrier = 0;                   // index of the barrier it waits at
  bool global_barrier = false;                 // `barrier` is a number of the cluster

  // ---- approximate style
  std::uint32_t life = 0;             // counts activations: answers to a warp that is gone are nobody's
  std::uint32_t loads = 0, stores = 0;  // instructions under way
  std::uint32_t line = ~0u;           // block whose instructions have been asked for and have come
  std::uint8_t waits = 0;             // kMemory: for what (memory_requests.h)
  bool sync = false;                  // goes on when kernel time is there, not before
  std::uint64_t ticket = 0;           // its turn among those that wait for room; 0: it does not
  bool flushed = false;               // the flush its fence asked for is over
};

// A range of device memory that may be touched directly.
struct Window {
  std::uint32_t begin = 0;
  std::uint32_t size = 0;  // 0: unused. Never the whole 32-bit space
  std::uint8_t* memory = nullptr;
  std::uint32_t latency = 0;  // cycles from issue until a loaded register may be read
  bool write = false;
  // Who says when: false: `latency`. true: load_row_time and its like, for rows (lanes side by side or in one word) and
  // for lanes anywhere.
  bool timed_row = false, timed_lanes = false;
  std::uint64_t loads = 0, stores = 0;  // warp instructions served
};

constexpr unsigned kWindows = 4;

struct Machine {
  unsigned threads = 0;
  Window windows[kWindows];
  std::uint64_t* code_pages = nullptr;  // one bit a 4 KiB page: it has decoded instructions
  // Everything the fast paths do not handle. `address` has one entry a lane.
  void (*slow_load)(Machine&, Warp&, const Inst&, const std::uint32_t* address) = nullptr;
  void (*slow_store)(Machine&, Warp&, const Inst&, const std::uint32_t* address) = nullptr;
  void (*code_written)(Machine&, std::uint32_t address) = nullptr;
  // Dates of accesses to timed windows. A row has lane l at first + l * stride; `address` has one entry a lane.
  void (*load_row_time)(Machine&, Warp&, const Inst&, std::uint32_t first, unsigned stride) = nullptr;
  void (*store_row_time)(Machine&, Warp&, std::uint32_t first, unsigned stride) = nullptr;
  void (*load_lanes_time)(Machine&, Warp&, const Inst&, const std::uint32_t* address, unsigned bytes) = nullptr;
  void (*store_lanes_time)(Machine&, Warp&, const std::uint32_t* address, unsigned bytes) = nullptr;
  void (*illegal)(Machine&, Warp&, const Inst&) = nullptr;
  void (*divergent_branch)(Machine&, Warp&, const Inst&) = nullptr;
  std::uint32_t interval[kIntervals] = {};  // cycles between two instructions of one warp, contention included
  std::uint64_t loads = 0, stores = 0, branches = 0, divergent_branches = 0;
};

// What `inst` loads may be read from `when` on.
[[gnu::always_inline]] inline void set_ready(Warp& w, const Inst& inst, std::uint64_t when) {
  if (inst.rd >= kSinkRow) return;
  w.ready[inst.rd] = w.loaded[inst.rd] = when;
  if (when > w.memory_until) w.memory_until = when;
  if (when > w.max_ready) w.max_ready = when;
}

}  // namespace gyre::core
