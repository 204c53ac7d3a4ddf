// What is between operands and outputs, and reductions taken apart.
#include "grad/companions.h"

#include "sema/value_type.h"

#include <algorithm>

namespace spc::grad {
namespace {

constexpr DiagnosticKind kGradInteger{"grad-integer", Severity::Error};

/// How a value depends on the operands: not at all as far as derivatives go, as a float, or by way of whole numbers.
enum class Dependence { None, Smooth, Whole };

bool isExtreme(Reduction reduction) {
  return reduction == Reduction::Min || reduction == Reduction::Max;
}

/// The reduction that a statement's right side is.
Reduce &reductionIn(Statement &statement) {
  return std::get<Reduce>(statement.value->node);
}

/// Where an expression stands in a statement: as an addend, as a factor of one, or anywhere else. A sum that is one of
/// the first two shares the loops of its statement; any other reduction is computed first.
enum class Position { Addend, Factor, Inside };

class Preparer {
public:
  Preparer(Program &program, const std::set<std::string> &wrt, Diagnostics &diagnostics)
      : program_(program), diagnostics_(diagnostics), smooth_(wrt) {}

  std::set<std::string> prepare(const std::set<std::string> &of) {
    const std::set<std::string> relevant = leadingTo(of);
    std::vector<Statement> all;
    std::swap(all, program_.statements);
    for (Statement &statement : all)
      if (relevant.contains(statement.target))
        process(std::move(statement));
      else
        append(std::move(statement));
    std::set<std::string> between;
    std::set_intersection(smooth_.begin(), smooth_.end(), relevant_.begin(), relevant_.end(),
                          std::inserter(between, between.end()));
    return between;
  }

private:
  /// The tensors on which `of` depend.
  std::set<std::string> leadingTo(const std::set<std::string> &of) {
    relevant_ = of;
    for (auto statement = program_.statements.rbegin(); statement != program_.statements.rend(); ++statement)
      if (relevant_.contains(statement->target))
        collectReads(*statement->value);
    return relevant_;
  }

  void collectReads(const Expr &expr) {
    if (const Access *read = asTensor(expr, program_.names))
      relevant_.insert(read->tensor);
    for (const Expr *child : differentiableChildren(expr))
      collectReads(*child);
  }

  Dependence dependence(const Expr &expr) const {
    if (const Access *read = asTensor(expr, program_.names))
      return smooth_.contains(read->tensor)  ? Dependence::Smooth
             : whole_.contains(read->tensor) ? Dependence::Whole
                                             : Dependence::None;
    Dependence most = Dependence::None;
    for (const Expr *child : differentiableChildren(expr))
      most = std::max(most, dependence(*child));
    return most == Dependence::Smooth && givesWhole(expr) ? Dependence::Whole : most;
  }

  bool givesWhole(const Expr &expr) const {
    if (const auto *reduction = std::get_if<Reduce>(&expr.node))
      return reduction->reduction == Reduction::ArgMin || reduction->reduction == Reduction::ArgMax;
    const auto *node = std::get_if<Call>(&expr.node);
    return node && node->function == Function::Cast && sema::isInteger(node->castTo);
  }

  void append(Statement statement) {
    program_.tensors.at(statement.target).writer = program_.statements.size();
    program_.statements.push_back(std::move(statement));
  }

