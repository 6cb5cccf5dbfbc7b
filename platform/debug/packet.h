// The packet layer of the GDB remote serial protocol: "$payload#checksum", acknowledgements, the interrupt byte.
// Pure: text in, text out. Whatever a client sends, nothing here throws, and nothing grows beyond kMaxPacket.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace gyre::debug {

// Longest payload taken from a client and promised to it (PacketSize).
constexpr std::size_t kMaxPacket = 0x4000;

// The packet that carries `payload`; bytes with a meaning of their own are escaped.
std::string frame(std::string_view payload);

// Two lower-case digits a byte.
std::string to_hex(std::string_view bytes);
// The low `bytes` bytes of `value`, lowest first: how the protocol writes registers.
std::string to_hex_register(std::uint64_t value, unsigned bytes);
// A number as the protocol writes it.
std::string hex_text(std::uint64_t value);
// False: an odd number of digits, or something that is none.
bool from_hex(std::string_view text, std::string& bytes);
// Takes a number of 1 to 16 digits off the front of `text`. False: there is none, or it is longer; `text` is as before.
bool take_hex(std::string_view& text, std::uint64_t& value);
// Takes `expected` off the front of `text`, or returns false.
bool take(std::string_view& text, std::string_view expected);
// The text up to the next `separator`, which is removed too; everything if there is none.
std::string_view take_until(std::string_view& text, char separator);

// Cuts a stream of bytes into what it means.
class PacketReader {
 public:
  enum class Item {
    kNone,    // nothing complete yet
    kPacket,  // payload() holds it, unescaped
    kBad,     // a packet with a wrong checksum, or longer than kMaxPacket
    kAck,
    kNak,        // '+', '-'
    kInterrupt,  // byte 0x03 between packets
  };
  // Takes bytes off the front of `input` up to the end of the first item. Bytes between items mean nothing.
  Item next(std::string_view& input);
  const std::string& payload() const { return payload_; }

 private:
  enum class State { kIdle, kBody, kEscape, kSum1, kSum2 };
  void begin();
  void append(char byte);

  State state_ = State::kIdle;
  std::string payload_;
  std::uint8_t sum_ = 0;
  std::uint8_t wanted_ = 0;
  bool good_ = true;
};

}  // namespace gyre::debug
