// Devices register by register, the bus, direct access and its withdrawal.
#include <boost/test/unit_test.hpp>

#include <libfdt.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "error.h"
#include "machine.h"
#include "memory_port.h"
#include "simulate.h"

using namespace gyre::test;
using namespace gyre::host;

namespace {

// Drives a bus from outside a simulation: register accesses take no time.
struct Driver : sc_core::sc_module {
  explicit Driver(sc_core::sc_module_name name) : sc_module(name) {}
  tlm_utils::simple_initiator_socket<Driver, gyre::kernel::kHostBusBits> socket{"socket"};
  bool access(tlm::tlm_command command, std::uint64_t address, unsigned bytes, std::uint64_t& value) {
    tlm::tlm_generic_payload p;
    p.set_command(command);
    p.set_address(address);
    p.set_data_ptr(reinterpret_cast<std::uint8_t*>(&value));
    p.set_data_length(bytes);
    p.set_streaming_width(bytes);
    sc_core::sc_time delay;
    socket->b_transport(p, delay);
    return p.is_response_ok();
  }
  std::uint64_t read(std::uint64_t address, unsigned bytes = 4) {
    std::uint64_t value = 0;
    if (!access(tlm::TLM_READ_COMMAND, address, bytes, value)) throw std::runtime_error("read refused");
    return value;
  }
  void write(std::uint64_t address, std::uint64_t value, unsigned bytes = 4) {
    if (!access(tlm::TLM_WRITE_COMMAND, address, bytes, value)) throw std::runtime_error("write refused");
  }
  bool refuses_read(std::uint64_t address, unsigned bytes) {
    std::uint64_t value = 0;
    return !access(tlm::TLM_READ_COMMAND, address, bytes, value);
  }
};

struct Bench {
  Driver driver{"driver"};
  Bus bus{"bus"};
  Plic plic{"plic"};
  std::string sent;
  Uart uart{"uart", [this](std::string_view s) { sent += s; }, plic};
  Clint clint{"clint", 10'000'000};
  Ram ram{"ram", 0x10000};
  HostExit exit;
  Finisher finisher{"finisher", exit};
  Bench() {
    driver.socket.bind(bus.cpu_side);
    bus.map(plic.socket, 0x1000000, 0x600000, "plic");
    bus.map(uart.socket, 0x100, 0x100, "uart");
    bus.map(clint.socket, 0x10000, 0x10000, "clint");
    bus.map(ram.socket, 0x80000000, 0x10000, "ram", Bus::Kind::kMemory);
    bus.map(finisher.socket, 0x1000, 0x1000, "finisher");
  }
  // Binding is over; registers can be accessed.
  void start() { gyre::kernel::simulate(0); }
};

constexpr std::uint64_t kPlic = 0x1000000, kClaim = kPlic + 0x200004, kUart = 0x100, kClint = 0x10000;

}  // namespace

BOOST_AUTO_TEST_SUITE(devices)

BOOST_AUTO_TEST_CASE(plic_picks_by_priority_then_number) {
  run_forked([] {
    Bench b;
    b.start();
    for (const unsigned source : {3u, 4u, 9u}) b.driver.write(kPlic + 4 * source, source == 9 ? 7 : 5);
    b.driver.write(kPlic + 0x2000, ~0u);
    GYRE_CHECK_EQUAL(b.driver.read(kPlic + 0x2000), 0xFFFFFFFEu);  // source 0 does not exist
    b.driver.write(kPlic + 4 * 9, 0xFF);
    GYRE_CHECK_EQUAL(b.driver.read(kPlic + 4 * 9), 7u);
    for (const unsigned source : {4u, 3u, 9u, 5u}) b.plic.set_irq(source, true);
    GYRE_CHECK_EQUAL(b.driver.read(kPlic + 0x1000), 0x238u);
    GYRE_CHECK(b.plic.line(0));
    GYRE_CHECK(!b.plic.line(1));  // nothing enabled there
    GYRE_CHECK_EQUAL(b.driver.read(kClaim), 9u);
    GYRE_CHECK_EQUAL(b.driver.read(kClaim), 3u);
    b.driver.write(kPlic + 0x200000, 5);  // threshold hides priority 5
    GYRE_CHECK(!b.plic.line(0));
    GYRE_CHECK_EQUAL(b.driver.read(kClaim), 0u);
    b.driver.write(kPlic + 0x200000, 4);
    GYRE_CHECK_EQUAL(b.driver.read(kClaim), 4u);
    GYRE_CHECK_EQUAL(b.driver.read(kClaim), 0u);  // 5 has priority 0
    b.driver.write(kClaim, 9);                    // still high: pending again
    GYRE_CHECK_EQUAL(b.driver.read(kClaim), 9u);
    b.plic.set_irq(9, false);
    b.driver.write(kClaim, 9);
    GYRE_CHECK_EQUAL(b.driver.read(kClaim), 0u);
    b.plic.set_irq(9, true);  // a request is kept although the line falls
    b.plic.set_irq(9, false);
    b.driver.write(kPlic + 0x2080, 1 << 9);
    GYRE_CHECK(b.plic.line(1));
    GYRE_CHECK_EQUAL(b.driver.read(kClaim + 0x1000), 9u);
    GYRE_CHECK(!b.plic.line(0));
    b.plic.set_irq(0, true);
    b.plic.set_irq(32, true);
    GYRE_CHECK(b.driver.refuses_read(kPlic, 1));
    GYRE_CHECK(b.driver.refuses_read(kPlic, 8));
    return std::string();
  });
}

