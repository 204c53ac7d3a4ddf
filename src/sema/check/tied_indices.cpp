// Indices that are no plain variables, where these say which elements a statement comes to: what tensors hold, and what
// the left side has. Both become variables of their own that are tied to what is written.
#include "sema/check/checking.h"
#include "sema/program_builder.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <set>
#include <string>

namespace spc::sema {
namespace {

constexpr DiagnosticKind kIndexTensor{"index-tensor", Severity::Error};
constexpr DiagnosticKind kScatterTarget{"scatter-target", Severity::Error};

constexpr char kMadeUp = '#'; ///< what names begin with that no text has

language::Index plainIndex(const std::string &name, Span where) {
  language::Index index;
  index.text = name;
  index.where = where;
  index.terms.push_back({{name, where}});
  return index;
}

NodePtr callTo(Function function, std::vector<NodePtr> arguments, Span where) {
  return makeNode(CallNode{function, ValueType::F64, std::move(arguments)}, where);
}

template <typename... Nodes> std::vector<NodePtr> listOf(Nodes... nodes) {
  std::vector<NodePtr> list;
  (list.push_back(std::move(nodes)), ...);
  return list;
}

NodePtr times(NodePtr left, NodePtr right) {
  return left ? makeBinary(BinaryOp::Mul, std::move(left), std::move(right)) : std::move(right);
}

} // namespace

/// A name for a variable that the text has none for, which no text can have: nameTiedVariables() gives it another one.
std::string StatementBuilder::freshName(const std::string &base) {
  return std::string(1, kMadeUp) + base + "__" + std::to_string(madeUp_++);
}

/// An operand that an index is read from has integers.
void StatementBuilder::noteHolder(const Node &index) {
  if (const auto *held = std::get_if<AccessNode>(&index.kind))
    checking_.program.symbols[pending_[held->access].tensor].holdsIndices = true;
}

NodePtr StatementBuilder::isAt(VariableId variable, const language::Index &index) {
  NodePtr value = index.isHeld() ? access(index.holder, index.within, index.where) : nullptr;
  if (value)
    noteHolder(*value);
  for (const language::IndexTerm &term : index.terms) {
    const VariableId own = variableOf(term.variable.text);
    if (!used_.contains(own))
      fail(kScatterTarget, index.where,
           "nothing says how far " + inQuotes(term.variable.text) + " runs: it indexes nothing on the right side");
    NodePtr multiple = makeNode(IndexNode{own}, index.where);
    if (term.scale != 1)
      multiple =
          times(number(static_cast<double>(term.scale), std::to_string(term.scale), index.where), std::move(multiple));
    value = value ? makeBinary(BinaryOp::Add, std::move(value), std::move(multiple)) : std::move(multiple);
  }
  if (index.constant != 0)
    value = makeBinary(
        index.constant < 0 ? BinaryOp::Sub : BinaryOp::Add, std::move(value),
        number(static_cast<double>(std::abs(index.constant)), std::to_string(std::abs(index.constant)), index.where));
  return callTo(Function::At, listOf(makeNode(IndexNode{variable}, index.where), std::move(value)), index.where);
}

NodePtr StatementBuilder::gathered(const language::Name &name, std::vector<language::Index> indices, Span where) {
  const size_t outside = bound_.size();
  ReduceNode sum{Reduction::Sum, {}, nullptr};
  NodePtr ties;
  for (language::Index &index : indices)
    if (index.isHeld()) {
      const std::string own = freshName(index.holder.text);
      const VariableId variable = addVariable(own, Variable::Kind::Bound);
      ties = times(std::move(ties), isAt(variable, index));
      bound_.emplace_back(own, variable);
      sum.variables.push_back(variable);
      index = plainIndex(own, index.where);
    }
  sum.body = times(access(name, indices, where), std::move(ties));
  bound_.resize(outside);
  return makeNode(std::move(sum), where);
}

/// Puts a variable of its own in the place of an index of the left side.
void StatementBuilder::tieTarget(language::Index &index) {
  const std::string own = freshName(index.isHeld() ? index.holder.text : target_.tensor.text);
  const VariableId variable = addVariable(own, Variable::Kind::Target);
  targetVariables_.emplace(own, variable);
  tiedIndices_.emplace_back(variable, index);
  if (index.isHeld() && target_.op == AssignOp::Assign)
    fail(kScatterTarget, index.where,
         "'=' gives each element one value, and " + inQuotes(index.text) + " may come to an element several times")
        .advise("to add up what comes to an element, write '+=', or give the element's index a name, as in " +
                inQuotes(target_.tensor.text + "(k) = x(i) * (k == " + index.text + ")"));
  if (!index.isHeld() && index.constant < 0)
    fail(kScatterTarget, index.where, inQuotes(index.text) + " is negative at first: index variables begin at 0")
        .advise("shift the indices of the right side forward instead");
  index = plainIndex(own, index.where);
}

/// What a target is given where its own indices are those that are written.
NodePtr StatementBuilder::atTarget(NodePtr value) {
  NodePtr ties;
  for (const auto &[variable, index] : tiedIndices_)
    ties = times(std::move(ties), isAt(variable, index));
  if (!ties)
    return value;
  const Span where = value->where;
  if (target_.op == AssignOp::Assign || target_.op == AssignOp::Add)
    return times(std::move(value), std::move(ties));
  if (target_.op == AssignOp::Or)
    return callTo(Function::And, listOf(std::move(ties), std::move(value)), where);
  const bool isMin = target_.op == AssignOp::Min;
  NodePtr otherwise = number(isMin ? HUGE_VAL : -HUGE_VAL, isMin ? "inf" : "-inf", where);
  return callTo(Function::Select, listOf(std::move(ties), std::move(value), std::move(otherwise)), where);
}

namespace {

/// Reports what holds no indices.
class HolderCheck {
public:
  HolderCheck(const Checking &checking, const Scope &scope) : checking_(checking), scope_(scope) {}

