// Stop points and single steps of one core, for a debugger.
//
// A stop point is an instruction whose executor has been replaced by a trap when it was decoded: code without stop
// points runs as it always does. The trap comes after the instruction got its place in time and before it has an
// effect; the listener may look at and change everything meanwhile, and when it returns the instruction executes.
// So a stop takes no simulated time and moves nothing in the order of events. The same holds after a step: it is
// reported where its instruction has executed, before anything else happens.
#pragma once

#include <cstdint>
#include <vector>

#include "machine.h"

namespace gyre::core {

class Engine;

// What all cores of the device stop at.
struct StopPoints {
  struct Watch {
    std::uint32_t begin, bytes;
    bool read, write;
  };
  std::vector<std::uint32_t> breakpoints;
  std::vector<Watch> watches;
  int only_core = -1, only_warp = -1;  // if set: for this warp alone
};

struct Trap {
  enum class Kind {
    kBreakpoint,
    kWatch,  // the instruction at pc is about to touch `address`
    kStep,   // the step asked for is done: the instruction at pc is next, or the warp has ended
    kFault,  // the warp is about to end with fault `cause` (GYRE_FAULT_*)
  };
  Kind kind;
  std::uint32_t lanes;  // lanes it concerns; 0: the one that was stepped, active or not
  std::uint32_t address = 0;
  bool write = false;
  unsigned cause = 0;
  std::uint32_t value = 0;
};

class TrapListener {
 public:
  // Returns when the warp may go on. Called inside the core's thread; must not let time pass.
  virtual void trapped(Engine& engine, Warp& warp, const Trap& trap) = 0;

 protected:
  ~TrapListener() = default;
};

class CoreDebug {
 public:
  CoreDebug(Engine& engine, const StopPoints& points, TrapListener& listener);

  // The warp executes one instruction, or goes on while its pc is in [begin, end), and traps. An instruction that
  // has to wait for other warps before it executes (an export, WSPAWN) counts as executed if `alone`.
  void step(unsigned warp, std::uint32_t begin, std::uint32_t end, bool alone);
  // The instruction at pc has been stopped at and waits for other warps: it will not be stopped at again.
  bool waits(unsigned warp) const { return retry_[warp] != 0; }
  // The debugger has set the pc.
  void moved(unsigned warp) { retry_[warp] = 0; }
  void forget_steps();
  // Stop points at `pc`, or watches, have changed.
  void changed(std::uint32_t pc);
  void watches_changed();
  // Somebody else wrote device memory: decoded code at [address, address + bytes) is out of date.
  void memory_written(std::uint32_t address, std::uint32_t bytes);

  // For the engine.
  bool wants(std::uint32_t pc, const Inst& inst) const;
  static void trap(Machine& machine, Warp& warp, const Inst& inst);
  void faulted(Warp& warp, unsigned cause, std::uint32_t value);
  void retired(Warp& warp);
  void activated(Warp& warp);

 private:
  struct Stepping {
    bool on = false, alone = false;
    std::uint32_t at = 0;  // the pc that is trapped for it
    std::uint32_t begin = 0, end = 0;
  };
  void execute(Warp& warp);
  bool find(const Warp& warp, const Inst& inst, Trap& trap) const;
  bool find_watch(const Warp& warp, const Inst& inst, Trap& trap) const;
  void report(Warp& warp, const Trap& trap);
  void report_step(Warp& warp);
  void plant(Stepping& stepping, std::uint32_t pc);
  void lift(Stepping& stepping);

  Engine& engine_;
  const StopPoints& points_;
  TrapListener& listener_;
  std::vector<Stepping> stepping_;   // by warp
  std::vector<std::uint8_t> retry_;  // by warp: the instruction has been reported and issues again
};

}  // namespace gyre::core
