#include "reference/nodes.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <set>

namespace spc::reference {

namespace {

using sema::ValueType;
using Kind = Node::Kind;

/// An addend of a right side: products are joined over the entries of their sparse factors.
class AddendVisitor {
public:
  AddendVisitor(const Node &expr, Variables &variables, Evaluation &evaluation)
      : type_(expr.type), variables_(variables), evaluation_(evaluation) {
    factorsOf(expr);
    isAlone_ = factors_.size() == 1;
    for (const Node *factor : factors_)
      if (drives(*factor))
        joined_.push_back({factor, {}, {}, {}});
    std::erase_if(factors_, [&](const Node *factor) { return drives(*factor); });
  }

  /// Calls `take` with the value wherever it may not be missing; `free` are the variables that no reduction binds.
  template <class Take> void visit(const std::set<size_t> &free, Take take) {
    std::set<size_t> bound;
    for (Joined &joined : joined_)
      prepare(joined, bound);
    for (size_t variable : free)
      if (!bound.contains(variable))
        loops_.push_back(variable);
    double most = 1; // at each place that the sparse factors bind
    for (size_t variable : loops_) {
      if (variables_[variable].extent < 0)
        throw Unsupported("know how far '" + variables_[variable].name + "' runs");
      most *= static_cast<double>(variables_[variable].extent);
    }
    if (joined_.empty() && most > static_cast<double>(kMostPoints))
      throw Unsupported(Evaluation::kTooMany);
    join(0, numberIn(type_, 1), take);
  }

private:
  /// A sparse factor: its entries by the coordinates of the variables that factors before it bind.
  struct Joined {
    const Node *access;
    std::vector<size_t> boundDims, freeDims;
    std::unordered_map<int64_t, std::vector<int64_t>> entries; ///< places by the place of the bound dimensions
  };

  void factorsOf(const Node &node) {
    if (node.kind == Kind::Multiply) {
      factorsOf(*node.operands[0]);
      factorsOf(*node.operands[1]);
    } else {
      factors_.push_back(&node);
    }
  }

  static bool drives(const Node &node) {
    if (node.kind != Kind::Access || !node.tensor->isSparse() || node.tensor->fillValue() != 0)
      return false;
    std::set<size_t> seen;
    return std::all_of(node.indices.begin(), node.indices.end(), [&](const IndexSum &index) {
      return index.isPlain && seen.insert(index.terms.front().first).second;
    });
  }

  static size_t variableOf(const Node &access, size_t dim) { return access.indices[dim].terms.front().first; }

  static std::vector<int64_t> coordinatesOf(const Tensor &tensor, int64_t place) {
    std::vector<int64_t> at(tensor.shape().size());
    for (size_t dim = at.size(); dim-- > 0; place /= tensor.shape()[dim])
      at[dim] = place % tensor.shape()[dim];
    return at;
  }

  void prepare(Joined &joined, std::set<size_t> &bound) {
    const Node &access = *joined.access;
    for (size_t dim = 0; dim < access.indices.size(); ++dim)
      (bound.contains(variableOf(access, dim)) ? joined.boundDims : joined.freeDims).push_back(dim);
    for (size_t dim : joined.freeDims)
      bound.insert(variableOf(access, dim));
    for (int64_t place : access.tensor->places()) {
      const std::vector<int64_t> at = coordinatesOf(*access.tensor, place);
      int64_t key = 0;
      for (size_t dim : joined.boundDims)
        key = key * access.tensor->shape()[dim] + at[dim];
      joined.entries[key].push_back(place);
    }
  }

  template <class Take> void join(size_t depth, const Value &before, Take &take) {
    if (depth == joined_.size())
      return loop(0, before, take);
    const Joined &joined = joined_[depth];
    const Tensor &tensor = *joined.access->tensor;
    int64_t key = 0;
    for (size_t dim : joined.boundDims)
      key = key * tensor.shape()[dim] + variables_[variableOf(*joined.access, dim)].at;
    const auto found = joined.entries.find(key);
    if (found == joined.entries.end())
      return;
    for (int64_t place : found->second) {
      const std::vector<int64_t> at = coordinatesOf(tensor, place);
      for (size_t dim : joined.freeDims)
        variables_[variableOf(*joined.access, dim)].at = at[dim];
      const Value factor = converted(tensor.at(place), tensor.type(), type_);
      join(depth + 1, productOf(before, factor, type_, evaluation_.epsilon), take);
    }
  }

