// What is between operands and outputs, and reductions taken apart.
#include "grad/companions.h"

#include "sema/expression_types.h"

#include <algorithm>
#include <map>

namespace spc::grad {
namespace {

constexpr DiagnosticKind kGradRanking{"grad-ranking", Severity::Error};
constexpr DiagnosticKind kGradInteger{"grad-integer", Severity::Error};

/// How a value depends on the operands: not at all as far as derivatives go, as a float, or by way of whole numbers.
enum class Dependence { None, Smooth, Whole };

bool isExtreme(Reduction reduction) {
  return reduction == Reduction::Min || reduction == Reduction::Max;
}

/// The reduction that a statement's right side is.
ReduceNode &reductionIn(Statement &statement) {
  return std::get<ReduceNode>(statement.value->kind);
}

/// Where an expression stands in a statement: as an addend, as a factor of one, or anywhere else. A sum that is one of
/// the first two shares the loops of its statement; any other reduction is computed first.
enum class Position { Addend, Factor, Inside };

class Preparer {
public:
  Preparer(Program &program, const std::set<TensorId> &wrt, Diagnostics &diagnostics)
      : program_(program), diagnostics_(diagnostics), smooth_(wrt) {}

  std::set<TensorId> prepare(const std::set<TensorId> &of) {
    const std::set<TensorId> relevant = leadingTo(of);
    std::vector<Statement> all;
    std::swap(all, program_.statements);
    for (Statement &statement : all)
      if (relevant.contains(statement.target))
        process(std::move(statement));
      else
        append(std::move(statement));
    std::set<TensorId> between;
    std::set_intersection(smooth_.begin(), smooth_.end(), relevant_.begin(), relevant_.end(),
                          std::inserter(between, between.end()));
    return between;
  }

private:
  /// The tensors on which `of` depend.
  std::set<TensorId> leadingTo(const std::set<TensorId> &of) {
    relevant_ = of;
    for (auto statement = program_.statements.rbegin(); statement != program_.statements.rend(); ++statement)
      if (relevant_.contains(statement->target))
        collectReads(*statement->value);
    return relevant_;
  }

  void collectReads(const Node &expr) {
    if (const Access *read = program_.readIn(expr))
      relevant_.insert(read->tensor);
    for (const Node *child : partsOf(expr))
      collectReads(*child);
  }

  /// What a value is differentiated by, and what parts of complex numbers are taken of.
  static std::vector<const Node *> partsOf(const Node &expr) {
    const auto *node = std::get_if<CallNode>(&expr.kind);
    return node && language::isOfParts(node->function) ? sema::children(expr) : differentiableChildren(expr);
  }

  /// A complex number that is made of what depends on the operands; null where there is none.
  const Node *complexIn(const Node &expr) const {
    if (callOf(expr, Function::Complex) && dependence(expr) != Dependence::None)
      return &expr;
    const Node *found = nullptr;
    for (const Node *child : partsOf(expr))
      found = found ? found : complexIn(*child);
    return found;
  }

  Dependence dependence(const Node &expr) const {
    if (const Access *read = program_.readIn(expr))
      return smooth_.contains(read->tensor)  ? Dependence::Smooth
             : whole_.contains(read->tensor) ? Dependence::Whole
                                             : Dependence::None;
    Dependence most = Dependence::None;
    for (const Node *child : differentiableChildren(expr))
      most = std::max(most, dependence(*child));
    return most == Dependence::Smooth && givesWhole(expr) ? Dependence::Whole : most;
  }

  bool givesWhole(const Node &expr) const {
    if (const auto *reduction = std::get_if<ReduceNode>(&expr.kind))
      return reduction->reduction == Reduction::ArgMin || reduction->reduction == Reduction::ArgMax ||
             language::ranksPlaces(reduction->reduction);
    const auto *node = std::get_if<CallNode>(&expr.kind);
    return node && node->function == Function::Cast && sema::isInteger(node->castTo);
  }

  void append(Statement statement) {
    program_.infos[statement.target].writer = program_.statements.size();
    program_.statements.push_back(std::move(statement));
  }

  void process(Statement statement) {
    if (const Node *made = complexIn(*statement.value)) {
      diagnostics_
          .report(kGradType, made->where ? made->where : statement.where,
                  "a complex number that is made of an operand of --wrt has no derivative")
          .advise("write what is computed of its parts, or leave the operand out of --wrt");
      return;
    }
    const sema::ValueType type = program_.typeOf(statement.target);
    const Dependence most = dependence(*statement.value);
    if (most == Dependence::None || type == sema::ValueType::Bool || sema::isComplex(type)) // which become no floats
      return append(std::move(statement));
    if (sema::isInteger(type)) {
      whole_.insert(statement.target);
      return append(std::move(statement));
    }
    if (most == Dependence::Whole)
      return reportWhole(*statement.value, statement.where);
    smooth_.insert(statement.target);
    const bool isReduction = isWholeReduction(statement);
    if (isReduction)
      takeOut(*reductionIn(statement).body, Position::Inside, statement);
    else
      takeOut(*statement.value, Position::Addend, statement);
    std::vector<Statement> companions = isReduction ? companionsOf(program_, statement) : std::vector<Statement>();
    append(std::move(statement));
    for (Statement &companion : companions)
      append(std::move(companion));
  }

