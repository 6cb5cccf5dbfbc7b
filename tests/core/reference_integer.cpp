// Integers, memory and control of the reference warp.
#include <algorithm>
#include <cstring>

#include "assembler.h"
#include "reference_warp.h"

namespace gyre::test::reference {
namespace {

using s128 = __int128;
using u128 = unsigned __int128;

u64 sign32(u64 v) { return static_cast<u64>(s64{static_cast<s32>(v)}); }
u64 zero32(u64 v) { return static_cast<u32>(v); }

// Two-operand arithmetic on words of `bits`: `a` and `b` sign-extended, `ua` and `ub` zero-extended.
using Binary = u64 (*)(s128 a, s128 b, u128 ua, u128 ub, unsigned bits);
struct Arithmetic {
  const char* name;
  u32 funct3, funct7;
  Binary f;
};
s128 smallest(unsigned bits) { return -(s128{1} << (bits - 1)); }
const Arithmetic kArithmetic[] = {
    {"add", 0, 0x00, [](s128 a, s128 b, u128, u128, unsigned) { return static_cast<u64>(a + b); }},
    {"sub", 0, 0x20, [](s128 a, s128 b, u128, u128, unsigned) { return static_cast<u64>(a - b); }},
    {"sll", 1, 0x00, [](s128, s128, u128 a, u128 b, unsigned n) { return static_cast<u64>(a << (b % n)); }},
    {"slt", 2, 0x00, [](s128 a, s128 b, u128, u128, unsigned) { return u64{a < b}; }},
    {"sltu", 3, 0x00, [](s128, s128, u128 a, u128 b, unsigned) { return u64{a < b}; }},
    {"xor", 4, 0x00, [](s128, s128, u128 a, u128 b, unsigned) { return static_cast<u64>(a ^ b); }},
    {"srl", 5, 0x00, [](s128, s128, u128 a, u128 b, unsigned n) { return static_cast<u64>(a >> (b % n)); }},
    {"sra", 5, 0x20, [](s128 a, s128, u128, u128 b, unsigned n) { return static_cast<u64>(a >> (b % n)); }},
    {"or", 6, 0x00, [](s128, s128, u128 a, u128 b, unsigned) { return static_cast<u64>(a | b); }},
    {"and", 7, 0x00, [](s128, s128, u128 a, u128 b, unsigned) { return static_cast<u64>(a & b); }},
    {"mul", 0, 0x01, [](s128 a, s128 b, u128, u128, unsigned) { return static_cast<u64>(a * b); }},
    {"mulh", 1, 0x01, [](s128 a, s128 b, u128, u128, unsigned n) { return static_cast<u64>(a * b >> n); }},
    {"mulhsu", 2, 0x01,
     [](s128 a, s128, u128, u128 b, unsigned n) { return static_cast<u64>(a * static_cast<s128>(b) >> n); }},
    {"mulhu", 3, 0x01, [](s128, s128, u128 a, u128 b, unsigned n) { return static_cast<u64>(a * b >> n); }},
    {"div", 4, 0x01,
     [](s128 a, s128 b, u128, u128, unsigned n) {
       return b == 0 ? ~u64{0} : b == -1 && a == smallest(n) ? static_cast<u64>(a) : static_cast<u64>(a / b);
     }},
    {"divu", 5, 0x01, [](s128, s128, u128 a, u128 b, unsigned) { return b == 0 ? ~u64{0} : static_cast<u64>(a / b); }},
    {"rem", 6, 0x01,
     [](s128 a, s128 b, u128, u128, unsigned) {
       return static_cast<u64>(b == 0 ? a : b == -1 ? 0 : a % b);
     }},
    {"remu", 7, 0x01, [](s128, s128, u128 a, u128 b, unsigned) { return static_cast<u64>(b == 0 ? a : a % b); }},
    {"czero.eqz", 5, 0x07, [](s128 a, s128 b, u128, u128, unsigned) { return b == 0 ? 0 : static_cast<u64>(a); }},
    {"czero.nez", 7, 0x07, [](s128 a, s128 b, u128, u128, unsigned) { return b != 0 ? 0 : static_cast<u64>(a); }},
};

u64 apply(Binary f, u64 a, u64 b, unsigned bits) {
  if (bits == 64) return f(static_cast<s64>(a), static_cast<s64>(b), a, b, 64);
  return sign32(f(static_cast<s64>(sign32(a)), static_cast<s64>(sign32(b)), zero32(a), zero32(b), 32));
}

bool immediate(const Arithmetic& a) { return a.funct7 == 0 || (a.funct7 == 0x20 && a.funct3 == 5); }
bool has_word_form(const Arithmetic& a) {
  const bool shift = a.funct3 == 1 || a.funct3 == 5;
  return (a.funct7 == 0 && (a.funct3 == 0 || shift)) || (a.funct7 == 0x20) ||
         (a.funct7 == 1 && (a.funct3 == 0 || a.funct3 >= 4));
}

void add_arithmetic(std::vector<Kind>& kinds, const Arithmetic& a, unsigned bits, unsigned xlen) {
  const u32 opcode = bits == xlen ? 0x33 : 0x3B;
  const Binary f = a.f;
  kinds.push_back({a.name, [=](const Instruction& i) { return enc::r(opcode, a.funct3, a.funct7, i.rd, i.rs1, i.rs2); },
                   [=](Warp& w, unsigned l, const Instruction& i) {
                     w.write(l, i.rd, apply(f, w.lanes[l].x[i.rs1], w.lanes[l].x[i.rs2], bits));
                   },
                   nullptr});
  if (!immediate(a) || (bits != xlen && a.funct3 != 0 && a.funct3 != 1 && a.funct3 != 5)) return;
  const bool shift = a.funct3 == 1 || a.funct3 == 5;
  const u32 mask = bits - 1;
  kinds.push_back({a.name,
                   [=](const Instruction& i) {
                     const int imm =
                         shift ? static_cast<int>((static_cast<u32>(i.imm) & mask) | (a.funct7 << 5)) : i.imm;
                     return enc::i(opcode - 0x20, a.funct3, i.rd, i.rs1, imm);
                   },
                   [=](Warp& w, unsigned l, const Instruction& i) {
                     const u64 b = shift ? static_cast<u32>(i.imm) & mask : static_cast<u64>(s64{i.imm});
                     w.write(l, i.rd, apply(f, w.lanes[l].x[i.rs1], b, bits));
                   },
                   nullptr});
}

struct Access {
  const char* name;
  u32 funct3;
  unsigned bytes;
  bool is_signed, wide;
};
const Access kLoads[] = {{"lb", 0, 1, true, false}, {"lh", 1, 2, true, false},   {"lw", 2, 4, true, false},
                         {"ld", 3, 8, true, true},  {"lbu", 4, 1, false, false}, {"lhu", 5, 2, false, false},
                         {"lwu", 6, 4, false, true}};

// Base register x2 points to the lane's bytes in device memory, x3 to those in local memory; imm is aligned by the
// mask.
std::uint8_t* place(Warp& w, unsigned l, const Instruction& i, unsigned bytes) {
  auto& memory = i.rs1 == 2 ? w.lanes[l].global : w.lanes[l].local;
  return &memory[static_cast<u32>(i.imm) & ~(bytes - 1)];
}
int offset(const Instruction& i, unsigned bytes) { return static_cast<int>(static_cast<u32>(i.imm) & ~(bytes - 1)); }

}  // namespace

std::vector<Kind> integer_kinds(unsigned xlen) {
  std::vector<Kind> kinds;
  for (const Arithmetic& a : kArithmetic) {
    add_arithmetic(kinds, a, xlen, xlen);
    if (xlen == 64 && has_word_form(a)) add_arithmetic(kinds, a, 32, xlen);
  }
  kinds.push_back(
      {"lui", [](const Instruction& i) { return (static_cast<u32>(i.imm) << 12) | i.rd << 7 | 0x37; },
       [](Warp& w, unsigned l, const Instruction& i) { w.write(l, i.rd, sign32(static_cast<u32>(i.imm) << 12)); },
       nullptr});
  return kinds;
}

std::vector<Kind> memory_kinds(unsigned xlen) {
  std::vector<Kind> kinds;
  for (const Access& a : kLoads) {
    if (a.wide && xlen == 32) continue;
    kinds.push_back({a.name,
                     [=](const Instruction& i) { return enc::i(0x03, a.funct3, i.rd, i.rs1, offset(i, a.bytes)); },
                     [=](Warp& w, unsigned l, const Instruction& i) {
                       u64 v = 0;
                       std::memcpy(&v, place(w, l, i, a.bytes), a.bytes);
                       const unsigned unused = 64 - 8 * a.bytes;
                       w.write(l, i.rd, a.is_signed ? static_cast<u64>(static_cast<s64>(v << unused) >> unused) : v);
                     },
                     nullptr});
  }
  for (u32 log = 0; log < (xlen == 64 ? 4u : 3u); ++log) {
    const unsigned bytes = 1u << log;
    kinds.push_back({"store", [=](const Instruction& i) { return enc::s(0x23, log, i.rs1, i.rs2, offset(i, bytes)); },
                     [=](Warp& w, unsigned l, const Instruction& i) {
                       std::memcpy(place(w, l, i, bytes), &w.lanes[l].x[i.rs2], bytes);
                     },
                     nullptr});
  }
  for (const bool is_double : {false, true}) {
    if (is_double && xlen == 32) continue;
    const unsigned bytes = is_double ? 8 : 4;
    const u32 funct3 = is_double ? 3 : 2;
    kinds.push_back({"fload", [=](const Instruction& i) { return enc::i(0x07, funct3, i.rd, i.rs1, offset(i, bytes)); },
                     [=](Warp& w, unsigned l, const Instruction& i) {
                       u64 v = ~u64{0};
                       std::memcpy(&v, place(w, l, i, bytes), bytes);
                       w.lanes[l].f[i.rd] = v;
                     },
                     nullptr});
    kinds.push_back({"fstore",
                     [=](const Instruction& i) { return enc::s(0x27, funct3, i.rs1, i.rs2, offset(i, bytes)); },
                     [=](Warp& w, unsigned l, const Instruction& i) {
                       std::memcpy(place(w, l, i, bytes), &w.lanes[l].f[i.rs2], bytes);
                     },
                     nullptr});
  }
  // Atomics at x2 and x3 themselves. The lanes' words are their own.
  struct Atomic {
    u32 funct5;
    u64 (*f)(s64 a, s64 b, u64 ua, u64 ub);
  };
  static const Atomic atomics[] = {{0x01, [](s64, s64, u64, u64 b) { return b; }},
                                   {0x00, [](s64, s64, u64 a, u64 b) { return a + b; }},
                                   {0x04, [](s64, s64, u64 a, u64 b) { return a ^ b; }},
                                   {0x0C, [](s64, s64, u64 a, u64 b) { return a & b; }},
                                   {0x08, [](s64, s64, u64 a, u64 b) { return a | b; }},
                                   {0x10, [](s64 a, s64 b, u64, u64) { return static_cast<u64>(std::min(a, b)); }},
                                   {0x14, [](s64 a, s64 b, u64, u64) { return static_cast<u64>(std::max(a, b)); }},
                                   {0x18, [](s64, s64, u64 a, u64 b) { return std::min(a, b); }},
                                   {0x1C, [](s64, s64, u64 a, u64 b) { return std::max(a, b); }}};
  for (const Atomic& a : atomics)
    for (const unsigned bytes : {4u, 8u}) {
      if (bytes == 8 && xlen == 32) continue;
      kinds.push_back({"amo",
                       [=](const Instruction& i) {
                         return enc::r(0x2F, bytes == 8 ? 3 : 2, a.funct5 << 2 | i.rm % 4, i.rd, i.rs1, i.rs2);
                       },
                       [=](Warp& w, unsigned l, const Instruction& i) {
                         std::uint8_t* at = (i.rs1 == 2 ? w.lanes[l].global : w.lanes[l].local).data();
                         u64 old = 0, value = w.lanes[l].x[i.rs2];
                         std::memcpy(&old, at, bytes);
                         const u64 fresh = bytes == 8
                                               ? a.f(static_cast<s64>(old), static_cast<s64>(value), old, value)
                                               : a.f(static_cast<s64>(sign32(old)), static_cast<s64>(sign32(value)),
                                                     zero32(old), zero32(value));
                         std::memcpy(at, &fresh, bytes);
                         w.write(l, i.rd, bytes == 8 ? old : sign32(old));
                       },
                       nullptr});
    }
  return kinds;
}

// In this order: SPLIT, JOIN, PRED (imm: .N), TMC, BEQ, BNE, BLT, BGE, BLTU, BGEU, JAL, the votes, the shuffles,
// WGATHER, a read of the mask, and a read of the flags that clears them.
std::vector<Kind> control_kinds() {
  std::vector<Kind> kinds;
  kinds.push_back(
      {"split", [](const Instruction& i) { return enc::r(0x0B, 2, 0, i.rd, i.rs1, static_cast<u32>(i.imm)); }, nullptr,
       [](Warp& w, const Instruction& i) {
         u32 then = 0;
         for (unsigned l = 0; l < w.lanes.size(); ++l)
           if (w.on(l) && ((w.lanes[l].x[i.rs1] ^ static_cast<u32>(i.imm)) & 1) != 0) then |= 1u << l;
         for (unsigned l = 0; l < w.lanes.size(); ++l)
           if (w.on(l)) w.write(l, i.rd, w.stack.size());
         const u32 other = w.mask & ~then;
         if (then == 0 || other == 0) return;
         w.stack.push_back({w.mask, w.next, false});
         w.mask = __builtin_popcount(then) <= __builtin_popcount(other) ? then : other;
       }});
  kinds.push_back({"join", [](const Instruction& i) { return enc::r(0x0B, 3, 0, 0, i.rs1, 0); }, nullptr,
                   [](Warp& w, const Instruction& i) {
                     if (w.lanes[w.highest()].x[i.rs1] == w.stack.size()) return;
                     Warp::Entry& top = w.stack.back();
                     if (!top.visited) {
                       top.visited = true;
                       w.mask = top.original & ~w.mask;
                       w.next = top.other;
                     } else {
                       w.mask = top.original;
                       w.stack.pop_back();
                     }
                   }});
  kinds.push_back(
      {"pred", [](const Instruction& i) { return enc::r(0x0B, 5, 0, static_cast<u32>(i.imm), i.rs1, i.rs2); }, nullptr,
       [](Warp& w, const Instruction& i) {
         u32 stay = 0;
         for (unsigned l = 0; l < w.lanes.size(); ++l)
           if (w.on(l) && ((w.lanes[l].x[i.rs1] ^ static_cast<u32>(i.imm)) & 1) != 0) stay |= 1u << l;
         w.mask = stay != 0 ? stay : static_cast<u32>(w.lanes[w.highest()].x[i.rs2]) & w.full();
       }});
  kinds.push_back(
      {"tmc", [](const Instruction& i) { return enc::r(0x0B, 0, 0, 0, i.rs1, 0); }, nullptr,
       [](Warp& w, const Instruction& i) { w.mask = static_cast<u32>(w.lanes[w.highest()].x[i.rs1]) & w.full(); }});
  const std::function<bool(u64, u64)> conditions[] = {
      [](u64 a, u64 b) { return a == b; },
      [](u64 a, u64 b) { return a != b; },
      [](u64 a, u64 b) { return static_cast<s64>(a) < static_cast<s64>(b); },
      [](u64 a, u64 b) { return static_cast<s64>(a) >= static_cast<s64>(b); },
      [](u64 a, u64 b) { return a < b; },
      [](u64 a, u64 b) { return a >= b; },
  };
  static constexpr u32 funct3[] = {0, 1, 4, 5, 6, 7};
  for (unsigned k = 0; k < 6; ++k)  // sign extension keeps the order of 32-bit words, signed and unsigned
    kinds.push_back({"branch", [k](const Instruction& i) { return enc::b(funct3[k], i.rs1, i.rs2, i.imm); }, nullptr,
                     [f = conditions[k]](Warp& w, const Instruction& i) {
                       const Lane& lane = w.lanes[w.highest()];
                       if (f(lane.x[i.rs1], lane.x[i.rs2])) w.next = i.target;
                     },
                     true});
  kinds.push_back({"jump", [](const Instruction& i) { return enc::j(0, i.imm); }, nullptr,
                   [](Warp& w, const Instruction& i) { w.next = i.target; }, true});
  for (u32 k = 0; k < 4; ++k)
    kinds.push_back({"vote", [k](const Instruction& i) { return enc::r(0x0B, k, 1, i.rd, i.rs1, 0); }, nullptr,
                     [k](Warp& w, const Instruction& i) {
                       u32 ballot = 0;
                       for (unsigned l = 0; l < w.lanes.size(); ++l)
                         if (w.on(l)) ballot |= static_cast<u32>(w.lanes[l].x[i.rs1] & 1) << l;
                       const u32 results[] = {ballot == w.mask, ballot != 0, ballot == 0 || ballot == w.mask, ballot};
                       for (unsigned l = 0; l < w.lanes.size(); ++l)
                         if (w.on(l)) w.write(l, i.rd, results[k]);
                     }});
  for (u32 k = 4; k < 8; ++k)
    kinds.push_back({"shuffle", [k](const Instruction& i) { return enc::r(0x0B, k, 1, i.rd, i.rs1, i.rs2); }, nullptr,
                     [k](Warp& w, const Instruction& i) {
                       const std::vector<Lane> before = w.lanes;
                       for (unsigned l = 0; l < w.lanes.size(); ++l) {
                         if (!w.on(l)) continue;
                         const int t = static_cast<int>(l), control = static_cast<int>(before[l].x[i.rs2] & 0x3FFFF);
                         const int b = control & 63, c = control >> 6 & 63, m = control >> 12 & 63;
                         const int low = t & m, high = low | (c & ~m & 63);
                         const int from = k == 4 ? t - b : k == 5 ? t + b : k == 6 ? t ^ b : low | (b & ~m & 63);
                         const bool valid = (k == 4 ? from >= low : from <= high) && from >= 0 &&
                                            from < static_cast<int>(w.lanes.size());
                         w.write(l, i.rd, before[valid ? static_cast<unsigned>(from) : l].x[i.rs1]);
                       }
                     }});
  kinds.push_back({"wgather",
                   [](const Instruction& i) { return enc::r4(0x2B, 0, i.rm & 3, i.rd, i.rs1, i.rs2, i.rs3); }, nullptr,
                   [](Warp& w, const Instruction& i) {
                     const std::vector<Lane> before = w.lanes;
                     const unsigned s = i.rm & 3;
                     for (unsigned l = 0; l < w.lanes.size(); ++l) {
                       const unsigned k = (l - s) & 3;
                       if (!w.on(l) || k == 0 || (l & ~3u) + s >= w.lanes.size()) continue;
                       w.write(l, i.rd, before[(l & ~3u) + s].x[k == 1 ? i.rs1 : k == 2 ? i.rs2 : i.rs3]);
                     }
                   }});
  kinds.push_back(
      {"mask", [](const Instruction& i) { return GYRE_CSR_ACTIVE_THREADS << 20 | 2 << 12 | i.rd << 7 | 0x73; }, nullptr,
       [](Warp& w, const Instruction& i) {
         for (unsigned l = 0; l < w.lanes.size(); ++l)
           if (w.on(l)) w.write(l, i.rd, w.mask);
       }});
  kinds.push_back({"flags", [](const Instruction& i) { return GYRE_CSR_FFLAGS << 20 | 1 << 12 | i.rd << 7 | 0x73; },
                   nullptr,
                   [](Warp& w, const Instruction& i) {
                     for (unsigned l = 0; l < w.lanes.size(); ++l)
                       if (w.on(l)) w.write(l, i.rd, w.flags);
                     w.flags = 0;
                   }});
  return kinds;
}

}  // namespace gyre::test::reference
