#include "cut/hoist.h"

#include "sema/expression_types.h"

#include <algorithm>

namespace spc::cut {
namespace {

using sema::Access;
using sema::Node;
using sema::NodePtr;
using sema::ReduceNode;
using sema::ResolvedStatement;
using sema::VariableId;

class Hoister {
public:
  Hoister(sema::Program &program, ResolvedStatement &statement) : program_(program), statement_(statement) {}

  /// The statements that are to stand before; none where a reduction has to stay.
  std::vector<ResolvedStatement> run() {
    visit(*statement_.value, /*isAddend=*/true);
    return stays_ ? std::vector<ResolvedStatement>() : std::move(made_);
  }

private:
  /// A reduction that is an addend of the value shares the statement's loops.
  void visit(Node &node, bool isAddend) {
    if (std::holds_alternative<ReduceNode>(node.kind)) {
      if (!isAddend)
        return take(node);
      return visit(*std::get<ReduceNode>(node.kind).body, false);
    }
    const bool isSum = sema::asSum(node) || std::holds_alternative<sema::NegateNode>(node.kind);
    for (Node *child : sema::children(node))
      visit(*child, isAddend && isSum);
  }

  void take(Node &node) {
    const std::vector<VariableId> free = sema::freeVariables(node, statement_.scope);
    const auto isDerived = [&](VariableId id) {
      return statement_.scope.variables[id].kind == sema::Variable::Kind::Derived;
    };
    const ReduceNode &reduction = std::get<ReduceNode>(node.kind);
    const bool hasSizes = std::all_of(reduction.variables.begin(), reduction.variables.end(), [&](VariableId id) {
      return sema::indexes(id, *reduction.body, statement_.scope);
    });
    if (reduction.rank || !hasSizes || std::any_of(free.begin(), free.end(), isDerived) || isMasked(free)) {
      stays_ = true;
      return;
    }
    const sema::TensorId id = add(node, free);
    Access access{id, free, {}, node.where};
    access.places.resize(free.size(), node.where);
    ResolvedStatement apart(statement_);
    apart.op = language::AssignOp::Assign;
    apart.isTemporary = true;
    apart.isFused = apart.takesIn = false;
    apart.target = access;
    apart.value = sema::clone(node);
    made_.push_back(std::move(apart));
    node.kind = sema::AccessNode{statement_.scope.intern(std::move(access))};
  }

  /// Whether a sparse operand of the statement says where two of these meet.
  bool isMasked(const std::vector<VariableId> &free) const {
    const auto isMask = [&](const Access &access) {
      return !program_.tensors[access.tensor].format.isDense() &&
             std::count_if(free.begin(), free.end(), [&](VariableId id) { return sema::has(access.variables, id); }) >
                 1;
    };
    return std::any_of(statement_.scope.accesses.begin(), statement_.scope.accesses.end(), isMask);
  }

  sema::TensorId add(const Node &node, const std::vector<VariableId> &free) {
    sema::Tensor tensor;
    tensor.name = program_.tensors[statement_.target.tensor].name + "_" +
                  std::string(language::spellingOf(std::get<ReduceNode>(node.kind).reduction));
    while (std::any_of(program_.tensors.begin(), program_.tensors.end(),
                       [&](const sema::Tensor &other) { return other.name == tensor.name; }))
      tensor.name += "_";
    tensor.role = sema::Temporary{};
    const sema::ValueType own =
        sema::typeOf(node, statement_.scope, program_).value_or(program_.tensors[statement_.target.tensor].type);
    // Floats are computed in the statement's type.
    const sema::ValueType common = sema::computeTypeOf(program_, statement_);
    const auto hasFraction = [](sema::ValueType type) { return sema::isFloat(type) || sema::isComplex(type); };
    tensor.type = hasFraction(own) && hasFraction(common) ? common : own;
    tensor.format = format::denseFormat(static_cast<int>(free.size()));
    tensor.isWritten = tensor.isRead = true;
    tensor.where = node.where;
    language::TensorDecl declaration;
    declaration.name = {tensor.name, {}};
    declaration.type = language::Name{sema::spelling(tensor.type), {}};
    for (VariableId id : free) {
      tensor.extents.push_back(statement_.scope.variables[id].extent);
      declaration.extents.push_back({program_.extents[tensor.extents.back()].name, {}});
    }
    program_.declarations.push_back(std::move(declaration));
    program_.symbols.add({});
    return program_.tensors.add(std::move(tensor));
  }

  sema::Program &program_;
  ResolvedStatement &statement_;
  std::vector<ResolvedStatement> made_;
  bool stays_ = false;
};

} // namespace

std::optional<sema::Program> hoisted(const sema::Program &program, size_t statement) {
  sema::Program changed(program);
  std::vector<ResolvedStatement> all, made;
  std::swap(all, changed.statements);
  made = Hoister(changed, all[statement]).run();
  if (made.empty())
    return std::nullopt;
  for (size_t k = 0; k < all.size(); ++k) {
    if (k == statement)
      for (ResolvedStatement &one : made)
        changed.statements.push_back(std::move(one));
    changed.statements.push_back(std::move(all[k]));
  }
  return changed;
}

} // namespace spc::cut