  void reportWhole(const Node &expr, Span statement) {
    const Node *worst = &expr;
    bool isDeeper = true;
    while (isDeeper && !givesWhole(*worst)) {
      isDeeper = false;
      for (const Node *child : differentiableChildren(*worst))
        if (!isDeeper && dependence(*child) == Dependence::Whole) {
          worst = child;
          isDeeper = true;
        }
    }
    diagnostics_
        .report(kGradInteger, worst->where ? worst->where : statement,
                "a whole number that depends on an operand of --wrt is taken for a value here: it has no derivative")
        .advise("compare it, as in '(j == p(i))' or the condition of 'select', which counts as constant; or leave the "
                "operand out of --wrt");
  }

  /// Whether the right side is one reduction over one variable, in the type of the target.
  bool isWholeReduction(const Statement &statement) const {
    const auto *reduction = std::get_if<ReduceNode>(&statement.value->kind);
    if (!reduction || reduction->variables.size() != 1 ||
        (!isExtreme(reduction->reduction) && reduction->reduction != Reduction::Product && !reduction->rank))
      return false;
    const sema::ValueType type = program_.typeOf(statement.target);
    return !program_.info(statement.target).pattern && computedType(program_, *reduction->body, type) == type;
  }

  /// Makes statements of the reductions below that do not share the statement's loops.
  void takeOut(Node &expr, Position position, const Statement &statement) {
    if (auto *reduction = std::get_if<ReduceNode>(&expr.kind)) {
      const bool isSum = reduction->reduction == Reduction::Sum || reduction->reduction == Reduction::Mean;
      if (position == Position::Inside || !isSum)
        return takeOutReduction(expr, statement);
      return takeOut(*reduction->body, position, statement);
    }
    if (callOf(expr, Function::Pattern))
      return;
    const auto *node = std::get_if<BinaryNode>(&expr.kind);
    const bool isSum = sema::asSum(expr) != nullptr, isCall = std::holds_alternative<CallNode>(expr.kind);
    const Position below = isCall || (isSum && position == Position::Factor) ? Position::Inside
                           : node && !isSum && position == Position::Addend  ? Position::Factor
                                                                             : position;
    if (node && node->op == BinaryOp::Div) {
      takeOut(*node->left, below, statement);
      return takeOut(*node->right, Position::Inside, statement);
    }
    for (Node *child : sema::children(expr))
      takeOut(*child, below, statement);
  }

  /// Puts a tensor in the place of a reduction of floats; one that has been taken out before serves again.
  void takeOutReduction(Node &expr, const Statement &statement) {
    auto &reduction = std::get<ReduceNode>(expr.kind);
    if (reduction.rank && reduction.variables.size() > 1)
      return reportRanking(reduction, expr.where ? expr.where : statement.where);
    const bool isKnown = reduction.rank || reduction.reduction == Reduction::Sum ||
                         reduction.reduction == Reduction::Mean || reduction.reduction == Reduction::Product ||
                         isExtreme(reduction.reduction);
    const bool hasFloats = any(*reduction.body, [&](const Node &part) {
      const Access *read = program_.readIn(part);
      return read && sema::isFloat(program_.typeOf(read->tensor));
    });
    if (!isKnown || !hasFloats)
      return;
    const bool isSum = reduction.reduction == Reduction::Sum || reduction.reduction == Reduction::Mean;
    while (!isSum && reduction.variables.size() > 1) {
      const VariableId last = reduction.variables.back();
      reduction.variables.pop_back();
      reduction.body = reduce(reduction.reduction, {last}, std::move(reduction.body));
    }
    const std::string key = keyOf(expr);
    const std::string suffix(language::spellingOf(reduction.reduction));
    const Variables indices = program_.freeVariables(expr);
    auto known = takenOut_.find(key);
    if (known == takenOut_.end()) {
      const sema::ValueType type = computedType(program_, *reduction.body, program_.typeOf(statement.target));
      Statement apart = statementOf(program_.nameOf(statement.target) + "_" + suffix, statement, clone(expr), type);
      known = takenOut_.emplace(key, apart.target).first;
      process(std::move(apart));
    }
    expr.kind = std::move(program_.access(known->second, indices)->kind);
  }

