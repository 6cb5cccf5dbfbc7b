#include "output_merger.h"

#include <cstring>

#include "csr.h"
#include "log.h"

namespace gyre::om {

using kernel::Cycle;

OutputMerger::OutputMerger(sc_core::sc_module_name name, kernel::Context& ctx, unsigned cluster)
    : sc_module(name),
      memory("memory", kernel::MemSource::kOm, ctx.config.gpu.period_ps(), cluster),
      ctx_(ctx),
      caches_((ctx.config.gpu.om.cores + 3) / 4, Ocache(std::max(1u, ctx.config.gpu.ocache.banks))),
      cores_(ctx.config.gpu.om.cores, OmCore(std::max(1u, ctx.config.gpu.om.mem_queue))),
      ingresses_(ctx.config.gpu.sockets, Ingress(std::size_t{ctx.config.gpu.cores} * ctx.config.gpu.core.threads)) {
  for (std::size_t i = 0; i < cores_.size(); ++i) cores_[i].cache = &caches_[i / 4];
  dcr.register_b_transport(this, &OutputMerger::dcr_transport);
  const auto add = [this](const char* what, const std::uint64_t& value) {
    ctx_.counters.add(std::string(this->name()) + "." + what, &value);
  };
  add("beats", beats_);
  add("fragments", in_);
  add("fragments_passed", passed_);
  add("fragments_killed", killed_);
  add("fragments_dropped", dropped_);
  add("reads", reads_);
  add("writes", writes_);
  add("read_latency", read_latency_);
  add("stalls", stalls_);
  for (std::size_t i = 0; i < cores_.size() && !ctx.approximate(); ++i)
    ctx_.utilisation.add(fmt::format("{}.core{}", this->name(), i), "om", 1,
                         [this, i](Cycle) { return cores_[i].activity.activity(); });
}

tlm::tlm_response_status OutputMerger::export_beat(unsigned index, const tlm::tlm_generic_payload& payload, Cycle& at) {
  const std::uint64_t address = payload.get_address();
  const unsigned bytes = payload.get_data_length();
  if (address < GYRE_DEV_APERTURE_BASE || address + bytes > GYRE_DEV_APERTURE_END || index >= ingresses_.size())
    return tlm::TLM_ADDRESS_ERROR_RESPONSE;
  if ((address & 3) != 0 || (bytes & 3) != 0 || bytes > GYRE_DEV_BLOCK_BYTES) return tlm::TLM_BURST_ERROR_RESPONSE;

  const unsigned char* data = payload.get_data_ptr();
  const unsigned char* enables = payload.get_byte_enable_ptr();
  const unsigned enable_bytes = payload.get_byte_enable_length();
  const auto first = static_cast<std::uint32_t>(address - GYRE_DEV_APERTURE_BASE);
  std::uint32_t present = 0;  // bit w: word w of the beat
  for (unsigned byte = 0; byte < bytes; byte += 4) {
    std::uint32_t enabled = 0xFFFFFFFFu;
    if (enables != nullptr) {
      if (byte + 4 <= enable_bytes)
        std::memcpy(&enabled, enables + byte, 4);
      else
        for (unsigned i = 0; i < 4; ++i)
          reinterpret_cast<unsigned char*>(&enabled)[i] = enables[(byte + i) % enable_bytes];
    }
    if (enabled == 0xFFFFFFFFu)
      present |= 1u << (byte / 4);
    else if (enabled != 0)
      raise(GYRE_FAULT_UNIT_ACCESS, GYRE_DEV_APERTURE_BASE + first + byte);
  }
  ++beats_;
  ++ctx_.progress;
  if (present == 0) return tlm::TLM_OK_RESPONSE;
  if (!draw_ready_) prepare_draw();

  Ingress& ingress = ingresses_[index];
  OmCore& core = cores_[index % cores_.size()];
  const unsigned count = static_cast<unsigned>(__builtin_popcount(present));
  Cycle when = ingress.words.take(at, count) - count;
  last_ = when + count;
  backlog_ = 0;
  for (std::uint32_t rest = present; rest != 0; rest &= rest - 1) {
    const unsigned w = static_cast<unsigned>(__builtin_ctz(rest));
    std::uint32_t value;
    std::memcpy(&value, data + 4 * w, 4);
    word(ingress, core, first + 4 * w, value, ++when);
  }
  ctx_.busy.note(last_);
  if (backlog_ > kQueueCycles) at = when + backlog_ - kQueueCycles;
  return tlm::TLM_OK_RESPONSE;
}

void OutputMerger::word(Ingress& ingress, OmCore& core, std::uint32_t offset, std::uint32_t data, Cycle at) {
  const ApertureGeometry& aperture = state_.aperture();
  if (aperture.pairs()) {
    const std::uint32_t record = offset >> 3;
    if ((offset & 4) == 0) {
      // The issue lock bounds open records; only colour words that never get their depth word can fill the table.
      if (ingress.held.full()) {
        raise(GYRE_FAULT_OM_COLOUR_OPEN, ingress.held.oldest().record << 3);
        ingress.held.drop_oldest();
      }
      ingress.held.open(record, data);
      return;
    }
    std::uint32_t colour;
    if (ingress.held.close(record, colour))
      fire(core, record, colour, data, at);
    else
      raise(GYRE_FAULT_OM_DEPTH_ORPHAN, offset);
  } else if (aperture.record_shift != 2) {
    raise(GYRE_FAULT_UNIT_STATE, GYRE_DCR_OM_APERTURE_RECORD_SHIFT);
  } else if (!aperture.depth_only) {
    fire(core, offset >> 2, data, 0, at);
  } else {
    // The core stores depth at the record address + 4 whatever the record holds (om.md §3.3).
    fire(core, (offset - 4) >> 2, 0, data, at);
  }
}

void OutputMerger::fire(OmCore& core, std::uint32_t record, std::uint32_t colour, std::uint32_t depth, Cycle at) {
  const ApertureGeometry& aperture = state_.aperture();
  const Pixel pixel = decode_record(aperture, record);
  const Plan& plan = plans_[pixel.rt];
  if (__builtin_expect((unchecked_ >> pixel.rt & 1) != 0, 0)) name_unset(pixel.rt);
  if (pixel.rt != 0 && state_.ds_writes() && !attachment_fault_) {
    attachment_fault_ = true;
    raise(GYRE_FAULT_UNIT_STATE, state_.depth_writes() ? GYRE_DCR_OM_DEPTH_WRITEMASK : GYRE_DCR_OM_STENCIL_WRITEMASK);
  }
  if (aperture.depth_only && !aperture.pairs() && state_.target(pixel.rt).writemask != 0 && !depth_only_fault_) {
    depth_only_fault_ = true;
    raise(GYRE_FAULT_UNIT_STATE, GYRE_DCR_OM_APERTURE_DEPTH_ONLY);
  }
  ++in_;
  const Cycle arrive = at + kIngress + kAdmission;
  switch (plan.mode) {
    case DrawMode::kBypass:
      ++passed_;
      last_ = std::max(last_, bypass(core, pixel, colour, arrive));
      break;
    case DrawMode::kReadModifyWrite:
      last_ = std::max(last_, read_modify_write(core, plan, pixel, {pixel.rt, pixel.face, depth, colour}, arrive));
      break;
    default:
      ++dropped_;
      last_ = std::max(last_, arrive);
      break;
  }
}

Cycle OutputMerger::bypass(OmCore& core, const Pixel& pixel, std::uint32_t colour, Cycle at) {
  const Target& target = state_.target(pixel.rt);
  const std::uint64_t address = target.address(pixel.x, pixel.y);
  store(address, memory.direct(address, 4, true), colour, target.byte_mask);
  if (core.pipeline != nullptr) {
    if (core.lines.watch() != nullptr) watch_write(core.lines, address);
    FragmentWork work;
    work.arrive = at;
    work.bypass = true;
    work.write[0] = {address, 1};
    core.pipeline->push(work);
    return at;
  }
  const Cycle wanted = at + 1 + kAddress;
  const Cycle done =
      core.real != nullptr ? core.real->write({address, 1}, wanted) : core.cache->take(wanted, 1, address, address);
  core.activity.work(wanted, 1);
  core.activity.wait(kernel::Doing::kMemory, wanted + 1, done);
  if (core.lines.watch() != nullptr) watch_write(core.lines, address);
  stalls_ += done - wanted - 1;
  backlog_ = std::max(backlog_, done - wanted - 1);
  return done;
}

Cycle OutputMerger::read_modify_write(OmCore& core, const Plan& plan, const Pixel& pixel, const Fragment& fragment,
                                      Cycle at) {
  // Function first: the number of writes decides how long the fragment occupies the pipeline.
  const Target& target = state_.target(pixel.rt);
  const std::uint64_t colour_address = target.address(pixel.x, pixel.y);
  const std::uint64_t depth_address = state_.depth_address(pixel.x, pixel.y);
  std::uint8_t* depth_memory = plan.read_depth ? memory.direct(depth_address, 4, true) : nullptr;
  std::uint8_t* colour_memory = target.byte_mask != 0 ? memory.direct(colour_address, 4, true) : nullptr;
  Cycle slow = at;
  const std::uint32_t depth_word = plan.read_depth ? load(depth_address, depth_memory, slow) : 0;
  const std::uint32_t colour_word = plan.read_colour ? load(colour_address, colour_memory, slow) : 0;
  const FragmentResult result = process_fragment(state_, fragment, depth_word, colour_word);
  if (result.write_depth) store(depth_address, depth_memory, result.depth_word, 0xFFFFFFFFu);
  if (result.write_colour) store(colour_address, colour_memory, result.colour, target.byte_mask);
  ++(result.pass ? passed_ : killed_);
  reads_ += plan.reads;

  // The queue in front of the issue stage, then the interlock at its head.
  const unsigned writes = (result.write_depth ? 1u : 0u) + (result.write_colour ? 1u : 0u);
  const std::uint64_t first_read = plan.read_depth ? depth_address : colour_address;
  const std::uint64_t first_write = result.write_depth ? depth_address : colour_address;
  if (core.pipeline != nullptr) {
    watch_reads(core, plan, depth_address, colour_address);
    if (core.lines.watch() != nullptr) {
      if (result.write_depth) watch_write(core.lines, depth_address);
      if (result.write_colour) watch_write(core.lines, colour_address);
    }
    core.pipeline->push({at, false, static_cast<std::uint8_t>(core.bucket_of(pixel.x, pixel.y)), plan.reads, writes,
                         plan.compute, {{first_read, 1}, {colour_address, 1}}, {{first_write, 1}, {colour_address, 1}}});
    return at;
  }
  const unsigned work = plan.issue_work[writes];
  Cycle turn = core.issue.take(at, work) - work;
  core.activity.work(turn, work);
  if (core.real != nullptr) {
    const Cycle first = turn;
    turn = core.credits.available(turn);
    core.activity.wait(kernel::Doing::kMemory, first, turn);
  }
  Cycle& bucket = core.bucket(pixel.x, pixel.y);
  const Cycle issue = std::max(turn, bucket) + 1;
  core.activity.wait(kernel::Doing::kOutput, turn, bucket);
  backlog_ = std::max(backlog_, turn - at);
  stalls_ += issue - 1 - at;

  const Cycle fetch = issue + kAddress;
  Cycle read;
  if (core.real != nullptr) {
    const memory::MemoryAccess words[] = {{first_read, 1}, {colour_address, 1}};
    read = core.real->read_lines(words, plan.reads, fetch) + 1 - std::min<Cycle>(kHit, core.real->latency());
    core.credits.hold(turn, read + kHit);
    watch_reads(core, plan, depth_address, colour_address);
  } else {
    read = core.cache->take(fetch, plan.reads, first_read, colour_address) + (slow - at);
  }
  core.activity.wait(kernel::Doing::kMemory, fetch + kHit + plan.reads - 1, read + kHit - 1);
  read_latency_ += (read + kHit - fetch) * plan.reads;
  const Cycle computed = read + kHit + plan.compute;
  if (writes == 0) {
    bucket = computed + 1;
    return computed;
  }
  const Cycle entered = computed + 1;
  bucket = entered + 1;
  if (core.real == nullptr) return core.cache->take(entered + kAddress, writes, first_write, colour_address);
  const memory::MemoryAccess words[] = {{first_write, 1}, {colour_address, 1}};
  const Cycle accepted = core.real->write_lines(words, writes, entered + kAddress);
  if (core.lines.watch() != nullptr)
    for (unsigned i = 0; i < writes; ++i) watch_write(core.lines, words[i].address);
  return accepted;
}

void OutputMerger::watch_reads(const OmCore& core, const Plan& plan, std::uint64_t depth_address,
                               std::uint64_t colour_address) {
  if (!core.lines.may_be_old()) return;
  if (plan.read_depth) watch_read(core.lines, depth_address, GYRE_DCR_OM_ZBUF_ADDR);
  if (plan.read_colour) watch_read(core.lines, colour_address, GYRE_DCR_OM_CBUF_ADDR);
}

void OutputMerger::watch_read(const memory::LineReader& lines, std::uint64_t address, unsigned reg) {
  const auto at = static_cast<std::uint32_t>(address);
  if (lines.read(at, memory::LineWatch::words_of(at, 4)) == 0) return;
  ctx_.lints.about_register(kernel::Lint::kStaleLine, name(), reg,
                            fmt::format("the pixel at {:#x} is old: {}; flush the caches between the write of a buffer and the "
                                        "draw that reads it",
                                        at, lines.story(at)));
}

void OutputMerger::watch_write(const memory::LineReader& lines, std::uint64_t address) {
  const auto at = static_cast<std::uint32_t>(address);
  lines.written(at, memory::LineWatch::words_of(at, 4), writer_);
}

std::uint32_t OutputMerger::load(std::uint64_t address, const std::uint8_t* direct, Cycle& when) {
  std::uint32_t value = 0;
  if (direct != nullptr)
    std::memcpy(&value, direct, 4);
  else if (!memory.read(address, &value, 4, &when))
    raise(GYRE_FAULT_UNIT_ACCESS, static_cast<std::uint32_t>(address));
  return value;
}

void OutputMerger::store(std::uint64_t address, std::uint8_t* direct, std::uint32_t word, std::uint32_t byte_mask) {
  ++writes_;
  if (direct != nullptr) {
    if (byte_mask != 0xFFFFFFFFu) {
      std::uint32_t old;
      std::memcpy(&old, direct, 4);
      word = merge_bytes(old, word, byte_mask);
    }
    std::memcpy(direct, &word, 4);
    return;
  }
  std::uint8_t enables[4];
  std::memcpy(enables, &byte_mask, 4);
  if (!memory.write_transaction(address, &word, 4, enables, false, nullptr))
    raise(GYRE_FAULT_UNIT_ACCESS, static_cast<std::uint32_t>(address));
}

void OutputMerger::set_caches(const std::vector<memory::Cache*>& caches, unsigned writer) {
  writer_ = writer;
  for (std::size_t i = 0; i < caches.size(); ++i) {
    cores_[i].real = caches[i];
    cores_[i].lines = {caches[i], false};
  }
  memory.set_timed(!caches.empty());
}

void OutputMerger::set_pipelines(const std::vector<OmPipeline*>& pipelines, const std::vector<memory::LineReader>& lines,
                                 unsigned writer) {
  writer_ = writer;
  for (std::size_t i = 0; i < lines.size(); ++i) cores_[i].lines = lines[i];
  for (std::size_t i = 0; i < pipelines.size(); ++i) {
    cores_[i].pipeline = pipelines[i];
    pipelines[i]->count_into(stalls_, read_latency_);
  }
  memory.set_timed(!pipelines.empty());
}

unsigned OutputMerger::drain_check() {
  unsigned dropped = 0;
  for (Ingress& ingress : ingresses_)
    for (; ingress.held.size() != 0; ++dropped) {
      raise(GYRE_FAULT_OM_COLOUR_OPEN, ingress.held.oldest().record << 3);
      ingress.held.drop_oldest();
    }
  return dropped;
}

// First beat after a register write.
void OutputMerger::prepare_draw() {
  draw_ready_ = true;
  attachment_fault_ = depth_only_fault_ = false;
  unchecked_ = ctx_.lints.on(kernel::Lint::kDcrUnset) ? (1u << GYRE_OM_MAX_RT) - 1 : 0;
  const ApertureGeometry& aperture = state_.aperture();
  if (!aperture.fits()) raise(GYRE_FAULT_UNIT_STATE, GYRE_DCR_OM_APERTURE_XBITS);
  if (aperture.record_shift == 2 && !aperture.depth_only && state_.depth_enabled())
    kernel::log_warn(name(),
                     "colour-only exports with the depth test on: fragments have depth 0; "
                     "program RECORD_SHIFT 3 or turn the depth test off");
  const unsigned queue = ctx_.config.gpu.om.mem_queue, banks = std::max(1u, ctx_.config.gpu.ocache.banks);
  for (unsigned rt = 0; rt < GYRE_OM_MAX_RT; ++rt) {
    const Target& target = state_.target(rt);
    Plan& plan = plans_[rt];
    plan.mode = target.mode;
    plan.read_depth = state_.ds_enabled();
    plan.read_colour = target.blend_enabled && target.writemask != 0;
    plan.reads = (plan.read_depth ? 1u : 0u) + (plan.read_colour ? 1u : 0u);
    for (unsigned writes = 0; writes < 3; ++writes) {
      // At most `queue` reads are outstanding, and a core's share of the banks moves one word each a cycle.
      const unsigned credits = (kAddress + plan.reads + kHit + queue - 1) / queue;
      plan.issue_work[writes] = std::max({1u, credits, (plan.reads + writes + banks - 1) / banks});
    }
    // Tests and blending run side by side and join.
    plan.compute = plan.read_colour ? kBlend : kDepthStencil;
  }
}

void OutputMerger::name_unset(unsigned rt) {
  unchecked_ &= ~(1u << rt);
  for (std::uint32_t left = state_.used(rt) & ~state_.written(rt); left != 0; left &= left - 1)
    ctx_.lints.about_register(
        kernel::Lint::kDcrUnset, name(), GYRE_DCR_OM_CBUF_ADDR + static_cast<unsigned>(__builtin_ctz(left)),
        fmt::format("fragments of attachment {} depend on it and nobody has written it; registers are not reset: a draw "
                    "writes what it uses",
                    rt));
}

std::uint64_t OutputMerger::counter(unsigned index) const {
  switch (index) {
    case 0x03:
    case 0x07:
      return reads_;
    case 0x04:
    case 0x08:
      return writes_;
    case 0x05:
      return read_latency_;
    case 0x06:
      return stalls_;
    default:
      return 0;
  }
}

void OutputMerger::dcr_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time&) {
  payload.set_response_status(tlm::TLM_OK_RESPONSE);
  if (!payload.is_write() || payload.get_data_length() != 4) return;
  std::uint32_t value;
  std::memcpy(&value, payload.get_data_ptr(), 4);
  const unsigned reg = static_cast<unsigned>(payload.get_address() / 4);
  const DcrWrite result = state_.write(reg, value);
  if (result == DcrWrite::kNotMine) return;
  if (result == DcrWrite::kBadValue) raise(GYRE_FAULT_UNIT_STATE, reg);
  draw_ready_ = false;
}

void OutputMerger::raise(unsigned cause, std::uint32_t value) {
  kernel::Fault fault;
  fault.cause = cause;
  fault.warp = GYRE_MPM_OM;
  fault.value = value;
  ctx_.faults.raise(fault);
}

}  // namespace gyre::om
