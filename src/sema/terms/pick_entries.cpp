#include "sema/terms/pick_entries.h"

namespace spc::sema {
namespace {

constexpr DiagnosticKind kSparseWindow{"sparse-window", Severity::Error};

template <typename... Arguments> NodePtr call(Function function, Arguments... arguments) {
  CallNode node{function, ValueType::F64, {}};
  (node.arguments.push_back(std::move(arguments)), ...);
  const Span where = node.arguments.front()->where;
  return makeNode(std::move(node), where);
}

void refuseWindow(const Access &access, size_t dim, const Scope &scope, const Kernel &kernel,
                  Diagnostics &diagnostics) {
  const std::string &name = kernel.tensors[access.tensor].name;
  diagnostics
      .report(kSparseWindow, access.places[dim],
              inQuotes(name) + " is sparse: its entries are not looked up at " +
                  inQuotes(scope.variables[access.variables[dim]].name))
      .advise("index it with plain variables, or store it densely: --format " + name + "=dense");
}

/// That a loop is where a derived index wants it.
NodePtr isAt(VariableId loop, const Variable &index, Span where) {
  NodePtr wanted =
      index.terms.empty()
          ? makeNode(NumberNode{static_cast<double>(index.constant), std::to_string(index.constant)}, where)
          : makeNode(IndexNode{index.terms.front().variable}, where);
  return call(Function::Equal, makeNode(IndexNode{loop}, where), std::move(wanted));
}

} // namespace

LogicalStatement pickEntries(AccessId id, Span where, Scope &scope, const Kernel &kernel, Diagnostics &diagnostics) {
  const Access source = scope.accesses[id];
  Access whole{source.tensor, {}, source.places, source.where};
  LogicalStatement logical;
  logical.targetVariables = plainVariables(source, scope);
  logical.computeType = arithmeticType(kernel.tensors[source.tensor].type);
  logical.where = where;
  logical.isPicked = true;
  LogicalTerm term{nullptr, {}, false, where};
  NodePtr condition;
  for (size_t dim = 0; dim < source.variables.size(); ++dim) {
    const Variable index = scope.variables[source.variables[dim]];
    if (index.kind != Variable::Kind::Derived) {
      whole.variables.push_back(source.variables[dim]);
      continue;
    }
    if (!index.terms.empty() && !index.isRepeated)
      refuseWindow(source, dim, scope, kernel, diagnostics);
    const VariableId loop = scope.variables.add({index.name, Variable::Kind::Bound, index.extent});
    whole.variables.push_back(loop);
    term.reductions.push_back(loop);
    NodePtr isWanted = isAt(loop, index, where);
    condition = condition ? call(Function::And, std::move(condition), std::move(isWanted)) : std::move(isWanted);
  }
  NodePtr entry = makeNode(AccessNode{scope.intern(std::move(whole))}, where);
  term.expr = call(Function::Select, std::move(condition), std::move(entry), makeNode(NumberNode{0, "0"}, where));
  logical.terms.push_back(std::move(term));
  return logical;
}

void checkPattern(AccessId access, Span where, const Scope &scope, const Kernel &kernel, Diagnostics &diagnostics) {
  const Tensor &tensor = kernel.tensors[scope.accesses[access].tensor];
  if (tensor.format.isDense())
    return;
  if (hasDerived(scope.accesses[access], scope))
    diagnostics.report(kSparseWindow, where, "where entries are stored can only be asked for plain index variables")
        .advise("name each dimension's index, and compare them: " + inQuotes("pattern(A(i,j)) * (i == j)"));
}

} // namespace spc::sema
