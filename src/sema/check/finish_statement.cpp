// What shows of a statement once all of it is built: windows, and what is written.
#include "sema/check/checking.h"
#include "sema/program_builder.h"

#include <algorithm>

namespace spc::sema {
namespace {

constexpr DiagnosticKind kRepeatedIndex{"repeated-index", Severity::Error};
constexpr DiagnosticKind kIndexExpression{"index-expression", Severity::Error};
constexpr DiagnosticKind kConstantWritten{"constant-written", Severity::Error};
constexpr DiagnosticKind kTemporaryTwice{"temporary-twice", Severity::Error};

} // namespace

bool StatementBuilder::checkTargetIndices() {
  bool fine = true;
  std::set<std::string> seen;
  for (const language::Index &index : target_.indices) {
    if (index.isPlain() && seen.insert(index.text).second)
      continue;
    fine = false;
    if (index.isPlain())
      fail(kRepeatedIndex, index.where, "index " + inQuotes(index.text) + " occurs twice on the left side")
          .advise("a statement writes every element: name each dimension's index, and multiply by (" + index.text +
                  " == ...) for a diagonal");
    else
      fail(kIndexExpression, index.where, "an index of the left side is a plain variable")
          .advise("a statement writes every element of its target: shift the indices of the right side instead");
  }
  return fine;
}

void StatementBuilder::reportNegative(const language::Index &index, const std::string &tensor) {
  const std::string shown = inQuotes(index.text);
  if (index.terms.empty()) {
    fail(kIndexExpression, index.where, shown + " is negative").advise("index variables begin at 0");
  } else if (tensor == target_.tensor.text) {
    fail(kIndexExpression, index.where,
         shown + " would be an element of " + inQuotes(tensor) +
             " that this statement has just computed: there are no recurrences")
        .advise("a running sum is 'sum(j, x(j) * (j <= i))', which takes n*n steps; or loop in the program that calls "
                "the kernel");
  } else {
    const std::string variable = index.terms.front().variable.text;
    fail(kIndexExpression, index.where,
         shown + " is negative at first: index variables begin at 0, and " + inQuotes(tensor) + " has nothing there")
        .advise("write 'padded(" + tensor +
                "(...))' where it is 0 outside, or shift the others forward, so that the "
                "result begins later: 'x(" +
                variable + " + 1) - x(" + variable + ")' for 'x(" + variable + ") - x(" + variable + " - 1)'");
  }
}

bool StatementBuilder::resolveTarget() {
  noteIndexNames(target_.indices);
  const bool isFine = checkTargetIndices();
  // Also of a target that is wrong: the kernel has the tensor, and a format may be bound to it.
  const std::optional<TensorId> tensor = tensorOf(target_.tensor, target_.indices.size(), target_.where);
  if (tensor && checking_.program.tensors[*tensor].is<Size>())
    fail(kNameClash, target_.tensor.where,
         inQuotes(target_.tensor.text) + " is a size, as a declaration says, and is written here")
        .advise("use another name for one of them");
  if (!tensor || !isFine)
    return false;
  statement_.target = {*tensor, {}, {}, target_.where};
  for (const language::Index &index : target_.indices) {
    statement_.target.variables.push_back(variableOf(index.text));
    statement_.target.places.push_back(index.where);
  }
  if (checking_.program.tensors[*tensor].is<Constant>()) {
    fail(kConstantWritten, target_.where, inQuotes(target_.tensor.text) + " is a constant, which no statement writes")
        .note(checking_.program.tensors[*tensor].where, "it is declared here")
        .advise("give the result another name");
    return false;
  }
  if (target_.isTemporary && !makeTemporary(*tensor))
    return false;
  Symbol &symbol = checking_.program.symbols[*tensor];
  if (symbol.firstWrite < 0)
    symbol.firstWrite = static_cast<int>(checking_.program.statements.size());
  return true;
}

bool StatementBuilder::makeTemporary(TensorId tensor) {
  const Symbol &symbol = checking_.program.symbols[tensor];
  Tensor &temporary = checking_.program.tensors[tensor];
  if (!symbol.isOperand && symbol.firstWrite < 0) {
    temporary.role = Temporary{};
    return true;
  }
  fail(kTemporaryTwice, target_.tensor.where,
       temporary.is<Temporary>()
           ? "the temporary " + inQuotes(temporary.name) + " is made twice"
           : inQuotes(temporary.name) + " is an argument of the kernel, and cannot become a temporary")
      .note(symbol.firstUse, "first used here")
      .advise(temporary.is<Temporary>() ? "drop 'let' to write it anew, or use another name" : "use another name");
  return false;
}

/// What indexes a dimension: a variable of the text, or one that is derived from such variables.
VariableId StatementBuilder::indexOf(const PendingAccess &access, size_t dim, const Access &before) {
  const language::Index &index = access.indices[dim];
  const bool isWindow = windows_.contains({access.tensor, dim}) &&
                        !(index.isPlain() && whole_.contains(access.terms[dim].front().variable));
  if (index.isPlain() && !isWindow) {
    const VariableId plain = access.terms[dim].front().variable;
    const auto &seen = before.variables;
    if (std::find(seen.begin(), seen.end(), plain) == seen.end())
      return plain;
  }
  Variable derived{index.text,     Variable::Kind::Derived,     {}, access.tensor, static_cast<int>(dim), {},
                   index.constant, index.isPlain() && !isWindow};
  for (const Variable::Multiple &term : access.terms[dim]) {
    const auto same = std::find_if(derived.terms.begin(), derived.terms.end(),
                                   [&](const Variable::Multiple &other) { return other.variable == term.variable; });
    if (same == derived.terms.end())
      derived.terms.push_back(term);
    else
      same->scale += term.scale;
  }
  IdVector<VariableId, Variable> &variables = statement_.scope.variables;
  for (VariableId id : variables.ids()) {
    const Variable &other = variables[id];
    if (other.kind == derived.kind && other.tensor == derived.tensor && other.dim == derived.dim &&
        other.terms == derived.terms && other.constant == derived.constant && other.isRepeated == derived.isRepeated)
      return id;
  }
  return variables.add(std::move(derived));
}

AccessId StatementBuilder::settle(const PendingAccess &access) {
  Access result{access.tensor, {}, {}, access.where};
  for (size_t dim = 0; dim < access.indices.size(); ++dim) {
    result.variables.push_back(indexOf(access, dim, result));
    result.places.push_back(access.indices[dim].where);
  }
  return statement_.scope.intern(std::move(result));
}

void StatementBuilder::finish(NodePtr value) {
  value = atTarget(std::move(value));
  IdVector<AccessId, AccessId> settled;
  for (const PendingAccess &access : pending_)
    settled.push_back(settle(access));
  replaceAccesses(*value, [&](AccessId pending) { return settled[pending]; });
  checkTiedAreSized();
  const bool targetIsFine = resolveTarget();
  if (!failed_ && targetIsFine)
    statement_.value = std::move(value);
  if (statement_.value && !checkRankings(checking_, statement_))
    statement_.value = nullptr;
  checking_.program.statements.push_back(std::move(statement_));
}

} // namespace spc::sema
