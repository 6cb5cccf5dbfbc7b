#include "device_memory.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>

#include "device_map.h"
#include "error.h"

namespace gyre::memory {
namespace {

struct Range {
  std::uint64_t begin, end;  // end exclusive
};
constexpr Range kFlat[] = {{GYRE_DEV_NULL_END, GYRE_DEV_APERTURE_BASE}, {GYRE_DEV_APERTURE_END, GYRE_DEV_LMEM_BASE}};

const Range* flat_range(std::uint64_t address) {
  for (const Range& range : kFlat)
    if (address >= range.begin && address < range.end) return &range;
  return nullptr;
}

// Between whoever asks and the memory (timing.md §2.2).
constexpr kernel::Cycle kArbiter = 1;

DramConfig checked(const GpuConfig& gpu) {
  const DramConfig dram = resolve(gpu.dram, gpu.period_ps());
  if (const std::string wrong = check_dram(dram); !wrong.empty()) user_error("{}", wrong);
  return dram;
}

}  // namespace

DeviceMemory::DeviceMemory(sc_core::sc_module_name name, kernel::Context& ctx)
    : sc_module(name),
      dram(checked(ctx.config.gpu)),
      period_(sc_core::sc_time::from_value(ctx.config.gpu.period_ps())),
      queue_(ctx.config.gpu.dram.queue) {
  // Never-touched pages cost nothing, so the whole space is mapped and DMI is one pointer.
  void* space = mmap(nullptr, kSpaceBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (space == MAP_FAILED) user_error("cannot reserve 4 GiB of address space for device memory: raise the ulimit -v");
  bytes_ = static_cast<std::uint8_t*>(space);
  target.register_nb_transport_fw(this, &DeviceMemory::nb_transport_fw);
  target.register_b_transport(this, &DeviceMemory::b_transport);
  target.register_get_direct_mem_ptr(this, &DeviceMemory::get_direct_mem_ptr);
  target.register_transport_dbg(this, &DeviceMemory::transport_dbg);
  const DramCounters& d = dram.counters();
  const std::pair<const char*, const std::uint64_t*> list[] = {
      {"reads", &d.reads},           {"writes", &d.writes},          {"read_latency", &d.read_latency},
      {"bus_stalls", &d.bus_stalls}, {"row_hits", &d.row_hits},      {"row_misses", &d.row_misses},
      {"row_conflicts", &d.row_conflicts}, {"refresh_stalls", &d.refresh_stalls}, {"cycles_busy", &d.busy}};
  for (const auto& [label, value] : list) ctx.counters.add(std::string("gpu.memory.dram.") + label, value);
  for (unsigned bus = 0; bus < dram.config().banks; ++bus)
    ctx.utilisation.add("gpu.memory.bus" + std::to_string(bus), "memory", 1,
                        [this, bus](kernel::Cycle) { return dram.activity(bus); });
  for (unsigned bank = 0; bank < dram.row_banks(); ++bank)
    ctx.counters.add("gpu.memory.bus" + std::to_string(bank / dram.config().row_banks) + ".row_bank" +
                         std::to_string(bank % dram.config().row_banks) + ".work",
                     &dram.row_bank_work(bank));
}

DeviceMemory::~DeviceMemory() { munmap(bytes_, kSpaceBytes); }

void DeviceMemory::end_of_elaboration() {
  for (int port = 0; port < static_cast<int>(target.size()); ++port)
    ports_.push_back(std::make_unique<kernel::AtTarget>(
        queue_, [this, port](auto& payload, auto& delay) { serve(port, payload, delay); },
        [this, port](auto&... args) { return target[port]->nb_transport_bw(args...); }));
}

tlm::tlm_sync_enum DeviceMemory::nb_transport_fw(int port, tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                                 sc_core::sc_time& delay) {
  return ports_[static_cast<unsigned>(port)]->forward(payload, phase, delay);
}

bool DeviceMemory::contains(std::uint64_t address, std::uint64_t bytes) {
  const Range* range = flat_range(address);
  return range != nullptr && bytes <= range->end - address;
}

bool DeviceMemory::access(tlm::tlm_generic_payload& payload) {
  const std::uint64_t address = payload.get_address();
  const unsigned length = payload.get_data_length();
  if (!contains(address, length)) {
    payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
    return false;
  }
  std::uint8_t* const memory = bytes_ + address;
  std::uint8_t* const data = payload.get_data_ptr();
  const bool write = payload.is_write();
  if (const std::uint8_t* enables = payload.get_byte_enable_ptr()) {
    const unsigned enable_length = payload.get_byte_enable_length();
    for (unsigned i = 0; i < length; ++i)
      if (enables[i % enable_length] == TLM_BYTE_ENABLED) (write ? memory : data)[i] = (write ? data : memory)[i];
  } else if (write) {
    std::memcpy(memory, data, length);
  } else if (payload.is_read()) {
    std::memcpy(data, memory, length);
  }
  payload.set_response_status(tlm::TLM_OK_RESPONSE);
  return true;
}

void DeviceMemory::serve(int port, tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
  const auto* attributes = payload.get_extension<kernel::MemAttributes>();
  if (attributes == nullptr || !attributes->dates_only) return b_transport(port, payload, delay);
  const kernel::Cycle start = (kernel::kernel_now() + delay.value() + period_.value() - 1) / period_.value();
  const MemoryAccess access{payload.get_address(), attributes->words};
  const kernel::Cycle finish = attributes->atomic    ? dram.atomic(access.address, start)
                               : payload.is_write() ? dram.write(access, start)
                                                    : dram.read(access, start);
  payload.set_response_status(tlm::TLM_OK_RESPONSE);
  delay += sc_core::sc_time::from_value((finish - start) * period_.value());
}

void DeviceMemory::b_transport(int, tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
  if (payload.get_streaming_width() < payload.get_data_length()) {
    payload.set_response_status(tlm::TLM_BURST_ERROR_RESPONSE);
    return;
  }
  if (!access(payload)) return;
  payload.set_dmi_allowed(true);
  const auto* attributes = payload.get_extension<kernel::MemAttributes>();
  if (attributes != nullptr && attributes->timed) return;
  const std::uint64_t first = payload.get_address() / GYRE_DEV_BLOCK_BYTES;
  const std::uint64_t last =
      (payload.get_address() + std::max(1u, payload.get_data_length()) - 1) / GYRE_DEV_BLOCK_BYTES;
  const kernel::Cycle start =
      (kernel::kernel_now() + delay.value() + period_.value() - 1) / period_.value();
  kernel::Cycle finish = start;
  for (std::uint64_t block = first; block <= last; ++block) {
    const MemoryAccess access{block * GYRE_DEV_BLOCK_BYTES, 1};
    finish = std::max(finish, payload.is_write() ? dram.write(access, start + kArbiter)
                                                 : dram.read(access, start + kArbiter));
  }
  delay += period_ * static_cast<double>(finish - start);
}

bool DeviceMemory::get_direct_mem_ptr(int, tlm::tlm_generic_payload& payload, tlm::tlm_dmi& dmi) {
  const std::uint64_t address = payload.get_address();
  if (const Range* range = flat_range(address)) {
    dmi.set_dmi_ptr(bytes_ + range->begin);
    dmi.set_start_address(range->begin);
    dmi.set_end_address(range->end - 1);
    dmi.allow_read_write();
    dmi.set_read_latency(period_ * static_cast<double>(idle_read_cycles(dram.config())));
    dmi.set_write_latency(period_);
    return true;
  }
  // Refused: name the whole hole so that a port need not ask again for every address in it.
  std::uint64_t begin = 0, end = ~0ull;
  for (const Range& range : kFlat) {
    if (range.end <= address) begin = std::max(begin, range.end);
    if (range.begin > address) end = std::min(end, range.begin - 1);
  }
  dmi.set_start_address(begin);
  dmi.set_end_address(end);
  dmi.allow_none();
  return false;
}

unsigned DeviceMemory::transport_dbg(int, tlm::tlm_generic_payload& payload) {
  const Range* range = flat_range(payload.get_address());
  if (range == nullptr) return 0;
  const std::uint64_t length =
      std::min<std::uint64_t>(payload.get_data_length(), range->end - payload.get_address());
  if (payload.is_write()) std::memcpy(bytes_ + payload.get_address(), payload.get_data_ptr(), length);
  else std::memcpy(payload.get_data_ptr(), bytes_ + payload.get_address(), length);
  return static_cast<unsigned>(length);
}

}  // namespace gyre::memory
