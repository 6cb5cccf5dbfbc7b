// Names, interface slots, the prologue, and the ends of a shader.
#include "lowering.h"

namespace gyre::shader {
namespace {

constexpr int kSlots[] = {0, kMaxAttributes, kMaxVaryings, kMaxUniformSlots, kMaxSamplers};
constexpr const char* kKinds[] = {"", "attribute", "varying", "uniform", "sampler"};

int span_of(const InterfaceEntry& entry) { return entry.kind == InterfaceKind::kUniform ? type_columns(entry.type) : 1; }

}  // namespace

Lowering::Lowering(const Tree& tree, Stage stage, Shader* shader, Diagnostics* out)
    : tree_(tree), stage_(stage), out_(out), emit_(shader, out) {
  shader->stage = stage;
  symbols_.reserve(kMaxSymbols);
}

void Lowering::fail(Place place, const std::string& message) {
  // Inlined and unrolled code is seen several times; a mistake in it is said once.
  for (const Diagnostic& earlier : out_->errors())
    if (earlier.place.line == place.line && earlier.place.column == place.column) throw LowerError{};
  out_->error(place, message);
  throw LowerError{};
}

Symbol* Lowering::find(std::string_view name) {
  for (std::size_t i = symbols_.size(); i > function_begin_; --i)
    if (symbols_[i - 1].name == name) return &symbols_[i - 1];
  for (std::size_t i = globals_; i > 0; --i)
    if (symbols_[i - 1].name == name) return &symbols_[i - 1];
  return nullptr;
}

Symbol* Lowering::declare_symbol(Place place, Symbol symbol) {
  const std::size_t begin = scopes_.empty() ? 0 : scopes_.back();
  for (std::size_t i = begin; i < symbols_.size(); ++i)
    if (symbols_[i].name == symbol.name) fail(place, std::string(symbol.name) + " is declared twice");
  if (symbol.name.substr(0, 3) == "gl_" && place.line > 0) fail(place, "names with gl_ belong to the language");
  if (symbol.kind == Symbol::kFunction && is_builtin(symbol.name)) fail(place, std::string(symbol.name) + " is a built-in function");
  if (symbols_.size() == kMaxSymbols) {
    out_->error(place, "more than 64 names at once");
    throw LowerStop{};
  }
  symbols_.push_back(symbol);
  return &symbols_.back();
}

void Lowering::open_scope(Place place) {
  if (scopes_.size() == kMaxScopes) {
    out_->error(place, "more than 48 scopes");
    throw LowerStop{};
  }
  scopes_.push_back(symbols_.size());
}

void Lowering::close_scope() {
  symbols_.resize(scopes_.back());
  scopes_.pop_back();
}

// A name that occurs in an expression or as the target of an assignment.
bool Lowering::is_named(std::string_view name) const {
  for (const Node& node : tree_.nodes)
    if ((node.kind == NodeKind::kName || node.kind == NodeKind::kAssign) && node.text == name) return true;
  return false;
}

bool Lowering::slots_free(InterfaceKind kind, int slot, int count) const {
  for (const InterfaceEntry& entry : emit_.shader().interface)
    if (entry.kind == kind && slot < entry.slot + span_of(entry) && entry.slot < slot + count) return false;
  return slot + count <= kSlots[static_cast<int>(kind)];
}

int Lowering::first_free_slot(InterfaceKind kind, int count) const {
  for (int slot = 0; slot < kSlots[static_cast<int>(kind)]; ++slot)
    if (slots_free(kind, slot, count)) return slot;
  return -1;
}

// Explicit locations are taken at once, the rest waits until all explicit ones are known.
void Lowering::declare_interface(const Node& global) {
  const Place place = global.place;
  const bool vertex = stage_ == Stage::kVertex;
  const bool output = global.qualifier == Qualifier::kOut, uniform = global.qualifier == Qualifier::kUniform;
  const Type type = global.type;
  if (global.child != kNoNode) fail(place, "in, out and uniform variables have no initial value");
  if (type == Type::kSampler2D && !uniform) fail(place, "a sampler2D is a uniform");
  if (!uniform && is_matrix(type)) fail(place, std::string(type_name(type)) + " can only be a uniform");
  if (!uniform && type == Type::kBool) fail(place, "a bool can only be a uniform");
  if (!(vertex && global.qualifier == Qualifier::kIn) && !uniform && is_integer_like(type))
    fail(place, std::string(type_name(type)) + " cannot be interpolated");
  Symbol symbol;
  symbol.name = global.text;
  symbol.value.type = type;
  symbol.kind = type == Type::kSampler2D ? Symbol::kSampler : output ? Symbol::kOutput : Symbol::kReadOnly;
  if (!vertex && output) {
    if (type != Type::kVec4) fail(place, "the output of a fragment shader is a vec4");
    if (global.location > 0) fail(place, "a fragment shader has output location 0 only");
    for (const Symbol& other : symbols_)
      if (other.store == Op::kStoreColor) fail(place, "a fragment shader has one output");
    symbol.store = Op::kStoreColor;
    declare_symbol(place, symbol);
    return;
  }
  symbol.store = output ? Op::kStoreVar : Op::kNop;
  declare_symbol(place, symbol);
  InterfaceEntry entry;
  entry.name = std::string(global.text);
  entry.type = type;
  entry.slot = global.location;
  entry.kind = symbol.kind == Symbol::kSampler ? InterfaceKind::kSampler
               : uniform                       ? InterfaceKind::kUniform
               : vertex && !output             ? InterfaceKind::kAttribute
                                               : InterfaceKind::kVarying;
  if (global.location < 0) {
    waiting_.push_back(&global);
    return;
  }
  const int kind = static_cast<int>(entry.kind);
  if (entry.slot + span_of(entry) > kSlots[kind])
    fail(place, std::string(kKinds[kind]) + " location " + std::to_string(entry.slot) + ", there are " + std::to_string(kSlots[kind]));
  if (!slots_free(entry.kind, entry.slot, span_of(entry))) fail(place, "location " + std::to_string(entry.slot) + " is taken");
  emit_.shader().interface.push_back(entry);
}

void Lowering::assign_slots() {
  for (const Node* global : waiting_) {
    InterfaceEntry entry;
    entry.name = std::string(global->text);
    entry.type = global->type;
    entry.kind = global->type == Type::kSampler2D             ? InterfaceKind::kSampler
                 : global->qualifier == Qualifier::kUniform   ? InterfaceKind::kUniform
                 : stage_ == Stage::kVertex && global->qualifier == Qualifier::kIn ? InterfaceKind::kAttribute
                                                              : InterfaceKind::kVarying;
    const int kind = static_cast<int>(entry.kind);
    entry.slot = first_free_slot(entry.kind, span_of(entry));
    if (entry.slot < 0) {
      out_->error(global->place, std::string("no ") + kKinds[kind] + " slot is left for " + entry.name + ", there are " +
                                     std::to_string(kSlots[kind]));
      continue;
    }
    emit_.shader().interface.push_back(entry);
  }
  // Attributes, varyings, uniforms, samplers; by slot within a kind.
  std::vector<InterfaceEntry> sorted;
  for (int kind = 1; kind <= 4; ++kind)
    for (int slot = 0; slot < kSlots[kind]; ++slot)
      for (const InterfaceEntry& entry : emit_.shader().interface)
        if (static_cast<int>(entry.kind) == kind && entry.slot == slot) sorted.push_back(entry);
  emit_.shader().interface = std::move(sorted);
}

void Lowering::declare_constant(int index) {
  const Node& node = tree_[index];
  if (node.child == kNoNode) fail(node.place, "a constant needs a value");
  const int mark = emit_.mark();
  const Value value = converted(expression(node.child), node.type, node.place);
  // Matrices are built in temporaries of their own.
  if (!value.constant && !(is_matrix(node.type) && value.temp >= mark)) fail(node.place, "the value of a constant must be known");
  declare_symbol(node.place, {node.text, Symbol::kConstant, value, 0, Op::kNop, kNoNode, false});
}

void Lowering::declare_globals() {
  const bool vertex = stage_ == Stage::kVertex;
  Symbol builtin;
  builtin.name = vertex ? "gl_Position" : "gl_FragCoord";
  builtin.kind = vertex ? Symbol::kOutput : Symbol::kReadOnly;
  builtin.store = vertex ? Op::kStorePos : Op::kNop;
  builtin.value.type = Type::kVec4;
  declare_symbol({}, builtin);
  const auto each = [this](int index) {
    const Node& node = tree_[index];
    emit_.place = node.place;
    try {
      if (node.kind == NodeKind::kFunction)
        declare_symbol(node.place, {node.text, Symbol::kFunction, {node.type, -1, false, {}}, 0, Op::kNop, index, false});
      else if (node.qualifier == Qualifier::kConst) declare_constant(index);
      else declare_interface(node);
    } catch (const LowerError&) {
    }
    globals_ = function_begin_ = symbols_.size();
  };
  for (const int index : tree_.children(tree_.root)) {
    if (tree_[index].kind != NodeKind::kDeclareList) each(index);
    else
      for (const int child : tree_.children(index)) each(child);
  }
}

void Lowering::load(const InterfaceEntry& entry) {
  Symbol* const symbol = find(entry.name);
  if (symbol == nullptr) return;
  symbol->slot = entry.slot;
  if (symbol->kind != Symbol::kReadOnly || !is_named(entry.name)) return;
  const int columns = type_columns(entry.type);
  symbol->value.temp = emit_.allocate(columns);
  switch (entry.kind) {
    case InterfaceKind::kUniform: emit_.emit(Op::kLoadUni, entry.type, symbol->value.temp, -1, -1, entry.slot, columns); break;
    case InterfaceKind::kAttribute: emit_.emit(Op::kLoadAttr, entry.type, symbol->value.temp, -1, -1, entry.slot); break;
    default: emit_.emit(Op::kLoadVar, entry.type, symbol->value.temp, -1, -1, entry.slot); break;
  }
}

// Uniform, attribute, varying and fragment coordinate loads, of what the shader names; zero for outputs.
void Lowering::prologue() {
  emit_.place = tree_[tree_.root].place;
  const std::vector<InterfaceEntry> entries = emit_.shader().interface;
  for (const InterfaceEntry& entry : entries)
    if (entry.kind == InterfaceKind::kUniform) load(entry);
  for (const InterfaceEntry& entry : entries)
    if (entry.kind != InterfaceKind::kUniform) load(entry);
  for (std::size_t i = 0; i < globals_; ++i) {
    Symbol& symbol = symbols_[i];
    if (symbol.name == "gl_FragCoord" && is_named(symbol.name)) {
      symbol.value.temp = emit_.allocate(1);
      emit_.emit(Op::kLoadFcoord, Type::kVec4, symbol.value.temp);
    } else if (symbol.kind == Symbol::kOutput) {
      symbol.value.temp = emit_.allocate(1);
      emit_.load_constant(constant_of(Type::kVec4, 0), symbol.value.temp);
    }
  }
}

// Mistakes in functions nobody calls are mistakes too; their code is thrown away.
void Lowering::check_uncalled_functions() {
  for (std::size_t i = 0; i < globals_; ++i) {
    if (symbols_[i].kind != Symbol::kFunction || symbols_[i].called) continue;
    const Shader before = emit_.shader();
    const int mark = emit_.mark();
    const Node& node = tree_[symbols_[i].node];
    std::vector<int> children = tree_.children(symbols_[i].node);
    const int body = children.back();
    children.pop_back();
    calls_.push_back(node.text);
    open_scope(node.place);
    try {
      for (const int parameter : children) {
        Value value;
        value.type = tree_[parameter].type;
        value.temp = emit_.allocate(type_columns(value.type));
        declare_symbol(tree_[parameter].place, {tree_[parameter].text, Symbol::kVariable, value, 0, Op::kNop, kNoNode, false});
      }
      for (const int child : tree_.children(body)) {
        if (tree_[child].kind != NodeKind::kReturn) statement(child);
        else if (tree_[child].child != kNoNode) converted(expression(tree_[child].child), node.type, tree_[child].place);
      }
    } catch (const LowerError&) {
    } catch (const LowerStop&) {
    }
    close_scope();
    calls_.pop_back();
    emit_.release(mark);
    emit_.shader() = before;
  }
}

void Lowering::finish_outputs() {
  Shader& shader = emit_.shader();
  const Place end = tree_[tree_.root].place;
  if (stage_ == Stage::kVertex) {
    if (!shader.stores_position() && out_->ok()) out_->error(end, "the vertex shader does not write gl_Position");
    return;
  }
  // A declared output that is never assigned is zero; the store tells the linker that it is there.
  for (std::size_t i = 0; i < globals_; ++i)
    if (symbols_[i].store == Op::kStoreColor && !shader.stores_color()) emit_.emit(Op::kStoreColor, Type::kNone, -1, symbols_[i].value.temp);
}

void Lowering::run() {
  try {
    declare_globals();
    assign_slots();
    if (!out_->ok()) return;
    prologue();
    Symbol* const entry = find("main");
    if (entry == nullptr || entry->kind != Symbol::kFunction) {
      out_->error(tree_[tree_.root].place, "the shader has no function main");
      return;
    }
    const std::vector<int> children = tree_.children(entry->node);
    const Node& node = tree_[entry->node];
    if (node.type != Type::kVoid || children.size() != 1) fail(node.place, "main is void main()");
    entry->called = true;
    calls_.push_back("main");
    statements(children[0]);
    calls_.pop_back();
    if (out_->ok()) finish_outputs();
    check_uncalled_functions();
  } catch (const LowerError&) {
  } catch (const LowerStop&) {
  }
}

}  // namespace gyre::shader
