#include "gpu_target.h"

#include <algorithm>

#include "csr.h"
#include "device_map.h"

namespace gyre::debug {
namespace {

constexpr unsigned kBlock = 64;  // memory is read and written in pieces of such blocks

std::vector<core::Engine*> all_engines(gpu::Gpu& gpu) {
  std::vector<core::Engine*> engines;
  gpu.for_each_core([&](core::SimtCore& core) { engines.push_back(&core.engine()); });
  return engines;
}

unsigned signal_of(const core::Trap& trap) {
  switch (trap.cause) {
    case GYRE_FAULT_ILLEGAL_INSTR:
    case GYRE_FAULT_BAD_CSR:
      return kSignalIllegal;
    case GYRE_FAULT_MISALIGNED:
      return kSignalBus;
    case GYRE_FAULT_ACCESS:
    case GYRE_FAULT_APERTURE_LOAD:
    case GYRE_FAULT_PAGE:
      return kSignalSegv;
    case GYRE_FAULT_TRAP_NO_VECTOR:
      return kSignalTrap;
    default:
      return kSignalAbort;
  }
}

const char* state_name(core::WarpState state) {
  switch (state) {
    case core::WarpState::kInactive:
      return "idle";
    case core::WarpState::kReady:
      return "ready";
    case core::WarpState::kBarrier:
      return "at a barrier";
    case core::WarpState::kGuard:
      return "export waits";
    case core::WarpState::kAlone:
      return "WSPAWN waits";
    case core::WarpState::kMemory:
      return "waits for memory";
  }
  return "";
}

const char* kind_name(core::WarpKind kind) {
  return kind == core::WarpKind::kFragment ? "fragment" : kind == core::WarpKind::kCompute ? "compute" : "plain";
}

bool contains(const std::vector<std::uint32_t>& list, std::uint32_t pc) {
  return std::find(list.begin(), list.end(), pc) != list.end();
}

}  // namespace

GpuTarget::GpuTarget(kernel::Context& ctx, gpu::Gpu& gpu, host::HostSystem* host, StopSink& sink)
    : ctx_(ctx),
      gpu_(gpu),
      sink_(sink),
      monitor_(ctx, gpu, host),
      warps_(ctx.config.gpu.core.warps),
      lanes_(ctx.config.gpu.core.threads),
      engines_(all_engines(gpu)),
      focus_(engines_.size() * warps_) {
  for (core::Engine* engine : engines_)
    debug_.push_back(std::make_unique<core::CoreDebug>(*engine, active_, static_cast<core::TrapListener&>(*this)));
  describe_registers();
  monitor_.add("warps", "every warp that runs: state, kind, mask, pc",
               [this](const Monitor::Arguments&) { return show_warps(); });
  monitor_.add("lanes REGISTER", "a register in all lanes of the selected thread's warp",
               [this](const Monitor::Arguments& words) { return show_lanes(words); });
  monitor_.add("reset", "ends every warp, opens barriers, clears the fault record",
               [this](const Monitor::Arguments&) { return reset(); });
}

GpuTarget::Lane GpuTarget::lane_of(ThreadId thread) const {
  const unsigned index = static_cast<unsigned>(thread - 1);
  return {index / lanes_ / warps_, index / lanes_ % warps_, index % lanes_};
}

bool GpuTarget::listed(unsigned core, unsigned warp) const {
  const Lane last = lane_of(last_);
  return engine(core).warps[warp].state != core::WarpState::kInactive || (core == last.core && warp == last.warp);
}

bool GpuTarget::alive(ThreadId thread) {
  if (thread == 0 || thread > engines_.size() * warps_ * lanes_) return false;
  const Lane l = lane_of(thread);
  return thread == 1 || listed(l.core, l.warp);
}

ThreadId GpuTarget::default_thread() {
  const Lane last = lane_of(last_);
  if (engine(last.core).warps[last.warp].state != core::WarpState::kInactive) return last_;
  for (unsigned core = 0; core < engines_.size(); ++core)
    for (const core::Warp& w : engine(core).warps)
      if (w.state != core::WarpState::kInactive && w.mask != 0)
        return id(core, w.id, static_cast<unsigned>(__builtin_ctz(w.mask)));
  return 1;
}

std::vector<ThreadInfo> GpuTarget::threads() {
  std::vector<ThreadInfo> list;
  for (unsigned core = 0; core < engines_.size(); ++core)
    for (const core::Warp& w : engine(core).warps)
      for (unsigned lane = 0; lane < lanes_; ++lane) {
        if (!listed(core, w.id) && id(core, w.id, lane) != 1) continue;
        std::string state = state_name(w.state);
        if (w.state != core::WarpState::kInactive) {
          const bool active = ((w.mask >> lane) & 1) != 0;
          state = std::string(active ? "active" : "inactive") +
                  (w.state == core::WarpState::kReady ? "" : std::string(", ") + state_name(w.state));
        }
        list.push_back({id(core, w.id, lane), fmt::format("core {} warp {} lane {}", core, w.id, lane), state});
      }
  return list;
}

// ---- stops

StopEvent GpuTarget::event_of(const core::Engine& e, const core::Warp& w, const core::Trap& trap, unsigned lane) const {
  StopEvent event;
  event.thread = id(e.core_id, w.id, lane);
  switch (trap.kind) {
    case core::Trap::Kind::kStep:
      break;
    case core::Trap::Kind::kBreakpoint:
      event.reason = StopEvent::Reason::kBreakpoint;
      event.point = points_.breakpoint_at(w.pc);
      break;
    case core::Trap::Kind::kWatch:
      event.reason = StopEvent::Reason::kWatchpoint;
      event.address = trap.address;
      event.point = points_.watchpoint_at(trap.address, trap.write ? PointKind::kWrite : PointKind::kRead);
      break;
    case core::Trap::Kind::kFault:
      event.signal = signal_of(trap);
      event.text = fmt::format("core {} warp {}: {} (value {:#x}) at pc {:#x}\n", e.core_id, w.id,
                               kernel::fault_name(trap.cause), trap.value, w.pc);
      break;
  }
  return event;
}

void GpuTarget::trapped(core::Engine& e, core::Warp& w, const core::Trap& trap) {
  unsigned& focus = focus_[e.core_id * warps_ + w.id];
  std::uint32_t left = trap.lanes;
  unsigned lane = focus;
  trapped_ = &w;
  for (;;) {
    if (left != 0 && ((left >> lane) & 1) == 0) lane = static_cast<unsigned>(__builtin_ctz(left));
    left &= ~(1u << lane);
    focus = lane;
    StopEvent event = event_of(e, w, trap, lane);
    last_ = event.thread;
    presented_ = false;
    sink_.stopped(*this, event);
    // GDB has looked and goes on by itself: this lane's hit was not what it waits for. It steps the lane off the
    // breakpoint; the lane is shown behind it, and the next one may be what it waits for.
    const bool passed = trap.kind == core::Trap::Kind::kBreakpoint && left != 0 && !presented_ && attached_ &&
                        only_ == event.thread && steps_ && w.state != core::WarpState::kInactive;
    if (!passed) break;
    debug_[e.core_id]->forget_steps();
    ahead_ |= 1u << lane;
    event = StopEvent{};
    event.thread = last_;
    sink_.stopped(*this, event);
    if (!attached_ || w.state == core::WarpState::kInactive) break;
  }
  ahead_ = 0;
  trapped_ = nullptr;
}

std::uint32_t GpuTarget::shown_pc(const core::Engine& e, const core::Warp& w, unsigned lane) const {
  const bool ahead = trapped_ == &w && ((ahead_ >> lane) & 1) != 0;
  return ahead || debug_[e.core_id]->waits(w.id) ? w.pc + e.instruction(w.pc).length : w.pc;
}

void GpuTarget::halted() {
  for (auto& debug : debug_) debug->forget_steps();
}

bool GpuTarget::insert(PointKind kind, std::uint64_t address, std::uint64_t bytes) {
  const Point point{kind, address, bytes};
  if (address > ~0u || bytes > ~0u || (point.watches() && (bytes == 0 || address + bytes > std::uint64_t{1} << 32)))
    return false;
  points_.add(point);
  return true;
}

bool GpuTarget::remove(PointKind kind, std::uint64_t address, std::uint64_t bytes) {
  points_.remove({kind, address, bytes});
  return true;
}

void GpuTarget::resume(const std::vector<Step>& steps, ThreadId only) {
  core::StopPoints next;
  for (const Point& p : points_) {
    const auto address = static_cast<std::uint32_t>(p.address);
    if (!p.watches()) {
      if (!contains(next.breakpoints, address)) next.breakpoints.push_back(address);
    } else {
      next.watches.push_back(
          {address, static_cast<std::uint32_t>(p.bytes), p.kind != PointKind::kWrite, p.kind != PointKind::kRead});
    }
  }
  if (only != 0) {
    next.only_core = static_cast<int>(lane_of(only).core);
    next.only_warp = static_cast<int>(lane_of(only).warp);
  }
  apply(std::move(next));
  only_ = only;
  steps_ = !steps.empty();
  for (const Step& step : steps) {
    const Lane l = lane_of(step.thread);
    focus_[l.core * warps_ + l.warp] = l.lane;
    debug_[l.core]->step(l.warp, static_cast<std::uint32_t>(step.begin), static_cast<std::uint32_t>(step.end),
                         only != 0);
  }
}

void GpuTarget::apply(core::StopPoints next) {
  std::swap(active_, next);
  for (const std::uint32_t pc : active_.breakpoints)
    if (!contains(next.breakpoints, pc))
      for (auto& debug : debug_) debug->changed(pc);
  for (const std::uint32_t pc : next.breakpoints)
    if (!contains(active_.breakpoints, pc))
      for (auto& debug : debug_) debug->changed(pc);
  if (active_.watches.empty() != next.watches.empty())
    for (auto& debug : debug_) debug->watches_changed();
}

void GpuTarget::attach() {
  attached_ = true;
  for (std::size_t i = 0; i < engines_.size(); ++i) engines_[i]->debug = debug_[i].get();
}

void GpuTarget::release() {
  if (!attached_) return;
  attached_ = false;
  points_.clear();
  halted();
  apply({});
  for (core::Engine* engine : engines_) engine->debug = nullptr;
}

// ---- memory

std::size_t GpuTarget::transport(bool write, unsigned core, std::uint64_t address, char* data, std::size_t bytes) {
  core::Engine& e = engine(core);
  if (address >= GYRE_DEV_LMEM_BASE) {
    const std::uint64_t offset = address - GYRE_DEV_LMEM_BASE;
    if (offset + bytes > e.lmem.size()) return 0;
    if (write)
      std::copy_n(data, bytes, e.lmem.begin() + static_cast<std::ptrdiff_t>(offset));
    else
      std::copy_n(e.lmem.begin() + static_cast<std::ptrdiff_t>(offset), bytes, data);
    return bytes;
  }
  tlm::tlm_generic_payload payload;
  payload.set_command(write ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND);
  payload.set_address(address);
  payload.set_data_ptr(reinterpret_cast<unsigned char*>(data));
  payload.set_data_length(static_cast<unsigned>(bytes));
  payload.set_streaming_width(static_cast<unsigned>(bytes));
  return e.memory.socket->transport_dbg(payload);
}

std::size_t GpuTarget::read_memory(ThreadId thread, std::uint64_t address, char* data, std::size_t bytes) {
  std::size_t done = 0;
  while (done < bytes && address + done <= ~0u) {
    const std::size_t piece = std::min<std::size_t>(bytes - done, kBlock - (address + done) % kBlock);
    if (transport(false, lane_of(thread).core, address + done, data + done, piece) != piece) break;
    done += piece;
  }
  return done;
}

std::size_t GpuTarget::write_memory(ThreadId thread, std::uint64_t address, const char* data, std::size_t bytes) {
  std::size_t done = 0;
  while (done < bytes && address + done <= ~0u) {
    const std::size_t piece = std::min<std::size_t>(bytes - done, kBlock - (address + done) % kBlock);
    if (transport(true, lane_of(thread).core, address + done, const_cast<char*>(data) + done, piece) != piece) break;
    done += piece;
  }
  if (done != 0)
    for (auto& debug : debug_)
      debug->memory_written(static_cast<std::uint32_t>(address), static_cast<std::uint32_t>(done));
  return done;
}

// ---- monitor

std::string GpuTarget::monitor(std::string_view command, ThreadId thread) {
  monitored_ = thread;
  return monitor_.run(command);
}

std::string GpuTarget::show_warps() const {
  std::string text;
  unsigned idle = 0;
  for (const core::Engine* e : engines_)
    for (const core::Warp& w : e->warps) {
      if (w.state == core::WarpState::kInactive)
        ++idle;
      else
        text += fmt::format("core {} warp {}: {}, {}, mask {:#x}, pc {:#x}, {} open SPLITs\n", e->core_id, w.id,
                            state_name(w.state), kind_name(w.kind), w.mask, w.pc, w.depth);
    }
  return text + fmt::format("{} warps idle\n", idle);
}

std::string GpuTarget::show_lanes(const Monitor::Arguments& words) {
  if (words.size() != 1) return "say which register: monitor lanes frag_pos\n";
  for (unsigned r = 0; r < registers_.size(); ++r) {
    if (registers_[r].name != words[0]) continue;
    const Lane l = lane_of(monitored_);
    std::string text;
    for (unsigned lane = 0; lane < lanes_; ++lane) {
      std::uint64_t value = 0;
      read_register(id(l.core, l.warp, lane), r, value);
      const bool active = ((engine(l.core).warps[l.warp].mask >> lane) & 1) != 0;
      text += fmt::format("lane {}: {:#010x}{}\n", lane, value, active ? "" : " (inactive)");
    }
    return text;
  }
  return fmt::format("{}: no such register; info registers lists them\n", words[0]);
}

std::string GpuTarget::reset() {
  unsigned ended = 0;
  for (core::Engine* e : engines_)
    for (core::Warp& w : e->warps) {
      if (w.state == core::WarpState::kInactive) continue;
      w.depth = 0;
      e->retire(w);
      ++ended;
    }
  for (core::Engine* e : engines_) {
    e->reset_barriers();
    e->notify_wake();
  }
  for (auto& cluster : gpu_.clusters) cluster->barriers.reset();
  ctx_.faults.clear();
  return fmt::format("{} warps ended\n", ended);
}

}  // namespace gyre::debug
