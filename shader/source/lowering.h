// Syntax tree -> CSIR (csir.md §11): names and types are checked and code is written in one walk. Functions are inlined,
// loops unrolled. Known values are those of literals, constants and loop variables only, so nothing can be folded across
// a branch.
#pragma once

#include <string>

#include "ast.h"
#include "emitter.h"

namespace gyre::shader {

struct Symbol {
  enum Kind { kVariable, kReadOnly, kConstant, kLoop, kOutput, kSampler, kFunction };
  std::string_view name;
  Kind kind = kVariable;
  Value value;       // where it is kept; for functions the type of the result
  int slot = 0;      // samplers, outputs
  Op store = Op::kNop;  // outputs: what every assignment emits
  int node = kNoNode;   // functions
  bool called = false;  // functions
};

class Lowering {
 public:
  Lowering(const Tree& tree, Stage stage, Shader* shader, Diagnostics* out);
  void run();

 private:
  // lower_interface.cpp
  void declare_globals();
  void declare_interface(const Node& global);
  void declare_constant(int index);
  void assign_slots();
  int first_free_slot(InterfaceKind kind, int count) const;
  bool slots_free(InterfaceKind kind, int slot, int count) const;
  void prologue();
  void load(const InterfaceEntry& entry);
  bool is_named(std::string_view name) const;
  void check_uncalled_functions();
  void finish_outputs();

  // lower_statement.cpp
  void statements(int block);
  void statement(int index);
  void statement_of(int index);
  void scoped(int index);
  void declare(int index);
  void assign(const Node& node);
  void if_statement(int index);
  void for_statement(int index);
  Value step_value(const Node& step, const Value& now);
  Value call_function(Symbol* symbol, const Node& call, const std::vector<int>& arguments);
  void bind_parameter(const Node& parameter, const Value& argument, int body);
  bool assigns_to(int index, std::string_view name) const;

  // lower_expression.cpp
  Value expression(int index);
  Value expression_of(int index);
  Value name_value(const Node& node);
  Value member(const Node& node);
  Value index_value(const Node& node);
  Value call(const Node& node);
  Value lane(const Value& vector, int lane);
  Value broadcast(const Value& scalar, int lanes);
  Value converted(const Value& value, Type to, Place place);
  Value truncated(const Value& value, Type to);

  // lower_operator.cpp
  Value unary(const Node& node);
  Value binary(const Node& node);
  Value arithmetic(const Node& node, Value left, Value right);
  Value divide(const Node& node, const Value& left, const Value& right);
  Value compare(const Node& node, const Value& left, const Value& right);
  Value logical(const Node& node, const Value& left, const Value& right);
  Value matrix_product(const Node& node, const Value& left, const Value& right);
  Value remainder(const Node& node, const Value& left, const Value& right);

  // lower_constructor.cpp
  Value construct(const Node& node, Type type, const std::vector<Value>& arguments);
  Value construct_scalar(const Value& value, Type type);
  Value construct_vector(const Node& node, Type type, const std::vector<Value>& arguments);
  Value construct_matrix(const Node& node, Type type, const std::vector<Value>& arguments);

  // lower_builtin.cpp
  bool is_builtin(std::string_view name) const;
  Value builtin(const Node& node, const std::vector<Value>& arguments);
  Value texture(const Node& node, const std::vector<int>& arguments);
  void unify(const Node& node, std::vector<Value>* arguments, std::size_t first_scalar);
  Value dot(const Value& a, const Value& b);
  Value length(const Value& a);
  Value scaled(const Value& vector, const Value& scalar);
  Value cross(const Value& a, const Value& b);
  Value power(const Value& a, const Value& b);

  // names
  Symbol* find(std::string_view name);
  Symbol* declare_symbol(Place place, Symbol symbol);
  void open_scope(Place place);
  void close_scope();
  [[noreturn]] void fail(Place place, const std::string& message);
  Value two(Op op, Type type, const Value& a, const Value& b);

  const Tree& tree_;
  Stage stage_;
  Diagnostics* out_;
  Emitter emit_;
  std::vector<Symbol> symbols_;
  std::vector<std::size_t> scopes_;      // first symbol of each open scope
  std::size_t globals_ = 0;              // symbols every function sees
  std::size_t function_begin_ = 0;       // first symbol of the function being lowered
  std::vector<std::string_view> calls_;  // functions being inlined
  int open_ifs_ = 0;                     // IF without ENDIF yet
  std::vector<const Node*> waiting_;     // interface variables without a location
};

}  // namespace gyre::shader
