// Cables of the approximate style: sockets bound to each other as they are, or each through a checker of the base protocol.
#pragma once

#include <fmt/format.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "mem_attributes.h"
#include "protocol_checker.h"

namespace gyre::kernel {

class Cables {
 public:
  // A rule was broken on the cable with this name. May throw: the call then goes no further.
  using Found = std::function<void(const std::string& cable, const std::string& what)>;

  // `checked`: a ProtocolChecker on every cable; else there is nothing between the sockets. Without `found` a violation
  // is a warning.
  explicit Cables(bool checked, Found found = {}) : checked_(checked), found_(std::move(found)) {}

  // While the machine is being built. `way`: which of the cables between the two.
  template <class From, class To>
  void connect(From& from, To& to, unsigned way = 0) {
    if (!checked_) {
      from.bind(to);
      return;
    }
    checkers_.push_back(std::make_unique<Checker>(sc_core::sc_gen_unique_name("cable")));
    Checker& checker = *checkers_.back();
    checker.label = fmt::format("{} to {}, way {}", name_of(from), name_of(to), way);
    if (found_) checker.found = [this, &checker](const std::string& what) { found_(checker.label, what); };
    from.bind(checker.target);
    checker.initiator.bind(to);
  }

  std::size_t checked() const { return checkers_.size(); }
  // What was found, with the names of the cables; and transactions that have not ended.
  std::vector<std::string> violations() const {
    std::vector<std::string> all;
    for (const auto& checker : checkers_)
      for (const std::string& what : checker->violations) all.push_back(checker->label + ": " + what);
    return all;
  }
  std::size_t open() const {
    std::size_t sum = 0;
    for (const auto& checker : checkers_) sum += checker->open();
    return sum;
  }

 private:
  using Checker = ProtocolChecker<kMemoryBusBits>;
  template <class Socket>
  static std::string name_of(Socket& socket) {
    const auto* const object = dynamic_cast<const sc_core::sc_object*>(&socket);
    return object == nullptr ? "?" : object->name();
  }

  const bool checked_;
  const Found found_;
  std::vector<std::unique_ptr<Checker>> checkers_;
};

}  // namespace gyre::kernel