  template <class Take> void loop(size_t depth, const Value &before, Take &take) {
    if (depth < loops_.size()) {
      Variable &variable = variables_[loops_[depth]];
      for (variable.at = 0; variable.at < variable.extent; ++variable.at)
        loop(depth + 1, before, take);
      return;
    }
    evaluation_.visit();
    Value value = before;
    for (const Node *factor : factors_) {
      const Value next = valueOf(*factor, variables_, evaluation_);
      value = isAlone_ ? next : productOf(value, next, type_, evaluation_.epsilon);
    }
    take(value);
  }

  const sema::ValueType type_;
  Variables &variables_;
  Evaluation &evaluation_;
  bool isAlone_ = false; ///< there is one factor, and nothing to multiply
  std::vector<const Node *> factors_;
  std::vector<Joined> joined_;
  std::vector<size_t> loops_;
};

/// What a target's element is made of.
struct Sum {
  Value value;
  double addends = 0;
};

class StatementVisitor {
public:
  StatementVisitor(const syntax::Statement &statement, Tensors &tensors, const Types &types, Evaluation &evaluation)
      : statement_(statement), tensors_(tensors), types_(types), evaluation_(evaluation) {}

  void run() {
    findTypes();
    std::vector<std::pair<const syntax::Expr *, bool>> addends;
    if (takesIn())
      addends.emplace_back(statement_.value.get(), false);
    else
      addendsOf(*statement_.value, false, addends);
    for (const auto &[expr, isNegated] : addends)
      visit(*expr, isNegated);
    store();
  }

private:
  using Op = syntax::AssignOp;

  bool takesIn() const { return statement_.op != Op::Assign && statement_.op != Op::Add; }

  static void addendsOf(const syntax::Expr &expr, bool isNegated,
                        std::vector<std::pair<const syntax::Expr *, bool>> &addends) {
    if (const auto *paren = std::get_if<syntax::Paren>(&expr.node))
      return addendsOf(*paren->inner, isNegated, addends);
    if (const auto *negate = std::get_if<syntax::Negate>(&expr.node))
      return addendsOf(*negate->operand, !isNegated, addends);
    const auto *binary = std::get_if<syntax::Binary>(&expr.node);
    if (!binary || (binary->op != syntax::BinaryOp::Add && binary->op != syntax::BinaryOp::Sub)) {
      addends.emplace_back(&expr, isNegated);
      return;
    }
    addendsOf(*binary->left, isNegated, addends);
    addendsOf(*binary->right, isNegated != (binary->op == syntax::BinaryOp::Sub), addends);
  }

  /// The target's type, and the one in which the statement is computed: the widest of all.
  void findTypes() {
    const std::string &name = statement_.target.tensor.text;
    const std::optional<ValueType> value = typeOf(*statement_.value, tensors_, types_);
    const auto known = tensors_.find(name);
    const auto given = types_.temporaries.find(name);
    type_ = known != tensors_.end()             ? known->second.type()
            : given != types_.temporaries.end() ? given->second
                                                : value.value_or(ValueType::F64);
    computeType_ = sema::arithmeticType(value ? sema::widest(type_, *value) : type_);
  }

  void visit(const syntax::Expr &expr, bool isNegated) {
    Variables variables;
    Resolver resolver(tensors_, types_, variables);
    std::vector<size_t> target;
    std::set<size_t> free;
    const auto known = tensors_.find(statement_.target.tensor.text);
    for (const syntax::Index &index : statement_.target.indices) {
      if (!index.isPlain())
        throw Unsupported("write to places that are no plain indices");
      const size_t dim = target.size();
      target.push_back(resolver.lookUp(index.terms.front().variable.text));
      if (known != tensors_.end())
        variables[target.back()].extent = known->second.shape()[dim];
    }
    const NodePtr node = resolver.resolve(expr, computeType_);
    std::set<size_t> inner;
    boundVariables(*node, inner);
    for (size_t variable = 0; variable < variables.size(); ++variable)
      if (!inner.contains(variable))
        free.insert(variable);
    declare(target, variables);
    const std::vector<int64_t> &shape = tensors_.at(statement_.target.tensor.text).shape();
    AddendVisitor visitor(*node, variables, evaluation_);
    visitor.visit(free, [&](const Value &value) {
      int64_t place = 0;
      for (size_t dim = 0; dim < target.size(); ++dim)
        place = place * shape[dim] + variables[target[dim]].at;
      if (!value.isMissing || takesIn())
        take(place, converted(isNegated ? negated(value, computeType_) : value, computeType_, type_));
    });
  }

