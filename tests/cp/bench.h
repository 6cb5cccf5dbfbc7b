// A command processor with memories, DCR bus and a stand-in for KMU and GPU, driven by a host script.
#pragma once

#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>

#include <cstring>
#include <functional>
#include <map>
#include <string>
#include <systemc>
#include <utility>
#include <vector>

#include "at_client.h"
#include "command_processor.h"
#include "dcr_bus.h"
#include "device_memory.h"
#include "fork_case.h"
#include "geometry.h"
#include "host_map.h"
#include "log.h"
#include "simulate.h"

namespace gyre::test {

using kernel::Cycle;

constexpr std::uint64_t kHostBase = 0x80000000;
constexpr std::uint64_t kHostBytes = 1 << 20;
constexpr std::uint64_t kDeviceBase = 0x10000;
constexpr std::uint64_t kDeviceBytes = 1 << 20;
constexpr std::uint64_t kRing = kHostBase + 0x1000;
constexpr std::uint64_t kCompletion = kHostBase + 0x100;

struct Memory : sc_core::sc_module {
  tlm_utils::simple_target_socket<Memory, kernel::kMemoryBusBits> socket{"socket"};
  std::uint64_t base;
  std::vector<std::uint8_t> bytes;
  bool dmi;
  unsigned largest = 0;  // longest transaction seen

  Memory(sc_core::sc_module_name name, std::uint64_t begin, std::uint64_t size, bool allow_dmi)
      : sc_module(name), base(begin), bytes(size), dmi(allow_dmi) {
    socket.register_b_transport(this, &Memory::transport);
    socket.register_get_direct_mem_ptr(this, &Memory::direct);
  }
  std::uint8_t* at(std::uint64_t address) { return bytes.data() + (address - base); }
  std::uint64_t word64(std::uint64_t address) {
    std::uint64_t value;
    std::memcpy(&value, at(address), 8);
    return value;
  }
  void put64(std::uint64_t address, std::uint64_t value) { std::memcpy(at(address), &value, 8); }
  void put32(std::uint64_t address, std::uint32_t value) { std::memcpy(at(address), &value, 4); }