BOOST_AUTO_TEST_CASE(uart_registers_and_interrupts) {
  run_forked([] {
    Bench b;
    b.start();
    const auto id = [&] { return b.driver.read(kUart + 2, 1); };
    GYRE_CHECK_EQUAL(b.driver.read(kUart + 5, 1), 0x60u);
    b.driver.write(kUart + 7, 0x5A, 1);
    GYRE_CHECK_EQUAL(b.driver.read(kUart + 7, 1), 0x5Au);
    b.driver.write(kUart + 3, 0x83, 1);  // divisor
    b.driver.write(kUart + 0, 2, 1);
    b.driver.write(kUart + 1, 1, 1);
    GYRE_CHECK_EQUAL(b.driver.read(kUart + 0, 1), 2u);
    GYRE_CHECK_EQUAL(b.driver.read(kUart + 1, 1), 1u);
    b.driver.write(kUart + 3, 3, 1);
    GYRE_CHECK_EQUAL(b.driver.read(kUart + 1, 1), 0u);
    GYRE_CHECK(b.sent.empty());
    GYRE_CHECK_EQUAL(id(), 1u);
    b.driver.write(kUart + 1, 2, 1);  // transmitter empty: at once, cleared by reading IIR
    GYRE_CHECK_EQUAL(id(), 2u);
    GYRE_CHECK_EQUAL(id(), 1u);
    b.driver.write(kUart, 'A', 1);
    GYRE_CHECK_EQUAL(id(), 2u);
    GYRE_CHECK_EQUAL(b.sent, std::string("A"));
    b.driver.write(kUart + 1, 1, 1);
    b.driver.write(kUart + 2, 0x81, 1);  // FIFO, trigger 8
    b.uart.receive("1234567");
    GYRE_CHECK_EQUAL(id(), 0xCCu);  // timeout
    b.uart.receive("89abcdefghijk");
    GYRE_CHECK_EQUAL(id(), 0xC4u);
    std::string got;
    while ((b.driver.read(kUart + 5, 1) & 1) != 0) got += static_cast<char>(b.driver.read(kUart, 1));
    GYRE_CHECK_EQUAL(got, std::string("123456789abcdefghijk"));
    GYRE_CHECK_EQUAL(id(), 0xC1u);
    b.driver.write(kUart + 4, 0x10, 1);  // loop-back
    b.driver.write(kUart, 'L', 1);
    GYRE_CHECK_EQUAL(b.driver.read(kUart, 1), std::uint64_t{'L'});
    GYRE_CHECK_EQUAL(b.sent, std::string("A"));
    GYRE_CHECK(b.driver.refuses_read(kUart, 4));
    GYRE_CHECK(b.driver.refuses_read(kUart + 8, 1));
    return std::string();
  });
}