  static void boundVariables(const Node &node, std::set<size_t> &bound) {
    if (node.kind == Kind::Reduce)
      bound.insert(node.variables.begin(), node.variables.end());
    for (const NodePtr &operand : node.operands)
      boundVariables(*operand, bound);
  }

  /// A temporary has the extents that its statement gives its indices.
  void declare(const std::vector<size_t> &target, const Variables &variables) {
    const std::string &name = statement_.target.tensor.text;
    if (tensors_.contains(name))
      return;
    std::vector<int64_t> shape;
    for (size_t variable : target) {
      if (variables[variable].extent < 0)
        throw Unsupported("know how far '" + variables[variable].name + "' runs");
      shape.push_back(variables[variable].extent);
    }
    tensors_.emplace(name, Tensor(shape, type_, false, 0, true));
  }

  void take(int64_t place, const Value &value) {
    const auto [found, isNew] = sums_.try_emplace(place);
    Sum &sum = found->second;
    if (isNew)
      sum = before(place);
    if (takesIn()) {
      const auto ofBools = [&] {
        return callOf(syntax::Function::Or, {sum.value, value}, {type_, type_}, ValueType::Bool, 0);
      };
      sum.value = statement_.op == Op::Or ? ofBools() : betterOf(sum.value, value, type_, statement_.op == Op::Max);
      return;
    }
    sum.value = sum.addends == 0 ? value : sumOf(sum.value, value, type_, 0);
    ++sum.addends;
  }

  /// What an element holds as the statement begins.
  Sum before(int64_t place) const {
    Sum sum;
    if (statement_.op != Op::Assign)
      sum = {tensors_.at(statement_.target.tensor.text).at(place), 1};
    return sum;
  }

  void store() {
    Tensor &target = tensors_.at(statement_.target.tensor.text);
    Tensor written = statement_.op == Op::Assign
                         ? Tensor(target.shape(), type_, target.isSparse(), target.fillValue(), true)
                         : target;
    for (auto &[place, sum] : sums_) {
      if (!isExact(type_))
        sum.value.error += evaluation_.epsilon * sum.addends * sum.value.magnitude;
      written.set(place, sum.value);
    }
    target = std::move(written);
  }

  const syntax::Statement &statement_;
  Tensors &tensors_;
  const Types &types_;
  Evaluation &evaluation_;
  ValueType type_ = ValueType::F64;
  ValueType computeType_ = ValueType::F64;
  std::unordered_map<int64_t, Sum> sums_;
};

} // namespace

/// Of the types that conversions name.
static double castEpsilon(const syntax::Expr &expr, const Types &types) {
  double epsilon = 0;
  if (const auto *call = std::get_if<syntax::Call>(&expr.node); call && call->function == syntax::Function::Cast)
    epsilon = epsilonOf(typeOf(expr, {}, types).value_or(ValueType::F64));
  for (const syntax::Expr *child : syntax::children(expr))
    epsilon = std::max(epsilon, castEpsilon(*child, types));
  return epsilon;
}

void evaluate(const syntax::Kernel &kernel, Tensors &tensors, const Types &types, double epsilon) {
  const auto hasAny = [&](bool (Tensor::*holds)() const) {
    return std::any_of(tensors.begin(), tensors.end(), [&](const auto &named) { return (named.second.*holds)(); });
  };
  if (hasAny(&Tensor::isPadded) && hasAny(&Tensor::hasNonFinite))
    throw Unsupported("know where padding meets infinities or NaNs");
  Evaluation evaluation{epsilon};
  for (const syntax::Statement &statement : kernel.statements)
    evaluation.epsilon = std::max(evaluation.epsilon, castEpsilon(*statement.value, types));
  for (const syntax::Statement &statement : kernel.statements)
    StatementVisitor(statement, tensors, types, evaluation).run();
}

} // namespace spc::reference
