// Trees that are made here, of sema's nodes: means, counts and places of extremes are reductions as any other. Private
// to this folder.
#pragma once

#include "sema/tree.h"

#include <functional>
#include <vector>

namespace spc::grad {

using language::BinaryOp;
using language::Function;
using language::Reduction;
using sema::Access;
using sema::AccessId;
using sema::AccessNode;
using sema::BinaryNode;
using sema::CallNode;
using sema::IndexNode;
using sema::NegateNode;
using sema::Node;
using sema::NodePtr;
using sema::NumberNode;
using sema::ReduceNode;
using sema::TensorId;
using sema::VariableId;

/// Index variables by dimension, or in order of appearance.
using Variables = std::vector<VariableId>;

/// A number as few digits say it.
NodePtr number(double value);

/// `inf`, and `true`.
NodePtr infinity();
NodePtr truth();

NodePtr indexValue(VariableId variable);

NodePtr negate(NodePtr operand);
NodePtr binary(BinaryOp op, NodePtr left, NodePtr right);
NodePtr call(Function function, NodePtr operand);
NodePtr call(Function function, NodePtr left, NodePtr right);
NodePtr select(NodePtr condition, NodePtr chosen, NodePtr other);
/// A conversion to i64, and one to f64.
NodePtr wholeNumber(NodePtr operand);
NodePtr floatOf(NodePtr operand);
NodePtr reduce(Reduction reduction, Variables variables, NodePtr body);

/// The call of a function that a node is, else nullptr.
const CallNode *callOf(const Node &node, Function function);

/// Whether a node is the number.
bool isNumber(const Node &node, double value);

/// Whether a variable is among those.
bool contains(const Variables &variables, VariableId variable);

/// Whether some part of a tree, itself among them, is such.
bool any(const Node &node, const std::function<bool(const Node &)> &holds);

} // namespace spc::grad
