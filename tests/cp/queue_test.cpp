#include "queue.h"

#include <boost/test/unit_test.hpp>

using gyre::cp::Queue;

namespace {
unsigned ring(Queue& queue, std::uint64_t tail) {
  queue.tail_staged = static_cast<std::uint32_t>(tail);
  return queue.commit_tail(static_cast<std::uint32_t>(tail >> 32));
}
}  // namespace

BOOST_AUTO_TEST_SUITE(queue)

BOOST_AUTO_TEST_CASE(tail_range) {
  Queue q;
  q.size_log2 = 8;
  BOOST_TEST(ring(q, 256) == GYRE_CP_ERR_OK);
  BOOST_TEST(ring(q, 320) == GYRE_CP_ERR_RING_RANGE);  // more than the ring
  BOOST_TEST(q.tail == 256u);
  q.head = 128;
  BOOST_TEST(ring(q, 320) == GYRE_CP_ERR_OK);
  BOOST_TEST(ring(q, 320) == GYRE_CP_ERR_OK);          // no news is fine
  BOOST_TEST(ring(q, 256) == GYRE_CP_ERR_RING_RANGE);  // backward
  BOOST_TEST(ring(q, 350) == GYRE_CP_ERR_RING_RANGE);  // not a whole line
  BOOST_TEST(ring(q, std::uint64_t{1} << 40) == GYRE_CP_ERR_RING_RANGE);
  BOOST_TEST(q.tail == 320u);
}

BOOST_AUTO_TEST_CASE(counters_pass_32_bits) {
  Queue q;
  q.size_log2 = 6;
  q.ring_base = 0x1000;
  q.head = q.tail = 0xFFFFFFC0;
  BOOST_TEST(ring(q, 0x100000000) == GYRE_CP_ERR_OK);
  BOOST_TEST(q.has_work());
  BOOST_TEST(q.line_address() == 0x1000u);
  q.head += 64;
  BOOST_TEST(!q.has_work());
  BOOST_TEST(ring(q, 0x100000040) == GYRE_CP_ERR_OK);
}

BOOST_AUTO_TEST_CASE(addresses_wrap_in_the_ring) {
  Queue q;
  q.size_log2 = 7;
  q.ring_base = 0x123400;
  const std::uint64_t expected[] = {0x123400, 0x123440, 0x123400, 0x123440};
  for (unsigned i = 0; i < 4; ++i) {
    q.head = 64 * i;
    BOOST_TEST(q.line_address() == expected[i]);
  }
}

BOOST_AUTO_TEST_CASE(ring_configuration) {
  for (std::uint32_t log2 : {0u, 5u, 17u, 32u, 63u, 64u, ~0u}) {
    Queue q;
    q.size_log2 = log2;
    BOOST_TEST(ring(q, 64) == GYRE_CP_ERR_RING_CFG);
  }
  Queue q;
  q.ring_base = 0x20;
  BOOST_TEST(ring(q, 64) == GYRE_CP_ERR_RING_CFG);
}

BOOST_AUTO_TEST_CASE(first_error_wins_and_reset_keeps_the_set_up) {
  Queue q;
  q.ring_base = 0x1000;
  q.cmpl_addr = 0x2000;
  q.size_log2 = 9;
  q.control = 0x1D;
  q.seqnum = 0x54321;
  q.head = 64;
  q.fail(GYRE_CP_ERR_QMD_COUNT, 0x0B);
  q.fail(GYRE_CP_ERR_ADDR_FAULT, 0x01);
  BOOST_TEST(q.error == 0x43210B04u);
  q.reset();
  BOOST_TEST(q.error == 0u);
  BOOST_TEST(q.head == 0u);
  BOOST_TEST(q.seqnum == 0u);
  BOOST_TEST(q.control == 0x1Cu);
  BOOST_TEST(q.ring_base == 0x1000u);
  BOOST_TEST(q.cmpl_addr == 0x2000u);
  BOOST_TEST(q.size_log2 == 9u);
}

BOOST_AUTO_TEST_SUITE_END()
