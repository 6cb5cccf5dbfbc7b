// Registers of a lane: x, pc, f, CSRs, and what is derived from them.
#include "csr.h"
#include "gpu_target.h"
#include "register_names.h"

namespace gyre::debug {
namespace {

struct CsrName {
  const char* name;
  unsigned number;
  bool writable;
};

constexpr CsrName kFpCsrs[] = {
    {"fflags", GYRE_CSR_FFLAGS, true}, {"frm", GYRE_CSR_FRM, true}, {"fcsr", GYRE_CSR_FCSR, true}};
constexpr CsrName kStandardCsrs[] = {
    {"satp", GYRE_CSR_SATP, true},          {"mstatus", GYRE_CSR_MSTATUS, true},   {"misa", GYRE_CSR_MISA, false},
    {"mtvec", GYRE_CSR_MTVEC, true},        {"mscratch", GYRE_CSR_MSCRATCH, true}, {"mepc", GYRE_CSR_MEPC, true},
    {"mcause", GYRE_CSR_MCAUSE, true},      {"mtval", GYRE_CSR_MTVAL, true},       {"mcycle", GYRE_CSR_MCYCLE, false},
    {"minstret", GYRE_CSR_MINSTRET, false}, {"mhartid", GYRE_CSR_MHARTID, false},
};
constexpr CsrName kSimtCsrs[] = {
    {"thread_id", GYRE_CSR_THREAD_ID, false},
    {"warp_id", GYRE_CSR_WARP_ID, false},
    {"core_id", GYRE_CSR_CORE_ID, false},
    {"active_warps", GYRE_CSR_ACTIVE_WARPS, false},
    {"active_threads", GYRE_CSR_ACTIVE_THREADS, false},
    {"cta_id", GYRE_CSR_CTA_ID, false},
    {"cta_rank", GYRE_CSR_CTA_RANK, false},
    {"cta_size", GYRE_CSR_CTA_SIZE, false},
    {"cta_thread_id_x", GYRE_CSR_CTA_THREAD_ID_X, false},
    {"cta_thread_id_y", GYRE_CSR_CTA_THREAD_ID_Y, false},
    {"cta_thread_id_z", GYRE_CSR_CTA_THREAD_ID_Z, false},
    {"cta_block_id_x", GYRE_CSR_CTA_BLOCK_ID_X, false},
    {"cta_block_id_y", GYRE_CSR_CTA_BLOCK_ID_Y, false},
    {"cta_block_id_z", GYRE_CSR_CTA_BLOCK_ID_Z, false},
    {"cta_block_dim_x", GYRE_CSR_CTA_BLOCK_DIM_X, false},
    {"cta_block_dim_y", GYRE_CSR_CTA_BLOCK_DIM_Y, false},
    {"cta_block_dim_z", GYRE_CSR_CTA_BLOCK_DIM_Z, false},
    {"cta_grid_dim_x", GYRE_CSR_CTA_GRID_DIM_X, false},
    {"cta_grid_dim_y", GYRE_CSR_CTA_GRID_DIM_Y, false},
    {"cta_grid_dim_z", GYRE_CSR_CTA_GRID_DIM_Z, false},
    {"cta_lmem_addr", GYRE_CSR_CTA_LMEM_ADDR, false},
    {"cta_cluster_size", GYRE_CSR_CTA_CLUSTER_SIZE, false},
    {"cta_entry", GYRE_CSR_CTA_ENTRY, false},
    {"frag_pos", GYRE_CSR_FRAG_POS, false},
    {"frag_pid", GYRE_CSR_FRAG_PID, false},
    {"num_threads", GYRE_CSR_NUM_THREADS, false},
    {"num_warps", GYRE_CSR_NUM_WARPS, false},
    {"num_cores", GYRE_CSR_NUM_CORES, false},
};

}  // namespace

void GpuTarget::describe_registers() {
  const CoreConfig& config = ctx_.config.gpu.core;
  const bool has_fp = config.isa_f;
  add_standard_registers(registers_, config.xlen, !has_fp ? 0 : config.isa_d() ? 64 : 32);
  first_special_ = static_cast<unsigned>(registers_.size());
  auto add = [&](const CsrName& csr, const char* group, const char* feature) {
    const bool narrow = feature != kCsrFeature;
    registers_.push_back({csr.name, narrow ? 32 : config.xlen, "int", group, feature});
    specials_.push_back({csr.number, csr.writable, Special::Derived::kNone});
  };
  if (has_fp)
    for (const CsrName& csr : kFpCsrs) add(csr, "float", kFpuFeature);
  for (const CsrName& csr : kStandardCsrs) add(csr, "csr", kCsrFeature);
  for (const CsrName& csr : kSimtCsrs) add(csr, "simt", kSimtFeature);
  const std::pair<const char*, Special> derived[] = {
      {"tmask", {0, true, Special::Derived::kMask}},
      {"open_splits", {0, false, Special::Derived::kDepth}},
      {"frag_x", {0, false, Special::Derived::kFragX}},
      {"frag_y", {0, false, Special::Derived::kFragY}},
      {"frag_covered", {0, false, Special::Derived::kFragCovered}},
  };
  for (const auto& [name, special] : derived) {
    registers_.push_back({name, 32, "int", "simt", kSimtFeature});
    specials_.push_back(special);
  }
}

bool GpuTarget::read_special(core::Engine& e, core::Warp& w, unsigned lane, const Special& special,
                             std::uint64_t& value) {
  const std::uint32_t position = w.kind == core::WarpKind::kFragment ? w.thread_id[0][lane] : 0;
  switch (special.derived) {
    case Special::Derived::kMask:
      value = w.mask;
      return true;
    case Special::Derived::kDepth:
      value = w.depth;
      return true;
    case Special::Derived::kFragX:
      value = position & 0xFFFF;
      return true;
    case Special::Derived::kFragY:
      value = position >> 16 & 0x7FFF;
      return true;
    case Special::Derived::kFragCovered:
      value = position >> 31;
      return true;
    case Special::Derived::kNone:
      break;
  }
  // Reading these as an instruction would takes the host's floating-point flags over, which are not this warp's.
  if (special.csr == GYRE_CSR_FFLAGS || special.csr == GYRE_CSR_FCSR) {
    value = special.csr == GYRE_CSR_FFLAGS ? w.fflags : static_cast<std::uint32_t>(w.frm) << 5 | w.fflags;
    return true;
  }
  core::RegisterValue values[core::kMaxLanes];
  if (!e.csr_read(w, special.csr, values)) return false;
  value = values[lane];
  return true;
}

bool GpuTarget::write_special(core::Engine& e, core::Warp& w, const Special& special, std::uint64_t value) {
  if (!special.writable) return false;
  if (special.derived == Special::Derived::kMask) {
    // A mask of 0 would be the end of the warp.
    if (w.state == core::WarpState::kInactive || (value & w.full) == 0) return false;
    e.set_mask(w, static_cast<std::uint32_t>(value) & w.full);
    return true;
  }
  e.csr_write(w, special.csr, value);
  return true;
}

bool GpuTarget::read_register(ThreadId thread, unsigned number, std::uint64_t& value) {
  const Lane l = lane_of(thread);
  core::Engine& e = engine(l.core);
  core::Warp& w = e.warps[l.warp];
  if (number == kPcRegister) {
    value = shown_pc(e, w, l.lane);
  } else if (number < first_special_) {
    const unsigned row = number < kPcRegister ? number : number - kFirstFpRegister + core::kFpRow;
    value = e.lane_value(w, row, l.lane);
  } else {
    return read_special(e, w, l.lane, specials_[number - first_special_], value);
  }
  return true;
}

bool GpuTarget::write_register(ThreadId thread, unsigned number, std::uint64_t value) {
  const Lane l = lane_of(thread);
  core::Engine& e = engine(l.core);
  core::Warp& w = e.warps[l.warp];
  const std::uint32_t word = static_cast<std::uint32_t>(value);
  if (number == 0) return value == 0;
  if (number == kPcRegister) {
    if (value > ~0u) return false;
    if (word == shown_pc(e, w, l.lane)) return true;
    w.pc = word;
    debug_[l.core]->moved(l.warp);
    if (trapped_ == &w) ahead_ = 0;
  } else if (number < first_special_) {
    const unsigned row = number < kPcRegister ? number : number - kFirstFpRegister + core::kFpRow;
    e.row(w, row)[l.lane] = word;
    if (e.wide) e.row(w, row + core::kHighRow)[l.lane] = static_cast<std::uint32_t>(value >> 32);
  } else {
    return write_special(e, w, specials_[number - first_special_], value);
  }
  return true;
}

}  // namespace gyre::debug
