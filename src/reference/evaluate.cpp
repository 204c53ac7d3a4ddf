#include "reference/join.h"

#include <cmath>
#include <list>

namespace spc::reference {

namespace {

using sema::ValueType;
using Kind = Node::Kind;

/// Whether missing entries are no zeros in something that an expression reads.
bool readsFill(const syntax::Expr &expr, const Tensors &tensors) {
  const auto *call = std::get_if<syntax::Call>(&expr.node);
  if (call && call->function == language::Function::Pattern)
    return false;
  if (const auto *access = std::get_if<syntax::Access>(&expr.node)) {
    const auto tensor = tensors.find(access->tensor.text);
    return tensor != tensors.end() && tensor->second.isSparse() && tensor->second.fillValue() != 0;
  }
  const std::vector<const syntax::Expr *> below = syntax::children(expr);
  return std::any_of(below.begin(), below.end(), [&](const syntax::Expr *child) { return readsFill(*child, tensors); });
}

/// Whether an expression has no index variables but these, and those that its reductions bind.
bool indexesOnly(const syntax::Expr &expr, std::set<std::string> bound) {
  if (const auto *access = std::get_if<syntax::Access>(&expr.node))
    for (const syntax::Index &index : access->indices)
      for (const syntax::IndexTerm &term : index.terms)
        if (!bound.contains(term.variable.text))
          return false;
  if (const auto *reduce = std::get_if<syntax::Reduce>(&expr.node))
    for (const syntax::Name &variable : reduce->variables)
      bound.insert(variable.text);
  const std::vector<const syntax::Expr *> below = syntax::children(expr);
  return std::all_of(below.begin(), below.end(), [&](const syntax::Expr *child) { return indexesOnly(*child, bound); });
}

/// Of how many products an expression is the sum, those with one sum multiplied out; within its reductions.
double productsIn(const Node &node) {
  double all = node.kind == Kind::Sum ? 0 : 1;
  if (node.kind == Kind::Sum)
    for (const NodePtr &operand : node.operands)
      all += productsIn(*operand);
  else if (node.kind == Kind::Product && node.sums == 1)
    for (const NodePtr &operand : node.operands)
      all *= productsIn(*operand);
  else if (node.sums == 1)
    all = productsIn(*node.operands.front());
  return all;
}

/// An addend of a right side.
struct Addend {
  bool isNegated = false;
  Variables variables;
  std::vector<size_t> target; ///< the variable of each of its dimensions
  NodePtr expr;
  std::unique_ptr<Join> join;
};

class StatementVisitor {
public:
  /// Resolves the statement, and declares what it makes.
  StatementVisitor(const syntax::Statement &statement, Tensors &tensors, const Types &types)
      : statement_(statement), tensors_(tensors), types_(types), extents_(statement, tensors) {
    findTypes();
    std::vector<std::pair<const syntax::Expr *, bool>> addends;
    const bool isAtOnce = takesIn() || isWhole();
    if (isAtOnce)
      addends.emplace_back(statement_.value.get(), false);
    else
      addendsOf(*statement_.value, false, addends);
    for (const auto &[expr, isNegated] : addends)
      resolve(*expr, isNegated, isAtOnce);
    tensors_.at(name()).setComputed();
  }

  /// How many points are visited. nullopt where it takes what statements compute to know.
  std::optional<double> points() {
    double all = 0;
    for (const auto &addend : addends_) {
      if (addend->join->dependsOnResults())
        return std::nullopt;
      all += addend->join->points();
    }
    return all;
  }

  /// Throws Unsupported where there are more points than are left.
  void run(Evaluation &evaluation) {
    evaluation.sumEpsilon = epsilonOf(sema::arithmeticType(type_));
    double all = static_cast<double>(evaluation.points);
    for (const auto &addend : addends_)
      all += addend->join->points();
    if (all > static_cast<double>(kMostPoints))
      throw Unsupported(Evaluation::kTooMany);
    for (const auto &addend : addends_)
      visit(*addend, evaluation);
    store();
  }

private:
  using Op = language::AssignOp;

  bool takesIn() const { return statement_.op != Op::Assign && statement_.op != Op::Add; }
  const std::string &name() const { return statement_.target.tensor.text; }

