// Translation of a core's addresses (memory.md §9). Off, or without gpu.vm, nothing here runs.
#include "csr.h"
#include "engine.h"
#include "memory_requests.h"

namespace gyre::core {
namespace {

constexpr std::uint32_t kOffset = memory::kPageBytes - 1;

}  // namespace

void Engine::write_satp(Warp& w, RegisterValue value) {
  if (mmu == nullptr || satp == value) {
    satp = value;
    return;
  }
  satp = value;
  translating = mmu->set_satp(value);
  if (icache != nullptr) {  // what has run was fetched by the old tables
    charge_fetch(w, w.next_pc);
    fetched_from_ = w.next_pc;
    fetched_since_ = w.local;
  }
  if (!translating) fetch_offset_ = 0;
  translated_page_ = ~0u;
  refetch();
  refresh_windows();
}

void Engine::page_fault(Warp& w, std::uint32_t address) { fault(w, GYRE_FAULT_PAGE, address); }

// A page after the other, in the order of the lanes; the warp waits for those that are not in the first TLB.
const std::uint32_t* Engine::translate_lanes(Warp& w, const std::uint32_t* address, std::uint32_t* physical) {
  if (requests != nullptr) {  // the instruction has waited for them
    for (std::uint32_t left = w.mask; left != 0; left &= left - 1) {
      const unsigned l = static_cast<unsigned>(__builtin_ctz(left));
      const std::uint32_t virtual_address = address[l];
      if (requests->translated(w, virtual_address, &physical[l])) continue;
      page_fault(w, virtual_address);
      return nullptr;
    }
    return physical;
  }
  std::uint32_t page = ~0u, frame = 0;
  Cycle at = w.issue;
  for (std::uint32_t left = w.mask; left != 0; left &= left - 1) {
    const unsigned l = static_cast<unsigned>(__builtin_ctz(left));
    const std::uint32_t virtual_address = address[l];
    if (virtual_address >> memory::kPageShift != page) {
      if (!mmu->translate(Mmu::Side::kData, virtual_address, &frame, &at)) {
        page_fault(w, virtual_address);
        return nullptr;
      }
      page = virtual_address >> memory::kPageShift;
    }
    physical[l] = (frame & ~kOffset) | (virtual_address & kOffset);
  }
  const Cycle late = at - w.issue;
  count.translation_waits += late;
  w.issue += late;
  w.local += late;
  return physical;
}

bool Engine::translate_fetch(Warp& w, std::uint32_t pc, std::uint32_t* physical) {
  if (icache != nullptr && pc > fetched_from_) {  // straight on into another page
    charge_fetch(w, pc);
    fetched_from_ = pc;
    fetched_since_ = w.local;
  }
  Cycle at = w.local;
  if (!mmu->translate(Mmu::Side::kFetch, pc, physical, &at)) {
    page_fault(w, pc);
    return false;
  }
  count.fetch_stalls += at - w.local;
  w.local = at;
  fetched_since_ = at;
  fetch_offset_ = *physical - pc;
  return true;
}

// Approximate style: the page of w.pc. False: not now, or a page fault.
bool Engine::enter_page(Warp& w) {
  std::uint32_t physical = 0;
  switch (requests->translate_fetch(w, &physical)) {
    case MemoryRequests::Page::kLater: return false;
    case MemoryRequests::Page::kFault: page_fault(w, w.pc); return false;
    case MemoryRequests::Page::kThere: break;
  }
  fetch_offset_ = physical - w.pc;
  translated_page_ = w.pc >> memory::kPageShift;
  return true;
}

}  // namespace gyre::core
