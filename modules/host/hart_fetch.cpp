// From bytes to blocks.
#include <cstring>

#include "hart_debug.h"

namespace gyre::host {
namespace {

bool is_branch(Op op) { return op >= Op::kBeq && op <= Op::kBgeu; }

// Instructions after which execution does not simply go on, or that need pc and cycle count to be exact.
bool ends_block(Op op) {
  return op == Op::kIllegal || op == Op::kJal || op == Op::kJalr || op >= Op::kFenceI;
}

bool is_load(Op op) { return (op >= Op::kLb && op <= Op::kLwu) || op == Op::kFlw || op == Op::kFld; }
bool is_store(Op op) { return (op >= Op::kSb && op <= Op::kSd) || op == Op::kFsw || op == Op::kFsd; }
bool writes_rd(Op op) { return !is_branch(op) && !is_store(op); }

}  // namespace

// False: fault_ and trap_value_ say why.
bool Hart::fetch_half(std::uint64_t address, std::uint16_t& half) {
  std::uint64_t physical = 0;
  if (!locate(address, sizeof half, Reach::kFetch, physical)) return false;
  if (!fetch_window_.holds(physical, physical + 1)) {
    Window window;
    if (!bus_.direct(physical, false, window) || !window.holds(physical, physical + 1)) {
      if (bus_.debug(physical, &half, sizeof half, false)) return true;
      fault_ = 1;
      trap_value_ = address;
      return false;
    }
    fetch_window_ = window;
  }
  std::memcpy(&half, fetch_window_.host + (physical - fetch_window_.begin), sizeof half);
  return true;
}

// The block at a virtual address, or nullptr if its first instruction cannot be fetched.
Block* Hart::find_or_build(std::uint64_t pc) {
  std::uint64_t physical = 0;
  if (!locate(pc, 2, Reach::kFetch, physical)) return nullptr;
  Block* const block = blocks_.lookup(pc, physical, static_cast<unsigned>(privilege_));
  if (block == nullptr) return build(pc, physical);
  if (block->crosses) {
    std::uint64_t last = 0;
    if (!locate((pc & ~(kPageBytes - 1)) + kPageBytes, 2, Reach::kFetch, last)) return nullptr;
    if (last >> kPageBits != block->last_page) return build(pc, physical);
  }
  blocks_.remember(block);
  return block;
}

// Stores into a page that now holds code must be seen: no translation may lead to it on the fast path.
void Hart::drop_store_entries(std::uint64_t physical) {
  const bool known = fetch_window_.holds(physical, physical);
  const std::uint64_t page = physical & ~(kPageBytes - 1);
  const std::uint64_t host = reinterpret_cast<std::uint64_t>(fetch_window_.host) + (page - fetch_window_.begin);
  for (Tlb& tlb : tlbs_)
    for (TlbEntry& entry : tlb.store)
      if (!known || entry.addend + entry.tag == host) entry = TlbEntry{};
}

std::uint32_t Hart::instruction_bits() {
  std::uint16_t low = 0, high = 0;
  fetch_half(pc_, low);
  if ((low & 3) == 3) fetch_half(pc_ + 2, high);
  return low | static_cast<std::uint32_t>(high) << 16;
}

Block* Hart::single(std::uint64_t pc) {
  std::uint64_t physical = 0;
  return locate(pc, 2, Reach::kFetch, physical) ? build(pc, physical) : nullptr;
}

Block* Hart::build(std::uint64_t pc, std::uint64_t physical) {
  if (blocks_.nearly_full()) blocks_.flush();
  const int most = stepping_ ? 1 : static_cast<int>(kBlockInstructions);
  Block* block = blocks_.reserve();
  block->pc = pc;
  block->count = 0;
  block->physical = physical;
  block->last_page = physical >> kPageBits;
  block->privilege = static_cast<unsigned>(privilege_);
  block->crosses = false;
  Slot* slot = block->slots();
  const void* const trace = handlers_[static_cast<unsigned>(Op::kTrace)];
  std::uint64_t at = pc;
  bool ended = false;
  while (!ended && block->count < most) {
    if (block->count > 0 && (at >> kPageBits) != (pc >> kPageBits)) break;
    if (debug_ != nullptr && !stepping_ && debug_->breaks_at(at)) {
      if (block->count > 0) break;
      slot->handler = handlers_[static_cast<unsigned>(Op::kBreak)];
      ++slot;
      at += 2;
      break;
    }
    std::uint16_t low = 0, high = 0;
    bool fetched = fetch_half(at, low);
    if (fetched && (low & 3) == 3) {
      // An instruction across a page border is a block of its own, unless it is the first of this one.
      if (block->count > 0 && ((at + 2) >> kPageBits) != (pc >> kPageBits)) break;
      fetched = fetch_half(at + 2, high);
    }
    if (!fetched) {
      if (block->count == 0) return nullptr;
      break;  // the fault is taken when execution gets there
    }
    const std::uint32_t bits = low | static_cast<std::uint32_t>(high) << 16;
    const Decoded decoded = decode(bits);
    const auto offset = static_cast<std::int32_t>(at - pc);
    if (tracer_ != nullptr) {
      slot->handler = trace;
      slot->imm = static_cast<std::int32_t>(bits);
      slot->at = static_cast<std::uint8_t>(offset / 2);
      ++slot;
    }
    slot->handler = handlers_[static_cast<unsigned>(decoded.op)];
    slot->imm = decoded.imm;
    slot->rd = decoded.rd == 0 && writes_rd(decoded.op) ? kSinkRegister : decoded.rd;
    slot->rs1 = decoded.rs1;
    slot->rs2 = decoded.rs2;
    slot->at = static_cast<std::uint8_t>(offset / 2);
    if (is_load(decoded.op)) slot->rs2 = static_cast<std::uint8_t>(access_code(decoded.op));
    if (is_store(decoded.op)) slot->rd = static_cast<std::uint8_t>(access_code(decoded.op));
    if (decoded.op == Op::kJalr) slot->rs2 = decoded.length;
    if (decoded.op == Op::kCsr) slot->rd = decoded.rd;  // x0 means "do not read"
    if (decoded.op == Op::kEbreak) slot->rs2 = decoded.length;
    ++block->count;
    if (is_branch(decoded.op) || decoded.op == Op::kJal) {
      slot->imm += offset;
      ++slot;
      slot->link = nullptr;
      slot->at = kLinkSlot;
      slot->rd = static_cast<std::uint8_t>(block->count);
      slot->imm = offset + decoded.length;  // kJal: the return address; a branch's is set below
    }
    ++slot;
    at += decoded.length;
    ended = ends_block(decoded.op);
  }
  for (Slot* s = block->slots(); s != slot; ++s)
    if (s->at == kLinkSlot && s[-1].handler != handlers_[static_cast<unsigned>(Op::kJal)])
      s->imm = static_cast<std::int32_t>(block->count) - s->rd;  // cycles given back when taken
  // Also after a block that ends by itself: its `at` is where the next instruction stands.
  slot->handler = handlers_[static_cast<unsigned>(Op::kEnd)];
  slot->imm = static_cast<std::int32_t>(at - pc);
  slot->at = static_cast<std::uint8_t>((at - pc) / 2);
  ++slot;
  slot->link = nullptr;
  slot->at = kLinkSlot;
  ++slot;
  if (stepping_) return block;
  const bool known = blocks_.page_holds_code(physical);
  if (((at - 1) ^ pc) >> kPageBits != 0) {
    std::uint64_t last = 0;
    locate(at - 1, 1, Reach::kFetch, last);  // it was fetched: this cannot fail
    block->crosses = true;
    block->last_page = last >> kPageBits;
    if (!blocks_.page_holds_code(last)) drop_store_entries(last);
  }
  if (!known) drop_store_entries(physical);
  blocks_.add(block, static_cast<std::size_t>(slot - block->slots()), at - pc);
  return block;
}

}  // namespace gyre::host
