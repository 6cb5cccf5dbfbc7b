// The packet layer, and a session on a target of the test's own: what is said, and that garbage does no harm.
#include "packet.h"

#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <random>

#include "fake_target.h"
#include "session.h"

using namespace gyre;
using debug::PacketReader;
using debug::Session;
using Item = PacketReader::Item;
namespace data = boost::unit_test::data;

namespace {

// A client of a session: sends packets, understands the answers.
struct Client {
  test::FakeTarget target;
  Session session{target};
  Client() { session.open(); }

  // Payloads of all answers, joined by "|".
  std::string ask(const std::string& payload) { return raw(debug::frame(payload)); }
  std::string raw(const std::string& bytes) {
    session.receive(bytes);
    const std::string output = session.take_output();
    std::string_view rest = output;
    PacketReader reader;
    std::string text;
    for (Item item = reader.next(rest); item != Item::kNone; item = reader.next(rest)) {
      if (item == Item::kPacket) text += (text.empty() ? "" : "|") + reader.payload();
      BOOST_TEST((item == Item::kPacket || item == Item::kAck || item == Item::kNak));
    }
    return text;
  }
};

}  // namespace

BOOST_AUTO_TEST_SUITE(packets)

BOOST_AUTO_TEST_CASE(a_framed_packet_is_read_back) {
  std::mt19937 random(1);
  for (int round = 0; round < 2000; ++round) {
    std::string payload;
    for (unsigned n = random() % 200; n != 0; --n)
      payload += static_cast<char>(random() % 4 == 0 ? "$#}*"[random() % 4] : random());
    const std::string bytes = debug::frame(payload);
    PacketReader reader;
    // In pieces, as a wire delivers them.
    Item item = Item::kNone;
    for (std::size_t at = 0; at < bytes.size();) {
      BOOST_REQUIRE(item == Item::kNone);
      const std::size_t n = std::min<std::size_t>(1 + random() % 50, bytes.size() - at);
      std::string_view piece(bytes.data() + at, n);
      item = reader.next(piece);
      BOOST_REQUIRE(piece.empty());
      at += n;
    }
    BOOST_REQUIRE(item == Item::kPacket);
    BOOST_REQUIRE(reader.payload() == payload);
  }
}

BOOST_AUTO_TEST_CASE(what_is_no_packet_is_told_apart) {
  PacketReader reader;
  std::string_view input = "+-\x03junk$g#00$g#67$OK#9a$zz$m0,4#fd$x#7z";
  const Item expect[] = {Item::kAck,    Item::kNak,    Item::kInterrupt, Item::kBad,
                         Item::kPacket, Item::kPacket, Item::kPacket,    Item::kBad};
  for (const Item item : expect) BOOST_TEST((reader.next(input) == item));
  BOOST_TEST((reader.next(input) == Item::kNone));
}

BOOST_AUTO_TEST_CASE(a_packet_longer_than_promised_is_refused) {
  PacketReader reader;
  const std::string fits = debug::frame(std::string(debug::kMaxPacket, 'a')),
                    longer = debug::frame(std::string(debug::kMaxPacket + 1, 'a'));
  std::string_view input = fits;
  BOOST_TEST((reader.next(input) == Item::kPacket));
  input = longer;
  BOOST_TEST((reader.next(input) == Item::kBad));
  BOOST_TEST(reader.payload().size() <= debug::kMaxPacket);
}

