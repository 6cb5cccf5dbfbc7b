// Statements, loops, and the inlining of functions.
#include "lowering.h"

namespace gyre::shader {

// A block in a scope of its own; a mistake costs one statement.
void Lowering::statements(int block) {
  open_scope(tree_[block].place);
  const int mark = emit_.mark();
  for (const int child : tree_.children(block)) statement(child);
  emit_.release(mark);
  close_scope();
}

void Lowering::scoped(int index) {
  if (tree_[index].kind == NodeKind::kBlock) return statements(index);
  open_scope(tree_[index].place);
  const int mark = emit_.mark();
  statement(index);
  emit_.release(mark);
  close_scope();
}

void Lowering::statement(int index) {
  emit_.place = tree_[index].place;
  if (out_->full()) throw LowerStop{};
  try {
    statement_of(index);
  } catch (const LowerError&) {
  }
}

void Lowering::statement_of(int index) {
  const Node& node = tree_[index];
  const int mark = emit_.mark();
  switch (node.kind) {
    case NodeKind::kBlock: return statements(index);
    case NodeKind::kDeclareList:
      for (const int child : tree_.children(index)) declare(child);
      return;
    case NodeKind::kAssign: assign(node); break;
    case NodeKind::kEvaluate: expression(node.child); break;
    case NodeKind::kIf: if_statement(index); break;
    case NodeKind::kFor: for_statement(index); break;
    case NodeKind::kReturn:
      if (node.child != kNoNode) fail(node.place, "a void function returns nothing");
      break;
    case NodeKind::kDiscard:
      if (stage_ != Stage::kFragment) fail(node.place, "discard is for fragment shaders");
      emit_.emit(Op::kDiscard, Type::kNone, -1);
      break;
    default: break;
  }
  emit_.release(mark);
}

void Lowering::declare(int index) {
  const Node& node = tree_[index];
  if (node.qualifier == Qualifier::kConst) {
    const int mark = emit_.mark();
    declare_constant(index);
    const Value& value = symbols_.back().value;
    emit_.release(value.constant ? mark : value.temp + type_columns(value.type));
    return;
  }
  Symbol symbol{node.text, Symbol::kVariable, {node.type, -1, false, {}}, 0, Op::kNop, kNoNode, false};
  symbol.value.temp = emit_.allocate(type_columns(node.type));
  const int mark = emit_.mark();
  // The name counts from behind its initial value; after a mistake there it still counts.
  try {
    if (node.child != kNoNode) emit_.assign(converted(expression(node.child), node.type, node.place), symbol.value.temp, mark);
  } catch (const LowerError&) {
  }
  emit_.release(mark);
  declare_symbol(node.place, symbol);
}

void Lowering::assign(const Node& node) {
  Symbol* const symbol = find(node.text);
  if (symbol == nullptr) fail(node.place, std::string(node.text) + " is not declared");
  if (symbol->kind == Symbol::kLoop) fail(node.place, "the loop variable " + std::string(node.text) + " cannot be assigned");
  if (symbol->kind != Symbol::kVariable && symbol->kind != Symbol::kOutput)
    fail(node.place, std::string(node.text) + " cannot be assigned");
  const Symbol target = *symbol;  // the table may move while the value is lowered
  const int mark = emit_.mark();
  emit_.assign(converted(expression(node.child), target.value.type, node.place), target.value.temp, mark);
  if (target.kind == Symbol::kOutput)
    emit_.emit(target.store, Type::kNone, -1, target.value.temp, -1, target.store == Op::kStoreVar ? target.slot : 0);
}

void Lowering::if_statement(int index) {
  const std::vector<int> parts = tree_.children(index);
  const Node& node = tree_[index];
  const Value condition = expression(parts[0]);
  if (condition.type != Type::kBool) fail(tree_[parts[0]].place, std::string("the condition is a ") + type_name(condition.type) + ", not a bool");
  if (condition.constant) {
    // The other branch is checked, its code thrown away.
    const bool truth = condition.lanes[0] != 0.0f;
    for (std::size_t i = 1; i < parts.size(); ++i) {
      const Shader before = emit_.shader();
      scoped(parts[i]);
      if ((i == 1) != truth) emit_.shader() = before;
    }
    return;
  }
  // The parser bounds the ifs of one function; inlined calls add theirs.
  if (open_ifs_ == kMaxControlNesting) fail(node.place, "more than 32 nested ifs, those of called functions included");
  ++open_ifs_;
  emit_.place = node.place;
  emit_.emit(Op::kIf, Type::kNone, -1, condition.temp);
  scoped(parts[1]);
  if (parts.size() > 2) {
    emit_.emit(Op::kElse, Type::kNone, -1);
    scoped(parts[2]);
  }
  emit_.emit(Op::kEndIf, Type::kNone, -1);
  --open_ifs_;
}

Value Lowering::step_value(const Node& step, const Value& now) {
  if (step.op == "++" || step.op == "--") return constant_of(Type::kInt, now.lanes[0] + (step.op == "++" ? 1.0f : -1.0f));
  const Value by = expression(step.child);
  if (!by.constant || by.type != Type::kInt) fail(step.place, "the step of a loop is a constant int");
  if (step.op == "=") return by;
  return constant_of(Type::kInt, step.op == "+=" ? now.lanes[0] + by.lanes[0] : now.lanes[0] - by.lanes[0]);
}

void Lowering::for_statement(int index) {
  const std::vector<int> parts = tree_.children(index);
  const Node &variable = tree_[parts[0]], &step = tree_[parts[2]];
  Value now = expression(variable.child);
  if (!now.constant || now.type != Type::kInt) fail(variable.place, "a loop begins with a constant int");
  if (step.text != variable.text) fail(step.place, "the step changes " + std::string(variable.text));
  open_scope(variable.place);
  const auto begin = scopes_.back();
  try {
    declare_symbol(variable.place, {variable.text, Symbol::kLoop, now, 0, Op::kNop, kNoNode, false});
    for (int iteration = 0;; ++iteration) {
      const Value condition = expression(parts[1]);
      if (!condition.constant || condition.type != Type::kBool)
        fail(tree_[parts[1]].place, "the condition of a loop compares " + std::string(variable.text) + " with a constant");
      if (condition.lanes[0] == 0.0f) break;
      if (iteration == kMaxUnroll) fail(tree_[index].place, "the loop has more than 8 iterations");
      const int errors = out_->count();
      scoped(parts[3]);
      if (out_->count() != errors) break;
      now = step_value(step, now);
      symbols_[begin].value = now;
    }
  } catch (const LowerError&) {
    close_scope();
    throw;
  }
  close_scope();
}

bool Lowering::assigns_to(int index, std::string_view name) const {
  if (tree_[index].kind == NodeKind::kAssign && tree_[index].text == name) return true;
  for (int child = tree_[index].child; child != kNoNode; child = tree_[child].next)
    if (assigns_to(child, name)) return true;
  return false;
}

// A parameter is the argument itself where nobody can tell, else a copy.
void Lowering::bind_parameter(const Node& parameter, const Value& argument, int body) {
  Symbol symbol{parameter.text, Symbol::kReadOnly, argument, 0, Op::kNop, kNoNode, false};
  bool shares_output = false;
  for (std::size_t i = 0; i < globals_; ++i)
    shares_output |= symbols_[i].kind == Symbol::kOutput && symbols_[i].value.temp == argument.temp;
  if (argument.constant && !assigns_to(body, parameter.text)) {
    symbol.kind = Symbol::kConstant;
  } else if (argument.constant || shares_output || assigns_to(body, parameter.text)) {
    symbol.kind = Symbol::kVariable;
    symbol.value = {parameter.type, emit_.allocate(type_columns(parameter.type)), false, {}};
    emit_.assign(argument, symbol.value.temp, kMaxTemps);
  }
  declare_symbol(parameter.place, symbol);
}

Value Lowering::call_function(Symbol* symbol, const Node& call, const std::vector<int>& arguments) {
  const Node& function = tree_[symbol->node];
  symbol->called = true;
  std::vector<int> parameters = tree_.children(symbol->node);
  const int body = parameters.back();
  parameters.pop_back();
  for (const std::string_view active : calls_)
    if (active == function.text) fail(call.place, "recursion: " + std::string(function.text) + " is being called already");
  if (calls_.size() > kMaxCallDepth) fail(call.place, "calls are nested more than 8 deep");
  if (function.type == Type::kVoid) fail(call.place, "the void function " + std::string(function.text) + " cannot be called");
  if (arguments.size() != parameters.size())
    fail(call.place, std::string(function.text) + " takes " + std::to_string(parameters.size()) + " arguments, not " + std::to_string(arguments.size()));
  Value result{function.type, emit_.allocate(type_columns(function.type)), false, {}};
  const int mark = emit_.mark();
  std::vector<Value> values;
  for (std::size_t i = 0; i < arguments.size(); ++i)
    values.push_back(converted(expression(arguments[i]), tree_[parameters[i]].type, tree_[arguments[i]].place));
  const std::size_t outer = function_begin_, scopes = scopes_.size();
  function_begin_ = symbols_.size();
  calls_.push_back(function.text);
  open_scope(call.place);
  bool returned = false;
  try {
    for (std::size_t i = 0; i < values.size(); ++i) bind_parameter(tree_[parameters[i]], values[i], body);
    for (const int child : tree_.children(body)) {
      if (tree_[child].kind != NodeKind::kReturn) {
        statement(child);
        continue;
      }
      if (tree_[child].child == kNoNode) fail(tree_[child].place, std::string(function.text) + " must return a value");
      const int free_from = emit_.mark();
      const Value value = converted(expression(tree_[child].child), function.type, tree_[child].place);
      returned = true;
      // A known result stays known when the body wrote nothing but it.
      if (value.constant) result = value;
      else emit_.assign(value, result.temp, free_from);
    }
    if (!returned) fail(function.place, std::string(function.text) + " must return a value");
  } catch (const LowerError&) {
    while (scopes_.size() > scopes) close_scope();
    calls_.pop_back();
    function_begin_ = outer;
    throw;
  }
  close_scope();
  calls_.pop_back();
  function_begin_ = outer;
  emit_.release(mark);
  return result;
}

}  // namespace gyre::shader
