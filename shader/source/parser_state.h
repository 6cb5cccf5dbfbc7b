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
  // One level of nesting, for as long as it lives. Statements and expressions count for themselves: the condition of the
  // innermost of 32 ifs may be as deep as any other expression. Both together bound the recursion.
  class Level {
   public:
    Level(Parser* parser, int Parser::*counter) : parser_(parser), counter_(counter) {
      if (++(parser_->*counter_) > kMaxParserNesting) {
        --(parser_->*counter_);
        parser_->fail(counter_ == &Parser::statements_ ? "more than 32 levels of nested if, for and blocks"
                                                       : "more than 32 levels of nesting in an expression");
      }
    }
    ~Level() { --(parser_->*counter_); }
    Level(const Level&) = delete;
    Level& operator=(const Level&) = delete;

   private:
    Parser* parser_;
    int Parser::*counter_;
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
  int block(bool of_function);
  int statement(bool may_return);
  int body();
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
  int statements_ = 0, expressions_ = 0;  // open levels
};

}  // namespace gyre::shader
