// Recursive descent parser of the source language (csir.md §11).
#pragma once

#include "ast.h"
#include "lexer.h"

namespace gyre::shader {

// The tree of at most 512 nodes and 32 levels of nesting. Errors go to `out`: after one the parser goes on at the next
// statement; the tree is then not to be used. `tokens` ends with an end token.
Tree parse(const std::vector<Token>& tokens, Diagnostics* out);

}  // namespace gyre::shader
