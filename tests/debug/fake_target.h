// A target of two threads with four registers and 256 bytes of memory.
#pragma once

#include <algorithm>
#include <cstring>
#include <map>

#include "target.h"

namespace gyre::test {

class FakeTarget : public debug::Target {
 public:
  FakeTarget() {
    for (const char* name : {"r0", "r1", "pc"}) list_.push_back({name, 32, "int", "general", "test.cpu"});
    list_.push_back({"wide", 64, "int", "general", "test.wide"});
  }

  std::string name() const override { return "fake"; }
  std::string architecture() const override { return "riscv:rv32"; }
  const std::vector<debug::RegisterInfo>& registers() const override { return list_; }
  std::vector<debug::ThreadInfo> threads() override { return {{1, "one <&>", "active"}, {2, "two", "idle"}}; }
  bool alive(debug::ThreadId thread) override { return thread == 1 || thread == 2; }
  debug::ThreadId default_thread() override { return 1; }
  unsigned pc_register() const override { return 2; }
  bool read_register(debug::ThreadId thread, unsigned number, std::uint64_t& value) override {
    value = values[{thread, number}];
    return !(thread == 2 && number == 1);  // this one cannot be read
  }
  bool write_register(debug::ThreadId thread, unsigned number, std::uint64_t value) override {
    if (number == 0) return false;
    values[{thread, number}] = value;
    return true;
  }
  std::size_t read_memory(debug::ThreadId, std::uint64_t address, char* data, std::size_t bytes) override {
    if (address >= sizeof memory) return 0;
    const std::size_t n = std::min<std::size_t>(bytes, sizeof memory - address);
    std::memcpy(data, memory + address, n);
    return n;
  }
  std::size_t write_memory(debug::ThreadId, std::uint64_t address, const char* data, std::size_t bytes) override {
    if (address >= sizeof memory) return 0;
    const std::size_t n = std::min<std::size_t>(bytes, sizeof memory - address);
    std::memcpy(memory + address, data, n);
    return n;
  }
  bool insert(debug::PointKind, std::uint64_t address, std::uint64_t) override {
    ++points;
    return address < 0x1000;
  }
  bool remove(debug::PointKind, std::uint64_t, std::uint64_t) override { return true; }
  void resume(const std::vector<debug::Step>& steps, debug::ThreadId only) override {
    last_steps = steps;
    last_only = only;
    ++resumes;
  }
  void attach() override { attached = true; }
  void release() override { attached = false; }
  void halted() override {}
  std::string monitor(std::string_view command, debug::ThreadId) override {
    return std::string(command) + std::string(5000, '!');
  }

  std::map<std::pair<debug::ThreadId, unsigned>, std::uint64_t> values;
  char memory[256] = {};
  std::vector<debug::Step> last_steps;
  debug::ThreadId last_only = 0;
  bool attached = false;
  unsigned resumes = 0, points = 0;

 private:
  std::vector<debug::RegisterInfo> list_;
};

}  // namespace gyre::test
