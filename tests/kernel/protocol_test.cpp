// The base protocol's rules: what is right passes in silence, and every way to be wrong is named.
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

#include <ostream>
#include <set>

#include "protocol_rules.h"

using namespace gyre;
using kernel::ProtocolRules;
using sc_core::sc_time;
using tlm::tlm_phase;

namespace {

struct Manager : tlm::tlm_mm_interface {
  void free(tlm::tlm_generic_payload*) override {}
};

// A payload as an initiator has to fill it in.
struct Request : tlm::tlm_generic_payload {
  explicit Request(Manager* manager = &shared()) {
    if (manager != nullptr) {
      set_mm(manager);
      acquire();
    }
    set_command(tlm::TLM_READ_COMMAND);
    set_address(0x1000);
    set_data_ptr(bytes);
    set_data_length(64);
    set_streaming_width(64);
  }
  static Manager& shared() {
    static Manager manager;
    return manager;
  }
  unsigned char bytes[64] = {};
};

// One socket and two transactions on it.
struct Link {
  std::vector<std::string> said;
  ProtocolRules rules{[this](const std::string& what) { said.push_back(what); }};
  Request a, b;

  void fw(Request& r, tlm_phase sent, tlm::tlm_sync_enum answer = tlm::TLM_ACCEPTED, tlm_phase phase = tlm::UNINITIALIZED_PHASE,
          sc_time delay = {}) {
    rules.forward(r, sent, delay);
    if (answer == tlm::TLM_COMPLETED && sent == tlm::BEGIN_REQ) r.set_response_status(tlm::TLM_OK_RESPONSE);
    rules.forward_done(r, sent, answer, phase, delay);
  }
  void bw(Request& r, tlm_phase sent, tlm::tlm_sync_enum answer = tlm::TLM_ACCEPTED, tlm_phase phase = tlm::UNINITIALIZED_PHASE,
          sc_time delay = {}) {
    if (sent == tlm::BEGIN_RESP) r.set_response_status(tlm::TLM_OK_RESPONSE);
    rules.backward(r, sent, delay);
    rules.backward_done(r, sent, answer, phase, delay);
  }
};

const sc_time kNs(1, sc_core::SC_NS);

struct Case {
  const char* name;
  const char* expected;  // part of the only thing said; "": nothing is
  void (*run)(Link&);
};
std::ostream& operator<<(std::ostream& out, const Case& c) { return out << c.name; }

const Case kCases[] = {
    {"four phases", "",
     [](Link& l) {
       l.fw(l.a, tlm::BEGIN_REQ);
       l.bw(l.a, tlm::END_REQ);
       l.bw(l.a, tlm::BEGIN_RESP);
       l.fw(l.a, tlm::END_RESP);
     }},
    {"all phases in the answers", "",
     [](Link& l) {
       l.fw(l.a, tlm::BEGIN_REQ, tlm::TLM_UPDATED, tlm::END_REQ);
       l.bw(l.a, tlm::BEGIN_RESP, tlm::TLM_UPDATED, tlm::END_RESP);
     }},
    {"END_REQ left out", "",
     [](Link& l) {
       l.fw(l.a, tlm::BEGIN_REQ);
       l.bw(l.a, tlm::BEGIN_RESP, tlm::TLM_COMPLETED);
     }},
    {"completed at once", "", [](Link& l) { l.fw(l.a, tlm::BEGIN_REQ, tlm::TLM_COMPLETED); }},
    {"two under way", "",
     [](Link& l) {
       l.fw(l.a, tlm::BEGIN_REQ, tlm::TLM_UPDATED, tlm::END_REQ);
       l.fw(l.b, tlm::BEGIN_REQ);
       l.bw(l.b, tlm::END_REQ);
       l.bw(l.b, tlm::BEGIN_RESP);  // responses may overtake one another
       l.fw(l.b, tlm::END_RESP);
       l.bw(l.a, tlm::BEGIN_RESP);
       l.fw(l.a, tlm::END_RESP, tlm::TLM_COMPLETED);
     }},
    {"ignorable phases", "",
     [](Link& l) {
       l.fw(l.a, tlm_phase(100));
       l.bw(l.a, tlm_phase(100), tlm::TLM_UPDATED, tlm_phase(101));
     }},
    {"blocking", "",
     [](Link& l) {
       l.rules.blocking(l.a);
       l.a.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
       l.rules.blocking_done(l.a);
     }},

    {"second request too early", "exclusion rule",
     [](Link& l) {
       l.fw(l.a, tlm::BEGIN_REQ);
       l.fw(l.b, tlm::BEGIN_REQ);
     }},
    {"request twice", "BEGIN_REQ twice",
     [](Link& l) {
       l.fw(l.a, tlm::BEGIN_REQ);
       l.fw(l.a, tlm::BEGIN_REQ);
     }},
    {"request under way", "under way",
     [](Link& l) {
       l.fw(l.a, tlm::BEGIN_REQ, tlm::TLM_UPDATED, tlm::END_REQ);
       l.fw(l.a, tlm::BEGIN_REQ);
     }},
    {"second response too early", "exclusion rule",
     [](Link& l) {
       l.fw(l.a, tlm::BEGIN_REQ, tlm::TLM_UPDATED, tlm::END_REQ);
       l.fw(l.b, tlm::BEGIN_REQ, tlm::TLM_UPDATED, tlm::END_REQ);
       l.bw(l.a, tlm::BEGIN_RESP);
       l.bw(l.b, tlm::BEGIN_RESP);
     }},
    {"response twice", "BEGIN_RESP twice",
     [](Link& l) {
       l.fw(l.a, tlm::BEGIN_REQ);
       l.bw(l.a, tlm::BEGIN_RESP);
       l.bw(l.a, tlm::BEGIN_RESP);
     }},
    {"end of request twice", "END_REQ twice",
     [](Link& l) {
       l.fw(l.a, tlm::BEGIN_REQ);
       l.bw(l.a, tlm::END_REQ);
       l.bw(l.a, tlm::END_REQ);
     }},
    {"end of request after the response", "END_REQ twice, or after BEGIN_RESP",
     [](Link& l) {
       l.fw(l.a, tlm::BEGIN_REQ);
       l.bw(l.a, tlm::BEGIN_RESP);
       l.bw(l.a, tlm::END_REQ);
     }},
    {"response to nothing", "has not begun", [](Link& l) { l.bw(l.a, tlm::BEGIN_RESP); }},
    {"end of nothing", "has not begun", [](Link& l) { l.fw(l.a, tlm::END_RESP); }},
    {"end before the response", "END_RESP before BEGIN_RESP",
     [](Link& l) {
       l.fw(l.a, tlm::BEGIN_REQ);
       l.fw(l.a, tlm::END_RESP);
     }},
    {"phase of the other way, forward", "on the forward path", [](Link& l) { l.fw(l.a, tlm::BEGIN_RESP); }},
    {"phase of the other way, backward", "on the backward path", [](Link& l) { l.bw(l.a, tlm::BEGIN_REQ); }},
    {"answer with the wrong phase", "answered with TLM_UPDATED",
     [](Link& l) { l.fw(l.a, tlm::BEGIN_REQ, tlm::TLM_UPDATED, tlm::END_RESP); }},
    {"answer to END_REQ", "answered with TLM_COMPLETED",
     [](Link& l) {
       l.fw(l.a, tlm::BEGIN_REQ);
       l.bw(l.a, tlm::END_REQ, tlm::TLM_COMPLETED);
     }},
    {"update of END_RESP", "answered with TLM_UPDATED",
     [](Link& l) {
       l.fw(l.a, tlm::BEGIN_REQ);
       l.bw(l.a, tlm::BEGIN_RESP);
       l.fw(l.a, tlm::END_RESP, tlm::TLM_UPDATED, tlm::END_RESP);
     }},
    {"back in time", "before the phase in front of it",
     [](Link& l) {
       l.fw(l.a, tlm::BEGIN_REQ, tlm::TLM_ACCEPTED, tlm::UNINITIALIZED_PHASE, 10 * kNs);
       l.bw(l.a, tlm::END_REQ, tlm::TLM_ACCEPTED, tlm::UNINITIALIZED_PHASE, 5 * kNs);
     }},
    {"response without a status", "without a response status",
     [](Link& l) {
       l.fw(l.a, tlm::BEGIN_REQ);
       l.rules.backward(l.a, tlm::BEGIN_RESP, {});
     }},
    {"blocking without a status", "without a response status",
     [](Link& l) {
       l.rules.blocking(l.a);
       l.rules.blocking_done(l.a);
     }},
    {"old status", "not TLM_INCOMPLETE_RESPONSE",
     [](Link& l) {
       l.a.set_response_status(tlm::TLM_OK_RESPONSE);
       l.fw(l.a, tlm::BEGIN_REQ);
     }},
    {"old DMI hint", "DMI hint",
     [](Link& l) {
       l.a.set_dmi_allowed(true);
       l.rules.blocking(l.a);
     }},
    {"no data", "no data pointer",
     [](Link& l) {
       l.a.set_data_ptr(nullptr);
       l.rules.blocking(l.a);
     }},
    {"no length", "data length is 0",
     [](Link& l) {
       l.a.set_data_length(0);
       l.rules.blocking(l.a);
     }},
    {"no streaming width", "streaming width is 0",
     [](Link& l) {
       l.a.set_streaming_width(0);
       l.rules.blocking(l.a);
     }},
    {"no enables", "byte enables have length 0",
     [](Link& l) {
       l.a.set_byte_enable_ptr(l.a.bytes);
       l.rules.blocking(l.a);
     }},
    {"changed on the way", "were changed on the way",
     [](Link& l) {
       l.fw(l.a, tlm::BEGIN_REQ);
       l.a.set_data_length(32);
       l.bw(l.a, tlm::BEGIN_RESP);
     }},
    {"nobody holds it", "no memory manager",
     [](Link& l) {
       static Request loose(nullptr);
       l.fw(loose, tlm::BEGIN_REQ);
     }},
    {"blocking while under way", "nb_transport is using",
     [](Link& l) {
       l.fw(l.a, tlm::BEGIN_REQ);
       l.rules.blocking(l.a);
     }},
};

}  // namespace

BOOST_AUTO_TEST_SUITE(base_protocol)

BOOST_DATA_TEST_CASE(a_rule_is_broken_or_kept, boost::unit_test::data::make(kCases), rule) {
  Link link;
  rule.run(link);
  const std::string expected = rule.expected;
  if (expected.empty()) {
    BOOST_TEST(link.said.empty(), (link.said.empty() ? "" : link.said.front()));
    BOOST_TEST(link.rules.open() == 0u);
    return;
  }
  BOOST_REQUIRE_EQUAL(link.said.size(), 1u);
  BOOST_TEST(link.said.front().find(expected) != std::string::npos, link.said.front());
}

BOOST_AUTO_TEST_SUITE_END()
