// Control and status registers (isa.md §7).
#include "csr.h"
#include "device_map.h"
#include "engine.h"

namespace gyre::core {

// On RV64 a register is read whole; the upper halves of the counters stay readable, so that kernels may use them on
// both.
bool Engine::csr_read(Warp& w, unsigned number, RegisterValue* out) {
  auto all = [&](RegisterValue value) {
    for (unsigned l = 0; l < threads; ++l) out[l] = value;
    return true;
  };
  auto lanes = [&](WarpKind kind, const std::uint32_t* values) {
    for (unsigned l = 0; l < threads; ++l) out[l] = w.kind == kind ? values[l] : 0;
    return true;
  };
  auto counter = [&](unsigned index) {
    settle_fetches(w);
    return ctx.device_counters != nullptr ? ctx.device_counters->counter(mpm_class, index, core_id)
                                          : mpm(mpm_class, index);
  };
  // The two views of the launch registers read 0 in warps of the other kind.
  if (number >= GYRE_CSR_CTA_THREAD_ID_X && number <= GYRE_CSR_CTA_THREAD_ID_Z)
    return lanes(WarpKind::kCompute, w.thread_id[number - GYRE_CSR_CTA_THREAD_ID_X]);
  if (number >= GYRE_CSR_CTA_BLOCK_ID_X && number <= GYRE_CSR_CTA_BLOCK_ID_Z)
    return all(w.cta.block_idx[number - GYRE_CSR_CTA_BLOCK_ID_X]);
  if (number >= GYRE_CSR_CTA_BLOCK_DIM_X && number <= GYRE_CSR_CTA_BLOCK_DIM_Z)
    return all(w.cta.block_dim[number - GYRE_CSR_CTA_BLOCK_DIM_X]);
  if (number >= GYRE_CSR_CTA_GRID_DIM_X && number <= GYRE_CSR_CTA_GRID_DIM_Z)
    return all(w.cta.grid_dim[number - GYRE_CSR_CTA_GRID_DIM_X]);
  if (number >= GYRE_CSR_MPM_BASE && number <= 0xB1F) return all(counter(number - 0xB00));
  if (number >= GYRE_CSR_MPM_BASE_H && number <= 0xB9F) return all(counter(number - 0xB80) >> 32);
  switch (number) {
    case GYRE_CSR_FFLAGS:
      fold_flags(w);
      return all(w.fflags);
    case GYRE_CSR_FRM:
      return all(w.frm);
    case GYRE_CSR_FCSR:
      fold_flags(w);
      return all(static_cast<unsigned>(w.frm) << 5 | w.fflags);
    case GYRE_CSR_SATP:
      return all(satp);
    case GYRE_CSR_MSTATUS:
      return all(w.mstatus);
    case GYRE_CSR_MISA:
      return all((wide ? RegisterValue{2} << 62 : RegisterValue{1} << 30) | config.misa_extensions());
    case 0x302:  // medeleg, mideleg, mie: accepted, no function
    case 0x303:
    case 0x304:
    case 0x3A0:  // pmpcfg0, pmpaddr0, mnstatus
    case 0x3B0:
    case 0x744:
      return all(0);
    case GYRE_CSR_MTVEC:
      return all(w.mtvec);
    case GYRE_CSR_MSCRATCH:
      return all(w.mscratch);
    case GYRE_CSR_MEPC:
      return all(w.mepc);
    case GYRE_CSR_MCAUSE:
      return all(w.mcause);
    case GYRE_CSR_MTVAL:
      return all(w.mtval);
    case GYRE_CSR_MCYCLE:
      return all(w.issue);
    case GYRE_CSR_MCYCLE + 0x80:
      return all(w.issue >> 32);
    case GYRE_CSR_MINSTRET:
      return all(count.thread_instructions);
    case GYRE_CSR_MINSTRET + 0x80:
      return all(count.thread_instructions >> 32);
    case GYRE_CSR_THREAD_ID:
      for (unsigned l = 0; l < threads; ++l) out[l] = l;
      return true;
    case GYRE_CSR_WARP_ID:
      return all(w.id);
    case GYRE_CSR_CORE_ID:
      return all(core_id);
    case GYRE_CSR_ACTIVE_WARPS:
      return all(active_mask);
    case GYRE_CSR_ACTIVE_THREADS:
      return all(w.mask);
    case GYRE_CSR_CTA_ID:
      return all(w.cta.slot);
    case GYRE_CSR_CTA_RANK:
      return all(w.cta.rank);
    case GYRE_CSR_CTA_SIZE:
      return all(w.cta.size);
    case GYRE_CSR_CTA_LMEM_ADDR:
      return all(w.cta.lmem);
    case GYRE_CSR_CTA_CLUSTER_SIZE:
      return all(w.cta.cluster_size);
    case GYRE_CSR_CTA_ENTRY:
      return all(w.cta.entry);
    case GYRE_CSR_FRAG_POS:
      return lanes(WarpKind::kFragment, w.thread_id[0]);
    case GYRE_CSR_FRAG_PID:
      return lanes(WarpKind::kFragment, w.thread_id[1]);
    case GYRE_CSR_MVENDORID:
    case GYRE_CSR_MARCHID:
    case GYRE_CSR_MIMPID:
      return all(0);
    case 0xF14:  // mhartid
      for (unsigned l = 0; l < threads; ++l) out[l] = (core_id * config.warps + w.id) * threads + l;
      return true;
    case GYRE_CSR_NUM_THREADS:
      return all(threads);
    case GYRE_CSR_NUM_WARPS:
      return all(config.warps);
    case GYRE_CSR_NUM_CORES:
      return all(total_cores);
    case GYRE_CSR_LOCAL_MEM_BASE:
      return all(GYRE_DEV_LMEM_BASE);
    case GYRE_CSR_NUM_BARRIERS:
      return all(config.barriers);
    default:
      return false;
  }
}

void Engine::csr_write(Warp& w, unsigned number, RegisterValue value) {
  switch (number) {
    case GYRE_CSR_FFLAGS:
      clear_host_flags();
      w.fflags = value & 31;
      break;
    case GYRE_CSR_FRM:
      w.frm = value & 7;
      break;
    case GYRE_CSR_FCSR:
      clear_host_flags();
      w.fflags = value & 31;
      w.frm = (value >> 5) & 7;
      break;
    case GYRE_CSR_SATP:
      write_satp(w, value);
      break;
    case GYRE_CSR_MSTATUS:
      w.mstatus = value;
      break;
    case GYRE_CSR_MTVEC:
      w.mtvec = value;
      break;
    case GYRE_CSR_MSCRATCH:
      w.mscratch = value;
      break;
    case GYRE_CSR_MEPC:
      w.mepc = value;
      break;
    case GYRE_CSR_MCAUSE:
      w.mcause = value;
      break;
    case GYRE_CSR_MTVAL:
      w.mtval = value;
      break;
    default:
      break;  // read-only registers ignore writes
  }
}

}  // namespace gyre::core
