// Virtual memory in the approximate style: pages before fetches and before accesses.
#include "device_map.h"
#include "memory_requests.h"
#include "translations.h"

namespace gyre::core {

using kernel::kNever;

MemoryRequests::Page MemoryRequests::translate_fetch(Warp& w, std::uint32_t* physical) {
  if (translations_->fetched(w, physical)) {
    w.line = *physical / GYRE_DEV_BLOCK_BYTES;
    return Page::kThere;
  }
  if (translations_->fetch_hits(w, physical)) return Page::kThere;
  if (w.local > now()) {
    w.sync = true;
    return Page::kLater;
  }
  const Cycle from = translations_->fetch(w, w.local);
  if (from == kNever) {
    hold(w, kFetchPage);
    return Page::kLater;
  }
  if (from > w.local) {
    engine_.count.fetch_stalls += from - w.local;
    w.local = from;
    w.sync = true;
    return Page::kLater;
  }
  return translations_->take_fetch(w, physical) ? Page::kThere : Page::kFault;
}

bool MemoryRequests::translated(const Warp& w, std::uint32_t address, std::uint32_t* physical) {
  *physical = address;
  return memory::untranslated(address) || translations_->take_data(w, address, physical);
}

// Before an access: all of its pages.
bool MemoryRequests::pages_known(Warp& w, const Inst& inst, Cycle at) {
  const Cycle from = translations_->data(w, inst, at);
  if (from == at) return true;
  w.local = at;
  if (from == kNever) {
    hold(w, kPage);
  } else {
    engine_.count.translation_waits += from - at;
    w.local = from;
    w.sync = true;
  }
  return false;
}

}  // namespace gyre::core
