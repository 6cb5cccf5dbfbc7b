#include "parser.h"

#include "parser_state.h"

namespace gyre::shader {
namespace {

// Words of GLSL that this language does not have; none of them can be a name.
constexpr std::string_view kUnsupportedWords[] = {
    "attribute", "varying", "precision", "flat", "noperspective", "invariant", "centroid", "highp", "mediump", "lowp",
    "while", "do", "switch", "case", "default", "break", "continue", "struct", "inout", "uint", "uvec2", "uvec3", "uvec4",
    "bvec2", "bvec3", "bvec4", "mat2", "mat2x2", "mat2x3", "mat2x4", "mat3x2", "mat3x3", "mat3x4", "mat4x2", "mat4x3", "mat4x4",
    "double", "sampler1D", "sampler3D", "samplerCube", "sampler2DShadow", "buffer", "shared", "subroutine", "sample", "patch",
    "goto", "typedef", "template", "union", "enum", "class"};
constexpr std::string_view kWords[] = {"in", "out", "uniform", "const", "smooth", "layout", "if", "else", "for", "return",
                                       "discard", "true", "false"};

bool contains(const std::string_view* begin, const std::string_view* end, std::string_view word) {
  for (; begin != end; ++begin)
    if (*begin == word) return true;
  return false;
}
bool is_unsupported(std::string_view word) { return contains(std::begin(kUnsupportedWords), std::end(kUnsupportedWords), word); }

}  // namespace

bool Parser::accept(std::string_view symbol) {
  if (!at(symbol)) return false;
  ++at_;
  return true;
}

std::string Parser::found() const {
  return peek().kind == TokenKind::kEnd ? std::string("the end of the source") : "\"" + quoted(peek().text) + "\"";
}

void Parser::expect(std::string_view symbol) {
  if (!accept(symbol)) fail("expected \"" + std::string(symbol) + "\", found " + found());
}

void Parser::fail(const Token& token, std::string message) {
  out_->error(token.place, std::move(message));
  throw SyntaxError{};
}

int Parser::node(NodeKind kind, const Token& token) {
  if (tree_.nodes.size() == kMaxNodes) fail(token, "the shader is too large: more than 512 syntax nodes");
  Node out;
  out.kind = kind;
  out.place = token.place;
  tree_.nodes.push_back(out);
  return static_cast<int>(tree_.nodes.size()) - 1;
}

void Parser::append(Chain* chain, int index) {
  if (chain->first == kNoNode) chain->first = index;
  else at_node(chain->last).next = index;
  chain->last = index;
}

std::string_view Parser::name(const char* what) {
  const Token& token = peek();
  if (token.kind == TokenKind::kName && is_unsupported(token.text)) fail(std::string(token.text) + " is not supported");
  if (token.kind != TokenKind::kName || at_type() || contains(std::begin(kWords), std::end(kWords), token.text))
    fail(std::string("expected ") + what + ", found " + found());
  ++at_;
  return token.text;
}

bool Parser::at_type() const {
  Type ignored;
  return peek().kind == TokenKind::kName && peek().text != "none" && type_from_name(std::string(peek().text), &ignored);
}

Type Parser::type() {
  Type out = Type::kNone;
  if (peek().kind == TokenKind::kName && is_unsupported(peek().text)) fail(std::string(peek().text) + " is not supported");
  if (!at_type()) fail("expected a type, found " + found());
  type_from_name(std::string(peek().text), &out);
  ++at_;
  return out;
}

// To behind the next ";" or before the next "}" of this level.
void Parser::skip_statement() {
  for (int depth = 0; peek().kind != TokenKind::kEnd; ++at_) {
    if (at("{")) ++depth;
    if (at("}") && --depth < 0) return;
    if (depth == 0 && (at(";") || at("}"))) {
      ++at_;
      return;
    }
  }
}

Tree Parser::run() {
  Chain globals;
  tree_.nodes.reserve(kMaxNodes);
  tree_.root = node(NodeKind::kRoot, peek());
  while (peek().kind != TokenKind::kEnd && !out_->full()) {
    try {
      const int next = global();
      if (next != kNoNode) append(&globals, next);
    } catch (const SyntaxError&) {
      skip_statement();
      if (at("}")) ++at_;
    }
  }
  at_node(tree_.root).child = globals.first;
  return std::move(tree_);
}

// "layout(location = 3)", the parenthesis included
int Parser::location() {
  expect("(");
  if (name("location") != "location") fail("only layout(location = n) is supported");
  expect("=");
  const Token& token = peek();
  if (token.kind != TokenKind::kInt || token.number > 31) fail("expected a location from 0 to 31, found " + found());
  ++at_;
  expect(")");
  return std::stoi(std::string(token.text));
}

int Parser::global() {
  if (accept(";")) return kNoNode;
  const Token first = peek();
  int where = -1;
  auto qualifier = Qualifier::kNone;
  const auto qualify = [&](Qualifier to) {
    if (qualifier != Qualifier::kNone) fail("a second qualifier");
    qualifier = to;
    ++at_;
  };
  for (bool more = true; more;) {
    if (accept("layout")) {
      if (where >= 0) fail(first, "a second layout");
      where = location();
    } else if (at("in")) qualify(Qualifier::kIn);
    else if (at("out")) qualify(Qualifier::kOut);
    else if (at("uniform")) qualify(Qualifier::kUniform);
    else if (at("const")) qualify(Qualifier::kConst);
    else more = accept("smooth");
  }
  const Token type_token = peek();
  const Type of = type();
  if (qualifier == Qualifier::kNone && where < 0 && peek_second().text == "(") {
    const Token token = peek();
    const std::string_view called = name("a name");
    return function(token, of, called);
  }
  if (of == Type::kVoid) fail(type_token, "void is no type of a variable");
  if (qualifier == Qualifier::kNone) fail(first, "a variable outside functions needs in, out, uniform or const");
  if (where >= 0 && qualifier == Qualifier::kConst) fail(first, "a constant has no location");
  const int list = declarators(of, qualifier, NodeKind::kGlobal);
  if (where >= 0) {
    if (at_node(at_node(list).child).next != kNoNode) fail(first, "one location for several variables");
    at_node(at_node(list).child).location = where;
  }
  expect(";");
  return list;
}

int Parser::function(const Token& token, Type result, std::string_view called) {
  expect("(");
  Chain children;
  if (at("void") && peek_second().text == ")") ++at_;
  while (!at(")")) {
    if (children.first != kNoNode) expect(",");
    while (accept("const") || accept("in")) {}
    if (at("out") || at("inout")) fail("parameters are inputs only");
    const Type of = type();
    if (of == Type::kVoid || of == Type::kSampler2D) fail(std::string(type_name(of)) + " is no type of a parameter");
    const Token parameter_token = peek();
    const std::string_view parameter_name = name("the parameter's name");
    const int parameter = node(NodeKind::kParameter, parameter_token);
    at_node(parameter).type = of;
    at_node(parameter).text = parameter_name;
    append(&children, parameter);
  }
  expect(")");
  if (result == Type::kSampler2D) fail(token, "a function cannot return a sampler");
  if (!at("{")) fail("expected the function's body, found " + found());
  append(&children, block(true));
  const int out = node(NodeKind::kFunction, token);
  at_node(out).type = result;
  at_node(out).text = called;
  at_node(out).child = children.first;
  return out;
}

int Parser::declarators(Type of, Qualifier qualifier, NodeKind kind) {
  const int list = node(NodeKind::kDeclareList, peek());
  Chain children;
  do {
    const Token token = peek();
    const std::string_view text = name("a name");
    if (at("[")) fail("arrays are not supported");
    const int declare = node(kind, token);
    at_node(declare).type = of;
    at_node(declare).text = text;
    at_node(declare).qualifier = qualifier;
    if (accept("=")) {
      const int initial = expression();
      at_node(declare).child = initial;
    }
    append(&children, declare);
  } while (accept(","));
  at_node(list).child = children.first;
  return list;
}

int Parser::block(bool of_function) {
  const Token token = peek();
  expect("{");
  Chain children;
  while (!at("}")) {
    if (peek().kind == TokenKind::kEnd) fail("expected \"}\", found " + found());
    if (out_->full()) throw SyntaxError{};
    try {
      const int next = statement(of_function);
      if (next != kNoNode) append(&children, next);
    } catch (const SyntaxError&) {
      skip_statement();
    }
  }
  expect("}");
  const int out = node(NodeKind::kBlock, token);
  at_node(out).child = children.first;
  return out;
}

// What an if or a for governs; a block there is no level of its own.
int Parser::body() {
  const Token token = peek();
  const int out = at("{") ? block(false) : statement(false);
  return out != kNoNode ? out : node(NodeKind::kBlock, token);
}

int Parser::statement(bool may_return) {
  const Token token = peek();
  if (accept(";")) return kNoNode;
  if (at("{")) {
    const Level level(this, &Parser::statements_);
    return block(false);
  }
  if (at("if")) return if_statement();
  if (at("for")) return for_statement();
  if (accept("discard")) {
    expect(";");
    return node(NodeKind::kDiscard, token);
  }
  if (accept("return")) {
    const int value = at(";") ? kNoNode : expression();
    expect(";");
    if (!may_return || !at("}")) fail(token, "return is the last statement of a function");
    const int out = node(NodeKind::kReturn, token);
    at_node(out).child = value;
    return out;
  }
  if (at("const") || (at_type() && peek_second().text != "(")) {
    const auto qualifier = accept("const") ? Qualifier::kConst : Qualifier::kNone;
    const Token type_token = peek();
    const Type of = type();
    if (of == Type::kVoid || of == Type::kSampler2D) fail(type_token, std::string(type_name(of)) + " is no type of a local variable");
    const int list = declarators(of, qualifier, NodeKind::kDeclare);
    expect(";");
    return list;
  }
  if (token.kind == TokenKind::kName && peek_second().text == "=") {
    const std::string_view target = name("a name");
    expect("=");
    const int value = expression();
    expect(";");
    const int out = node(NodeKind::kAssign, token);
    at_node(out).text = target;
    at_node(out).child = value;
    return out;
  }
  const int value = expression();
  if (at("=")) fail("only a plain name can be assigned to");
  expect(";");
  const int out = node(NodeKind::kEvaluate, token);
  at_node(out).child = value;
  return out;
}

int Parser::if_statement() {
  const Level level(this, &Parser::statements_);
  const Token token = peek();
  expect("if");
  expect("(");
  Chain children;
  append(&children, expression());
  expect(")");
  append(&children, body());
  if (accept("else")) append(&children, body());
  const int out = node(NodeKind::kIf, token);
  at_node(out).child = children.first;
  return out;
}

int Parser::for_statement() {
  const Level level(this, &Parser::statements_);
  const Token token = peek();
  expect("for");
  expect("(");
  if (!at("int")) fail("a loop begins with int name = constant, found " + found());
  ++at_;
  Chain children;
  const int list = declarators(Type::kInt, Qualifier::kNone, NodeKind::kDeclare);
  const int variable = at_node(list).child;
  if (at_node(variable).next != kNoNode || at_node(variable).child == kNoNode) fail(token, "a loop has one variable with an initial value");
  append(&children, variable);
  expect(";");
  append(&children, expression());
  expect(";");
  append(&children, step());
  expect(")");
  append(&children, body());
  const int out = node(NodeKind::kFor, token);
  at_node(out).child = children.first;
  return out;
}

int Parser::step() {
  std::string_view op;
  if (at("++") || at("--")) op = tokens_[at_++].text;
  const Token name_token = peek();
  const std::string_view target = name("the loop variable");
  int value = kNoNode;
  if (op.empty()) {
    if (!at("++") && !at("--") && !at("=") && !at("+=") && !at("-=")) fail("expected ++, --, =, += or -=, found " + found());
    op = tokens_[at_++].text;
    if (op != "++" && op != "--") value = expression();
  }
  const int out = node(NodeKind::kStep, name_token);
  at_node(out).text = target;
  at_node(out).op = op;
  at_node(out).child = value;
  return out;
}

Tree parse(const std::vector<Token>& tokens, Diagnostics* out) {
  try {
    return Parser(tokens, out).run();
  } catch (const SyntaxError&) {
    return {};
  }
}

}  // namespace gyre::shader
