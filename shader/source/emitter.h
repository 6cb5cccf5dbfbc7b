// Writes instructions: temporaries as a stack, immediates shared, capacities checked.
#pragma once

#include "csir.h"
#include "diagnostics.h"

namespace gyre::shader {

// An error was reported; the statement is given up.
struct LowerError {};
// A capacity is exhausted; the whole shader is given up.
struct LowerStop {};

// What an expression gives: a constant of up to four lanes, or the first of its temporaries.
struct Value {
  Type type = Type::kNone;
  int temp = -1;
  bool constant = false;
  float lanes[4] = {0, 0, 0, 0};
};

Value constant_of(Type type, float x, float y = 0, float z = 0, float w = 0);

class Emitter {
 public:
  Emitter(Shader* shader, Diagnostics* out) : shader_(shader), out_(out) {}

  Place place;  // of what is being lowered; capacity errors name it

  // Temporaries are a stack: allocate at the top, release down to a mark.
  int mark() const { return top_; }
  int allocate(int count);
  void release(int mark) { top_ = mark; }

  Instruction& emit(Op op, Type type, int dst, int a = -1, int b = -1, int aux = 0, int aux2 = 0);
  // With a lane count: the type's lanes.
  Instruction& emit_lanes(Op op, Type type, int dst, int a = -1, int b = -1, int aux = 0);
  void load_constant(const Value& value, int dst);
  // A temporary that holds the value; constants are loaded into a new one.
  int in_temp(const Value& value);
  // The result of a component-wise or scalar operation in a new temporary.
  Value make(Op op, Type type, int a, int b = -1, int aux = 0);
  // dst = value. The instruction that made a value above `free_from` is redirected when nothing else needs its result.
  void assign(const Value& value, int dst, int free_from);
  // Ends an expression begun at `mark`: its value moves down to the mark where that costs nothing.
  Value settle(Value value, int mark);

  Shader& shader() { return *shader_; }
  const Shader& shader() const { return *shader_; }

 private:
  bool redirect(const Value& value, int dst);
  int immediate(const float* values, int count);
  [[noreturn]] void stop(const char* message);

  Shader* shader_;
  Diagnostics* out_;
  int top_ = 0;
};

}  // namespace gyre::shader
