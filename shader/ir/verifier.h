// The verifier (csir.md §9): run after the compiler, on every loaded text or blob, and again by the linker. A shader
// that passed the hardened rules never makes an executor read or write outside its arrays.
#pragma once

#include <vector>

#include "csir.h"
#include "diagnostics.h"

namespace gyre::shader {

enum class VerifyRules { kBase, kHardened };

// Reports what is wrong to `diagnostics`; true when nothing is. `places`: where each instruction stands in a text, or
// empty (the message then carries the instruction's number).
bool verify(const Shader& shader, Diagnostics* diagnostics, VerifyRules rules = VerifyRules::kHardened,
            const std::vector<Place>& places = {});

// 1..39 characters, letters, digits and _, not a digit first.
bool is_name(const std::string& name);

}  // namespace gyre::shader
