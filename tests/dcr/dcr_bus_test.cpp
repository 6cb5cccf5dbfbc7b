#include "dcr_bus.h"

#include <tlm_utils/simple_initiator_socket.h>

#include <boost/test/unit_test.hpp>
#include <cstring>
#include <memory>

#include "fork_case.h"
#include "log.h"
#include "simulate.h"

using namespace gyre;
using kernel::Cycle;

namespace {

constexpr kernel::Picoseconds kPeriod = 2500;

struct Unit : sc_core::sc_module {
  tlm_utils::simple_target_socket<Unit, kernel::kDcrBusBits> dcr{"dcr"};
  std::vector<std::pair<std::uint64_t, std::uint32_t>> seen;
  sc_core::sc_time last_delay;
  explicit Unit(sc_core::sc_module_name name) : sc_module(name) { dcr.register_b_transport(this, &Unit::transport); }
  void transport(tlm::tlm_generic_payload& p, sc_core::sc_time& delay) {
    std::uint32_t word;
    std::memcpy(&word, p.get_data_ptr(), 4);
    seen.emplace_back(p.get_address() / 4, word);
    last_delay = delay;
    std::memset(p.get_data_ptr(), 0xEE, 4);  // a bad neighbour
    p.set_response_status(tlm::TLM_OK_RESPONSE);
  }
};

struct Reader : dcr::ReadHandler {
  Cycle asked = 0;
  std::uint32_t read_dcr(unsigned reg, std::uint32_t tag, Cycle* when) override {
    asked = *when;
    *when += 128;
    return reg << 16 | tag;
  }
};

struct Master : sc_core::sc_module {
  tlm_utils::simple_initiator_socket<Master, kernel::kDcrBusBits> dcr{"dcr"};
  explicit Master(sc_core::sc_module_name name) : sc_module(name) {}
  bool access(tlm::tlm_command command, std::uint64_t address, void* data, unsigned bytes, sc_core::sc_time* delay) {
    tlm::tlm_generic_payload p;
    p.set_command(command);
    p.set_address(address);
    p.set_data_ptr(static_cast<unsigned char*>(data));
    p.set_data_length(bytes);
    p.set_streaming_width(bytes);
    dcr->b_transport(p, *delay);
    return p.is_response_ok();
  }
};

template <class Body>
void with_bus(unsigned count, Body body) {
  gyre::test::run_forked([&] {
    kernel::logger().set_level(spdlog::level::off);
    Master master("master");
    dcr::DcrBus bus("bus", kPeriod);
    std::vector<std::unique_ptr<Unit>> units;
    master.dcr.bind(bus.target);
    for (unsigned i = 0; i < count; ++i) {
      units.push_back(std::make_unique<Unit>(("unit" + std::to_string(i)).c_str()));
      bus.units.bind(units.back()->dcr);
    }
    kernel::simulate(0);
    body(master, bus, units);
    return std::string();
  });
}

}  // namespace

BOOST_AUTO_TEST_SUITE(dcr_bus)

BOOST_AUTO_TEST_CASE(writes_reach_every_unit_unchanged_and_cost_one_cycle) {
  for (unsigned count : {0u, 1u, 9u}) {
    with_bus(count, [&](Master& master, dcr::DcrBus& bus, auto& units) {
      std::uint32_t word = 0x1234;
      sc_core::sc_time delay = sc_core::sc_time::from_value(7 * kPeriod);
      GYRE_CHECK(master.access(tlm::TLM_WRITE_COMMAND, 0x61 * 4, &word, 4, &delay));
      GYRE_CHECK_EQUAL(delay.value(), 8 * kPeriod);
      for (const auto& unit : units) {
        GYRE_CHECK(unit->seen == (std::vector<std::pair<std::uint64_t, std::uint32_t>>{{0x61, 0x1234}}));
        GYRE_CHECK_EQUAL(unit->last_delay.value(), 8 * kPeriod);
      }
      GYRE_CHECK(bus.written(0x61));
      GYRE_CHECK(!bus.written(0x62));
      GYRE_CHECK(bus.unwritten(0x60, 0x62) == (std::vector<unsigned>{0x60, 0x62}));
    });
  }
}

BOOST_AUTO_TEST_CASE(two_registers_can_be_read) {
  with_bus(1, [](Master& master, dcr::DcrBus& bus, auto& units) {
    std::uint32_t word = 5;
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    GYRE_CHECK(master.access(tlm::TLM_READ_COMMAND, 4, &word, 4, &delay));
    GYRE_CHECK_EQUAL(word, 0u);  // nobody answers yet
    Reader reader;
    bus.set_read_handler(&reader);
    for (std::uint32_t reg = 0; reg < GYRE_DCR_COUNT; reg += reg < 4 ? 1 : 5) {
      word = 0x42;
      delay = sc_core::sc_time::from_value(10 * kPeriod);
      GYRE_CHECK(master.access(tlm::TLM_READ_COMMAND, reg * 4, &word, 4, &delay));
      GYRE_CHECK_EQUAL(word, reg < 2 ? reg << 16 | 0x42 : 0u);
      GYRE_CHECK_EQUAL(delay.value(), (reg < 2 ? 138 : 10) * kPeriod);
    }
    GYRE_CHECK_EQUAL(reader.asked, Cycle{10});
    GYRE_CHECK(units[0]->seen.empty());
    GYRE_CHECK(!bus.written(0));
  });
}

BOOST_AUTO_TEST_CASE(only_words_of_twelve_bit_registers) {
  with_bus(1, [](Master& master, dcr::DcrBus&, auto& units) {
    std::uint64_t data = 0;
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    GYRE_CHECK(!master.access(tlm::TLM_WRITE_COMMAND, 0x4000, &data, 4, &delay));
    GYRE_CHECK(!master.access(tlm::TLM_WRITE_COMMAND, 0x102, &data, 4, &delay));
    GYRE_CHECK(!master.access(tlm::TLM_WRITE_COMMAND, 0x100, &data, 8, &delay));
    GYRE_CHECK(!master.access(tlm::TLM_READ_COMMAND, 0x100, &data, 1, &delay));
    GYRE_CHECK(units[0]->seen.empty());
    GYRE_CHECK(delay == sc_core::SC_ZERO_TIME);
  });
}

BOOST_AUTO_TEST_SUITE_END()
