#include <boost/test/unit_test.hpp>

#include "device_map.h"
#include "device_memory.h"
#include "fork_case.h"
#include "memory_port.h"
#include "simulate.h"

using namespace gyre;

namespace {

struct Bench {
  MachineConfig config;
  kernel::Context ctx{config, {}, {}, {}, 0};
  memory::DeviceMemory device{"memory", ctx};
  kernel::MemoryPort port{"port", kernel::MemSource::kLsu, config.gpu.period_ps()};
  Bench() {
    port.socket.bind(device.target);
    kernel::simulate(0);
  }
};

}  // namespace

BOOST_AUTO_TEST_SUITE(device_memory)

BOOST_AUTO_TEST_CASE(reads_back_what_was_written_and_zero_elsewhere) {
  test::run_forked([] {
    Bench bench;
    for (std::uint64_t address : {0x40ull, 0x10000ull, 0x7FFFFFFEull, 0xDFFFFFFCull, 0xF0000000ull, 0xFFFEFFFCull}) {
      std::uint32_t value = 0;
      GYRE_CHECK(bench.port.read(address, &value, 4));
      GYRE_CHECK_EQUAL(value, 0u);
      const std::uint32_t word = static_cast<std::uint32_t>(address) ^ 0x5A5A1234u;
      GYRE_CHECK(bench.port.write(address, &word, 4));
      GYRE_CHECK(bench.port.read(address, &value, 4));
      GYRE_CHECK_EQUAL(value, word);
    }
    return std::string();
  });
}

BOOST_AUTO_TEST_CASE(holes_answer_with_an_error_and_read_zero) {
  test::run_forked([] {
    Bench bench;
    for (std::uint64_t address :
         {0x0ull, 0x3Cull, 0x3Eull, 0xDFFFFFFEull, 0xE0000000ull, 0xEFFFFFFCull, 0xFFFEFFFEull, 0xFFFF0000ull, 0x100000000ull}) {
      std::uint32_t value = 0xFFFFFFFF;
      GYRE_CHECK(!bench.port.read(address, &value, 4));
      GYRE_CHECK_EQUAL(value, 0u);
      GYRE_CHECK(!bench.port.write(address, &value, 4));
    }
    return std::string();
  });
}

BOOST_AUTO_TEST_CASE(byte_enables_and_time_of_a_transaction) {
  test::run_forked([] {
    Bench bench;
    std::uint8_t data[64], enables[64];
    for (unsigned i = 0; i < 64; ++i) {
      data[i] = static_cast<std::uint8_t>(i + 1);
      enables[i] = i % 3 == 0 ? 0xFF : 0;
    }
    kernel::Cycle when = 1000;
    GYRE_CHECK(bench.port.write_transaction(0x20000, data, 64, enables, false, &when));
    GYRE_CHECK_EQUAL(when, kernel::Cycle{1002});  // arbiter and one beat: writes are posted
    for (unsigned i = 0; i < 64; ++i) {
      std::uint8_t byte = 0;
      GYRE_CHECK(bench.port.read(0x20000 + i, &byte, 1));
      GYRE_CHECK_EQUAL(unsigned{byte}, i % 3 == 0 ? i + 1 : 0u);
    }
    return std::string();
  });
}

BOOST_AUTO_TEST_CASE(a_read_transaction_takes_arbiter_and_dram_latency) {
  test::run_forked([] {
    Bench bench;
    std::uint8_t data[128];
    tlm::tlm_generic_payload payload;
    payload.set_command(tlm::TLM_READ_COMMAND);
    payload.set_address(0x20000);
    payload.set_data_ptr(data);
    payload.set_data_length(128);
    payload.set_streaming_width(128);
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    bench.port.socket->b_transport(payload, delay);
    GYRE_CHECK(payload.is_response_ok());
    GYRE_CHECK_EQUAL(delay.value(), 51 * bench.config.gpu.period_ps());  // two blocks, two banks
    return std::string();
  });
}

BOOST_AUTO_TEST_SUITE_END()
