// What a debugger does with a hart between two calls of run(): all registers, memory as the program sees it,
// breakpoints, watchpoints and single steps. A hart without points runs exactly as one that has no debugger.
#pragma once

#include <cstdint>
#include <vector>

#include "hart.h"

namespace gyre::host {

// One a hart. x, f and pc are read and written in the hart itself (reg, freg, pc and their setters).
//
// Breakpoints are virtual addresses and stop the hart before the instruction: run() returns Stop::kBreakpoint with pc
// there. Watchpoints are ranges of virtual addresses and stop it before the instruction that accesses one, with
// Stop::kWatchpoint; accesses of other masters are not seen. To go on from either, step over it with step(true).
class HartDebug {
 public:
  explicit HartDebug(Hart& hart) : hart_(hart) {}
  ~HartDebug() { clear(); }
  HartDebug(const HartDebug&) = delete;
  HartDebug& operator=(const HartDebug&) = delete;

  // CSRs as machine mode sees them, whatever the present privilege. False: there is none, or it is read-only.
  bool read_csr(unsigned number, std::uint64_t& value);
  bool write_csr(unsigned number, std::uint64_t value);
  void set_privilege(Privilege privilege);

  // Memory at virtual addresses of the present privilege: no time passes, rights do not matter, no device is touched,
  // and translation leaves no marks. Number of bytes at the front that could be read or written.
  std::uint64_t read(std::uint64_t address, void* data, std::uint64_t bytes);
  std::uint64_t write(std::uint64_t address, const void* data, std::uint64_t bytes);
  // False: the address has no translation.
  bool translate(std::uint64_t address, std::uint64_t& physical);

  // A point that is there twice counts once; removing one that is not there does nothing.
  void add_breakpoint(std::uint64_t pc);
  void remove_breakpoint(std::uint64_t pc);
  void add_watchpoint(std::uint64_t address, std::uint64_t bytes, bool reads, bool writes);
  void remove_watchpoint(std::uint64_t address, std::uint64_t bytes, bool reads, bool writes);
  void clear();

  // Executes the instruction at pc, or takes its exception, and nothing else; breakpoints do not matter. With `pass`
  // watchpoints do not matter either. Returns what run() would; Stop::kLimit when the step is simply done.
  Stop step(bool pass = false);

  // After Stop::kWatchpoint: the first watched byte of the access that was about to happen.
  std::uint64_t watched_address() const { return watched_address_; }
  bool watched_write() const { return watched_write_; }

 private:
  friend class Hart;
  struct Watch {
    std::uint64_t first, last;
    bool reads, writes;
    bool operator==(const Watch& other) const {
      return first == other.first && last == other.last && reads == other.reads && writes == other.writes;
    }
  };
  bool breaks_at(std::uint64_t pc) const;
  // Notes the address.
  bool watched(std::uint64_t address, std::uint64_t bytes, bool write);
  bool page_is_watched(std::uint64_t address) const;
  void points_changed();
  std::uint64_t access(std::uint64_t address, void* data, std::uint64_t bytes, bool write);

  Hart& hart_;
  std::vector<std::uint64_t> breakpoints_;  // sorted
  std::vector<Watch> watches_;
  std::uint64_t watched_address_ = 0;
  bool watched_write_ = false;
  bool pass_ = false;  // watchpoints are off
};

}  // namespace gyre::host
