#include "cut/hoist.h"
#include "cut/divided_variables.h"

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
    visit(*statement_.value, sema::computeTypeOf(program_, statement_), /*isAddend=*/true);
    return stays_ ? std::vector<ResolvedStatement>() : std::move(made_);
  }

private:
  /// `type`: in which the node is computed. A reduction that is an addend of the value, for each element another one,
  /// shares the statement's loops.
  void visit(Node &node, sema::ValueType type, bool isAddend) {
    if (auto *reduction = std::get_if<ReduceNode>(&node.kind)) {
      const std::vector<VariableId> free = sema::freeVariables(node, statement_.scope);
      const bool isOwn = std::all_of(statement_.target.variables.begin(), statement_.target.variables.end(),
                                     [&](VariableId id) { return sema::has(free, id); });
      if (!isAddend || !isOwn)
        return take(node, type, free);
      return visit(*reduction->body, sema::bodyType(*reduction, type, statement_.scope, program_), false);
    }
    if (const auto *call = std::get_if<sema::CallNode>(&node.kind)) {
      for (size_t k = 0; k < call->arguments.size(); ++k)
        visit(*call->arguments[k], sema::argumentType(*call, k, type, statement_.scope, program_), false);
      return;
    }
    const bool isSum = sema::asSum(node) || std::holds_alternative<sema::NegateNode>(node.kind);
    for (Node *child : sema::children(node))
      visit(*child, type, isAddend && isSum);
  }

  void take(Node &node, sema::ValueType type, const std::vector<VariableId> &free) {
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
    const sema::TensorId id = add(node, type, free);
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

  /// A tensor of the type in which a reduction is computed.
  sema::TensorId add(const Node &node, sema::ValueType type, const std::vector<VariableId> &free) {
    const sema::Reduction reduction = std::get<ReduceNode>(node.kind).reduction;
    sema::Tensor tensor;
    tensor.name = unusedName(program_, program_.tensors[statement_.target.tensor].name + "_" +
                                           std::string(language::spellingOf(reduction)));
    tensor.role = sema::Temporary{};
    tensor.type = sema::isLogical(reduction) ? sema::ValueType::Bool : type;
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
