// Strict reading of a JSON value, with errors that name the file and the path of the value.
#pragma once

#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>

#include "error.h"
#include "files.h"

namespace gyre::scene {

// One name -> code table of a keyword.
using Names = std::initializer_list<std::pair<const char*, std::uint32_t>>;

// A value and where it stands. The path is put together only when something is wrong, so a node costs nothing; a
// node must not outlive the one it was taken from.
class JsonNode {
 public:
  JsonNode(const nlohmann::json& value, const std::string& file) : value_(&value), file_(&file) {}

  [[noreturn]] void fail(const std::string& what) const {
    const std::string at = path();
    user_error("{}: {}: {}", *file_, at.empty() ? "scene" : at, what);
  }

  // An object with no other keys than these.
  void only(std::initializer_list<const char*> keys) const {
    if (!value_->is_object()) fail("an object is expected");
    for (auto it = value_->begin(); it != value_->end(); ++it) {
      bool known = false;
      for (const char* key : keys) known = known || it.key() == key;
      if (known) continue;
      std::string list;
      for (const char* key : keys) list += std::string(list.empty() ? "" : ", ") + key;
      fail("unknown key " + quote_text(it.key()) + "; known are " + list);
    }
  }
  bool has(const char* key) const { return value_->contains(key); }
  JsonNode get(const char* key) const {
    const auto it = value_->find(key);
    if (it == value_->end()) fail(fmt::format("key \"{}\" is missing", key));
    return JsonNode(*it, *this, key, 0);
  }
  std::optional<JsonNode> find(const char* key) const {
    const auto it = value_->find(key);
    if (it == value_->end()) return std::nullopt;
    return JsonNode(*it, *this, key, 0);
  }

  // Length of an array.
  std::size_t size() const {
    if (!value_->is_array()) fail("an array is expected");
    return value_->size();
  }
  JsonNode at(std::size_t index) const { return JsonNode((*value_)[index], *this, nullptr, index); }

  bool is_number() const { return value_->is_number(); }
  float real() const {
    if (!value_->is_number()) fail("a number is expected");
    const auto value = value_->get<float>();
    if (!std::isfinite(value)) fail("the number is not finite in single precision");
    return value;
  }
  std::uint32_t integer(std::uint32_t max) const {
    if (!value_->is_number_unsigned() || value_->get<std::uint64_t>() > max)
      fail(fmt::format("a whole number in 0..{} is expected", max));
    return value_->get<std::uint32_t>();
  }
  bool flag() const {
    if (!value_->is_boolean()) fail("true or false is expected");
    return value_->get<bool>();
  }
  const std::string& text() const {
    if (!value_->is_string()) fail("a string is expected");
    return value_->get_ref<const std::string&>();
  }
  template <std::size_t N>
  void reals(float (&out)[N]) const {
    if (!value_->is_array() || value_->size() != N) fail(fmt::format("an array of {} numbers is expected", N));
    for (std::size_t i = 0; i < N; ++i) out[i] = at(i).real();
  }
  std::uint32_t one_of(Names names) const {
    const std::string& word = text();
    std::string list;
    for (const auto& [name, code] : names) {
      if (word == name) return code;
      list += std::string(list.empty() ? "" : ", ") + name;
    }
    fail(quote_text(word) + " is not one of " + list);
  }

 private:
  JsonNode(const nlohmann::json& value, const JsonNode& parent, const char* key, std::size_t index)
      : value_(&value), file_(parent.file_), parent_(&parent), key_(key), index_(index) {}

  std::string path() const {
    if (!parent_) return "";
    const std::string before = parent_->path();
    if (!key_) return before + fmt::format("[{}]", index_);
    return before.empty() ? key_ : before + "." + key_;
  }

  const nlohmann::json* value_;
  const std::string* file_;
  const JsonNode* parent_ = nullptr;
  const char* key_ = nullptr;
  std::size_t index_ = 0;
};

}  // namespace gyre::scene
