// Loads and stores whose lanes all hit one directly accessible range of memory; everything else goes to lsu.cpp.
#include "exec.h"
#include "simd.h"

namespace gyre::core::GYRE_EXEC_NS {
namespace {

using riscv::Op;
using u32 = std::uint32_t;

struct LoadB {
  static constexpr unsigned kBytes = 1;
  static u32 get(const std::uint8_t* p) {
    return static_cast<u32>(static_cast<std::int32_t>(static_cast<std::int8_t>(*p)));
  }
};
struct LoadBu {
  static constexpr unsigned kBytes = 1;
  static u32 get(const std::uint8_t* p) { return *p; }
};
struct LoadH {
  static constexpr unsigned kBytes = 2;
  static u32 get(const std::uint8_t* p) {
    std::int16_t v;
    __builtin_memcpy(&v, p, 2);
    return static_cast<u32>(static_cast<std::int32_t>(v));
  }
};
struct LoadHu {
  static constexpr unsigned kBytes = 2;
  static u32 get(const std::uint8_t* p) {
    std::uint16_t v;
    __builtin_memcpy(&v, p, 2);
    return v;
  }
};
struct LoadW {
  static constexpr unsigned kBytes = 4;
  static u32 get(const std::uint8_t* p) {
    u32 v;
    __builtin_memcpy(&v, p, 4);
    return v;
  }
};

template <unsigned N>
struct Mem {
  using U = VecU<N>;
  using S = VecS<N>;

  static inline __attribute__((always_inline)) void addresses(Warp& w, const Inst& i, u32* out) {
    const u32* a = row<N>(w, i.rs1);
    for (unsigned at = 0; at < N; at += kWidth<N>) store_vec(out + at, load_vec<U>(a + at) + static_cast<u32>(i.imm));
  }

  // The window all active lanes lie in, aligned to kBytes; null if there is none. Offsets of inactive lanes are
  // replaced by an active lane's so that they may be read harmlessly.
  template <unsigned kBytes, bool kWrite>
  static inline __attribute__((always_inline)) Window* find(Machine& m, Warp& w, const Inst& i, const u32* address,
                                                            u32* offset) {
    const u32 first = address[w.hal];
    // The window this instruction went to the last time, then all.
    for (unsigned k = kWindows, n = i.window;; n = k) {
      Window& window = m.windows[n];
      if (__builtin_expect(first - window.begin >= window.size, 0)) {
        if (k-- == 0) return nullptr;
        continue;
      }
      i.window = static_cast<std::uint8_t>(n);
      if (kWrite && !window.write) return nullptr;
      const U last = splat<U>(window.size - kBytes);
      const U safe = splat<U>(first - window.begin);
      U bad{};
      for (unsigned at = 0; at < N; at += kWidth<N>) {
        const U mask = load_vec<U>(w.lane_mask + at), a = load_vec<U>(address + at);
        const U o = a - window.begin;
        bad |= ((U)(o > last) | (a & (kBytes - 1))) & mask;
        store_vec(offset + at, (o & mask) | (safe & ~mask));
      }
      return any_set(bad) ? nullptr : &window;
    }
  }

  static inline __attribute__((always_inline)) bool contiguous(const u32* offset) {
    if constexpr (N == 1) return true;
    U iota;
    for (unsigned l = 0; l < kWidth<N>; ++l) iota[l] = l * 4;
    const U first = splat<U>(offset[0]);
    U differ{};
    for (unsigned at = 0; at < N; at += kWidth<N>) differ |= load_vec<U>(offset + at) ^ (first + iota + at * 4);
    return !any_set(differ);
  }

  static inline __attribute__((always_inline)) bool uniform(const u32* offset) {
    const U first = splat<U>(offset[0]);
    U differ{};
    for (unsigned at = 0; at < N; at += kWidth<N>) differ |= load_vec<U>(offset + at) ^ first;
    return !any_set(differ);
  }