  void reportRanking(const ReduceNode &ranking, Span where) {
    const std::string name = "'" + std::string(language::spellingOf(ranking.reduction)) + "'";
    diagnostics_.report(kGradRanking, where, name + " over several index variables has no derivative here")
        .advise("rank over one of them, or leave the operand out of --wrt");
  }

  /// The text of a reduction whatever its variables are called.
  std::string keyOf(const Node &expr) const {
    NodePtr copy = clone(expr);
    int count = 0;
    for (Node *part = copy.get(); auto *reduction = std::get_if<ReduceNode>(&part->kind); part = reduction->body.get())
      for (const VariableId before : Variables(reduction->variables))
        program_.renameVariable(*part, before, program_.variable("#" + std::to_string(count++)));
    return program_.textOf(*copy);
  }

  /// A statement for a new tensor over the free variables of a value.
  Statement statementOf(const std::string &name, const Statement &user, NodePtr value, sema::ValueType type) {
    const Variables indices = program_.freeVariables(*value);
    const bool isOfUser = type == program_.typeOf(user.target);
    TensorInfo info;
    info.typeName = isOfUser ? program_.info(user.target).typeName : sema::spelling(type);
    const TensorId target = program_.add(name, std::move(info), type);
    program_.kernel.tensors[target].extents = extentsOf(*value, indices, user);
    relevant_.insert(target);
    return {target, indices, std::move(value), user.where};
  }

  /// What index variables run over: where a part of a statement reads them in windows alone, what is around it tells.
  std::vector<sema::ExtentId> extentsOf(const Node &part, const Variables &variables, const Statement &around) {
    std::vector<sema::ExtentId> extents;
    for (const VariableId variable : variables) {
      std::optional<sema::ExtentId> extent = extentIn(part, variable);
      if (!extent)
        extent = extentIn(*around.value, variable);
      const auto index = std::find(around.indices.begin(), around.indices.end(), variable);
      if (!extent && index != around.indices.end())
        extent = program_.kernel.tensors[around.target].extents[static_cast<size_t>(index - around.indices.begin())];
      if (!extent)
        extent = program_.kernel.extents.add({program_.freshName(program_.nameOf(variable) + "_size"), {}});
      extents.push_back(*extent);
    }
    return extents;
  }

  /// The extent of a dimension that a variable indexes alone.
  std::optional<sema::ExtentId> extentIn(const Node &value, VariableId variable) const {
    std::optional<sema::ExtentId> extent;
    program_.forEachRead(value, [&](const Access &read) {
      for (size_t dim = 0; dim < read.variables.size(); ++dim)
        if (!extent && read.variables[dim] == variable)
          extent = program_.kernel.tensors[read.tensor].extents[dim];
    });
    return extent;
  }

  Program &program_;
  Diagnostics &diagnostics_;
  std::set<TensorId> smooth_; ///< tensors of floats that depend on the operands
  std::set<TensorId> whole_;  ///< of whole numbers
  std::set<TensorId> relevant_;
  std::map<std::string, TensorId> takenOut_; ///< reductions by their texts, with the tensors that hold them
};

/// The arguments by which a call's derivative is not 0 wherever it is one.
std::vector<const Node *> differentiableArguments(const Node &node) {
  const auto &call = std::get<CallNode>(node.kind);
  switch (call.function) {
  case Function::Sign:
  case Function::Floor:
  case Function::Ceil:
  case Function::Trunc:
  case Function::RoundEven:
  case Function::Round:
  case Function::Imag:
  case Function::Arg:
    return {};
  case Function::Where:
    return {call.arguments[1].get()};
  case Function::CopySign:
    return {call.arguments[0].get()};
  case Function::Select:
    return {call.arguments[1].get(), call.arguments[2].get()};
  default:
    const bool isSteps = language::isLogical(call.function) || language::isIntegral(call.function) ||
                         (call.function == Function::Cast && call.castTo == sema::ValueType::Bool);
    return isSteps ? std::vector<const Node *>() : sema::children(node);
  }
}

} // namespace

std::vector<const Node *> differentiableChildren(const Node &node) {
  if (std::holds_alternative<CallNode>(node.kind))
    return differentiableArguments(node);
  if (const auto *reduction = std::get_if<ReduceNode>(&node.kind))
    if (sema::isLogical(reduction->reduction) || reduction->reduction == Reduction::Count)
      return {};
  return sema::children(node);
}

std::set<TensorId> prepare(Program &program, const std::set<TensorId> &of, const std::set<TensorId> &wrt,
                           Diagnostics &diagnostics) {
  return Preparer(program, wrt, diagnostics).prepare(of);
}

} // namespace spc::grad
