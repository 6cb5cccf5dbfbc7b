#include "tex_core.h"

#include <cstring>

#include "csr.h"
#include "device_map.h"
#include "geometry.h"
#include "log.h"
#include "sampler.h"

namespace gyre::tex {

using kernel::Cycle;

// The fetch callback of the sampler: reads a texel and notes whether all lanes agree on the address of each tap.
struct TexCore::Fetcher {
  Fetcher(TexCore& core, Cycle at) : core(core), at(at) {}
  TexCore& core;
  Cycle at;  // first cycle a read can issue
  Cycle slowest = 0;
  std::uint32_t differ = 0;  // bit t: some lane has another address than the first for tap t
  bool first_lane = true;
  unsigned tap = 0, lane = 0;
  std::uint64_t first[8];
  std::uint32_t address_of[8][32];  // by tap and lane; with caches only

  std::uint32_t operator()(std::uint64_t address, unsigned bytes) {
    if (first_lane)
      first[tap] = address;
    else
      differ |= (first[tap] != address ? 1u : 0u) << tap;
    if (core.cached()) address_of[tap][lane] = static_cast<std::uint32_t>(address);
    ++tap;
    const std::uint8_t* memory = core.memory.direct(address, bytes, false);
    if (memory == nullptr) return core.fetch_transaction(address, bytes, at, slowest);
    std::uint32_t texel = 0;
    switch (bytes) {
      case 4:
        std::memcpy(&texel, memory, 4);
        break;
      case 2:
        std::memcpy(&texel, memory, 2);
        break;
      default:
        texel = *memory;
        break;
    }
    return texel;
  }
};

TexCore::TexCore(sc_core::sc_module_name name, kernel::Context& ctx, unsigned socket_id)
    : sc_module(name),
      memory("memory", kernel::MemSource::kTex, ctx.config.gpu.period_ps(), socket_id),
      ctx_(ctx),
      banks_(memory::with_geometry(ctx.config.gpu).tcache.banks),
      hit_latency_(memory::with_geometry(ctx.config.gpu).tcache.latency),
      fetch_ports_(ctx.config.gpu.tex.cores),
      fetches_(ctx.config.gpu.tex.cores) {
  dcr.register_b_transport(this, &TexCore::dcr_transport);
  const auto add = [this](const char* what, const std::uint64_t& value) {
    ctx_.counters.add(std::string(this->name()) + "." + what, &value);
  };
  add("requests", requests_);
  add("samples", samples_);
  add("reads", reads_);
  add("read_latency", read_latency_);
  add("stalls", stalls_);
  add("duplicates", duplicates_);
  add("dcr_in_flight", dcr_in_flight_);
  for (std::size_t i = 0; i < fetches_.size(); ++i)
    ctx_.utilisation.add(fmt::format("{}.sampler{}", this->name(), i), "tex", 1,
                         [this, i](Cycle) { return fetches_[i].activity(); });
}

template <bool kBilinear, bool kMipLinear>
void TexCore::sample_lanes(const TexBank& bank, std::uint32_t mask, const std::uint32_t* u, const std::uint32_t* v,
                           const std::uint32_t* lod, std::uint32_t* texels, Fetcher& fetcher) {
  for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1) {
    const int lane = __builtin_ctz(rest);
    fetcher.tap = 0;
    fetcher.lane = static_cast<unsigned>(lane);
    texels[lane] = sample_as<kBilinear, kMipLinear>(bank, u[lane], v[lane], lod[lane], fetcher);
    fetcher.first_lane = false;
  }
}