BOOST_AUTO_TEST_CASE(numbers_and_hex) {
  std::string_view text = "1aG";
  std::uint64_t value = 0;
  BOOST_TEST(debug::take_hex(text, value));
  BOOST_TEST(value == 0x1A);
  BOOST_TEST(text == "G");
  BOOST_TEST(!debug::take_hex(text, value));
  text = "ffffffffffffffff";
  BOOST_TEST(debug::take_hex(text, value));
  BOOST_TEST(value == ~0ull);
  text = "00000000000000001";
  BOOST_TEST(!debug::take_hex(text, value));
  std::string bytes;
  BOOST_TEST(debug::from_hex("00fF7e", bytes));
  BOOST_TEST(bytes == std::string("\0\xff~", 3));
  BOOST_TEST(!debug::from_hex("0", bytes));
  BOOST_TEST(!debug::from_hex("0g", bytes));
  BOOST_TEST(debug::to_hex_register(0x1234, 4) == "34120000");
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(sessions)

BOOST_AUTO_TEST_CASE(registers_memory_and_threads) {
  Client c;
  c.target.values[{1, 0}] = 0x11223344;
  c.target.values[{1, 3}] = 0x0102030405060708;
  BOOST_TEST(c.ask("qSupported:swbreak+").find("qXfer:features:read+") != std::string::npos);
  BOOST_TEST(c.ask("?") == "T052:00000000;thread:1;");
  BOOST_TEST(c.ask("g") == "4433221100000000000000000807060504030201");
  BOOST_TEST(c.ask("p3") == "0807060504030201");
  BOOST_TEST(c.ask("P1=78563412") == "OK");
  BOOST_TEST((c.target.values[{1, 1}] == 0x12345678));
  BOOST_TEST(c.ask("P0=00000000") == "E02");
  BOOST_TEST(c.ask("P1=00") == "E01");
  BOOST_TEST(c.ask("p4") == "E01");
  BOOST_TEST(c.ask("Hg2") == "OK");
  BOOST_TEST(c.ask("g") == "00000000xxxxxxxx000000000000000000000000");
  BOOST_TEST(c.ask("G"
                   "00000000"
                   "xxxxxxxx"
                   "05000000"
                   "0600000000000000") == "OK");
  BOOST_TEST((c.target.values[{2, 2}] == 5));
  BOOST_TEST((c.target.values[{2, 3}] == 6));
  BOOST_TEST(c.ask("Hg3") == "E03");
  BOOST_TEST(c.ask("T2") == "OK");
  BOOST_TEST(c.ask("T3") == "E03");
  BOOST_TEST(c.ask("qC") == "QC2");
  BOOST_TEST(c.ask("qfThreadInfo") == "m1,2");
  BOOST_TEST(c.ask("qsThreadInfo") == "l");
  BOOST_TEST(c.ask("qThreadExtraInfo,2") == debug::to_hex("two (idle)"));
  BOOST_TEST(c.ask("M10,3:616263") == "OK");
  BOOST_TEST(c.ask("X13,3:$#}") == "OK");
  BOOST_TEST(c.ask("m10,6") == debug::to_hex("abc$#}"));
  BOOST_TEST(c.ask("mfe,10") == "0000");  // what there is
  BOOST_TEST(c.ask("m100,1") == "E0e");
  BOOST_TEST(c.ask("Mff,2:0000") == "E0e");
  BOOST_TEST(c.ask("Z0,10,4") == "OK");
  BOOST_TEST(c.ask("Z0,1000,4") == "E01");
  BOOST_TEST(c.ask("Z5,10,4") == "");
  BOOST_TEST(c.ask("vMustReplyEmpty") == "");
}

BOOST_AUTO_TEST_CASE(documents_come_in_pieces) {
  Client c;
  std::string whole;
  for (;;) {
    const std::string piece = c.ask("qXfer:features:read:target.xml:" + (whole.empty() ? std::string("0") : [&] {
      char text[20];
      std::snprintf(text, sizeof text, "%zx", whole.size());
      return std::string(text);
    }()) + ",40");
    BOOST_REQUIRE(!piece.empty());
    whole += piece.substr(1);
    if (piece[0] == 'l') break;
    BOOST_REQUIRE(piece[0] == 'm');
  }
  BOOST_TEST(whole == debug::target_description(c.target));
  BOOST_TEST(whole.find("<reg name=\"wide\" bitsize=\"64\" regnum=\"3\"") != std::string::npos);
  const std::string threads = c.ask("qXfer:threads:read::0,1000");
  BOOST_TEST(threads.find("<thread id=\"1\" name=\"one &lt;&amp;&gt;\">active</thread>") != std::string::npos, threads);
  BOOST_TEST(c.ask("qXfer:features:read:other.xml:0,10") == "E00");
  BOOST_TEST(c.ask("qXfer:memory-map:read::0,10") == "");
}

BOOST_AUTO_TEST_CASE(going_and_stopping) {
  Client c;
  c.ask("qSupported:swbreak+");
  BOOST_TEST(c.ask("vCont;s:2;c") == "");
  BOOST_TEST((c.session.state() == Session::State::kRunning));
  BOOST_TEST(c.target.last_steps.size() == 1u);
  BOOST_TEST(c.target.last_steps[0].thread == 2u);
  BOOST_TEST(c.target.last_only == 0u);
  BOOST_TEST(c.ask("g") == "");  // not now
  BOOST_TEST(!c.session.take_interrupt());
  c.raw("\x03");
  BOOST_TEST(c.session.take_interrupt());
  debug::StopEvent event;
  event.thread = 2;
  event.reason = debug::StopEvent::Reason::kBreakpoint;
  event.text = "because";
  c.session.stop(event);
  BOOST_TEST(c.raw("") == "O" + debug::to_hex("because") + "|T052:00000000;thread:2;swbreak:;");
  BOOST_TEST(c.ask("vCont;s:1") == "");
  BOOST_TEST(c.target.last_only == 1u);
  event.reason = debug::StopEvent::Reason::kWatchpoint;
  event.point = debug::PointKind::kRead;
  event.address = 0x40;
  event.text.clear();
  c.session.stop(event);
  BOOST_TEST(c.raw("") == "T052:00000000;thread:2;rwatch:40;");
  BOOST_TEST(c.ask("vCont;r10,20:1;c:-1") == "");
  BOOST_TEST(c.target.last_steps[0].end == 0x20u);
  c.session.stop(event);
  c.raw("");
  for (const char* bad : {"vCont;", "vCont;x", "vCont;s:9", "vCont;r10", "vCont;c:zz"})
    BOOST_TEST(c.ask(bad) == "E01", bad);
  BOOST_TEST(c.ask("c") == "");
  c.session.exited(42);
  BOOST_TEST(c.raw("") == "W2a");
  BOOST_TEST(c.session.finished());
}

BOOST_AUTO_TEST_CASE(acknowledgements) {
  Client c;
  c.session.receive("$?#00");
  BOOST_TEST(c.session.take_output() == "-");
  c.session.receive(debug::frame("qC"));
  BOOST_TEST(c.session.take_output() == "+$QC1#c5");
  c.session.receive("-");
  BOOST_TEST(c.session.take_output() == "$QC1#c5");
  BOOST_TEST(c.ask("QStartNoAckMode") == "OK");
  c.session.receive("$?#00-" + debug::frame("qC"));
  BOOST_TEST(c.session.take_output() == "$QC1#c5");
}

BOOST_AUTO_TEST_CASE(monitor_kill_and_detach) {
  Client c;
  const std::string answer = c.ask("qRcmd," + debug::to_hex("hello"));
  BOOST_TEST(answer.substr(0, 11) == "O68656c6c6f");
  BOOST_TEST(answer.substr(answer.size() - 3) == "|OK");
  BOOST_TEST(c.ask("D") == "OK");
  BOOST_TEST(c.session.finished());
  BOOST_TEST(!c.session.killed());
  c.session.close();
  BOOST_TEST(!c.target.attached);
  c.session.open();
  BOOST_TEST(!c.session.finished());
  BOOST_TEST(c.ask("k") == "");
  BOOST_TEST(c.session.killed());
}

// Whatever comes, a session answers with well-formed packets, and is as good as before afterwards.
BOOST_DATA_TEST_CASE(garbage_does_no_harm, data::xrange(40), seed) {
  std::mt19937 random(static_cast<unsigned>(seed));
  const std::string words[] = {"m",
                               "M10,4:",
                               "X0,2:",
                               "g",
                               "G",
                               "p",
                               "P2=",
                               "Z0,",
                               "z4,",
                               "vCont",
                               ";s:",
                               ";r",
                               "qXfer:",
                               "features:read:target.xml:",
                               "threads:read::",
                               "qRcmd,",
                               "H",
                               "qSupported",
                               "c",
                               "s",
                               "?",
                               "T",
                               "-1",
                               "ffffffffffffffff",
                               ",",
                               ":",
                               "0",
                               "7fffffff",
                               "qThreadExtraInfo,",
                               "C05",
                               "vKill;1",
                               "qfThreadInfo"};
  Client c;
  for (int round = 0; round < 400; ++round) {
    std::string payload;
    for (unsigned n = random() % 6; n != 0; --n) {
      if (random() % 3 == 0)
        payload += static_cast<char>(random());
      else
        payload += words[random() % std::size(words)];
    }
    std::string bytes = debug::frame(payload);
    if (random() % 8 == 0) bytes[random() % bytes.size()] = static_cast<char>(random());
    if (random() % 8 == 0) bytes.resize(random() % bytes.size());
    c.raw(bytes);
    if (c.session.finished() || random() % 16 == 0) {
      c.session.close();
      c.session.open();
    } else if (c.session.state() == Session::State::kRunning) {
      c.session.stop({});
      c.raw("");
    }
  }
  c.session.close();
  c.session.open();
  BOOST_TEST(c.ask("qC") == "QC1");
}

BOOST_AUTO_TEST_SUITE_END()
