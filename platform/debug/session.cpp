#include "session.h"

#include <algorithm>
#include <cstdio>

namespace gyre::debug {
namespace {

constexpr std::size_t kConsoleChunk = 2000;  // bytes of text in one O packet

}  // namespace

void Session::open() {
  reader_ = PacketReader();
  output_.clear();
  last_.clear();
  acknowledge_ = true;
  interrupt_ = killed_ = finished_ = reports_points_ = false;
  general_ = 0;
  event_ = StopEvent{};
  event_.thread = target_.default_thread();
  state_ = State::kStopped;
  target_.attach();
  target_.halted();
}

void Session::close() {
  if (state_ == State::kIdle) return;
  target_.release();
  state_ = State::kIdle;
}

void Session::receive(std::string_view bytes) {
  while (!bytes.empty() && !finished_) {
    switch (reader_.next(bytes)) {
      case PacketReader::Item::kPacket: {
        if (acknowledge_) output_ += '+';
        const std::string packet = reader_.payload();
        handle(packet);
        break;
      }
      case PacketReader::Item::kBad:
        if (acknowledge_) output_ += '-';
        break;
      case PacketReader::Item::kNak:
        if (acknowledge_) output_ += last_;
        break;
      case PacketReader::Item::kInterrupt:
        if (state_ == State::kRunning) interrupt_ = true;
        break;
      case PacketReader::Item::kAck:
      case PacketReader::Item::kNone:
        break;
    }
  }
}

std::string Session::take_output() {
  std::string text;
  text.swap(output_);
  return text;
}

bool Session::take_interrupt() {
  const bool interrupt = interrupt_;
  interrupt_ = false;
  return interrupt;
}

void Session::reply(std::string_view payload) {
  last_ = frame(payload);
  output_ += last_;
}

void Session::error(unsigned number) {
  char text[4];
  std::snprintf(text, sizeof text, "E%02x", number & 0xFF);
  reply(text);
}

void Session::stop(const StopEvent& event) {
  if (state_ == State::kIdle) return;
  const bool waits = state_ == State::kRunning;
  if (waits && !event.text.empty()) say(event.text);
  target_.halted();
  event_ = event;
  general_ = 0;
  interrupt_ = false;
  state_ = State::kStopped;
  if (waits) reply(stop_reply());
}

void Session::exited(int code) {
  if (state_ == State::kIdle) return;
  char text[4];
  std::snprintf(text, sizeof text, "W%02x", static_cast<unsigned>(code) & 0xFF);
  if (state_ == State::kRunning) reply(text);
  finished_ = true;
}

void Session::say(std::string_view text) {
  for (; !text.empty(); text.remove_prefix(std::min(text.size(), kConsoleChunk)))
    reply("O" + to_hex(text.substr(0, kConsoleChunk)));
}

std::string Session::stop_reply() const {
  char signal[4];
  std::snprintf(signal, sizeof signal, "T%02x", event_.signal & 0xFF);
  std::string text = signal;
  std::uint64_t pc = 0;
  const unsigned number = target_.pc_register();
  if (target_.read_register(event_.thread, number, pc))
    text += hex_text(number) + ":" + to_hex_register(pc, target_.registers()[number].bits / 8) + ";";
  text += "thread:" + hex_text(event_.thread) + ";";
  if (event_.reason == StopEvent::Reason::kWatchpoint) {
    const char* kind = event_.point == PointKind::kWrite  ? "watch"
                       : event_.point == PointKind::kRead ? "rwatch"
                                                          : "awatch";
    text += std::string(kind) + ":" + hex_text(event_.address) + ";";
  } else if (event_.reason == StopEvent::Reason::kBreakpoint && reports_points_) {
    text += event_.point == PointKind::kHardware ? "hwbreak:;" : "swbreak:;";
  }
  return text;
}

bool Session::take_thread(std::string_view& text, ThreadId& thread, bool& any) {
  any = take(text, "-1");
  if (any) return true;
  if (!take_hex(text, thread)) return false;
  any = thread == 0;
  return true;
}

ThreadId Session::general() {
  if (general_ == 0 || !target_.alive(general_)) general_ = event_.thread;
  return general_;
}

void Session::handle(std::string_view packet) {
  if (packet.empty()) return reply("");
  // While the machine runs a client may only interrupt it.
  if (state_ == State::kRunning && packet[0] != 'k' && packet[0] != 'D') return;
  const char kind = packet[0];
  std::string_view rest = packet.substr(1);
  switch (kind) {
    case '?':
      return reply(stop_reply());
    case 'g':
      return read_registers();
    case 'G':
      return write_registers(rest);
    case 'p': {
      std::uint64_t number = 0, value = 0;
      if (!take_hex(rest, number) || number >= target_.registers().size() ||
          !target_.read_register(general(), static_cast<unsigned>(number), value))
        return error(1);
      return reply(to_hex_register(value, target_.registers()[number].bits / 8));
    }
    case 'P': {
      std::uint64_t number = 0, value = 0;
      std::string bytes;
      if (!take_hex(rest, number) || !take(rest, "=") || !from_hex(rest, bytes) ||
          number >= target_.registers().size() || bytes.size() != target_.registers()[number].bits / 8)
        return error(1);
      for (std::size_t i = 0; i < bytes.size(); ++i)
        value |= std::uint64_t{static_cast<unsigned char>(bytes[i])} << 8 * i;
      if (!target_.write_register(general(), static_cast<unsigned>(number), value)) return error(2);
      return reply("OK");
    }
    case 'm':
    case 'M':
    case 'X':
      return memory(kind, rest);
    case 'Z':
    case 'z':
      return point(kind == 'Z', rest);
    case 'H':
      return select(rest);
    case 'T': {
      ThreadId thread = 0;
      bool any = false;
      if (!take_thread(rest, thread, any) || (!any && !target_.alive(thread))) return error(3);
      return reply("OK");
    }
    case 'c':
    case 's':
    case 'C':
    case 'S':
      return resume_simple(kind, rest);
    case 'v':
      if (packet == "vCont?") return reply("vCont;c;C;s;S;r");
      if (take(packet, "vCont;")) return resume_actions(packet);
      if (take(packet, "vKill")) {
        reply("OK");
        killed_ = finished_ = true;
        return;
      }
      return reply("");
    case 'k':
      killed_ = finished_ = true;
      return;
    case 'D':
      reply("OK");
      finished_ = true;
      return;
    case 'q':
    case 'Q':
      return query(packet);
    default:
      return reply("");
  }
}

void Session::read_registers() {
  std::string text;
  const auto& registers = target_.registers();
  for (unsigned i = 0; i < registers.size(); ++i) {
    std::uint64_t value = 0;
    if (target_.read_register(general(), i, value))
      text += to_hex_register(value, registers[i].bits / 8);
    else
      text += std::string(registers[i].bits / 4, 'x');
  }
  reply(text);
}

// Registers that refuse are left as they are: a client writes back all it has read.
void Session::write_registers(std::string_view hex) {
  const auto& registers = target_.registers();
  for (unsigned i = 0; i < registers.size() && !hex.empty(); ++i) {
    const std::string_view digits = hex.substr(0, registers[i].bits / 4);
    hex.remove_prefix(digits.size());
    std::string bytes;
    if (digits.size() != registers[i].bits / 4) return error(1);
    if (digits.find('x') != std::string_view::npos) continue;
    if (!from_hex(digits, bytes)) return error(1);
    std::uint64_t value = 0, now = 0;
    for (std::size_t b = 0; b < bytes.size(); ++b)
      value |= std::uint64_t{static_cast<unsigned char>(bytes[b])} << 8 * b;
    if (!target_.read_register(general(), i, now) || now != value) target_.write_register(general(), i, value);
  }
  reply("OK");
}

// mADDR,LENGTH; MADDR,LENGTH:HEX; XADDR,LENGTH:BYTES
void Session::memory(char kind, std::string_view rest) {
  std::uint64_t address = 0, length = 0;
  if (!take_hex(rest, address) || !take(rest, ",") || !take_hex(rest, length)) return error(1);
  if (kind == 'm') {
    std::string data(std::min<std::uint64_t>(length, kMaxPacket / 2 - 8), '\0');
    const std::size_t got = target_.read_memory(general(), address, data.data(), data.size());
    if (got == 0 && length != 0) return error(14);
    return reply(to_hex(std::string_view(data).substr(0, got)));
  }
  std::string data;
  if (!take(rest, ":")) return error(1);
  if (kind == 'X')
    data = rest;
  else if (!from_hex(rest, data))
    return error(1);
  if (data.size() != length) return error(1);
  if (target_.write_memory(general(), address, data.data(), data.size()) != data.size()) return error(14);
  reply("OK");
}

// TYPE,ADDR,KIND[;conditions]
void Session::point(bool insert, std::string_view rest) {
  std::uint64_t type = 0, address = 0, bytes = 0;
  if (!take_hex(rest, type) || !take(rest, ",") || !take_hex(rest, address) || !take(rest, ",") ||
      !take_hex(rest, bytes))
    return error(1);
  if (type > 4) return reply("");
  const auto kind = static_cast<PointKind>(type);
  if (!(insert ? target_.insert(kind, address, bytes) : target_.remove(kind, address, bytes))) return error(1);
  reply("OK");
}

void Session::select(std::string_view rest) {
  ThreadId thread = 0;
  bool any = false;
  if (rest.empty()) return error(1);
  const char what = rest[0];
  rest.remove_prefix(1);
  if (!take_thread(rest, thread, any) || (!any && !target_.alive(thread))) return error(3);
  if (what == 'g') general_ = any ? 0 : thread;
  reply("OK");
}

// c, s [addr]; C, S sig[;addr]: signals mean nothing here.
void Session::resume_simple(char kind, std::string_view rest) {
  if (kind == 'C' || kind == 'S') take_until(rest, ';');
  std::uint64_t pc = 0;
  if (take_hex(rest, pc)) target_.write_register(general(), target_.pc_register(), pc);
  const bool step = kind == 's' || kind == 'S';
  go(step ? std::vector<Step>{{general(), 0, 0}} : std::vector<Step>{}, 0);
}

// ACTION[:THREAD];...: the first that fits a thread counts.
void Session::resume_actions(std::string_view rest) {
  std::vector<Step> steps;
  ThreadId only = 0;
  unsigned named = 0;
  bool others = false, valid = false;
  while (!rest.empty()) {
    std::string_view item = take_until(rest, ';');
    std::string_view action = take_until(item, ':');
    ThreadId thread = 0;
    bool any = true;
    if (action.empty() || (!item.empty() && !take_thread(item, thread, any)) || (!any && !target_.alive(thread)))
      return error(1);
    Step step{any ? general() : thread, 0, 0};
    switch (action[0]) {
      case 'c':
      case 'C':
        break;
      case 's':
      case 'S':
        if (!others) steps.push_back(step);
        break;
      case 'r':
        action.remove_prefix(1);
        if (!take_hex(action, step.begin) || !take(action, ",") || !take_hex(action, step.end)) return error(1);
        if (!others) steps.push_back(step);
        break;
      default:
        return error(1);
    }
    others = others || any;
    if (!any && thread != only) {
      only = thread;
      ++named;
    }
    valid = true;
  }
  if (!valid) return error(1);
  go(steps, others || named != 1 ? 0 : only);
}

void Session::go(const std::vector<Step>& steps, ThreadId only) {
  state_ = State::kRunning;
  target_.resume(steps, only);
}

}  // namespace gyre::debug
