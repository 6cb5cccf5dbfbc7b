// sim.check_protocol: who breaks the base protocol is named with the cable, and the run ends.
#include <tlm_utils/simple_initiator_socket.h>

#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

#include "at_initiators.h"
#include "device_bench.h"
#include "request_paths.h"
#include "run_loop.h"

using namespace gyre;
using namespace gyre::test;
namespace data = boost::unit_test::data;

namespace {

// An initiator that makes a mistake at 10 ns.
struct Rogue : sc_core::sc_module {
  SC_HAS_PROCESS(Rogue);
  tlm_utils::simple_initiator_socket<Rogue, kernel::kMemoryBusBits> out{"out"};
  Pool pool;
  const std::string mistake;
  std::uint32_t word = 0;

  Rogue(sc_core::sc_module_name name, std::string what) : sc_module(name), mistake(std::move(what)) {
    out.register_nb_transport_bw(this, &Rogue::backward);
    SC_THREAD(run);
  }
  tlm::tlm_generic_payload& request(std::uint64_t address) {
    tlm::tlm_generic_payload* const payload = pool.get();
    payload->acquire();
    fill(*payload, {false, address, 0}, &word);
    return *payload;
  }
  void send(tlm::tlm_generic_payload& payload, tlm::tlm_phase phase) {
    sc_core::sc_time delay;
    out->nb_transport_fw(payload, phase, delay);
  }
  void run() {
    wait(10, sc_core::SC_NS);
    if (mistake == "none") return;
    if (mistake == "response ended before it began") return send(request(0x80000000), tlm::END_RESP);
    if (mistake == "no memory manager") {
      tlm::tlm_generic_payload payload;
      fill(payload, {false, 0x80000000, 0}, &word);
      send(payload, tlm::BEGIN_REQ);
      return wait(1, sc_core::SC_US);
    }
    tlm::tlm_generic_payload& payload = request(0x80000000);
    if (mistake == "no data") payload.set_data_ptr(nullptr);
    send(payload, tlm::BEGIN_REQ);
    if (mistake == "request sent twice") send(payload, tlm::BEGIN_REQ);
  }
  tlm::tlm_sync_enum backward(tlm::tlm_generic_payload&, tlm::tlm_phase& phase, sc_core::sc_time&) {
    if (phase != tlm::BEGIN_RESP) return tlm::TLM_ACCEPTED;
    phase = tlm::END_RESP;
    return tlm::TLM_COMPLETED;
  }
};

struct Bench : DeviceBench {
  Rogue rogue;

  static MachineConfig checked(bool on) {
    MachineConfig machine;
    machine.sim.timing = Timing::kApproximate;
    machine.sim.check_protocol = on;
    return machine;
  }
  Bench(const std::string& mistake, bool on) : DeviceBench("bench", checked(on)), rogue("rogue", mistake) {
    device.requests().cables.connect(rogue.out, device.at_caches->dcache(0)->in);
  }
  // As the program runs a machine.
  platform::RunOutcome run() {
    platform::RunOutcome outcome;
    outcome.exited = platform::run_until_over(
        {ctx, nullptr, {}, 1'000'000, {}, {}, [this] { return kernel::kernel_now() > 0 && ctx.busy.idle(); },
         [this] { return ctx.progress; }, [](const std::string& why) { return why; }, "nobody has exited"},
        outcome);
    return outcome;
  }
};

const char* const kMistakes[] = {"response ended before it began", "no memory manager", "no data", "request sent twice"};

bool has(const std::string& text, const std::string& words) { return text.find(words) != std::string::npos; }

}  // namespace

BOOST_AUTO_TEST_SUITE(check_protocol)

BOOST_DATA_TEST_CASE(a_broken_initiator_is_named, data::make(kMistakes), mistake) {
  const std::string told = run_forked([&] {
    Bench bench(mistake, true);
    const platform::RunOutcome outcome = bench.run();
    GYRE_CHECK(!outcome.exited && outcome.exit_code == 1);
    GYRE_CHECK_EQUAL(outcome.diagnosis, bench.ctx.protocol_violation);
    return outcome.diagnosis;
  });
  BOOST_TEST(has(told, "sim.check_protocol: base protocol violated on the cable from rogue.out to bench.gpu.caches."), told);
  BOOST_TEST(has(told, "dcache0.in"), told);
  BOOST_TEST(told.find('\n') == std::string::npos);
}

BOOST_AUTO_TEST_CASE(who_keeps_the_rules_is_not) {
  run_forked([] {
    Bench bench("none", true);
    GYRE_CHECK(bench.device.requests().cables.checked() > 10);
    Asm k(kCode);
    k.li(a0, 0x20000);
    for (int i = 0; i < 8; ++i) k.lw(a1, a0, 64 * i);
    k.sw(a1, a0);
    k.wsync();
    k.tmc(zero);
    kernel::simulate(0);
    bench.load(kCode, k.finish());
    bench.core(0).start_bare(kCode, 0);
    GYRE_CHECK(bench.run().exited);
    GYRE_CHECK(bench.device.requests().cables.violations().empty());
    GYRE_CHECK_EQUAL(bench.device.requests().cables.open(), 0u);
    return std::string();
  });
}

BOOST_AUTO_TEST_CASE(nothing_stands_between_sockets_without_it) {
  run_forked([] {
    Bench bench("none", false);
    GYRE_CHECK_EQUAL(bench.device.requests().cables.checked(), 0u);
    return std::string();
  });
}

BOOST_AUTO_TEST_SUITE_END()
