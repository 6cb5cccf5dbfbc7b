// The parser's inside: what statements (parser.cpp) and expressions (parse_expression.cpp) share.
#pragma once

#include <string>

#include "parser.h"

namespace gyre::shader {

// Thrown after an error was reported; caught where parsing can go on.
struct SyntaxError {};

class Parser {
 public:
  Parser(const std::vector<Token>& tokens, Diagnostics* out) : tokens_(tokens), out_(out) {}
  Tree run();

 private:
  // One level of nesting, for as long as it lives.
  class Level {
   public:
    explicit Level(Parser* parser) : parser_(parser) {
      if (++parser_->nesting_ > kMaxParserNesting) {
        --parser_->nesting_;
        parser_->fail("more than 32 levels of nesting");
      }
    }
    ~Level() { --parser_->nesting_; }
    Level(const Level&) = delete;

   private:
    Parser* parser_;
  };
  // Children in the order they are added.
  struct Chain {
    int first = kNoNode, last = kNoNode;
  };

  const Token& peek() const { return tokens_[at_]; }
  const Token& peek_second() const { return tokens_[at_ + 1 < tokens_.size() ? at_ + 1 : at_]; }
  bool at(std::string_view symbol) const { return peek().kind != TokenKind::kEnd && peek().text == symbol; }
  bool accept(std::string_view symbol);
  void expect(std::string_view symbol);
  [[noreturn]] void fail(std::string message) { fail(peek(), std::move(message)); }
  [[noreturn]] void fail(const Token& token, std::string message);
  std::string found() const;
  int node(NodeKind kind, const Token& token);
  Node& at_node(int index) { return tree_.nodes[static_cast<std::size_t>(index)]; }
  void append(Chain* chain, int index);

  std::string_view name(const char* what);
  bool at_type() const;
  Type type();
  void skip_statement();

  int global();
  int function(const Token& token, Type result, std::string_view name);
  int declarators(Type type, Qualifier qualifier, NodeKind kind);
  int location();
  int block();
  int statement(bool may_return);
  int statement_of(bool may_return);
  int if_statement();
  int for_statement();
  int step();

  int expression();
  int binary(int lowest);
  int unary();
  int postfix();
  int primary();
  int call(const Token& token, std::string_view name);

  const std::vector<Token>& tokens_;
  Diagnostics* out_;
  Tree tree_;
  std::size_t at_ = 0;
  int nesting_ = 0;
};

}  // namespace gyre::shader