  void visit(const Node &node) const {
    const auto *tie = std::get_if<CallNode>(&node.kind);
    if (tie && tie->function == Function::At)
      checkTie(*tie, node.where);
    for (const Node *child : children(node))
      visit(*child);
  }

private:
  void checkTie(const CallNode &tie, Span where) const {
    const auto *held = std::get_if<AccessNode>(&tie.arguments[1]->kind);
    const bool isOfIndex = std::holds_alternative<IndexNode>(tie.arguments[0]->kind);
    if (isOfIndex && occurs(std::get<IndexNode>(tie.arguments[0]->kind).variable, *tie.arguments[1], scope_))
      checking_.diagnostics.report(kIndexTensor, where, "an index variable is compared with itself");
    else if (isOfIndex && held)
      return check(scope_.accesses[held->access], tie.arguments[1]->where);
    else if (!isOfIndex)
      checking_.diagnostics
          .report(kIndexTensor, where, "'at' compares an index variable with the index that it shall be")
          .advise("as in 'at(k, p(i))'");
    else if (!isOfIndices(*tie.arguments[1]))
      checking_.diagnostics.report(kIndexTensor, where, "an index is held by a tensor that is indexed with variables")
          .advise("make a tensor of what it shall be, and index with that: 'let q(i) = p(p(i))'");
  }

  void check(const Access &access, Span where) const {
    const Tensor &tensor = checking_.program.tensors[access.tensor];
    const std::string name = inQuotes(tensor.name);
    const bool isWide = tensor.type == ValueType::I32 || tensor.type == ValueType::I64 ||
                        tensor.type == ValueType::U32 || tensor.type == ValueType::U64;
    if (!isWide)
      checking_.diagnostics
          .report(kIndexTensor, where,
                  name + " holds " + spelling(tensor.type) + ", and indices are i32, i64, u32 or u64")
          .advise("declare it as integers: tensor " + tensor.name + "(n): i32");
    else if (!tensor.format.isDense())
      checking_.diagnostics.report(kIndexTensor, where, name + " is sparse: where it stores nothing there is no index")
          .advise("store it densely: --format " + tensor.name + "=dense");
    else if (hasDerived(access, scope_) || tensor.order() == 0)
      checking_.diagnostics
          .report(kIndexTensor, where, "what holds an index is indexed with plain variables itself, each once")
          .advise("make a tensor of what it shall be, and index with that: 'let q(i) = p(i + 1)'");
  }

  const Checking &checking_;
  const Scope &scope_;
};

} // namespace

void nameTiedVariables(Program &program) {
  std::set<std::string> taken;
  for (const auto &[name, where] : program.indexNames)
    taken.insert(name);
  for (const Tensor &tensor : program.tensors)
    taken.insert(tensor.name);
  for (const language::TensorDecl &declaration : program.declarations)
    for (const language::ExtentDecl &extent : declaration.extents)
      if (const auto *name = std::get_if<std::string>(&extent.value))
        taken.insert(*name);
  for (ResolvedStatement &statement : program.statements) {
    std::set<std::string> own = taken;
    for (Variable &variable : statement.scope.variables) {
      if (variable.name.front() != kMadeUp)
        continue;
      const std::string base = variable.name.substr(1, variable.name.rfind("__") + 1);
      int number = 0;
      while (!own.insert(base + std::to_string(number)).second)
        ++number;
      variable.name = base + std::to_string(number);
    }
  }
}

void checkIndexHolders(const Checking &checking) {
  for (const ResolvedStatement &statement : checking.program.statements)
    if (statement.value)
      HolderCheck(checking, statement.scope).visit(*statement.value);
}

} // namespace spc::sema
