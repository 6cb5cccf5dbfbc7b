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
    const u32* a = rs1(w, i);
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

  // Lanes stand side by side: row[l] = row[0] + 4 * l.
  static inline __attribute__((always_inline)) bool contiguous(const u32* row) {
    if constexpr (N == 1) return true;
    U iota;
    for (unsigned l = 0; l < kWidth<N>; ++l) iota[l] = l * 4;
    const U first = splat<U>(row[0]) + iota;
    U differ{};
    for (unsigned at = 0; at < N; at += kWidth<N>) differ |= load_vec<U>(row + at) ^ (first + at * 4);
    return !any_set(differ);
  }
  // All active lanes have one value.
  static inline __attribute__((always_inline)) bool uniform(const Warp& w, const u32* row) {
    const U first = splat<U>(row[w.hal]);
    U differ{};
    for (unsigned at = 0; at < N; at += kWidth<N>)
      differ |= (load_vec<U>(row + at) ^ first) & load_vec<U>(w.lane_mask + at);
    return !any_set(differ);
  }
  // The window the instruction went to the last time, if it holds the bytes from `first` on, aligned to kBytes.
  template <unsigned kBytes>
  static inline __attribute__((always_inline)) Window* covers(Machine& m, const Inst& i, u32 first, u32 bytes) {
    Window& window = m.windows[i.window];
    const u32 offset = first - window.begin;
    return (first & (kBytes - 1)) == 0 && offset < window.size && window.size - offset >= bytes ? &window : nullptr;
  }
  static inline __attribute__((always_inline)) void row_loaded(Machine& m, Warp& w, const Inst& i, Window* window,
                                                               u32 first, unsigned stride) {
    ++m.loads;
    ++window->loads;
    if (window->timed_row)
      m.load_row_time(m, w, i, first, stride);
    else
      set_ready(w, i, w.issue + window->latency);
  }

  template <class L>
  static void load(Machine& m, Warp& w, const Inst& i) {
    const u32* base = rs1(w, i);
    u32* d = rd(w, i);
    if (L::kBytes == 4 && w.mask == w.full && contiguous(base)) {
      const u32 first = base[0] + static_cast<u32>(i.imm);
      if (Window* window = covers<4>(m, i, first, 4 * N)) {
        row_loaded(m, w, i, window, first, 4);
        const std::uint8_t* from = window->memory + (first - window->begin);
        for (unsigned at = 0; at < N; at += kWidth<N>) {
          U v;
          __builtin_memcpy(&v, from + at * 4, sizeof v);
          store_vec(d + at, v);
        }
        return;
      }
    } else if (uniform(w, base)) {  // arguments, constants, tables
      const u32 first = base[w.hal] + static_cast<u32>(i.imm);
      if (Window* window = covers<L::kBytes>(m, i, first, L::kBytes)) {
        row_loaded(m, w, i, window, first, 0);
        const U v = splat<U>(L::get(window->memory + (first - window->begin)));
        for_pieces<N>(
            w, d, [&](unsigned) __attribute__((always_inline)) { return v; });
        return;
      }
    }
    scattered_load<L>(m, w, i);
  }
  template <class L>
  static __attribute__((noinline)) void scattered_load(Machine& m, Warp& w, const Inst& i) {
    u32 address[N], offset[N];
    addresses(w, i, address);
    Window* window = find<L::kBytes, false>(m, w, i, address, offset);
    if (__builtin_expect(window == nullptr, 0)) {
      m.slow_load(m, w, i, address);
      return;
    }
    ++m.loads;
    ++window->loads;
    if (window->timed_lanes)
      m.load_lanes_time(m, w, i, address, L::kBytes);
    else
      set_ready(w, i, w.issue + window->latency);
    const std::uint8_t* memory = window->memory;
    u32 value[N];
    for (unsigned l = 0; l < N; ++l) value[l] = L::get(memory + offset[l]);
    for_pieces<N>(
        w, rd(w, i), [&](unsigned at) __attribute__((always_inline)) { return load_vec<U>(value + at); });
  }

  static inline __attribute__((always_inline)) bool has_code(const Machine& m, u32 address) {
    return ((m.code_pages[address >> 18] >> ((address >> 12) & 63)) & 1) != 0;
  }

  template <unsigned kBytes>
  static void store(Machine& m, Warp& w, const Inst& i) {
    const u32 *base = rs1(w, i), *s = rs2(w, i);
    if (kBytes == 4 && w.mask == w.full && contiguous(base)) {
      const u32 first = base[0] + static_cast<u32>(i.imm);
      Window* window = covers<4>(m, i, first, 4 * N);
      if (window != nullptr && window->write) {
        ++m.stores;
        ++window->stores;
        if (window->timed_row) m.store_row_time(m, w, first, 4);
        __builtin_memcpy(window->memory + (first - window->begin), s, 4 * N);
        if (__builtin_expect(has_code(m, first) || has_code(m, first + 4 * (N - 1)), 0))
          for (unsigned l = 0; l < N; ++l) m.code_written(m, first + 4 * l);
        return;
      }
    }
    scattered_store<kBytes>(m, w, i);
  }
  template <unsigned kBytes>
  static __attribute__((noinline)) void scattered_store(Machine& m, Warp& w, const Inst& i) {
    u32 address[N], offset[N];
    addresses(w, i, address);
    Window* window = find<kBytes, true>(m, w, i, address, offset);
    if (__builtin_expect(window == nullptr, 0)) {
      m.slow_store(m, w, i, address);
      return;
    }
    ++m.stores;
    ++window->stores;
    if (window->timed_lanes) m.store_lanes_time(m, w, address, kBytes);
    const u32* s = rs2(w, i);
    for (unsigned l = 0; l < N; ++l) {  // ascending: of several lanes at one byte the highest wins
      if (w.lane_mask[l] == 0) continue;
      __builtin_memcpy(window->memory + offset[l], s + l, kBytes);
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