Cycle TexCore::sample(unsigned stage, std::uint32_t mask, const std::uint32_t* u, const std::uint32_t* v,
                      const std::uint32_t* lod, std::uint32_t* texels, Cycle at, Done done) {
  if (mask == 0) return at;  // retires without a fetch
  if ((unchecked_stages_ >> stage & 1) != 0) check_stage(stage);
  if (__builtin_expect(unset_[stage] != 0, 0)) name_unset(stage, mask, lod);
  const TexBank& bank = state_.bank(stage);
  Fetcher fetcher(*this, at + kCyclesBeforeFetch);
  if (bank.bilinear)
    bank.mip_linear ? sample_lanes<true, true>(bank, mask, u, v, lod, texels, fetcher)
                    : sample_lanes<true, false>(bank, mask, u, v, lod, texels, fetcher);
  else
    bank.mip_linear ? sample_lanes<false, true>(bank, mask, u, v, lod, texels, fetcher)
                    : sample_lanes<false, false>(bank, mask, u, v, lod, texels, fetcher);

  // Lane 0 fetches for everybody where all agree; without lane 0 no duplicate is detected.
  const unsigned lanes = static_cast<unsigned>(__builtin_popcount(mask));
  const unsigned taps = fetcher.tap;
  const unsigned equal = taps - static_cast<unsigned>(__builtin_popcount(fetcher.differ));
  const unsigned shared = (mask & 1) != 0 && eliminate_duplicates_ ? equal : 0;
  const unsigned reads = shared + (taps - shared) * lanes;
  const Cycle work = std::max(1u, (reads + banks_ - 1) / banks_);
  const unsigned sampler = next_sampler_;
  if (++next_sampler_ == fetch_ports_.size()) next_sampler_ = 0;
  ++requests_;
  samples_ += lanes;
  reads_ += reads;
  duplicates_ += taps * lanes - reads;
  if (cached()) gather_lines(fetcher, mask, shared != 0);
  if (!clients_.empty() && done) {
    fetches_[sampler].work(fetcher.at, work);
    if (!watched_.empty() && watched_[sampler].may_be_old()) watch_lines(watched_[sampler], fetcher, mask);
    clients_[sampler]->read(lines_.data(), static_cast<unsigned>(lines_.size()), fetcher.at,
                            [this, sampler, issued = fetcher.at + work, reads, done = std::move(done)](Cycle last) {
                              const Cycle data = last + 1, ready = data + kCyclesAfterHit;
                              fetches_[sampler].wait(kernel::Doing::kMemory, issued + hit_latency_, data);
                              read_latency_ += std::uint64_t{reads} * (data - std::min(data, issued));
                              last_response_ = std::max(last_response_, ready);
                              done(ready);
                            });
    return kLater;
  }
  Cycle issued, data;  // the last word left the fetch stage; it is there
  if (caches_.empty()) {
    issued = fetch_ports_[sampler].take(fetcher.at, work);
    data = std::max(issued, fetcher.slowest) + hit_latency_;
    stalls_ += issued - fetcher.at - work;
  } else {
    memory::Cache& cache = *caches_[sampler];
    const memory::CacheCounters& c = cache.counters();
    const std::uint64_t before = c.mshr_stalls;
    issued = fetcher.at + work;
    data = cache.read_lines(lines_.data(), static_cast<unsigned>(lines_.size()), fetcher.at) + 1;
    if (cache.may_be_old()) watch_lines({&cache, false}, fetcher, mask);
    stalls_ += c.mshr_stalls - before;
  }
  const Cycle ready = data + kCyclesAfterHit;
  fetches_[sampler].work(issued - work, work);
  fetches_[sampler].wait(kernel::Doing::kMemory, issued + hit_latency_, data);
  read_latency_ += std::uint64_t{reads} * (data - std::min(data, issued));
  last_response_ = std::max(last_response_, ready);
  return ready;
}

void TexCore::set_caches(std::vector<memory::Cache*> caches) {
  caches_ = std::move(caches);
  memory.set_timed(!caches_.empty());
}

void TexCore::set_clients(std::vector<kernel::AtClient*> clients, std::vector<memory::LineReader> lines) {
  clients_ = std::move(clients);
  watched_ = std::move(lines);
  memory.set_timed(!clients_.empty());
}

// The words of a request, tap by tap; those of neighbouring lanes in one line together. `share`: taps on which all lanes
// agree are one word.
void TexCore::gather_lines(const Fetcher& fetcher, std::uint32_t mask, bool share) {
  lines_.resize(std::size_t{fetcher.tap} * static_cast<unsigned>(__builtin_popcount(mask)));
  memory::MemoryAccess* end = lines_.data();
  std::uint32_t block = 1;  // of the last line; none yet
  unsigned count = 0;
  const auto add = [&](std::uint32_t address) {
    if ((address & ~(GYRE_DEV_BLOCK_BYTES - 1)) == block) {
      end[-1].count = ++count;
      return;
    }
    block = address & ~(GYRE_DEV_BLOCK_BYTES - 1);
    *end++ = {address, count = 1};
  };
  for (unsigned tap = 0; tap < fetcher.tap; ++tap) {
    if (share && (fetcher.differ >> tap & 1) == 0) {
      add(static_cast<std::uint32_t>(fetcher.first[tap]));
      continue;
    }
    for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1) add(fetcher.address_of[tap][__builtin_ctz(rest)]);
  }
  lines_.resize(static_cast<std::size_t>(end - lines_.data()));
}

