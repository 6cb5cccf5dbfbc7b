// Clients without manners, attaching and leaving while the machine runs, killing it: the simulation goes its way.
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <random>

#include "debug_run.h"

using namespace gyre::test;
namespace data = boost::unit_test::data;

namespace {

std::vector<std::string> hello(const std::vector<std::string>& more) {
  std::vector<std::string> words{"run",      "--device", std::string(DEVICE_DIR) + "/hello.elf",
                                 "--legacy", "--set",    "gpu.cores=1"};
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

// Warp 0 jumps to itself, for ever.
const std::string kEndless = std::string(DEVICE_DIR) + "/endless.elf";

}  // namespace

BOOST_AUTO_TEST_SUITE(clients)

BOOST_DATA_TEST_CASE(garbage_does_not_disturb_a_run, data::xrange(6), seed) {
  DebugRun run(hello({"--gdb-gpu", "SOCKET", "--gdb-wait"}));
  {
    RawClient client(run.socket());
    std::mt19937 random(static_cast<unsigned>(seed));
    for (int round = 0; round < 200; ++round) {
      std::string bytes;
      for (unsigned n = random() % 300; n != 0; --n) bytes += static_cast<char>(random());
      for (char& c : bytes)
        if (c == 'k' || c == 'v') c = 'x';  // kill is not garbage
      client.send(random() % 2 == 0 ? bytes : gyre::debug::frame(bytes));
    }
  }  // gone without a word
  const Outcome outcome = run.wait();
  BOOST_TEST(outcome.code == 42, outcome.err);
  BOOST_TEST(outcome.out.size() == 30 * std::string("hello from core 0, warp 0, lane 0\n").size());
}

BOOST_AUTO_TEST_CASE(a_client_that_drops_lets_the_machine_go) {
  DebugRun run(hello({"--gdb-gpu", "SOCKET", "--gdb-wait"}));
  {
    RawClient client(run.socket());
    BOOST_TEST(client.ask("?").substr(0, 3) == "T05");
    BOOST_TEST(client.ask("Z0,80000004,4") == "OK");
    client.send(gyre::debug::frame("vCont;c"));
    BOOST_TEST(client.receive().substr(0, 3) == "T05");
  }
  BOOST_TEST(run.wait().code == 42);
}

BOOST_AUTO_TEST_CASE(a_client_that_does_not_read_is_dropped) {
  DebugRun run(hello({"--gdb-gpu", "SOCKET", "--gdb-wait"}));
  RawClient client(run.socket());
  std::string many;
  for (int i = 0; i < 20000; ++i) many += gyre::debug::frame("qXfer:features:read:target.xml:0,2000");
  client.send(many);
  BOOST_TEST(run.wait().code == 42);
}

BOOST_AUTO_TEST_CASE(attach_interrupt_detach_and_kill_during_a_run) {
  DebugRun run({"run", "--device", kEndless, "--legacy", "--set", "gpu.cores=1", "--gdb-gpu", "SOCKET"});
  for (int round = 0; round < 3; ++round) {
    RawClient client(run.socket());
    BOOST_TEST(client.ask("?").substr(0, 3) == "T05");
    BOOST_TEST(client.ask("m80000000,4") == "6f000000");
    BOOST_TEST(client.ask("p20") == "00000080");  // pc
    client.send(gyre::debug::frame("vCont;c"));
    client.send("\x03");
    BOOST_TEST(client.receive().substr(0, 3) == "T02");
    client.send(gyre::debug::frame("vCont;s:1;c"));
    BOOST_TEST(client.receive().substr(0, 3) == "T05");
    RawClient second(run.socket());  // turned away
    BOOST_TEST(second.receive() == "closed");
    BOOST_TEST(client.ask("D") == "OK");
    BOOST_TEST(client.receive() == "closed");
  }
  BOOST_TEST(run.running());
  RawClient client(run.socket());
  // The program is written over: TMC x0 ends the warp.
  BOOST_TEST(client.ask("?").substr(0, 3) == "T05");
  BOOST_TEST(client.ask("M80000000,4:0b000000") == "OK");
  client.send(gyre::debug::frame("c"));
  BOOST_TEST(client.receive() == "W00");
  BOOST_TEST(run.wait().code == 0);
}

BOOST_AUTO_TEST_CASE(kill) {
  for (const char* how : {"k", "vKill;1"}) {
    DebugRun run({"run", "--device", kEndless, "--legacy", "--gdb-gpu", "SOCKET", "--gdb-wait"});
    RawClient client(run.socket());
    client.send(gyre::debug::frame(how));
    const Outcome outcome = run.wait();
    BOOST_TEST(outcome.code == 1);
    HAS(outcome.err, "ended by the debugger");
  }
}

BOOST_AUTO_TEST_CASE(reset_ends_all_warps) {
  DebugRun run({"run", "--device", kEndless, "--legacy", "--set", "gpu.cores=2", "--gdb-gpu", "SOCKET", "--gdb-wait"});
  RawClient client(run.socket());
  BOOST_TEST(client.ask("qRcmd," + gyre::debug::to_hex("reset")) == "O" + gyre::debug::to_hex("2 warps ended\n"));
  BOOST_TEST(client.receive() == "OK");
  client.send(gyre::debug::frame("c"));
  BOOST_TEST(client.receive() == "W00");
  BOOST_TEST(run.wait().code == 0);
}

BOOST_AUTO_TEST_CASE(ports_that_cannot_be_had_are_named) {
  ScratchFolder folder("ports");
  std::ofstream(folder / "file") << "no socket";
  struct Mistake {
    std::vector<std::string> words;
    const char* text;
  };
  const Mistake mistakes[] = {
      {{"--gdb-gpu", "70000"}, "65535"},
      {{"--gdb-gpu", folder / "file"}, "no socket"},
      {{"--gdb-gpu", folder / "no/such/folder"}, "No such file"},
      {{"--gdb-gpu", std::string(200, 'x')}, "107"},
      {{"--gdb", "0"}, "bare device"},
      {{"--gdb-wait"}, "which port"},
  };
  for (const Mistake& mistake : mistakes) {
    const Outcome outcome = run_gyre(hello(mistake.words));
    BOOST_TEST(outcome.code == 2, outcome.err);
    HAS(outcome.err, mistake.text);
  }
}

BOOST_AUTO_TEST_CASE(a_tcp_port_of_the_loopback_interface) {
  if (!have_gdb()) return;
  const std::string program = std::string(DEVICE_DIR) + "/hello.elf";
  DebugRun run(hello({"--gdb-gpu", "0", "--gdb-wait"}));
  std::string port;
  for (int i = 0; i < 5000 && port.empty(); ++i) {
    const std::string said = slurp(run.file("err"));
    const std::size_t at = said.find("127.0.0.1:");
    if (at != std::string::npos && said.find('\n') != std::string::npos)
      port = said.substr(at, said.find(' ', at) - at);
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  const std::string said =
      run.gdb(program, {"target remote " + port, "break next_line", "continue", "delete", "continue"});
  HAS(said, "hit Breakpoint 1");
  HAS(said, "exited with code 052");
  BOOST_TEST(run.wait().code == 42);
}

BOOST_AUTO_TEST_SUITE_END()
