// Indices that are no plain variables, where these say which elements a statement comes to: what tensors hold, and what
// the left side has. Both become variables of their own that are tied to what is written.
#include "sema/check/checking.h"
#include "sema/equations.h"
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

NodePtr wholeNumber(int64_t value, Span where) {
  return makeNode(NumberNode{static_cast<double>(value), std::to_string(value)}, where);
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

/// A number that an index is multiplied with: a scalar, or the size that an extent's name stands for.
NodePtr StatementBuilder::knownNumber(const language::Name &name) {
  return access(name, {}, name.where);
}

NodePtr StatementBuilder::multipleOf(const language::IndexTerm &term, Span where) {
  NodePtr product;
  if (std::abs(term.scale) != 1 || (term.numbers.empty() && term.variable.text.empty()))
    product = wholeNumber(std::abs(term.scale), where);
  for (const language::Name &name : term.numbers)
    product = times(std::move(product), knownNumber(name));
  if (term.variable.text.empty())
    return product;
  const VariableId own = variableOf(term.variable.text);
  tiedTo_.emplace_back(own, where);
  return times(std::move(product), makeNode(IndexNode{own}, where));
}

NodePtr StatementBuilder::isAt(Function function, VariableId variable, const language::Index &index) {
  whole_.insert(variable);
  NodePtr value = index.isHeld() ? access(index.holder, index.within, index.where) : nullptr;
  if (value)
    noteHolder(*value);
  const auto add = [&](bool isNegative, NodePtr part) {
    if (value)
      value = makeBinary(isNegative ? BinaryOp::Sub : BinaryOp::Add, std::move(value), std::move(part));
    else
      value = isNegative ? makeNode(NegateNode{std::move(part)}, index.where) : std::move(part);
  };
  // What begins without a sign comes first.
  for (const bool isNegative : {false, true}) {
    for (const std::vector<language::IndexTerm> &terms : {index.terms, index.offsets})
      for (const language::IndexTerm &term : terms)
        if ((term.scale < 0) == isNegative)
          add(isNegative, multipleOf(term, index.where));
    if (!index.isHeld() && (index.constant < 0) == isNegative && (index.constant != 0 || (!value && isNegative)))
      add(isNegative, wholeNumber(std::abs(index.constant), index.where));
  }
  if (!value)
    value = wholeNumber(0, index.where);
  return callTo(function, listOf(makeNode(IndexNode{variable}, index.where), std::move(value)), index.where);
}

NodePtr StatementBuilder::padded(const language::Name &name, const std::vector<language::Index> &indices, Span where) {
  return gathered(Function::Within, name, indices, where);
}

NodePtr StatementBuilder::gathered(Function function, const language::Name &name, std::vector<language::Index> indices,
                                   Span where) {
  const size_t outside = bound_.size();
  const std::vector<language::Index> written = indices;
  std::vector<std::pair<std::string, VariableId>> own(indices.size());
  ReduceNode sum{Reduction::Sum, {}, nullptr};
  for (size_t dim = 0; dim < indices.size(); ++dim)
    if (function == Function::Within || !written[dim].isWindow()) {
      own[dim].first = freshName(written[dim].isHeld() ? written[dim].holder.text : name.text);
      own[dim].second = addVariable(own[dim].first, Variable::Kind::Bound);
      sum.variables.push_back(own[dim].second);
      indices[dim] = plainIndex(own[dim].first, written[dim].where);
    }
  // Variables of the text that index nothing else are known once they do.
  bound_.insert(bound_.end(), own.begin(), own.end());
  std::erase_if(bound_, [](const auto &variable) { return variable.first.empty(); });
  NodePtr read = access(name, indices, where);
  NodePtr ties;
  for (size_t dim = 0; dim < indices.size(); ++dim)
    if (!own[dim].first.empty())
      ties = times(std::move(ties), isAt(function, own[dim].second, written[dim]));
  sum.body = times(std::move(read), std::move(ties));
  bound_.resize(outside);
  return makeNode(std::move(sum), where);
}

void StatementBuilder::checkTiedAreSized() {
  for (const auto &[variable, where] : tiedTo_) {
    const Variable &own = statement_.scope.variables[variable];
    const bool isTarget =
        std::any_of(target_.indices.begin(), target_.indices.end(),
                    [&](const language::Index &index) { return index.isPlain() && index.text == own.name; });
    if (!used_.contains(variable) && !(isTarget && own.kind == Variable::Kind::Target))
      fail(kUnsizedVariable, where,
           "nothing says how far " + inQuotes(own.name) + " runs: it indexes no dimension alone")
          .advise("index a tensor with it alone, or the left side; where it is a number, declare it: tensor x(" +
                  own.name + ") is its size, and tensor " + own.name + ": i64 passes it");
  }
}

/// Puts a variable of its own in the place of an index of the left side.
void StatementBuilder::tieTarget(language::Index &index) {
  const std::string own = freshName(index.isHeld() ? index.holder.text : target_.tensor.text);
  const VariableId variable = addVariable(own, Variable::Kind::Target);
  targetVariables_.emplace(own, variable);
  tiedIndices_.emplace_back(variable, index);
  if (index.isWindow() && index.constant < 0)
    fail(kScatterTarget, index.where, inQuotes(index.text) + " is negative at first: index variables begin at 0")
        .advise("shift the indices of the right side forward instead");
  index = plainIndex(own, index.where);
}

/// How an index of the left side that a tensor holds is tied: '=' gives each element one value.
Function StatementBuilder::placeInTarget(VariableId own, const language::Index &index) {
  if (!index.isHeld() || target_.op != AssignOp::Assign)
    return Function::At;
  std::set<std::string> names;
  forEachVariable(index, [&](const language::Name &name) { names.insert(name.text); });
  const auto isOwn = [&](const std::string &name) { return names.contains(name); };
  if (std::any_of(target_.indices.begin(), target_.indices.end(),
                  [&](const language::Index &other) { return other.isPlain() && isOwn(other.text); }))
    return Function::At; // that coordinate is another one already
  for (const auto &[variable, before] : tiedIndices_) {
    if (variable == own)
      break;
    bool isShared = false;
    forEachVariable(before, [&](const language::Name &name) { isShared |= isOwn(name.text); });
    if (isShared)
      fail(kScatterTarget, index.where,
           "'=' gives each element one value, and " + inQuotes(before.text) + " and " + inQuotes(index.text) +
               " may come to an element several times")
          .advise("to add up what comes to an element, write '+='");
  }
  return Function::Once;
}

/// What a target is given where its own indices are those that are written.
NodePtr StatementBuilder::atTarget(NodePtr value) {
  NodePtr ties;
  for (const auto &[variable, index] : tiedIndices_)
    ties = times(std::move(ties), isAt(placeInTarget(variable, index), variable, index));
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
    if (tie && language::isOfPlaces(tie->function))
      checkTie(*tie, node.where);
    for (const Node *child : children(node))
      visit(*child);
  }

private:
  void checkTie(const CallNode &tie, Span where) const {
    const auto *held = std::get_if<AccessNode>(&tie.arguments[1]->kind);
    const bool isOfIndex = std::holds_alternative<IndexNode>(tie.arguments[0]->kind);
    const bool isScalar = held && scope_.accesses[held->access].variables.empty();
    if (isOfIndex && occurs(std::get<IndexNode>(tie.arguments[0]->kind).variable, *tie.arguments[1], scope_))
      checking_.diagnostics.report(kIndexTensor, where, "an index variable is compared with itself");
    else if (isOfIndex && held && !isScalar)
      return check(scope_.accesses[held->access], tie.arguments[1]->where);
    else if (!isOfIndex)
      checking_.diagnostics
          .report(kIndexTensor, where, "'at' compares an index variable with the index that it shall be")
          .advise("as in 'at(k, p(i))'");
    else if (equationOf(tie, scope_, checking_.program))
      return;
    else if (const std::optional<TensorId> scalar = scalarOfNoIntegers(*tie.arguments[1]))
      reportScalar(*scalar, tie.arguments[1]->where);
    else
      checking_.diagnostics.report(kIndexTensor, where, "an index is held by a tensor that is indexed with variables")
          .advise("make a tensor of what it shall be, and index with that: 'let q(i) = p(p(i))'");
  }

  /// A scalar in a sum of multiples that is none of integers.
  std::optional<TensorId> scalarOfNoIntegers(const Node &node) const {
    for (AccessId id : accessesOf(node))
      if (const Access &access = scope_.accesses[id];
          access.variables.empty() && !isInteger(checking_.program.tensors[access.tensor].type))
        return access.tensor;
    return std::nullopt;
  }

  void reportScalar(TensorId scalar, Span where) const {
    const Tensor &tensor = checking_.program.tensors[scalar];
    checking_.diagnostics
        .report(kIndexTensor, where,
                inQuotes(tensor.name) + " holds " + spelling(tensor.type) + ", and what an index adds up are integers")
        .advise("declare it as one: tensor " + tensor.name + ": i64");
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
