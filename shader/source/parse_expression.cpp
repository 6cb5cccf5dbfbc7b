#include "parser_state.h"

namespace gyre::shader {
namespace {

struct Operator {
  std::string_view text;
  int level;  // binds tighter the higher
};
constexpr Operator kOperators[] = {{"||", 1}, {"&&", 2}, {"==", 3}, {"!=", 3}, {"<", 4}, {">", 4}, {"<=", 4},
                                   {">=", 4}, {"+", 5},  {"-", 5},  {"*", 6},  {"/", 6}, {"%", 6}};

int level_of(const Token& token) {
  if (token.kind != TokenKind::kSymbol) return 0;
  for (const Operator& op : kOperators)
    if (op.text == token.text) return op.level;
  return 0;
}

constexpr std::string_view kUnsupported[] = {"?", "&", "|", "^", "~", "++", "--", "+=", "-=", "*=", "/="};

}  // namespace

int Parser::expression() {
  const Level level(this, &Parser::expressions_);
  return binary(1);
}

// Left-associative; the loop keeps chains of one level flat.
int Parser::binary(int lowest) {
  int left = unary();
  for (;;) {
    const Token token = peek();
    const int level = level_of(token);
    if (level < lowest || level == 0) {
      if (token.kind == TokenKind::kSymbol)
        for (const std::string_view op : kUnsupported)
          if (token.text == op) fail("operator " + std::string(op) + " is not supported in expressions");
      return left;
    }
    ++at_;
    const int right = binary(level + 1);
    const int result = node(NodeKind::kBinary, token);
    at_node(result).op = token.text;
    Chain chain;
    append(&chain, left);
    append(&chain, right);
    at_node(result).child = chain.first;
    left = result;
  }
}

int Parser::unary() {
  const Token token = peek();
  if (!at("-") && !at("!") && !at("+")) return postfix();
  const Level level(this, &Parser::expressions_);
  ++at_;
  const int operand = unary();
  if (token.text == "+") return operand;
  const int result = node(NodeKind::kUnary, token);
  at_node(result).op = token.text;
  at_node(result).child = operand;
  return result;
}

int Parser::postfix() {
  int operand = primary();
  for (int links = 0;; ++links) {
    const Token token = peek();
    if (links > kMaxParserNesting) fail("more than 32 levels of nesting in an expression");
    if (accept(".")) {
      const Token member = peek();
      const std::string_view text = name("a component");
      const int result = node(NodeKind::kMember, member);
      at_node(result).text = text;
      at_node(result).child = operand;
      operand = result;
    } else if (accept("[")) {
      const int index = expression();
      expect("]");
      const int result = node(NodeKind::kIndex, token);
      Chain chain;
      append(&chain, operand);
      append(&chain, index);
      at_node(result).child = chain.first;
      operand = result;
    } else {
      return operand;
    }
  }
}

int Parser::primary() {
  const Token token = peek();
  if (token.kind == TokenKind::kInt || token.kind == TokenKind::kFloat) {
    ++at_;
    const int result = node(NodeKind::kNumber, token);
    at_node(result).type = token.kind == TokenKind::kInt ? Type::kInt : Type::kFloat;
    at_node(result).number = token.number;
    return result;
  }
  if (accept("(")) {
    const int inner = expression();
    expect(")");
    return inner;
  }
  if (at("true") || at("false")) {
    ++at_;
    const int result = node(NodeKind::kNumber, token);
    at_node(result).type = Type::kBool;
    at_node(result).number = token.text == "true" ? 1.0f : 0.0f;
    return result;
  }
  if (at_type()) {
    ++at_;
    if (!at("(")) fail("a constructor needs arguments: " + std::string(token.text) + "(...)");
    return call(token, token.text);
  }
  if (token.kind != TokenKind::kName) fail("expected an expression, found " + found());
  const std::string_view text = name("a name");
  if (at("(")) return call(token, text);
  const int result = node(NodeKind::kName, token);
  at_node(result).text = text;
  return result;
}

int Parser::call(const Token& token, std::string_view callee) {
  expect("(");
  Chain arguments;
  if (!at(")")) {
    do append(&arguments, expression());
    while (accept(","));
  }
  expect(")");
  const int result = node(NodeKind::kCall, token);
  at_node(result).text = callee;
  at_node(result).child = arguments.first;
  return result;
}

}  // namespace gyre::shader
