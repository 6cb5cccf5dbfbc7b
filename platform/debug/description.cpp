// The XML documents GDB asks for.
#include <cstdio>

#include "target.h"

namespace gyre::debug {
namespace {

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '&':
        out += "&amp;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

std::string attribute(const char* name, std::string_view value) {
  return value.empty() ? std::string() : std::string(" ") + name + "=\"" + escaped(value) + "\"";
}

}  // namespace

std::string target_description(const Target& target) {
  std::string text = "<?xml version=\"1.0\"?>\n<!DOCTYPE target SYSTEM \"gdb-target.dtd\">\n<target version=\"1.0\">\n";
  text += "<architecture>" + escaped(target.architecture()) + "</architecture>\n<osabi>none</osabi>\n";
  std::string feature;
  unsigned number = 0;
  for (const RegisterInfo& r : target.registers()) {
    if (r.feature != feature) {
      if (!feature.empty()) text += "</feature>\n";
      feature = r.feature;
      text += "<feature" + attribute("name", feature) + ">\n";
    }
    text += "<reg" + attribute("name", r.name) + attribute("bitsize", std::to_string(r.bits)) +
            attribute("regnum", std::to_string(number++)) + attribute("type", r.type) + attribute("group", r.group) +
            "/>\n";
  }
  if (!feature.empty()) text += "</feature>\n";
  return text + "</target>\n";
}

std::string thread_list(const std::vector<ThreadInfo>& threads) {
  std::string text = "<?xml version=\"1.0\"?>\n<threads>\n";
  for (const ThreadInfo& thread : threads) {
    char id[17];
    std::snprintf(id, sizeof id, "%llx", static_cast<unsigned long long>(thread.id));
    text +=
        "<thread" + attribute("id", id) + attribute("name", thread.name) + ">" + escaped(thread.state) + "</thread>\n";
  }
  return text + "</threads>\n";
}

}  // namespace gyre::debug