  template <class L>
  static void load(Machine& m, Warp& w, const Inst& i) {
    u32 address[N], offset[N];
    addresses(w, i, address);
    Window* window = find<L::kBytes, false>(m, w, i, address, offset);
    if (__builtin_expect(window == nullptr, 0)) {
      m.slow_load(m, w, i, address);
      return;
    }
    ++m.loads;
    ++window->loads;
    u32* d = row<N>(w, i.rd);
    const std::uint8_t* memory = window->memory;
    set_ready(w, i, w.issue + window->latency);
    if (L::kBytes == 4 && contiguous(offset)) {
      const std::uint8_t* from = memory + offset[0];
      for_pieces<N>(
          w, d, [&](unsigned at) __attribute__((always_inline)) {
            U v;
            __builtin_memcpy(&v, from + at * 4, sizeof v);
            return v;
          });
      return;
    }
    if (uniform(offset)) {  // arguments, constants, tables
      const U v = splat<U>(L::get(memory + offset[0]));
      for_pieces<N>(
          w, d, [&](unsigned) __attribute__((always_inline)) { return v; });
      return;
    }
    u32 value[N];
    for (unsigned l = 0; l < N; ++l) value[l] = L::get(memory + offset[l]);
    for_pieces<N>(
        w, d, [&](unsigned at) __attribute__((always_inline)) { return load_vec<U>(value + at); });
  }

  static inline __attribute__((always_inline)) bool has_code(const Machine& m, u32 address) {
    return ((m.code_pages[address >> 18] >> ((address >> 12) & 63)) & 1) != 0;
  }

  template <unsigned kBytes>
  static void store(Machine& m, Warp& w, const Inst& i) {
    u32 address[N], offset[N];
    addresses(w, i, address);
    Window* window = find<kBytes, true>(m, w, i, address, offset);
    if (__builtin_expect(window == nullptr, 0)) {
      m.slow_store(m, w, i, address);
      return;
    }
    ++m.stores;
    ++window->stores;
    const u32* s = row<N>(w, i.rs2);
    std::uint8_t* memory = window->memory;
    if (kBytes == 4 && w.mask == w.full && contiguous(offset)) {
      __builtin_memcpy(memory + offset[0], s, 4 * N);
      if (__builtin_expect(has_code(m, address[0]) || has_code(m, address[N - 1]), 0))
        for (unsigned l = 0; l < N; ++l) m.code_written(m, address[l]);
      return;
    }
    for (unsigned l = 0; l < N; ++l) {  // ascending: of several lanes at one byte the highest wins
      if (w.lane_mask[l] == 0) continue;
      __builtin_memcpy(memory + offset[l], s + l, kBytes);
      if (__builtin_expect(has_code(m, address[l]), 0)) m.code_written(m, address[l]);
    }
  }

  static Handler get(Op op) {
    switch (op) {
      case Op::kLb:
        return load<LoadB>;
      case Op::kLbu:
        return load<LoadBu>;
      case Op::kLh:
        return load<LoadH>;
      case Op::kLhu:
        return load<LoadHu>;
      case Op::kLw:
      case Op::kFlw:
        return load<LoadW>;
      case Op::kSb:
        return store<1>;
      case Op::kSh:
        return store<2>;
      case Op::kSw:
      case Op::kFsw:
        return store<4>;
      default:
        return nullptr;
    }
  }
};

}  // namespace

Handler mem_handler(Op op, unsigned threads) {
  switch (threads) {
    case 1:
      return Mem<1>::get(op);
    case 2:
      return Mem<2>::get(op);
    case 4:
      return Mem<4>::get(op);
    case 8:
      return Mem<8>::get(op);
    case 16:
      return Mem<16>::get(op);
    case 32:
      return Mem<32>::get(op);
    default:
      return nullptr;
  }
}

}  // namespace gyre::core::GYRE_EXEC_NS
