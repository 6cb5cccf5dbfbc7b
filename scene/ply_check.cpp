#include "ply_check.h"

#include <cctype>
#include <cstdint>
#include <sstream>
#include <vector>

#include "error.h"
#include "files.h"

namespace gyre::scene {
namespace {

struct Property {
  unsigned bytes = 0;        // of a value
  unsigned count_bytes = 0;  // of a list's length; 0: a single value
};
struct Element {
  std::uint64_t count = 0;
  std::vector<Property> properties;
};

unsigned type_bytes(const std::string& type) {
  if (type == "char" || type == "uchar" || type == "int8" || type == "uint8") return 1;
  if (type == "short" || type == "ushort" || type == "int16" || type == "uint16") return 2;
  if (type == "int" || type == "uint" || type == "int32" || type == "uint32" || type == "float" || type == "float32")
    return 4;
  if (type == "double" || type == "float64") return 8;
  return 0;
}

struct Header {
  enum class Format { kNone, kText, kLittle, kBig } format = Format::kNone;
  std::vector<Element> elements;
  std::size_t data = 0;  // where it begins
};

Header read_header(std::string_view content, const std::string& name) {
  Header out;
  std::size_t at = 0;
  for (unsigned number = 1;; ++number) {
    const std::size_t end = content.find('\n', at);
    if (end == std::string_view::npos || number > 1000) user_error("{}: the PLY header has no end_header", name);
    std::istringstream line{std::string(content.substr(at, end - at))};
    at = end + 1;
    std::string word, type, list_type;
    line >> word;
    if (word == "end_header") break;
    if (word == "format") {
      line >> type;
      out.format = type == "ascii"                  ? Header::Format::kText
                   : type == "binary_little_endian" ? Header::Format::kLittle
                   : type == "binary_big_endian"    ? Header::Format::kBig
                                                    : Header::Format::kNone;
    } else if (word == "element") {
      Element element;
      if (!(line >> type >> element.count)) user_error("{}:{}: an element needs a name and a count", name, number);
      out.elements.push_back(element);
    } else if (word == "property") {
      Property property;
      line >> type;
      if (type == "list") {
        line >> list_type >> type;
        property.count_bytes = type_bytes(list_type);
        if (property.count_bytes == 0) user_error("{}:{}: unknown type {}", name, number, quote_text(list_type));
      }
      property.bytes = type_bytes(type);
      if (property.bytes == 0) user_error("{}:{}: unknown type {}", name, number, quote_text(type));
      if (out.elements.empty()) user_error("{}:{}: a property before any element", name, number);
      out.elements.back().properties.push_back(property);
    }
  }
  if (out.format == Header::Format::kNone) user_error("{}: the PLY header names no known format", name);
  out.data = at;
  return out;
}

[[noreturn]] void cut_short(const std::string& name) {
  user_error("{}: cut short: the data ends before the elements its header promises", name);
}

void check_text(std::string_view data, const Header& header, const std::string& name) {
  std::uint64_t lines = 0;
  bool blank = true;
  for (char c : data) {
    if (c == '\n') {
      lines += blank ? 0 : 1;
      blank = true;
    } else if (!std::isspace(static_cast<unsigned char>(c))) {
      blank = false;
    }
  }
  lines += blank ? 0 : 1;
  for (const Element& element : header.elements) {
    if (element.count > lines) cut_short(name);
    lines -= element.count;
  }
}

void check_binary(std::string_view data, const Header& header, const std::string& name) {
  std::uint64_t at = 0;
  const auto skip = [&](std::uint64_t bytes) {
    if (bytes > data.size() - at) cut_short(name);
    at += bytes;
  };
  for (const Element& element : header.elements) {
    std::uint64_t fixed = 0;
    bool lists = false;
    for (const Property& property : element.properties) {
      fixed += property.bytes;
      lists = lists || property.count_bytes != 0;
    }
    if (!lists) {
      if (fixed != 0 && element.count > data.size() / fixed) cut_short(name);
      skip(element.count * fixed);
      continue;
    }
    for (std::uint64_t i = 0; i < element.count; ++i)
      for (const Property& property : element.properties) {
        std::uint64_t values = 1;
        if (property.count_bytes != 0) {
          const std::uint64_t from = at;
          skip(property.count_bytes);
          values = 0;
          for (unsigned k = 0; k < property.count_bytes; ++k) {
            const unsigned byte = header.format == Header::Format::kLittle ? property.count_bytes - 1 - k : k;
            values = values << 8 | static_cast<std::uint8_t>(data[from + byte]);
          }
          if (values > data.size()) cut_short(name);
        }
        skip(values * property.bytes);
      }
  }
}

}  // namespace

void check_ply(std::string_view content, const std::string& name) {
  const Header header = read_header(content, name);
  const std::string_view data = content.substr(header.data);
  if (header.format == Header::Format::kText)
    check_text(data, header, name);
  else
    check_binary(data, header, name);
}

}  // namespace gyre::scene
