// What a debugger can be attached to: one inferior with its threads, registers, memory and stop points.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gyre::debug {

using ThreadId = std::uint64_t;  // 1 and up

struct ThreadInfo {
  ThreadId id;
  std::string name;   // "core 0 warp 3 lane 5"
  std::string state;  // "active"
};

// A register as the debugger sees it. Numbers are indices into Target::registers(). 4 or 8 bytes.
struct RegisterInfo {
  std::string name;
  unsigned bits = 32;
  std::string type;     // of the target description: "int", "data_ptr", "code_ptr", "ieee_single", ...
  std::string group;    // "general", "float", "csr", ...; empty: by the name
  std::string feature;  // of the target description
};

enum class PointKind { kSoftware = 0, kHardware = 1, kWrite = 2, kRead = 3, kAccess = 4 };  // Z packets

struct Point {
  PointKind kind;
  std::uint64_t address, bytes;
  bool watches() const { return kind > PointKind::kHardware; }
  bool operator==(const Point& o) const { return kind == o.kind && address == o.address && bytes == o.bytes; }
};

// The points a client has set; one that is set twice counts once.
class PointList {
 public:
  bool has(const Point& point) const { return std::find(list_.begin(), list_.end(), point) != list_.end(); }
  void add(const Point& point) {
    if (!has(point)) list_.push_back(point);
  }
  void remove(const Point& point) { list_.erase(std::remove(list_.begin(), list_.end(), point), list_.end()); }
  void clear() { list_.clear(); }
  // What a client called the breakpoint at `pc`, and the watchpoint that an access of kind `access` to `address` met.
  PointKind breakpoint_at(std::uint64_t pc) const {
    PointKind kind = PointKind::kSoftware;
    for (const Point& p : list_)
      if (p.address == pc && !p.watches()) kind = p.kind;
    return kind;
  }
  PointKind watchpoint_at(std::uint64_t address, PointKind access) const {
    for (const Point& p : list_)
      if (p.kind == PointKind::kAccess && address - p.address < p.bytes) access = p.kind;
    return access;
  }
  bool empty() const { return list_.empty(); }
  auto begin() const { return list_.begin(); }
  auto end() const { return list_.end(); }

 private:
  std::vector<Point> list_;
};

struct StopEvent {
  enum class Reason { kSignal, kBreakpoint, kWatchpoint };
  unsigned signal = 5;  // as GDB numbers them
  ThreadId thread = 1;
  Reason reason = Reason::kSignal;
  PointKind point = PointKind::kSoftware;  // of the breakpoint or watchpoint
  std::uint64_t address = 0;               // watchpoint: the address accessed
  std::string text;                        // told to the person who debugs, before the stop; may be empty
};

constexpr unsigned kSignalInterrupt = 2, kSignalIllegal = 4, kSignalTrap = 5, kSignalAbort = 6, kSignalBus = 10,
                   kSignalSegv = 11;

// One thread's step: single, or as long as its pc stays in [begin, end).
struct Step {
  ThreadId thread = 0;
  std::uint64_t begin = 0, end = 0;
};

class Target;

// Who is told of stops.
class StopSink {
 public:
  // The target has stopped. Called inside the simulation; returns when the machine may go on.
  virtual void stopped(Target& target, const StopEvent& event) = 0;

 protected:
  ~StopSink() = default;
};

// Every call comes while the machine stands still.
class Target {
 public:
  virtual ~Target() = default;

  virtual std::string name() const = 0;          // for messages: "host", "gpu"
  virtual std::string architecture() const = 0;  // as GDB calls it: "riscv:rv32"
  virtual const std::vector<RegisterInfo>& registers() const = 0;
  virtual std::vector<ThreadInfo> threads() = 0;  // never empty
  virtual bool alive(ThreadId thread) = 0;
  virtual ThreadId default_thread() = 0;  // who is shown when nobody has hit anything
  virtual unsigned pc_register() const = 0;

  // False: there is no such register of that thread, or it cannot be read or written.
  virtual bool read_register(ThreadId thread, unsigned number, std::uint64_t& value) = 0;
  virtual bool write_register(ThreadId thread, unsigned number, std::uint64_t value) = 0;
  // As the thread sees memory. Number of bytes at the front that could be read or written.
  virtual std::size_t read_memory(ThreadId thread, std::uint64_t address, char* data, std::size_t bytes) = 0;
  virtual std::size_t write_memory(ThreadId thread, std::uint64_t address, const char* data, std::size_t bytes) = 0;

  // False: not possible. A point that is there twice counts once.
  virtual bool insert(PointKind kind, std::uint64_t address, std::uint64_t bytes) = 0;
  virtual bool remove(PointKind kind, std::uint64_t address, std::uint64_t bytes) = 0;
  // The machine is about to go on, and stops when a step is done. `only`: no other thread was told to go, so none may
  // report a stop (they go on all the same, since time does); 0: all were.
  virtual void resume(const std::vector<Step>& steps, ThreadId only) = 0;
  // The last stop has been shown to a person; see Session.
  virtual void presented() {}
  // The debugger has left: no points, no steps, faults take their course.
  virtual void release() = 0;
  virtual void attach() = 0;
  // Another reason has stopped the machine: steps under way are forgotten.
  virtual void halted() = 0;

  // Answer to `monitor`, lines of text. `thread`: the selected one.
  virtual std::string monitor(std::string_view command, ThreadId thread) = 0;
};

// Text of the target description (qXfer:features:read:target.xml).
std::string target_description(const Target& target);
// Text of the thread list (qXfer:threads:read).
std::string thread_list(const std::vector<ThreadInfo>& threads);

}  // namespace gyre::debug
