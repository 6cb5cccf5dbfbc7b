#include "files.h"

#include <sys/stat.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

#include "error.h"

namespace gyre::scene {
namespace {

struct Close {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, Close>;

constexpr std::size_t kMaxFile = std::size_t{1} << 30;

constexpr std::array<std::int8_t, 256> base64_values() {
  std::array<std::int8_t, 256> values{};
  for (auto& value : values) value = -1;
  for (int i = 0; i < 26; ++i) {
    values[static_cast<std::size_t>('A' + i)] = static_cast<std::int8_t>(i);
    values[static_cast<std::size_t>('a' + i)] = static_cast<std::int8_t>(26 + i);
  }
  for (int i = 0; i < 10; ++i) values[static_cast<std::size_t>('0' + i)] = static_cast<std::int8_t>(52 + i);
  values['+'] = 62;
  values['/'] = 63;
  return values;
}
constexpr auto kBase64 = base64_values();

}  // namespace

std::string read_file(const std::string& path) {
  struct stat info {};
  if (stat(path.c_str(), &info) != 0) user_error("{}: {}", path, std::strerror(errno));
  if (S_ISDIR(info.st_mode)) user_error("{}: is a directory, a scene file is wanted", path);
  const File file(std::fopen(path.c_str(), "rb"));
  if (!file) user_error("{}: {}", path, std::strerror(errno));
  std::string text;
  std::array<char, 65536> buffer;
  std::size_t n;
  while ((n = std::fread(buffer.data(), 1, buffer.size(), file.get())) > 0) {
    text.append(buffer.data(), n);
    if (text.size() > kMaxFile) user_error("{}: is above 1 GiB", path);
  }
  if (std::ferror(file.get())) user_error("{}: cannot be read", path);
  return text;
}

void write_file(const std::string& path, const void* data, std::size_t bytes) {
  std::FILE* file = std::fopen(path.c_str(), "wb");
  if (!file) user_error("{}: {}", path, std::strerror(errno));
  const bool written = std::fwrite(data, 1, bytes, file) == bytes;
  if (std::fclose(file) != 0 || !written) user_error("{}: cannot be written: {}", path, std::strerror(errno));
}

std::optional<std::vector<std::uint8_t>> decode_base64(std::string_view text) {
  std::vector<std::uint8_t> out;
  out.reserve(text.size() / 4 * 3 + 3);
  std::uint32_t bits = 0;
  unsigned held = 0;  // characters in `bits`
  bool padded = false;
  for (char c : text) {
    if (c == ' ' || c == '\n' || c == '\r' || c == '\t') continue;
    if (c == '=') {
      padded = true;
      continue;
    }
    const int value = kBase64[static_cast<std::uint8_t>(c)];
    if (value < 0 || padded) return std::nullopt;
    bits = bits << 6 | static_cast<std::uint32_t>(value);
    if (++held == 4) {
      out.push_back(static_cast<std::uint8_t>(bits >> 16));
      out.push_back(static_cast<std::uint8_t>(bits >> 8));
      out.push_back(static_cast<std::uint8_t>(bits));
      bits = held = 0;
    }
  }
  if (held == 1) return std::nullopt;
  if (held >= 2) out.push_back(static_cast<std::uint8_t>(held == 2 ? bits >> 4 : bits >> 10));
  if (held == 3) out.push_back(static_cast<std::uint8_t>(bits >> 2));
  return out;
}

std::string quote_text(std::string_view text, std::size_t limit) {
  std::string out = "\"";
  for (char c : text.substr(0, limit)) out += c >= 0x20 && c < 0x7F ? c : '?';
  return out + (text.size() > limit ? "...\"" : "\"");
}

}  // namespace gyre::scene
