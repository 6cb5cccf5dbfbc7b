// Text <-> value of a knob.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "knobs.h"

namespace gyre::config {

// Stores `text` in the knob's field of `config`. `needs_unit`: the key carried no unit, so the value must.
// Returns what is wrong ("not a whole number"), or nothing. The field is untouched then.
std::optional<std::string> store_value(const Knob& knob, std::string_view text, bool needs_unit, MachineConfig& config);

// The value as YAML text that store_value() takes back, in its largest whole unit: 8, true, 1us, 400MHz, 16KiB.
std::string value_text(const Knob& knob, const MachineConfig& config);

// The numeric value (bool and enumerations as 0, 1, ...); 0 for text.
std::uint64_t value_number(const Knob& knob, const MachineConfig& config);

// "whole number", "duration", "true or false", ...
std::string type_text(const Knob& knob);
// What is allowed, for messages and the reference page: "a power of two in 1..32".
std::string allowed_text(const Knob& knob);

}  // namespace gyre::config
