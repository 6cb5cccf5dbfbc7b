// Strict, in-order reading of an XML element's children, with errors that name file, line and element path.
#pragma once

#include <cstdint>
#include <pugixml.hpp>
#include <string>
#include <string_view>

namespace gyre::scene {

// The document a cursor walks, for messages.
struct XmlSource {
  std::string name;
  std::string_view text;

  // Throws UserError "name:line: path: what".
  [[noreturn]] void fail(pugi::xml_node node, const std::string& what) const;
  unsigned line_of(std::ptrdiff_t offset) const;
};

// Walks the child elements of one element from first to last. Attributes and comments are ignored.
class XmlCursor {
 public:
  XmlCursor(const XmlSource& source, pugi::xml_node parent)
      : source_(&source), parent_(parent), next_(first_element(parent.first_child())) {}

  // The next child, which must have this name.
  pugi::xml_node element(const char* name);
  // The next child if it has this name, otherwise an empty node.
  pugi::xml_node optional(const char* name);
  // A nested element to walk.
  XmlCursor enter(const char* name) { return XmlCursor(*source_, element(name)); }

  std::uint32_t number(const char* name, std::uint32_t max = 0xFFFFFFFFu);
  std::int32_t signed_number(const char* name);
  bool flag(const char* name) { return number(name, 1) != 0; }
  float real(const char* name);  // finite

  // Reads the head of a serialized collection (count, then bookkeeping) and checks that so many items follow.
  std::uint32_t collection();
  // No child may be left.
  void end() const;

  pugi::xml_node parent() const { return parent_; }
  [[noreturn]] void fail(const std::string& what) const { source_->fail(parent_, what); }

 private:
  static pugi::xml_node first_element(pugi::xml_node node) {
    while (node && node.type() != pugi::node_element) node = node.next_sibling();
    return node;
  }
  std::string_view text_of(pugi::xml_node node) const;

  const XmlSource* source_;
  pugi::xml_node parent_;
  pugi::xml_node next_;
};

}  // namespace gyre::scene
