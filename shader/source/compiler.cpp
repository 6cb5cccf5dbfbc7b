#include "compiler.h"

#include "lexer.h"
#include "lowering.h"
#include "optimiser.h"
#include "parser.h"
#include "verifier.h"

namespace gyre::shader {

Compiled compile(std::string_view source, Stage stage, const std::string& name) {
  Compiled out{std::nullopt, Diagnostics(name, source)};
  Diagnostics& errors = out.diagnostics;
  if (static_cast<unsigned>(stage) > 1) {
    errors.error({}, "stage " + std::to_string(static_cast<unsigned>(stage)) + " is not supported, only vertex (0) and fragment (1)");
    return out;
  }
  const std::vector<Token> tokens = tokenize(source, &errors);
  if (!errors.ok()) return out;
  const Tree tree = parse(tokens, &errors);
  if (!errors.ok()) return out;
  Shader shader;
  Lowering(tree, stage, &shader, &errors).run();
  if (!errors.ok()) return out;
  shader = canonical(std::move(shader));
  optimise(&shader);
  if (verify(shader, &errors)) out.shader = std::move(shader);
  return out;
}

bool stage_from_file_name(const std::string& name, Stage* stage) {
  const auto ends = [&name](std::string_view end) {
    return name.size() >= end.size() && name.compare(name.size() - end.size(), end.size(), end) == 0;
  };
  if (!ends(".vert") && !ends(".frag")) return false;
  *stage = ends(".vert") ? Stage::kVertex : Stage::kFragment;
  return true;
}

}  // namespace gyre::shader
