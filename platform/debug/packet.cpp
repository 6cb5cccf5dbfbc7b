#include "packet.h"

#include <cstdio>

namespace gyre::debug {
namespace {

constexpr char kDigits[] = "0123456789abcdef";
constexpr char kEscapeByte = '}', kEscapeBit = 0x20;

int digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

void append_hex(std::string& text, unsigned byte) {
  text += kDigits[byte >> 4 & 15];
  text += kDigits[byte & 15];
}

}  // namespace

std::string frame(std::string_view payload) {
  std::string text = "$";
  unsigned sum = 0;
  auto put = [&](char c) {
    text += c;
    sum += static_cast<unsigned char>(c);
  };
  for (const char c : payload) {
    const bool special = c == '$' || c == '#' || c == kEscapeByte || c == '*';
    if (special) put(kEscapeByte);
    put(special ? static_cast<char>(c ^ kEscapeBit) : c);
  }
  text += '#';
  append_hex(text, sum);
  return text;
}

std::string to_hex(std::string_view bytes) {
  std::string text;
  text.reserve(2 * bytes.size());
  for (const char c : bytes) append_hex(text, static_cast<unsigned char>(c));
  return text;
}

std::string to_hex_register(std::uint64_t value, unsigned bytes) {
  std::string text;
  for (unsigned i = 0; i < bytes; ++i) append_hex(text, static_cast<unsigned>(value >> 8 * i));
  return text;
}

std::string hex_text(std::uint64_t value) {
  char text[17];
  std::snprintf(text, sizeof text, "%llx", static_cast<unsigned long long>(value));
  return text;
}

bool from_hex(std::string_view text, std::string& bytes) {
  if (text.size() % 2 != 0) return false;
  bytes.clear();
  for (std::size_t i = 0; i < text.size(); i += 2) {
    const int high = digit(text[i]), low = digit(text[i + 1]);
    if (high < 0 || low < 0) return false;
    bytes += static_cast<char>(high << 4 | low);
  }
  return true;
}

bool take_hex(std::string_view& text, std::uint64_t& value) {
  std::uint64_t v = 0;
  std::size_t n = 0;
  for (; n < text.size() && digit(text[n]) >= 0; ++n) {
    if (n == 16) return false;
    v = v << 4 | static_cast<unsigned>(digit(text[n]));
  }
  if (n == 0) return false;
  value = v;
  text.remove_prefix(n);
  return true;
}

bool take(std::string_view& text, std::string_view expected) {
  if (text.substr(0, expected.size()) != expected) return false;
  text.remove_prefix(expected.size());
  return true;
}

std::string_view take_until(std::string_view& text, char separator) {
  const std::size_t at = text.find(separator);
  const std::string_view head = text.substr(0, at);
  text.remove_prefix(at == std::string_view::npos ? text.size() : at + 1);
  return head;
}

void PacketReader::begin() {
  state_ = State::kBody;
  payload_.clear();
  sum_ = 0;
  good_ = true;
}

void PacketReader::append(char byte) {
  if (payload_.size() < kMaxPacket)
    payload_ += byte;
  else
    good_ = false;
}

PacketReader::Item PacketReader::next(std::string_view& input) {
  while (!input.empty()) {
    const char c = input.front();
    input.remove_prefix(1);
    switch (state_) {
      case State::kIdle:
        if (c == '$') begin();
        if (c == '+') return Item::kAck;
        if (c == '-') return Item::kNak;
        if (c == 0x03) return Item::kInterrupt;
        break;
      case State::kBody:
      case State::kEscape:
        if (c == '$') {  // the rest of the one before is lost
          begin();
        } else if (c == '#') {
          good_ = good_ && state_ == State::kBody;
          state_ = State::kSum1;
        } else {
          sum_ = static_cast<std::uint8_t>(sum_ + static_cast<unsigned char>(c));
          if (state_ == State::kEscape) {
            append(static_cast<char>(c ^ kEscapeBit));
            state_ = State::kBody;
          } else if (c == kEscapeByte) {
            state_ = State::kEscape;
          } else {
            append(c);
          }
        }
        break;
      case State::kSum1:
      case State::kSum2: {
        const int value = digit(c);
        good_ = good_ && value >= 0;
        wanted_ = static_cast<std::uint8_t>(wanted_ << 4 | (value & 15));
        if (state_ == State::kSum1) {
          state_ = State::kSum2;
          break;
        }
        state_ = State::kIdle;
        return good_ && wanted_ == sum_ ? Item::kPacket : Item::kBad;
      }
    }
  }
  return Item::kNone;
}

}  // namespace gyre::debug
