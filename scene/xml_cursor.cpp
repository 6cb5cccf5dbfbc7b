#include "xml_cursor.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>

#include "error.h"
#include "files.h"

namespace gyre::scene {

unsigned XmlSource::line_of(std::ptrdiff_t offset) const {
  const std::size_t end = offset < 0 ? 0 : std::min(static_cast<std::size_t>(offset), text.size());
  return 1 + static_cast<unsigned>(std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(end), '\n'));
}

void XmlSource::fail(pugi::xml_node node, const std::string& what) const {
  std::string path;
  for (pugi::xml_node n = node; n.type() == pugi::node_element; n = n.parent()) {
    std::string step = n.name();
    if (step == "item") {
      unsigned index = 0;
      for (pugi::xml_node s = n.previous_sibling("item"); s; s = s.previous_sibling("item")) ++index;
      step += fmt::format("[{}]", index);
    }
    path = path.empty() ? step : step + "/" + path;
  }
  user_error("{}:{}: {}: {}", name, line_of(node.offset_debug()), path.empty() ? "document" : path, what);
}

pugi::xml_node XmlCursor::element(const char* name) {
  if (!next_) fail(fmt::format("<{}> is missing", name));
  if (std::strcmp(next_.name(), name) != 0)
    source_->fail(next_, fmt::format("<{}> is expected here, found {}", name, quote_text(next_.name())));
  const pugi::xml_node found = next_;
  next_ = first_element(next_.next_sibling());
  return found;
}

pugi::xml_node XmlCursor::optional(const char* name) {
  return next_ && std::strcmp(next_.name(), name) == 0 ? element(name) : pugi::xml_node();
}

std::string_view XmlCursor::text_of(pugi::xml_node node) const {
  if (first_element(node.first_child())) source_->fail(node, "a number is expected, found elements");
  std::string_view text = node.child_value();
  constexpr const char* kSpace = " \t\r\n";
  const std::size_t first = text.find_first_not_of(kSpace);
  if (first == std::string_view::npos) source_->fail(node, "it is empty, a number is expected");
  return text.substr(first, text.find_last_not_of(kSpace) - first + 1);
}

std::uint32_t XmlCursor::number(const char* name, std::uint32_t max) {
  const pugi::xml_node node = element(name);
  const std::string_view text = text_of(node);
  std::uint32_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value > max)
    source_->fail(node, fmt::format("{} is not a whole number in 0..{}", quote_text(text), max));
  return value;
}

std::int32_t XmlCursor::signed_number(const char* name) {
  const pugi::xml_node node = element(name);
  const std::string_view text = text_of(node);
  std::int32_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size())
    source_->fail(node, fmt::format("{} is not a 32-bit whole number", quote_text(text)));
  return value;
}

float XmlCursor::real(const char* name) {
  const pugi::xml_node node = element(name);
  const std::string_view text = text_of(node);
  float value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  // A magnitude below the smallest float is reported as out of range too; it is zero for us.
  if (error == std::errc::result_out_of_range && text.find("e-") != std::string_view::npos) return 0.0f;
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value))
    source_->fail(node, fmt::format("{} is not a finite number", quote_text(text)));
  return value;
}

std::uint32_t XmlCursor::collection() {
  const std::uint32_t count = number("count");
  optional("bucket_count");
  optional("item_version");
  std::uint32_t items = 0;
  for (pugi::xml_node n = next_; n; n = first_element(n.next_sibling())) ++items;
  if (items != count) fail(fmt::format("count says {}, but {} elements follow", count, items));
  return count;
}

void XmlCursor::end() const {
  if (next_) source_->fail(next_, "this element is not expected here");
}

}  // namespace gyre::scene