  /// Whether the right side is computed as one term: where missing entries are no zeros, and nothing is summed.
  bool isWhole() const {
    if (statement_.op != Op::Assign || !readsFill(*statement_.value, tensors_))
      return false;
    std::set<std::string> bound;
    for (const syntax::Index &index : statement_.target.indices)
      if (index.isPlain())
        bound.insert(index.terms.front().variable.text);
    return indexesOnly(*statement_.value, bound);
  }

  static void addendsOf(const syntax::Expr &expr, bool isNegated,
                        std::vector<std::pair<const syntax::Expr *, bool>> &addends) {
    if (const auto *paren = std::get_if<syntax::Paren>(&expr.node))
      return addendsOf(*paren->inner, isNegated, addends);
    if (const auto *negate = std::get_if<syntax::Negate>(&expr.node))
      return addendsOf(*negate->operand, !isNegated, addends);
    const auto *binary = std::get_if<syntax::Binary>(&expr.node);
    if (!binary || (binary->op != language::BinaryOp::Add && binary->op != language::BinaryOp::Sub)) {
      addends.emplace_back(&expr, isNegated);
      return;
    }
    addendsOf(*binary->left, isNegated, addends);
    addendsOf(*binary->right, isNegated != (binary->op == language::BinaryOp::Sub), addends);
  }

  /// The target's type, the one in which the statement is computed: the widest of all, and the one that sums are held
  /// in.
  void findTypes() {
    const std::optional<ValueType> value = typeOf(*statement_.value, tensors_, types_);
    const auto known = tensors_.find(name());
    if (const auto given = types_.stored.find(name()); given != types_.stored.end())
      storage_ = given->second;
    else
      storage_.type = value.value_or(ValueType::F64);
    type_ = known != tensors_.end() ? known->second.type() : storage_.type;
    computeType_ = sema::arithmeticType(value ? sema::widest(type_, *value) : type_);
    sumType_ = sema::arithmeticType(type_);
  }

  void resolve(const syntax::Expr &expr, bool isNegated, bool isAtOnce) {
    Addend &addend = *addends_.emplace_back(std::make_unique<Addend>());
    addend.isNegated = isNegated;
    Resolver resolver(tensors_, types_, extents_, addend.variables);
    for (const syntax::Index &index : statement_.target.indices) {
      if (!index.isPlain())
        throw Unsupported("write to places that are no plain indices");
      addend.target.push_back(resolver.lookUp(index.terms.front().variable.text));
    }
    addend.expr = resolver.resolve(expr, computeType_);
    settle(*addend.expr, isAtOnce, takesIn(), isAtOnce && !takesIn());
    std::set<size_t> inner, free;
    boundVariables(*addend.expr, inner);
    for (size_t variable = 0; variable < addend.variables.size(); ++variable)
      if (!inner.contains(variable))
        free.insert(variable);
    declare(addend);
    // The least value may be that of a missing entry, of which `or` makes nothing.
    const bool joins = !takesIn() || statement_.op == Op::Or;
    addend.join = std::make_unique<Join>(*addend.expr, free, joins, addend.variables);
    products_ += productsIn(*addend.expr);
  }

  static void boundVariables(const Node &node, std::set<size_t> &bound) {
    if (node.kind == Kind::Reduce)
      bound.insert(node.variables.begin(), node.variables.end());
    for (const NodePtr &operand : node.operands)
      boundVariables(*operand, bound);
  }

  /// A temporary has the extents that its statement gives its indices.
  void declare(const Addend &addend) {
    if (tensors_.contains(name()))
      return;
    std::vector<int64_t> shape;
    for (size_t variable : addend.target) {
      if (addend.variables[variable].extent < 0)
        throw Unsupported("know how far '" + addend.variables[variable].name + "' runs");
      shape.push_back(addend.variables[variable].extent);
    }
    tensors_.emplace(name(), Tensor(shape, type_, storage_.isSparse, storage_.fill, true));
  }

