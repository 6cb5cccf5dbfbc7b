// The syntax tree: nodes in one array, children as chains.
#pragma once

#include <string_view>
#include <vector>

#include "csir.h"
#include "diagnostics.h"

namespace gyre::shader {

constexpr int kNoNode = -1;

// Children in brackets.
enum class NodeKind : std::uint8_t {
  kRoot,        // [globals and functions]
  kGlobal,      // text, type, qualifier, location [initial value]
  kFunction,    // text, type [parameters.. block]
  kParameter,   // text, type
  kBlock,       // [statements]
  kDeclare,     // text, type, qualifier [initial value]
  kDeclareList,  // [declares]
  kAssign,      // text [value]
  kEvaluate,    // [expression]
  kIf,          // [condition then else]
  kFor,         // [declare condition step body]
  kStep,        // text, op [value]
  kReturn,      // [value]
  kDiscard,
  kNumber,      // type bool, int, float; number
  kName,        // text
  kUnary,       // op [operand]
  kBinary,      // op [left right]
  kCall,        // text [arguments]
  kMember,      // text [operand]
  kIndex,       // [operand index]
};

enum class Qualifier : std::uint8_t { kNone, kConst, kIn, kOut, kUniform };

struct Node {
  NodeKind kind = NodeKind::kRoot;
  Type type = Type::kNone;
  Qualifier qualifier = Qualifier::kNone;
  int location = -1;
  std::string_view text;  // a name
  std::string_view op;    // an operator
  float number = 0;
  Place place;
  int child = kNoNode, next = kNoNode;  // first child, next sibling
};

struct Tree {
  std::vector<Node> nodes;
  int root = kNoNode;

  const Node& operator[](int index) const { return nodes[static_cast<std::size_t>(index)]; }
  std::vector<int> children(int index) const {
    std::vector<int> out;
    for (int i = (*this)[index].child; i != kNoNode; i = (*this)[i].next) out.push_back(i);
    return out;
  }
};

}  // namespace gyre::shader
