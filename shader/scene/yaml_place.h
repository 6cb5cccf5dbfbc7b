// A value of a YAML file that knows where it stands, so that every mistake names file, line, column and key.
#pragma once

#include <yaml-cpp/yaml.h>

#include <functional>
#include <initializer_list>
#include <string>
#include <vector>

#include "error.h"

namespace gyre::shader {

// Text as a message may quote it: printable ASCII, cut after `limit` characters.
std::string plain(std::string_view text, std::size_t limit = 40);

class YamlValue {
 public:
  YamlValue(YAML::Node node, std::string file, std::string path)
      : node_(std::move(node)), file_(std::move(file)), path_(std::move(path)) {}

  // UserError: "file:line:column: path: what".
  [[noreturn]] void fail(const std::string& what) const;
  const std::string& path() const { return path_; }

  // This must be a map with no other keys than these.
  void allow(std::initializer_list<const char*> keys) const;
  bool has(const char* key) const;
  YamlValue at(const char* key) const;  // the key must be there
  // Calls `body` with each key and value, in the order of the file.
  void each_key(const std::function<void(const std::string&, const YamlValue&)>& body) const;
  // The values of a list of `least` to `most`.
  std::vector<YamlValue> list(std::size_t least, std::size_t most) const;

  std::string text() const;  // a scalar that is not empty
  bool truth() const;
  float number(float low, float high) const;  // both ends included
  int integer(int low, int high) const;
  // A list of `count` numbers, or of 1 to 16 when count is 0; then a single number will do too.
  std::vector<float> numbers(std::size_t count, float low, float high) const;
  // The place of the word in `words`.
  int one_of(const std::vector<std::string>& words) const;
  bool is_list() const { return node_.IsSequence(); }
  bool is_map() const { return node_.IsMap(); }

 private:
  YAML::Node node_;
  std::string file_, path_;
};

// The text as one YAML document with a map on top. UserError otherwise, also above 1 MiB.
YamlValue parse_yaml(const std::string& text, const std::string& file);

}  // namespace gyre::shader