  void visit(Addend &addend, Evaluation &evaluation) {
    const std::vector<int64_t> &shape = tensors_.at(name()).shape();
    addend.join->forEach([&] {
      evaluation.visit();
      const Value value = valueOf(*addend.expr, addend.variables, evaluation);
      if (isNothing(value) && !takesIn())
        return;
      int64_t place = 0;
      for (size_t dim = 0; dim < shape.size(); ++dim) {
        const int64_t at = addend.variables[addend.target[dim]].at;
        if (at >= shape[dim])
          throw Unsupported("write outside of tensors");
        place = place * shape[dim] + at;
      }
      take(place, addend.isNegated ? negated(value, computeType_) : value);
    });
  }

  void take(int64_t place, const Value &value) {
    if (!takesIn()) {
      Adder &sum = sums_.try_emplace(place, sumType_).first->second;
      if (sum.count() == 0 && statement_.op == Op::Add)
        sum.add(converted(tensors_.at(name()).at(place), type_, sumType_));
      return sum.add(converted(value, computeType_, sumType_));
    }
    Value &held = taken_.try_emplace(place, tensors_.at(name()).at(place)).first->second;
    if (statement_.op == Op::Or)
      held = callOf(language::Function::Or, {held, value}, {type_, computeType_}, ValueType::Bool);
    else
      held = betterOf(held, castTo(value, computeType_, type_), type_, statement_.op == Op::Max);
  }

  void store() {
    Tensor &target = tensors_.at(name());
    Tensor written = statement_.op == Op::Assign
                         ? Tensor(target.shape(), type_, target.isSparse(), target.fillValue(), true)
                         : target;
    if (target.isPadded())
      written.setPadded();
    for (const auto &[place, value] : taken_)
      written.set(place, value);
    for (const auto &[place, sum] : sums_) {
      Value value = sum.total(epsilonOf(sumType_));
      if (type_ != sumType_) // what is held in between is rounded to half a float
        value.error += epsilonOf(type_) * (products_ - 1) * value.magnitude;
      written.set(place, converted(value, sumType_, type_));
    }
    addEntries(written);
    target = std::move(written);
  }

  /// Where the tensor whose entries the target has stores one, it does, too.
  void addEntries(Tensor &written) const {
    const auto owner = tensors_.find(storage_.owner);
    if (owner == tensors_.end() || !written.isSparse() || storage_.owner == name())
      return;
    const std::vector<int64_t> &from = owner->second.shape(), &to = written.shape();
    for (int64_t place : owner->second.places()) {
      std::vector<int64_t> at(to.size());
      for (size_t dim = from.size(); dim-- > 0; place /= from[dim])
        at[static_cast<size_t>(storage_.dims[dim])] = place % from[dim];
      int64_t here = 0;
      for (size_t dim = 0; dim < to.size(); ++dim)
        here = here * to[dim] + at[dim];
      if (!written.has(here))
        written.set(here, numberIn(type_, 0));
    }
  }

  const syntax::Statement &statement_;
  Tensors &tensors_;
  const Types &types_;
  const Extents extents_;
  Storage storage_;
  ValueType type_ = ValueType::F64, computeType_ = ValueType::F64, sumType_ = ValueType::F64;
  double products_ = 0; ///< that the right side is the sum of
  std::vector<std::unique_ptr<Addend>> addends_;
  std::unordered_map<int64_t, Adder> sums_;
  std::unordered_map<int64_t, Value> taken_;
};

} // namespace

void evaluate(const syntax::Kernel &kernel, Tensors &tensors, const Types &types) {
  const auto hasAnyThat = [&](bool (Tensor::*holds)() const) {
    return std::any_of(tensors.begin(), tensors.end(), [&](const auto &named) { return (named.second.*holds)(); });
  };
  if (hasAnyThat(&Tensor::isPadded) && hasAnyThat(&Tensor::hasNonFinite))
    throw Unsupported("know where padding meets infinities or NaNs");
  std::list<StatementVisitor> statements;
  double points = 0;
  for (const syntax::Statement &statement : kernel.statements) {
    statements.emplace_back(statement, tensors, types);
    points += statements.back().points().value_or(0);
    if (points > static_cast<double>(kMostPoints))
      throw Unsupported(Evaluation::kTooMany);
  }
  Evaluation evaluation;
  for (StatementVisitor &statement : statements)
    statement.run(evaluation);
}

} // namespace spc::reference