 private:
  void transport(tlm::tlm_generic_payload& p, sc_core::sc_time&) {
    const std::uint64_t offset = p.get_address() - base;
    const unsigned n = p.get_data_length();
    largest = std::max(largest, n);
    if (offset >= bytes.size() || n > bytes.size() - offset) {
      p.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
      return;
    }
    if (p.is_read()) std::memcpy(p.get_data_ptr(), bytes.data() + offset, n);
    if (p.is_write()) std::memcpy(bytes.data() + offset, p.get_data_ptr(), n);
    p.set_response_status(tlm::TLM_OK_RESPONSE);
  }
  bool direct(tlm::tlm_generic_payload& p, tlm::tlm_dmi& d) {
    const std::uint64_t offset = p.get_address() - base;
    d.set_start_address(dmi && offset < bytes.size() ? base : p.get_address());
    d.set_end_address(dmi && offset < bytes.size() ? base + bytes.size() - 1 : p.get_address());
    d.set_dmi_ptr(bytes.data());
    d.allow_read_write();
    return dmi && offset < bytes.size();
  }
};

// Everything that listens on the DCR bus: keeps a log.
struct DcrLog : sc_core::sc_module {
  tlm_utils::simple_target_socket<DcrLog, kernel::kDcrBusBits> dcr{"dcr"};
  std::vector<std::pair<unsigned, std::uint32_t>> writes;
  std::function<void(unsigned, std::uint32_t)> hook;
  explicit DcrLog(sc_core::sc_module_name name) : sc_module(name) {
    dcr.register_b_transport(this, &DcrLog::transport);
  }
  void transport(tlm::tlm_generic_payload& p, sc_core::sc_time&) {
    std::uint32_t value;
    std::memcpy(&value, p.get_data_ptr(), 4);
    const unsigned reg = static_cast<unsigned>(p.get_address() / 4);
    writes.emplace_back(reg, value);
    if (hook) hook(reg, value);
    p.set_response_status(tlm::TLM_OK_RESPONSE);
  }
};

struct Reader : dcr::ReadHandler {
  std::vector<std::pair<unsigned, std::uint32_t>> reads;
  std::uint32_t read_dcr(unsigned reg, std::uint32_t tag, Cycle* when) override {
    reads.emplace_back(reg, tag);
    *when += 30;
    return 0xA0000000u | tag;
  }
};

// KMU and GPU in one: busy for `duration` cycles.
struct Device : sc_core::sc_module, kernel::LaunchControl {
  SC_HAS_PROCESS(Device);
  Device(sc_core::sc_module_name name, kernel::Context& context)
      : sc_module(name), ctx(context), clock(context.gpu_clock()), node(context.busy.add_node("device")) {
    SC_THREAD(run);
  }
  bool start(Cycle stamp) override {
    if (refuse) return false;
    GYRE_CHECK(ctx.busy.idle());
    ctx.busy.take(node);
    begin = stamp;
    ++launches;
    go.notify(sc_core::SC_ZERO_TIME);
    return true;
  }
  void run() {
    for (;;) {
      sc_core::wait(go);
      clock.catch_up();
      clock.advance_to(begin);
      if (fault) ctx.faults.raise({7, 2, 3, 0x80001234, 0xDEAD0000});
      if (hook) hook();
      clock.advance(duration);
      clock.sync();
      while (hang) sc_core::wait(release);
      ctx.busy.give(node, clock.now() + posted);
    }
  }
  kernel::Context& ctx;
  kernel::LocalClock clock;
  kernel::BusyTree::Node node;
  Cycle begin = 0, duration = 1000, posted = 0;
  unsigned launches = 0;
  bool refuse = false, fault = false, hang = false;
  std::function<void()> hook;
  sc_core::sc_event go, release;
};

struct IrqLog : kernel::IrqSink {
  std::vector<std::pair<unsigned, bool>> edges;
  void set_irq(unsigned source, bool level) override { edges.emplace_back(source, level); }
};

// Builds ring lines.
class Commands {
 public:
  Commands& op(unsigned opcode, std::vector<std::uint64_t> args = {}, unsigned flags = 0, std::uint64_t slot = 0) {
    bytes_.insert(bytes_.end(), {static_cast<std::uint8_t>(opcode), static_cast<std::uint8_t>(flags), 0, 0});
    for (const std::uint64_t arg : args) put(arg, 8);
    if ((flags & GYRE_CP_F_PROFILE) != 0) put(slot, 8);
    return *this;
  }
  Commands& fence(std::uint32_t what) {
    bytes_.insert(bytes_.end(), {GYRE_CMD_FENCE, 0, 0, 0});
    put(what, 4);
    return *this;
  }
  Commands& raw(std::vector<std::uint8_t> bytes) {
    bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
    return *this;
  }
  Commands& end_line() {
    bytes_.resize((bytes_.size() + 63) / 64 * 64);
    return *this;
  }
  const std::vector<std::uint8_t>& bytes() {
    end_line();
    return bytes_;
  }

 private:
  void put(std::uint64_t value, unsigned count) {
    for (unsigned i = 0; i < count; ++i) bytes_.push_back(static_cast<std::uint8_t>(value >> (8 * i)));
  }
  std::vector<std::uint8_t> bytes_;
};

struct Bench : sc_core::sc_module {
  SC_HAS_PROCESS(Bench);

  Bench(sc_core::sc_module_name name, const MachineConfig& configuration, bool dmi)
      : sc_module(name),
        config(configuration),
        ctx{config, {}, {}, {}},
        cp("cp", ctx),
        bus("dcr_bus", config.gpu.period_ps()),
        log("log"),
        device("device", ctx),
        host_memory("host_memory", kHostBase, kHostBytes, dmi),
        device_memory("device_memory", kDeviceBase, kDeviceBytes, dmi),
        dates("dates", ctx),
        requests("requests", config.gpu.dram.banks, memory::log2_of(config.gpu.dram.interleave), config.gpu.period_ps(),
                 kernel::MemSource::kCp) {
    requests.bind(dates.target);
    if (ctx.approximate())
      cp.set_client(requests);
    else
      cp.set_dram(dates.dram);
    cp.host_memory.socket.bind(host_memory.socket);
    cp.device_memory.socket.bind(device_memory.socket);
    cp.dcr.bind(bus.target);
    bus.units.bind(log.dcr);
    bus.set_read_handler(&reader);
    cp.launch(device);
    cp.irq(irq);
    mmio.bind(cp.registers);
    SC_THREAD(host);
  }

  // Runs `script` as the host's thread and returns what it returned.
  void run(std::function<void()> body) {
    script = std::move(body);
    kernel::simulate();
    if (!error.empty()) throw std::runtime_error(error);
    GYRE_CHECK(finished);
  }

  void host() {
    try {
      script();
    } catch (const std::exception& thrown) {
      error = thrown.what();
    }
    finished = true;
    sc_core::sc_stop();
  }

