#include "reference/nodes.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <set>

namespace spc::reference {

namespace {

using Kind = Node::Kind;

constexpr const char *kTooMany = "visit more than 10^8 points";

/// An addend of a right side: products are joined over the entries of their sparse factors.
class AddendVisitor {
public:
  AddendVisitor(const Node &expr, Variables &variables, double epsilon, int64_t &points)
      : variables_(variables), epsilon_(epsilon), points_(points) {
    factorsOf(expr);
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
      throw Unsupported(kTooMany);
    Value one;
    one.number = one.magnitude = 1;
    join(0, one, take);
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
    if (node.kind != Kind::Access || !node.tensor->isSparse() || node.tensor->missing() != 0)
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
      join(depth + 1, productOf(before, tensor.at(place), epsilon_), take);
    }
  }

  template <class Take> void loop(size_t depth, const Value &before, Take &take) {
    if (depth < loops_.size()) {
      Variable &variable = variables_[loops_[depth]];
      for (variable.at = 0; variable.at < variable.extent; ++variable.at)
        loop(depth + 1, before, take);
      return;
    }
    if (++points_ > kMostPoints)
      throw Unsupported(kTooMany);
    Value value = before;
    for (const Node *factor : factors_)
      value = productOf(value, valueOf(*factor, variables_, epsilon_), epsilon_);
    take(value);
  }

  Variables &variables_;
  const double epsilon_;
  int64_t &points_;
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
  StatementVisitor(const syntax::Statement &statement, Tensors &tensors, double epsilon, int64_t &points)
      : statement_(statement), tensors_(tensors), epsilon_(epsilon), points_(points) {}

  void run() {
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

  bool computesWithIntegers(const syntax::Expr &expr) const {
    if (const auto *access = std::get_if<syntax::Access>(&expr.node)) {
      const auto tensor = tensors_.find(access->tensor.text);
      return tensor != tensors_.end() && epsilonOf(tensor->second.type()) == 0;
    }
    const std::vector<const syntax::Expr *> below = syntax::children(expr);
    return std::any_of(below.begin(), below.end(), [&](const auto *child) { return computesWithIntegers(*child); });
  }

  void visit(const syntax::Expr &expr, bool isNegated) {
    Variables variables;
    Resolver resolver(tensors_, variables, computesWithIntegers(expr));
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
    const NodePtr node = resolver.resolve(expr);
    std::set<size_t> inner;
    boundVariables(*node, inner);
    for (size_t variable = 0; variable < variables.size(); ++variable)
      if (!inner.contains(variable))
        free.insert(variable);
    declare(target, variables);
    const std::vector<int64_t> &shape = tensors_.at(statement_.target.tensor.text).shape();
    AddendVisitor visitor(*node, variables, epsilon_, points_);
    visitor.visit(free, [&](Value value) {
      int64_t place = 0;
      for (size_t dim = 0; dim < target.size(); ++dim)
        place = place * shape[dim] + variables[target[dim]].at;
      if (isNegated)
        value.number = -value.number;
      if (!value.isMissing || takesIn())
        take(place, value);
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
    tensors_.emplace(name, Tensor(shape, sema::ValueType::F64, false, 0));
  }

  void take(int64_t place, const Value &value) {
    const auto [found, isNew] = sums_.try_emplace(place);
    Sum &sum = found->second;
    if (isNew)
      sum = before(place);
    if (!takesIn()) {
      sum.value = sumOf(sum.value, value, 0);
      ++sum.addends;
      return;
    }
    const double a = sum.value.number.real(), b = value.number.real();
    const double error = std::max(sum.value.error, value.error);
    const bool isBetter = statement_.op == Op::Min ? b < a : statement_.op == Op::Max ? b > a : b != 0;
    if (isBetter || std::isnan(b))
      sum.value = value;
    if (statement_.op == Op::Or) {
      sum.value.number = a != 0 || b != 0;
      sum.value.error = error > 0 ? std::numeric_limits<double>::infinity() : 0;
      return;
    }
    sum.value.error = error;
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
                         ? Tensor(target.shape(), target.type(), target.isSparse(), target.missing())
                         : target;
    for (auto &[place, sum] : sums_) {
      sum.value.error += epsilon_ * sum.addends * sum.value.magnitude;
      written.set(place, sum.value);
    }
    target = std::move(written);
  }

  const syntax::Statement &statement_;
  Tensors &tensors_;
  const double epsilon_;
  int64_t &points_;
  std::unordered_map<int64_t, Sum> sums_;
};

} // namespace

void evaluate(const syntax::Kernel &kernel, Tensors &tensors, double epsilon) {
  int64_t points = 0;
  for (const syntax::Statement &statement : kernel.statements)
    StatementVisitor(statement, tensors, epsilon, points).run();
}

} // namespace spc::reference