BOOST_AUTO_TEST_CASE(clint_halves_and_writes_of_time) {
  run_forked([] {
    Bench b;
    b.start();
    GYRE_CHECK_EQUAL(b.clint.timer_due(), Clint::kNever);
    b.driver.write(kClint + 0x4004, 0);
    b.driver.write(kClint + 0x4000, 25);
    GYRE_CHECK_EQUAL(b.driver.read(kClint + 0x4000, 8), 25u);
    GYRE_CHECK_EQUAL(b.clint.timer_due(), 2'500'000u);
    b.driver.write(kClint + 0xBFF8, 20, 8);
    GYRE_CHECK_EQUAL(b.driver.read(kClint + 0xBFF8, 8), 20u);
    GYRE_CHECK_EQUAL(b.clint.timer_due(), 500'000u);
    b.driver.write(kClint + 0xBFF8, 30, 8);
    GYRE_CHECK_EQUAL(b.clint.timer_due(), 0u);
    b.driver.write(kClint + 0xBFFC, 1);
    GYRE_CHECK_EQUAL(b.driver.read(kClint + 0xBFF8, 8), 0x10000001Eu);
    b.driver.write(kClint, 0xFFFFFFFF);
    GYRE_CHECK_EQUAL(b.driver.read(kClint), 1u);
    GYRE_CHECK(b.clint.software_pending());
    GYRE_CHECK(b.driver.refuses_read(kClint, 8));
    GYRE_CHECK(b.driver.refuses_read(kClint + 4, 4));
    GYRE_CHECK(b.driver.refuses_read(kClint + 0x4000, 2));
    gyre::kernel::simulate(1000000000);
    GYRE_CHECK_EQUAL(b.driver.read(kClint + 0xBFF8, 8), 0x10000001Eu + 10'000u);
    return std::string();
  });
}

BOOST_AUTO_TEST_CASE(bus_refuses_overlap_and_holes) {
  run_forked([] {
    Bench b;
    Ram extra("extra", 0x1000);
    const auto refused = [&](std::uint64_t base, std::uint64_t size) {
      try {
        b.bus.map(extra.socket, base, size, "extra");
      } catch (const gyre::UserError& e) {
        return std::string(e.what()).find("extra") != std::string::npos;
      }
      return false;
    };
    GYRE_CHECK(refused(0x8000FFFF, 1));
    GYRE_CHECK(refused(0x7FFFF000, 0x1001));
    GYRE_CHECK(refused(0x1FF, 1));
    GYRE_CHECK(refused(0, 0x1FFFFFFF));
    GYRE_CHECK(refused(0x5000, 0));
    GYRE_CHECK(refused(~0ull - 10, 100));
    b.bus.map(extra.socket, 0x80010000, 0x1000, "extra", Bus::Kind::kMemory);
    b.start();
    GYRE_CHECK(b.driver.refuses_read(0x50, 4));
    GYRE_CHECK(b.driver.refuses_read(0x8000FFFE, 4));  // across two targets
    GYRE_CHECK(b.driver.refuses_read(0x80011000, 1));
    b.driver.write(0x80010FF8, 5, 8);
    GYRE_CHECK_EQUAL(b.driver.read(0x80010FF8, 8), 5u);
    GYRE_CHECK_EQUAL(b.bus.ranges().front().name, std::string("uart"));
    return std::string();
  });
}

BOOST_AUTO_TEST_CASE(finisher_codes) {
  for (const auto& [value, code] : {std::pair{0x5555u, 0}, {0x3333u, 1}, {(7u << 16) | 0x3333u, 7}, {0x7777u, 0}})
    run_forked([value = value, code = code] {
      Bench b;
      b.start();
      b.driver.write(0x1000, 0x1234);
      GYRE_CHECK(!b.exit.exited);
      b.driver.write(0x1000, value);
      GYRE_CHECK(b.exit.exited);
      GYRE_CHECK_EQUAL(b.exit.code, code);
      return std::string();
    });
}

BOOST_AUTO_TEST_CASE(external_master_reaches_memory_only) {
  run_forked([] {
    Machine m;
    auto& system = m.build();
    gyre::kernel::MemoryPort port("port", gyre::kernel::MemSource::kCp, 2500);
    port.socket.bind(system.bus.external_master);
    Asm a;
    a.label("wait");
    a.j("wait");
    m.run(a, 10);
    std::uint64_t value = 0x1122334455667788;
    GYRE_CHECK(port.write(0x80001000, &value, 8));
    GYRE_CHECK_EQUAL(std::memcmp(system.ram.data() + 0x1000, &value, 8), 0);
    GYRE_CHECK(port.direct(0x80001000, 64, true) != nullptr);
    GYRE_CHECK(port.direct(0x80000000 + system.ram.bytes() - 4, 8, false) == nullptr);
    GYRE_CHECK(!port.read(0x02000000, &value, 4));
    GYRE_CHECK(!port.write(0x10000000, &value, 1));
    GYRE_CHECK(!port.write(0x1000, &value, 8));  // ROM
    GYRE_CHECK(!port.read(0x80000000 + system.ram.bytes(), &value, 8));
    system.ram.allow_dmi(false);
    GYRE_CHECK(port.direct(0x80001000, 8, false) == nullptr);
    GYRE_CHECK(port.read(0x80001000, &value, 8));
    GYRE_CHECK_EQUAL(value, 0x1122334455667788u);
    system.ram.allow_dmi(true);
    GYRE_CHECK(port.direct(0x80001000, 8, false) != nullptr);
    return std::string();
  });
}

BOOST_AUTO_TEST_CASE(the_run_is_the_same_without_direct_access) {
  std::string results[2];
  for (const bool direct : {true, false})
    results[direct] = run_forked([direct] {
      Machine m;
      Asm a;
      a.li(s0, 0x80004000);
      a.li(s1, 100);
      a.label("loop");
      a.sd(s1, s0);
      a.ld(t0, s0, -3);       // misaligned
      a.add(s2, s2, t0);
      a.amo(0, true, t1, s0, s1);
      a.ld(t2, s0);
      a.add(s2, s2, t2);
      a.addi(s0, s0, 8);
      a.addi(s1, s1, -1);
      a.bne(s1, zero, "loop");
      a.lw(s3, zero, 0x7FF);  // nothing there: trap, handler unset, ends the run
      m.build().ram.allow_dmi(direct);
      m.run(a);
      return std::to_string(m.system->cpu.hart().reg(s2)) + " " + m.system->exit.reason + " " +
             std::to_string(m.system->cpu.hart().cycle());
    });
  BOOST_TEST(results[0] == results[1]);
}

BOOST_AUTO_TEST_CASE(the_device_tree_describes_the_machine) {
  run_forked([] {
    Machine m(1'000'000, 48 << 20);
    auto& system = m.build();
    system.set_bootargs("console=ttyS0");
    const void* tree = system.device_tree().data();
    GYRE_CHECK_EQUAL(fdt_check_header(tree), 0);
    GYRE_CHECK_EQUAL(std::memcmp(system.rom.data() + 0x100, tree, system.device_tree().size()), 0);
    int length = 0;
    const int memory = fdt_path_offset(tree, "/memory@80000000");
    const auto* reg = static_cast<const fdt64_t*>(fdt_getprop(tree, memory, "reg", &length));
    GYRE_CHECK_EQUAL(length, 16);
    GYRE_CHECK_EQUAL(fdt64_ld(reg), 0x80000000u);
    GYRE_CHECK_EQUAL(fdt64_ld(reg + 1), 48u << 20);
    const int serial = fdt_path_offset(tree, "/soc/serial@10000000");
    GYRE_CHECK(serial > 0);
    GYRE_CHECK_EQUAL(std::string(static_cast<const char*>(fdt_getprop(tree, serial, "compatible", nullptr))),
                     std::string("ns16550a"));
    GYRE_CHECK_EQUAL(std::string(static_cast<const char*>(
                         fdt_getprop(tree, fdt_path_offset(tree, "/chosen"), "bootargs", nullptr))),
                     std::string("console=ttyS0"));
    for (const char* path : {"/soc/clint@2000000", "/soc/plic@c000000", "/soc/display@10010000", "/soc/gpu@20000000",
                             "/soc/test@100000", "/cpus/cpu@0/interrupt-controller", "/poweroff"})
      GYRE_CHECK(fdt_path_offset(tree, path) > 0);
    bool refused = false;
    try {
      system.set_bootargs(std::string(60'000, 'x'));
    } catch (const gyre::UserError&) {
      refused = true;
    }
    GYRE_CHECK(refused);
    return std::string();
  });
}

BOOST_AUTO_TEST_CASE(a_second_image_gets_a_tree_that_can_be_written) {
  const std::string file = (std::filesystem::temp_directory_path() / ("gyre-kernel-" + std::to_string(getpid()) + ".bin")).string();
  std::ofstream(file) << std::string(100, 'k');
  run_forked([&] {
    Machine m(1'000'000, 6 << 20);
    Asm a;
    a.addi(s0, a1, 0);
    a.addi(s1, a2, 0);
    a.sw(zero, a1, 0);
    finish(a, zero);
    HostSystem& system = m.build();
    system.load_kernel(file);
    const std::uint64_t tree = 0x80400000;
    const bool there = std::memcmp(system.ram.data() + (tree - 0x80000000), system.device_tree().data(), system.device_tree().size()) == 0;
    m.run(a);
    GYRE_CHECK(there);
    GYRE_CHECK_EQUAL(system.exit.code, 0);
    GYRE_CHECK_EQUAL(system.cpu.hart().reg(s0), tree);
    std::uint64_t descriptor[6];
    std::memcpy(descriptor, system.rom.data() + (system.cpu.hart().reg(s1) - 0x1000), sizeof descriptor);
    const std::uint64_t want[6] = {0x4942534F, 2, 0x80200000, 1, 0, 0};
    for (unsigned i = 0; i < 6; ++i) GYRE_CHECK_EQUAL(descriptor[i], want[i]);
    GYRE_CHECK_EQUAL(system.ram.data()[0x200000], 'k');
    return std::string();
  });
  run_forked([&] {
    Machine m(1'000'000, 4 << 20);
    std::string error;
    try {
      m.build().load_kernel(file);
    } catch (const gyre::UserError& e) {
      error = e.what();
    }
    GYRE_CHECK(error.find("host.ram_bytes") != std::string::npos);
    return std::string();
  });
  std::filesystem::remove(file);
}

BOOST_AUTO_TEST_SUITE_END()
