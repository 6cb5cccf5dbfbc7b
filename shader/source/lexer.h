// Tokens of the source language (csir.md §11). Names and numbers of a token point into the source.
#pragma once

#include <string_view>
#include <vector>

#include "diagnostics.h"

namespace gyre::shader {

enum class TokenKind { kName, kInt, kFloat, kSymbol, kEnd };

struct Token {
  TokenKind kind = TokenKind::kEnd;
  std::string_view text;
  Place place;
  float number = 0;
};

// The tokens of 1..4095 bytes, at most 768, and an end token. Errors go to `out`; the list is then not to be used.
// Comments and white space vanish; `#version 110..330` at the start of a line is checked and vanishes; other directives
// are errors.
std::vector<Token> tokenize(std::string_view source, Diagnostics* out);

}  // namespace gyre::shader
