#include "yaml_place.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <set>

namespace gyre::shader {
namespace {

constexpr std::size_t kMaxFile = 1 << 20;
constexpr std::size_t kMaxKeys = 1000;

std::string joined(const std::vector<std::string>& words, const char* last) {
  std::string out;
  for (std::size_t i = 0; i < words.size(); ++i) out += (i == 0 ? "" : i + 1 == words.size() ? last : ", ") + words[i];
  return out;
}

}  // namespace

std::string plain(std::string_view text, std::size_t limit) {
  std::string out;
  for (const char c : text.substr(0, limit)) out += c >= ' ' && c < 127 ? c : '?';
  return text.size() > limit ? out + "..." : out;
}

namespace {

std::string at_mark(const std::string& file, const YAML::Mark& mark) {
  return mark.is_null() ? file : fmt::format("{}:{}:{}", file, mark.line + 1, mark.column + 1);
}

std::string number_text(float value) { return fmt::format("{:g}", value); }

}  // namespace

void YamlValue::fail(const std::string& what) const {
  user_error("{}: {}{}{}", at_mark(file_, node_.Mark()), path_, path_.empty() ? "" : ": ", what);
}

void YamlValue::allow(std::initializer_list<const char*> keys) const {
  if (!node_.IsMap()) fail("keys with values are expected: " + joined({keys.begin(), keys.end()}, " and "));
  each_key([&](const std::string& key, const YamlValue&) {
    if (std::find(keys.begin(), keys.end(), key) != keys.end()) return;
    for (const auto& item : node_)
      if (item.first.IsScalar() && item.first.Scalar() == key)
        YamlValue(item.first, file_, path_)
            .fail("unknown key " + plain(key) + "; there are " + joined({keys.begin(), keys.end()}, " and "));
  });
}

bool YamlValue::has(const char* key) const { return node_[key].IsDefined() && !node_[key].IsNull(); }

YamlValue YamlValue::at(const char* key) const {
  if (!has(key)) fail(std::string("the key ") + key + " is missing");
  return {node_[key], file_, path_.empty() ? key : path_ + "." + key};
}

void YamlValue::each_key(const std::function<void(const std::string&, const YamlValue&)>& body) const {
  if (!node_.IsMap()) fail("keys with values are expected");
  if (node_.size() > kMaxKeys) fail("more than 1000 keys");
  std::set<std::string> seen;
  for (const auto& item : node_) {
    const YamlValue key(item.first, file_, path_);
    if (!item.first.IsScalar() || item.first.Scalar().empty()) key.fail("a key must be a word");
    const std::string name = item.first.Scalar();
    if (!seen.insert(name).second) key.fail("key " + plain(name) + " is given twice");
    const std::string shown = plain(name);
    body(name, {item.second, file_, path_.empty() ? shown : path_ + "." + shown});
  }
}

std::vector<YamlValue> YamlValue::list(std::size_t least, std::size_t most) const {
  if (!node_.IsSequence()) fail("a list is expected");
  if (node_.size() < least || node_.size() > most)
    fail(least == most ? fmt::format("{} values, {} are expected", node_.size(), least)
                       : fmt::format("{} values, {} to {} are possible", node_.size(), least, most));
  std::vector<YamlValue> out;
  for (std::size_t i = 0; i < node_.size(); ++i) out.emplace_back(node_[i], file_, fmt::format("{}[{}]", path_, i));
  return out;
}

std::string YamlValue::text() const {
  if (!node_.IsScalar() || node_.Scalar().empty()) fail("a word is expected");
  return node_.Scalar();
}

bool YamlValue::truth() const {
  static const std::vector<std::string> kWords = {"true", "false", "yes", "no", "on", "off"};
  return one_of(kWords) % 2 == 0;
}

float YamlValue::number(float low, float high) const {
  float value = 0;
  const std::string words = node_.IsScalar() ? node_.Scalar() : "";
  const char* const begin = words.data() + (words.size() > 1 && words[0] == '+' ? 1 : 0);
  const auto found = std::from_chars(begin, words.data() + words.size(), value);
  if (found.ec != std::errc() || found.ptr != words.data() + words.size() || !std::isfinite(value))
    fail("a number is expected");
  if (value < low || value > high)
    fail(number_text(value) + " is out of range, " + number_text(low) + " to " + number_text(high) + " is possible");
  return value;
}

int YamlValue::integer(int low, int high) const {
  int value = 0;
  const std::string words = node_.IsScalar() ? node_.Scalar() : "";
  const auto found = std::from_chars(words.data(), words.data() + words.size(), value);
  if (found.ec == std::errc::invalid_argument || found.ptr != words.data() + words.size())
    fail("a whole number is expected");
  if (found.ec != std::errc() || value < low || value > high)
    fail(fmt::format("{} is out of range, {} to {} is possible", plain(words), low, high));
  return value;
}

std::vector<float> YamlValue::numbers(std::size_t count, float low, float high) const {
  if (count == 0 && node_.IsScalar()) return {number(low, high)};
  std::vector<float> out;
  for (const YamlValue& value : list(count == 0 ? 1 : count, count == 0 ? 16 : count))
    out.push_back(value.number(low, high));
  return out;
}

int YamlValue::one_of(const std::vector<std::string>& words) const {
  const auto found = node_.IsScalar() ? std::find(words.begin(), words.end(), node_.Scalar()) : words.end();
  if (found == words.end())
    fail((node_.IsScalar() && !node_.Scalar().empty() ? plain(node_.Scalar()) + " is not possible here; "
                                                      : std::string()) +
         "choose " + joined(words, " or "));
  return static_cast<int>(found - words.begin());
}

YamlValue parse_yaml(const std::string& text, const std::string& file) {
  if (text.size() > kMaxFile) user_error("{}: a scene description of more than 1 MiB is not read", file);
  try {
    const std::vector<YAML::Node> documents = YAML::LoadAll(text);
    if (documents.size() > 1) user_error("{}: more than one YAML document", at_mark(file, documents[1].Mark()));
    if (documents.empty() || !documents[0].IsMap())
      user_error("{}: keys with values are expected, gfx3d: 1 first", file);
    return {documents[0], file, ""};
  } catch (const YAML::Exception& error) {
    user_error("{}: not well-formed YAML: {}", at_mark(file, error.mark), plain(error.msg, 80));
  }
}

}  // namespace gyre::shader