  bool access(tlm::tlm_command command, std::uint64_t offset, void* data, unsigned bytes) {
    tlm::tlm_generic_payload p;
    p.set_command(command);
    p.set_address(offset);
    p.set_data_ptr(static_cast<unsigned char*>(data));
    p.set_data_length(bytes);
    p.set_streaming_width(bytes);
    p.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    mmio->b_transport(p, delay);
    if (!p.is_response_ok()) GYRE_CHECK_EQUAL(p.get_response_status(), tlm::TLM_ADDRESS_ERROR_RESPONSE);
    return p.is_response_ok();
  }
  void write(std::uint64_t offset, std::uint32_t value) {
    GYRE_CHECK(access(tlm::TLM_WRITE_COMMAND, offset, &value, 4));
  }
  std::uint32_t read(std::uint64_t offset) {
    std::uint32_t value = 0;
    GYRE_CHECK(access(tlm::TLM_READ_COMMAND, offset, &value, 4));
    return value;
  }
  void qwrite(std::uint64_t offset, std::uint32_t value) { write(GYRE_CP_QUEUE_BASE + offset, value); }
  std::uint32_t qread(std::uint64_t offset) { return read(GYRE_CP_QUEUE_BASE + offset); }

  void set_up(unsigned log2 = 12, std::uint32_t control = 1) {
    ring_log2 = log2;
    tail = 0;
    qwrite(GYRE_CPQ_RING_BASE_LO, static_cast<std::uint32_t>(kRing));
    qwrite(GYRE_CPQ_RING_BASE_HI, 0);
    qwrite(GYRE_CPQ_RING_SIZE_LOG2, log2);
    qwrite(GYRE_CPQ_CMPL_ADDR_LO, static_cast<std::uint32_t>(kCompletion));
    qwrite(GYRE_CPQ_CMPL_ADDR_HI, 0);
    qwrite(GYRE_CPQ_CONTROL, control);
    write(GYRE_CP_CTRL, 1);
  }
  void place(const std::vector<std::uint8_t>& bytes) {
    for (std::size_t i = 0; i < bytes.size(); ++i)
      *host_memory.at(kRing + ((tail + i) & ((1u << ring_log2) - 1))) = bytes[i];
    tail += bytes.size();
  }
  void doorbell(std::uint64_t value) {
    qwrite(GYRE_CPQ_TAIL_LO, static_cast<std::uint32_t>(value));
    qwrite(GYRE_CPQ_TAIL_HI, static_cast<std::uint32_t>(value >> 32));
  }
  void submit(Commands& commands) {
    place(commands.bytes());
    doorbell(tail);
  }
  void submit(Commands&& commands) { submit(commands); }
  void wait_cycles(Cycle cycles) { sc_core::wait(sc_core::sc_time::from_value(cycles * config.gpu.period_ps())); }
  void wait_idle(Cycle limit = 10'000'000) {
    for (Cycle t = 0; (read(GYRE_CP_STATUS) & 1) != 0; t += 50) {
      GYRE_CHECK(t < limit);
      wait_cycles(50);
    }
  }
  unsigned error_code() { return qread(GYRE_CPQ_ERROR) & 0xFF; }

  MachineConfig config;
  kernel::Context ctx;
  cp::CommandProcessor cp;
  dcr::DcrBus bus;
  DcrLog log;
  Device device;
  Memory host_memory, device_memory;
  memory::DeviceMemory dates;  // of accesses to device_memory
  kernel::AtClient requests;   // approximate style
  IrqLog irq;
  Reader reader;
  tlm_utils::simple_initiator_socket<Bench, kernel::kHostBusBits> mmio{"mmio"};
  std::function<void()> script;
  std::string error;
  bool finished = false;
  unsigned ring_log2 = 12;
  std::uint64_t tail = 0;
};

// Runs one script on a fresh machine in a child process; returns what the script returned as text.
template <class Script>
std::string on_machine(const MachineConfig& config, Script script, bool dmi = true) {
  return run_forked([&] {
    kernel::logger().set_level(spdlog::level::off);
    sc_core::sc_report_handler::set_actions(sc_core::SC_INFO, sc_core::SC_DO_NOTHING);
    Bench bench("bench", config, dmi);
    std::string result;
    bench.run([&] {
      if constexpr (std::is_void_v<decltype(script(bench))>)
        script(bench);
      else
        result = script(bench);
    });
    return result;
  });
}

}  // namespace gyre::test
