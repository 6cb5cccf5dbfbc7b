#include "kmu.h"

#include <cstring>
#include <stdexcept>

#include "log.h"

namespace gyre::kmu {

using kernel::Cycle;

Kmu::Kmu(sc_core::sc_module_name name, kernel::Context& ctx)
    : sc_module(name), ctx_(ctx), clock_(ctx.gpu_clock()), node_(ctx.busy.add_node(this->name())), row_(this->name(), "launches") {
  const CoreConfig& core = ctx.config.gpu.core;
  limits_ = {core.threads, core.warps, core.lmem_bytes};
  dcr.register_b_transport(this, &Kmu::transport);
  const std::string prefix = this->name();
  ctx.counters.add(prefix + ".starts", &starts_);
  ctx.counters.add(prefix + ".kicks", &kicks_);
  ctx.counters.add(prefix + ".ctas", &ctas_);
  ctx.counters.add(prefix + ".refused", &refused_);
  ctx.utilisation.add(prefix, "kmu", 1, [this](Cycle) { return ledger_.activity(); });
  SC_THREAD(run);
}

void Kmu::transport(tlm::tlm_generic_payload& request, sc_core::sc_time&) {
  if (request.is_write() && request.get_data_length() == 4) {
    std::uint32_t value;
    std::memcpy(&value, request.get_data_ptr(), 4);
    registers_.write(static_cast<unsigned>(request.get_address() / 4), value);
  }
  request.set_response_status(tlm::TLM_OK_RESPONSE);
}

void Kmu::warn_once(const std::string& text) {
  if (warned_.insert(text).second) kernel::log_warn(name(), "{}", text);
}

bool Kmu::start(Cycle stamp) {
  if (pending_) throw std::logic_error(std::string(name()) + ": start while busy");
  const StartCheck check = registers_.check(limits_);
  for (const std::string& warning : check.warnings) warn_once(warning);
  for (const unsigned reg : check.unset)
    ctx_.lints.about_register(kernel::Lint::kDcrUnset, name(), reg,
                              "the launch uses it and nobody has written it; registers are not reset: write it once");
  refusal_ = check.refusal;
  if (check.kind == StartKind::kRefused) {
    ++refused_;
    warn_once("launch refused: " + refusal_);
    return false;
  }
  launch_ = registers_.parameters();
  kind_ = check.kind;
  start_stamp_ = stamp;
  ++ctx_id_;
  ++starts_;
  ctx_.busy.take(node_);
  pending_ = true;
  start_event_.notify(sc_core::SC_ZERO_TIME);
  return true;
}

void Kmu::run() {
  for (;;) {
    clock_.wait_until(start_event_, [this] { return pending_; });
    clock_.advance_to(start_stamp_);
    ledger_.wait_for_input(clock_.now());
    if (kind_ == StartKind::kGrid) {
      clock_.advance(kFirstMessage);
      walk();
    } else {
      clock_.advance(kKickFork);  // also the one busy cycle of an empty start
      if (kind_ == StartKind::kKick) {
        ++kicks_;
        for (int engine = 0; engine < kick.size(); ++engine) kick[engine]->kick(ctx_id_, clock_.now());
      }
    }
    spent(kernel::Doing::kBusy);
    if (ctx_.timeline != nullptr) show();
    pending_ = false;
    ctx_.busy.give(node_, clock_.now());
  }
}

void Kmu::show() {
  const auto& grid = launch_.grid;
  const std::string what = kind_ == StartKind::kGrid ? fmt::format("grid {}x{}x{}", grid[0], grid[1], grid[2])
                           : kind_ == StartKind::kKick ? "draw kick"
                                                       : "empty start";
  ctx_.timeline->slice(row_, what, start_stamp_ * clock_.period(), clock_.now_ps(),
                       fmt::format(R"("context":{},"entry":"{:#x}","threads per CTA":{})", ctx_id_, launch_.entry,
                                   launch_.block_size));
}

void Kmu::walk() {
  kernel::LaunchMessage message;
  message.kind = kernel::LaunchKind::kCompute;
  message.pc = launch_.pc;
  message.entry = launch_.entry;
  message.param = launch_.param;
  message.ctx_id = ctx_id_;
  message.aligned_lmem = static_cast<std::uint32_t>(align_lmem(launch_.lmem));
  message.compute.grid_dim = launch_.grid;
  message.compute.block_dim = launch_.block;
  message.compute.block_size = launch_.block_size;
  message.compute.warp_step = launch_.step;
  message.compute.cluster_size = static_cast<std::uint32_t>(volume(launch_.cluster));
  for (GridWalk walk(launch_.grid, launch_.cluster); !walk.done(); walk.next()) {
    message.compute.block_idx = walk.block_idx();
    message.compute.first_of_cluster = walk.first_of_cluster();
    message.eop = walk.last_of_cluster();
    spent(kernel::Doing::kBusy);
    send(message);
    spent(kernel::Doing::kOutput);
    clock_.advance(1);
    if (clock_.quantum_spent()) clock_.sync();
  }
}

// Valid is held until accepted.
void Kmu::send(const kernel::LaunchMessage& message) {
  while (!launch->try_put(message, clock_.now())) {
    if (clock_.now_ps() > kernel::kernel_now()) {
      clock_.sync();
      continue;
    }
    sc_core::wait(launch->space_event());
    clock_.catch_up();
    clock_.advance_to(launch->space_stamp());
  }
  ++ctas_;
  ++ctx_.progress;
}

}  // namespace gyre::kmu