  void process(Statement statement) {
    const sema::ValueType type = program_.info(statement.target).type;
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

  void reportWhole(const Expr &expr, Span statement) {
    const Expr *worst = &expr;
    bool isDeeper = true;
    while (isDeeper && !givesWhole(*worst)) {
      isDeeper = false;
      for (const Expr *child : differentiableChildren(*worst))
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
    const auto *reduction = std::get_if<Reduce>(&statement.value->node);
    if (!reduction || reduction->variables.size() != 1 ||
        (!isExtreme(reduction->reduction) && reduction->reduction != Reduction::Product))
      return false;
    const TensorInfo &target = program_.info(statement.target);
    return target.pattern.empty() && computedType(program_, *reduction->body, target.type) == target.type;
  }

  /// Makes statements of the reductions below that do not share the statement's loops.
  void takeOut(Expr &expr, Position position, const Statement &statement) {
    if (auto *reduction = std::get_if<Reduce>(&expr.node)) {
      const bool isSum = reduction->reduction == Reduction::Sum || reduction->reduction == Reduction::Mean;
      if (position == Position::Inside || !isSum)
        return takeOutReduction(expr, statement);
      return takeOut(*reduction->body, position, statement);
    }
    const auto *call = std::get_if<Call>(&expr.node);
    if (call && call->function == Function::Pattern)
      return;
    const auto *node = std::get_if<Binary>(&expr.node);
    const bool isSum = node && (node->op == BinaryOp::Add || node->op == BinaryOp::Sub);
    const Position below = call || (isSum && position == Position::Factor)  ? Position::Inside
                           : node && !isSum && position == Position::Addend ? Position::Factor
                                                                            : position;
    if (node && node->op == BinaryOp::Div) {
      takeOut(*node->left, below, statement);
      return takeOut(*node->right, Position::Inside, statement);
    }
    for (Expr *child : mutableChildren(expr))
      takeOut(*child, below, statement);
  }

  /// Puts a tensor in the place of a reduction of floats; one that has been taken out before serves again.
  void takeOutReduction(Expr &expr, const Statement &statement) {
    auto &reduction = std::get<Reduce>(expr.node);
    const bool isKnown = reduction.reduction == Reduction::Sum || reduction.reduction == Reduction::Mean ||
                         reduction.reduction == Reduction::Product || isExtreme(reduction.reduction);
    const bool hasFloats = any(*reduction.body, [&](const Expr &part) {
      const Access *read = asTensor(part, program_.names);
      return read && sema::isFloat(program_.info(read->tensor).type);
    });
    if (!isKnown || !hasFloats)
      return;
    const bool isSum = reduction.reduction == Reduction::Sum || reduction.reduction == Reduction::Mean;
    while (!isSum && reduction.variables.size() > 1) {
      const std::string last = reduction.variables.back();
      reduction.variables.pop_back();
      reduction.body = reduce(reduction.reduction, {last}, std::move(reduction.body));
    }
    const std::string key = keyOf(expr);
    const std::string suffix(language::spellingOf(reduction.reduction));
    std::vector<std::string> indices = freeVariables(expr);
    auto known = takenOut_.find(key);
    if (known == takenOut_.end()) {
      const sema::ValueType type = computedType(program_, *reduction.body, program_.info(statement.target).type);
      Statement apart = statementOf(statement.target + "_" + suffix, statement, clone(expr), type);
      known = takenOut_.emplace(key, apart.target).first;
      process(std::move(apart));
    }
    expr.node = std::move(access(known->second, indices)->node);
  }

  /// The text of a reduction whatever its variables are called.
  std::string keyOf(const Expr &expr) const {
    ExprPtr copy = clone(expr);
    int count = 0;
    for (Expr *part = copy.get(); auto *reduction = std::get_if<Reduce>(&part->node); part = reduction->body.get())
      for (const std::string &before : std::vector(reduction->variables)) {
        const std::string after = "#" + std::to_string(count++);
        renameVariable(*part, before, after);
      }
    return textOf(*copy);
  }

  /// A statement for a new tensor over the free variables of a value.
  Statement statementOf(const std::string &name, const Statement &user, ExprPtr value, sema::ValueType type) {
    Statement statement;
    statement.indices = freeVariables(*value);
    statement.target = program_.fresh.tensor(name);
    statement.value = std::move(value);
    statement.where = user.where;
    TensorInfo info;
    const TensorInfo &other = program_.info(user.target);
    info.type = type;
    info.typeName = type == other.type ? other.typeName : sema::spelling(type);
    info.extents = extentsOf(*statement.value, statement.indices, user);
    program_.add(statement.target, std::move(info));
    relevant_.insert(statement.target);
    return statement;
  }

  /// What index variables run over, as declarations say it: where a part of a statement reads them in windows alone,
  /// what is around it tells.
  std::vector<std::string> extentsOf(const Expr &part, const std::vector<std::string> &variables,
                                     const Statement &around) {
    std::vector<std::string> extents;
    for (const std::string &variable : variables) {
      std::string extent = extentIn(part, variable);
      if (extent.empty())
        extent = extentIn(*around.value, variable);
      const auto index = std::find(around.indices.begin(), around.indices.end(), variable);
      if (extent.empty() && index != around.indices.end())
        extent = program_.info(around.target).extents[static_cast<size_t>(index - around.indices.begin())];
      extents.push_back(extent.empty() ? program_.fresh.tensor(variable + "_size") : extent);
    }
    return extents;
  }

  /// The extent of a dimension that a variable indexes alone; empty where there is none.
  std::string extentIn(const Expr &value, const std::string &variable) const {
    std::string extent;
    forEachTensor(value, program_.names, [&](const Access &read) {
      for (size_t dim = 0; dim < read.indices.size(); ++dim)
        if (extent.empty() && read.indices[dim].isPlain() && read.indices[dim].text == variable)
          extent = program_.info(read.tensor).extents[dim];
    });
    return extent;
  }

  Program &program_;
  Diagnostics &diagnostics_;
  std::set<std::string> smooth_; ///< tensors of floats that depend on the operands
  std::set<std::string> whole_;  ///< of whole numbers
  std::set<std::string> relevant_;
  std::map<std::string, std::string> takenOut_; ///< reductions by their texts, with the tensors that hold them
};

} // namespace

std::vector<const Expr *> differentiableArguments(const Call &call) {
  switch (call.function) {
  case Function::Sign:
  case Function::Floor:
  case Function::Ceil:
  case Function::Round:
    return {};
  default:
    break;
  }
  std::vector<const Expr *> arguments;
  for (const ExprPtr &argument : call.arguments)
    arguments.push_back(argument.get());
  if (language::isLogical(call.function) || (call.function == Function::Cast && call.castTo == sema::ValueType::Bool))
    return {};
  if (call.function == Function::Select)
    return {arguments[1], arguments[2]};
  return arguments;
}

std::vector<const Expr *> differentiableChildren(const Expr &expr) {
  if (const auto *node = std::get_if<Call>(&expr.node))
    return differentiableArguments(*node);
  if (const auto *reduction = std::get_if<Reduce>(&expr.node))
    if (reduction->reduction == Reduction::Any || reduction->reduction == Reduction::All ||
        reduction->reduction == Reduction::Count)
      return {};
  return children(expr);
}

std::set<std::string> prepare(Program &program, const std::set<std::string> &of, const std::set<std::string> &wrt,
                              Diagnostics &diagnostics) {
  return Preparer(program, wrt, diagnostics).prepare(of);
}

} // namespace spc::grad
