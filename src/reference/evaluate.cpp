#include "reference/join.h"

#include "sema/expression_types.h"
#include "sema/plain_choice.h"

#include <cmath>
#include <list>
#include <numeric>

namespace spc::reference {

namespace {

using sema::ValueType;
using Kind = Node::Kind;

/// How far variables and dimensions run.
using Extents = IdVector<sema::ExtentId, int64_t>;

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
  NodePtr expr;
  std::unique_ptr<Join> join;
};

class StatementVisitor {
public:
  /// Resolves the statement, and declares what it makes.
  StatementVisitor(const sema::Program &program, const sema::ResolvedStatement &statement, const Extents &extents,
                   Tensors &tensors, const Storages &storages)
      : program_(program), statement_(statement), made_(program.tensors[statement.target.tensor]), tensors_(tensors) {
    if (const auto known = storages.find(name()); known != storages.end())
      storage_ = known->second;
    findTypes();
    declare(extents);
    for (const sema::Variable &variable : statement_.scope.variables)
      variables_.push_back({variable.name, extents[variable.extent]});
    target_ = Resolver(program_, statement_.scope, tensors_).access(statement_.target, type_);
    if (takesIn() || isWhole())
      resolve(*statement_.value, false, /*isAtOnce=*/true);
    else
      for (const sema::Addend &addend : sema::openAddends(*statement_.value, /*keepGroups=*/false))
        resolve(*sema::choicesAsProducts(*addend.node, statement_.scope, program_), addend.negative,
                /*isAtOnce=*/false);
    tensors_.at(name()).setComputed();
  }

  /// How many points are visited. nullopt where it takes what statements compute to know.
  std::optional<double> points() {
    double all = 0;
    for (Addend &addend : addends_) {
      if (addend.join->dependsOnResults())
        return std::nullopt;
      all += addend.join->points();
    }
    return all;
  }

  /// Throws Unsupported where there are more points than are left.
  void run(Evaluation &evaluation) {
    evaluation.sumEpsilon = epsilonOf(sema::arithmeticType(type_));
    double all = static_cast<double>(evaluation.points);
    for (Addend &addend : addends_)
      all += addend.join->points();
    if (all > static_cast<double>(kMostPoints))
      throw Unsupported(Evaluation::kTooMany);
    for (Addend &addend : addends_)
      visit(addend, evaluation);
    store();
  }

private:
  using Op = language::AssignOp;

  bool takesIn() const { return statement_.op != Op::Assign && statement_.op != Op::Add; }
  const std::string &name() const { return made_.name; }

  /// Whether missing entries are no zeros in something that an expression reads.
  bool readsFill(const sema::Node &expr) const {
    if (const auto *use = std::get_if<sema::AccessNode>(&expr.kind)) {
      const Tensor &tensor = tensors_.at(program_.tensors[statement_.scope.accesses[use->access].tensor].name);
      return tensor.isSparse() && tensor.fillValue() != 0;
    }
    const auto *call = std::get_if<sema::CallNode>(&expr.kind);
    const std::vector<const sema::Node *> below = sema::children(expr);
    return !(call && call->function == language::Function::Pattern) &&
           std::any_of(below.begin(), below.end(), [&](const sema::Node *child) { return readsFill(*child); });
  }

  bool isInTarget(VariableId variable) const {
    const std::vector<VariableId> &target = statement_.target.variables;
    return std::find(target.begin(), target.end(), variable) != target.end();
  }

  /// Whether the right side is computed as one term: where missing entries are no zeros, and nothing is summed.
  bool isWhole() const {
    const std::vector<VariableId> free = sema::freeVariables(*statement_.value, statement_.scope);
    return statement_.op == Op::Assign && readsFill(*statement_.value) &&
           std::all_of(free.begin(), free.end(), [&](VariableId variable) { return isInTarget(variable); });
  }

  /// The target's type, the one in which the statement is computed: the widest of all, and the one that sums are held
  /// in.
  void findTypes() {
    const std::optional<ValueType> value = sema::typeOf(*statement_.value, statement_.scope, program_);
    type_ = made_.type;
    computeType_ = sema::arithmeticType(value ? sema::widest(type_, *value) : type_);
    sumType_ = sema::arithmeticType(type_);
  }