void TexCore::watch_lines(const memory::LineReader& lines, const Fetcher& fetcher, std::uint32_t mask) {
  unsigned old = 0;
  for (const memory::MemoryAccess& line : lines_)
    old |= lines.read(static_cast<std::uint32_t>(line.address), 0xFFFF);
  if (__builtin_expect(old == 0, 1)) return;
  // Is it a texel that was asked for?
  for (unsigned tap = 0; tap < fetcher.tap; ++tap)
    for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1) {
      const std::uint32_t address = fetcher.address_of[tap][__builtin_ctz(rest)];
      if (lines.read(address, memory::LineWatch::words_of(address, 1)) == 0) continue;
      ctx_.lints.about_register(kernel::Lint::kStaleLine, name(), GYRE_DCR_TEX_ADDR,
                                fmt::format("the texel at {:#x} is old: {}; flush the caches between the write of a "
                                            "texture and its use",
                                            address, lines.story(address)));
      return;
    }
}

std::uint32_t TexCore::fetch_transaction(std::uint64_t address, unsigned bytes, Cycle at, Cycle& slowest) {
  std::uint32_t texel = 0;
  Cycle when = at;
  if (!memory.read(address, &texel, bytes, &when)) raise(GYRE_FAULT_UNIT_ACCESS, static_cast<std::uint32_t>(address));
  slowest = std::max(slowest, when);
  return texel;
}

void TexCore::check_stage(unsigned stage) {
  unchecked_stages_ &= ~(1u << stage);
  unset_[stage] = ctx_.lints.on(kernel::Lint::kDcrUnset) ? state_.used(stage, 0xFFFF) & ~state_.written(stage) : 0;
  const int level = state_.bank(stage).misaligned_level();
  if (level >= 0) raise(GYRE_FAULT_UNIT_STATE, GYRE_DCR_TEX_MIPOFF0 + static_cast<std::uint32_t>(level));
}

void TexCore::name_unset(unsigned stage, std::uint32_t mask, const std::uint32_t* lod) {
  std::uint32_t levels = 0;
  for (; mask != 0; mask &= mask - 1) {
    const std::uint32_t word = lod[__builtin_ctz(mask)];
    if (!state_.bank(stage).mip_linear)
      levels |= 1u << (word & 15);
    else
      levels |= 3u << (word >> 8 & 15);
  }
  for (std::uint32_t left = unset_[stage] & state_.used(stage, levels & 0xFFFF); left != 0; left &= left - 1) {
    const unsigned bit = static_cast<unsigned>(__builtin_ctz(left));
    unset_[stage] &= ~(1u << bit);
    ctx_.lints.about_register(kernel::Lint::kDcrUnset, name(), GYRE_DCR_TEX_STAGE + bit,
                              fmt::format("a sample of stage {} depends on it and nobody has written it; registers are "
                                          "not reset: write it before the draw",
                                          stage));
  }
}

std::uint64_t TexCore::counter(unsigned index) const {
  switch (index) {
    case 0x03:
    case 0x06:
      return reads_;
    case 0x04:
      return read_latency_;
    case 0x05:
      return stalls_;
    default:
      return 0;
  }
}

void TexCore::dcr_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
  payload.set_response_status(tlm::TLM_OK_RESPONSE);
  if (!payload.is_write() || payload.get_data_length() != 4) return;
  std::uint32_t value;
  std::memcpy(&value, payload.get_data_ptr(), 4);
  const unsigned reg = static_cast<unsigned>(payload.get_address() / 4);
  if (reg < GYRE_DCR_TEX_STAGE || reg >= GYRE_DCR_RASTER_TBUF_ADDR) return;
  // Requests latch their bank on entry, so this is harmless here; software that does it is worth finding.
  if (kernel::kernel_now() + delay.value() < last_response_ * ctx_.config.gpu.period_ps()) ++dcr_in_flight_;
  write_register(reg, value);
}

void TexCore::write_register(unsigned reg, std::uint32_t value) {
  switch (state_.write(reg, value)) {
    case DcrWrite::kBadValue:
      raise(GYRE_FAULT_UNIT_STATE, reg);
      break;
    case DcrWrite::kReserved:
      if (!reserved_reported_)
        kernel::log_warn(name(), "write of reserved DCR {:#05x} ignored; texture registers end at {:#05x}", reg,
                         GYRE_DCR_TEX_BORDER);
      else
        kernel::count_warning();
      reserved_reported_ = true;
      return;
    case DcrWrite::kDone:
      if (reg == GYRE_DCR_TEX_ADDR && (value >> 25) != 0)
        kernel::log_debug(name(), "texture base {:#x} is beyond the 2 GiB a 25-bit base register reaches",
                          state_.bank(state_.selected()).base);
      break;
    case DcrWrite::kNotMine:
      return;
  }
  unchecked_stages_ |= 1u << state_.selected();
}

void TexCore::raise(unsigned cause, std::uint32_t value) {
  kernel::Fault fault;
  fault.cause = cause;
  fault.warp = GYRE_MPM_TEX;
  fault.value = value;
  ctx_.faults.raise(fault);
}

}  // namespace gyre::tex
