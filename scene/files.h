// Small helpers the text readers share.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gyre::scene {

// The whole file. UserError when it cannot be read, is a directory, or is above 1 GiB.
std::string read_file(const std::string& path);
void write_file(const std::string& path, const void* data, std::size_t bytes);

// Standard base64; white space is skipped, padding may be missing. Nothing when a character is foreign, padding
// stands inside, or a lone character is left over.
std::optional<std::vector<std::uint8_t>> decode_base64(std::string_view text);

// Text as a message may quote it: printable ASCII, cut after `limit` characters.
std::string quote_text(std::string_view text, std::size_t limit = 40);

}  // namespace gyre::scene