  /// Makes a temporary.
  void declare(const Extents &extents) {
    std::vector<int64_t> shape;
    for (sema::ExtentId extent : made_.extents)
      shape.push_back(extents[extent]);
    if (!tensors_.contains(name()))
      tensors_.emplace(name(), Tensor(shape, type_, storage_.isSparse, storage_.fill, true));
  }

  void resolve(const sema::Node &expr, bool isNegated, bool isAtOnce) {
    Addend &addend = addends_.emplace_back();
    addend.isNegated = isNegated;
    addend.expr = Resolver(program_, statement_.scope, tensors_).resolve(expr, computeType_);
    settle(*addend.expr, isAtOnce, takesIn(), isAtOnce && !takesIn());
    std::vector<VariableId> free = statement_.target.variables;
    for (VariableId variable : sema::freeVariables(expr, statement_.scope))
      if (!isInTarget(variable))
        free.push_back(variable);
    // The least value may be that of a missing entry, of which `or` makes nothing.
    const bool joins = !takesIn() || statement_.op == Op::Or;
    addend.join = std::make_unique<Join>(*addend.expr, free, joins, variables_);
    products_ += productsIn(*addend.expr);
  }

  void visit(Addend &addend, Evaluation &evaluation) {
    addend.join->forEach([&] {
      evaluation.visit();
      const Value value = valueOf(*addend.expr, variables_, evaluation);
      if (!isNothing(value) || takesIn())
        take(placeOf(*target_, variables_), addend.isNegated ? negated(value, computeType_) : value);
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
    setElsewhere(written);
    addEntries(written);
    target = std::move(written);
  }

  /// Sets what no addend comes to where the right side makes something else of missing entries than the target's fill.
  void setElsewhere(Tensor &written) const {
    if (takesIn() || statement_.op != Op::Assign || !written.isSparse() || written.fillValue() == 0)
      return;
    Adder sum(sumType_);
    for (const Addend &addend : addends_) {
      const std::optional<Value> &fill = addend.expr->fill;
      if (!fill)
        return;
      sum.add(converted(addend.isNegated ? negated(*fill, computeType_) : *fill, computeType_, sumType_));
    }
    const Value value = converted(sum.total(epsilonOf(sumType_)), sumType_, type_);
    if (isSame(value, numberIn(type_, written.fillValue()), type_))
      return;
    const std::vector<int64_t> &shape = written.shape();
    const int64_t places = std::accumulate(shape.begin(), shape.end(), int64_t{1}, std::multiplies<>());
    for (int64_t place = 0; place < places; ++place)
      if (!sums_.contains(place))
        written.set(place, value);
  }

  /// Where the tensor whose entries the target has stores one, it does, too: at all values of dimensions of its own.
  void addEntries(Tensor &written) const {
    const auto owner = tensors_.find(storage_.owner);
    if (owner == tensors_.end() || !written.isSparse() || storage_.owner == name())
      return;
    const std::vector<int64_t> &from = owner->second.shape(), &to = written.shape();
    std::vector<int64_t> at(to.size()), tail = to;
    for (int dim : storage_.dims)
      tail[static_cast<size_t>(dim)] = 1;
    const int64_t copies = std::accumulate(tail.begin(), tail.end(), int64_t{1}, std::multiplies<>());
    for (int64_t place : owner->second.places())
      for (int64_t copy = 0; copy < copies; ++copy) {
        int64_t rest = copy, entry = place;
        for (size_t dim = to.size(); dim-- > 0; rest /= tail[dim])
          at[dim] = rest % tail[dim];
        for (size_t dim = from.size(); dim-- > 0; entry /= from[dim])
          at[static_cast<size_t>(storage_.dims[dim])] = entry % from[dim];
        int64_t here = 0;
        for (size_t dim = 0; dim < to.size(); ++dim)
          here = here * to[dim] + at[dim];
        if (!written.has(here))
          written.set(here, numberIn(type_, 0));
      }
  }

  const sema::Program &program_;
  const sema::ResolvedStatement &statement_;
  const sema::Tensor &made_;
  Tensors &tensors_;
  Storage storage_;
  ValueType type_ = ValueType::F64, computeType_ = ValueType::F64, sumType_ = ValueType::F64;
  double products_ = 0; ///< that the right side is the sum of
  Variables variables_;
  NodePtr target_;
  std::vector<Addend> addends_;
  std::unordered_map<int64_t, Adder> sums_;
  std::unordered_map<int64_t, Value> taken_;
};

} // namespace

/// What a sum of products gives, where all that it names is known.
static std::optional<int64_t> sizeOf(const sema::ExtentSum &sum, const Extents &extents) {
  int64_t size = sum.constant;
  for (const sema::ExtentSum::Product &product : sum.products) {
    int64_t factor = product.factor;
    for (sema::ExtentId extent : product.extents)
      if (extents[extent] < 0 || __builtin_mul_overflow(factor, extents[extent], &factor))
        return std::nullopt;
    if (__builtin_add_overflow(size, factor, &size))
      return std::nullopt;
  }
  return size;
}

/// How far what the program names runs, as the shapes of tensors and declarations of sizes by others say.
static Extents extentsOf(const sema::Program &program, const Tensors &tensors) {
  Extents extents;
  for (const sema::Extent &extent : program.extents)
    extents.push_back(extent.fixed.value_or(-1));
  for (const sema::Tensor &tensor : program.tensors)
    if (const auto known = tensors.find(tensor.name); known != tensors.end())
      for (size_t dim = 0; dim < tensor.extents.size(); ++dim)
        extents[tensor.extents[dim]] = known->second.shape()[dim];
  for (bool isNews = true; std::exchange(isNews, false);)
    for (sema::ExtentId id : program.extents.ids())
      for (const sema::ExtentSum &sum : program.extents[id].sums)
        if (const std::optional<int64_t> size = sizeOf(sum, extents); extents[id] < 0 && size && *size >= 0) {
          extents[id] = *size;
          isNews = true;
        }
  return extents;
}

/// Those of a program's constants that are not there.
static void addConstants(const sema::Program &program, Tensors &tensors) {
  for (const sema::Tensor &tensor : program.tensors) {
    const auto *constant = tensor.as<sema::Constant>();
    if (!constant || tensors.contains(tensor.name))
      continue;
    const language::ConstantEntries &held = *constant->entries;
    Tensor &made = tensors.emplace(tensor.name, emptyTensor(tensor, held.shape)).first->second;
    made.fill({held.shape, held.coordinates, held.values, held.imaginary, held.rests});
  }
}

void evaluate(const sema::Program &program, Tensors &tensors, const Storages &storages) {
  addConstants(program, tensors);
  const auto hasAnyThat = [&](bool (Tensor::*holds)() const) {
    return std::any_of(tensors.begin(), tensors.end(), [&](const auto &named) { return (named.second.*holds)(); });
  };
  if (hasAnyThat(&Tensor::isPadded) && hasAnyThat(&Tensor::hasNonFinite))
    throw Unsupported("know where padding meets infinities or NaNs");
  const Extents extents = extentsOf(program, tensors);
  for (const sema::Tensor &tensor : program.tensors)
    if (const auto *size = tensor.as<sema::Size>()) {
      Tensor &scalar = tensors.insert_or_assign(tensor.name, Tensor({}, tensor.type, false, 0)).first->second;
      scalar.set(0, {.number = static_cast<double>(extents[size->extent]), .integer = extents[size->extent]});
    }
  std::list<StatementVisitor> statements;
  double points = 0;
  for (const sema::ResolvedStatement &statement : program.statements) {
    statements.emplace_back(program, statement, extents, tensors, storages);
    points += statements.back().points().value_or(0);
    if (points > static_cast<double>(kMostPoints))
      throw Unsupported(Evaluation::kTooMany);
  }
  Evaluation evaluation;
  for (StatementVisitor &statement : statements)
    statement.run(evaluation);
}

} // namespace spc::reference
