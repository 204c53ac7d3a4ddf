#include "sema/plan/nan_count.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>

namespace spc::sema {
namespace {

/// An array with loops of its own, in the order of its dimensions.
CountedArray wholeOf(const Kernel &kernel, TensorId tensor) {
  CountedArray array{tensor, {}};
  for (size_t dim = 0; dim < kernel.tensors[tensor].extents.size(); ++dim)
    array.loops.push_back(dim);
  return array;
}

/// What reads an array in a term, and the loops through it, which are added where they are not there yet, in the order
/// in which the array is stored. `loops`: by number.
OperandId operandFor(const Kernel &kernel, const CountedArray &array, std::map<size_t, LoopId> &loops, Term &term) {
  const Tensor &tensor = kernel.tensors[array.tensor];
  Operand operand;
  operand.tensor = array.tensor;
  operand.indices.resize(tensor.extents.size());
  for (const format::Level &level : tensor.format.levels) {
    const auto dim = static_cast<size_t>(level.dim);
    const size_t number = array.loops[dim];
    if (!loops.contains(number)) {
      const ExtentId extent = tensor.extents[dim];
      loops[number] = term.loops.add({.variable = kernel.extents[extent].name, .extent = extent, .isReduction = true});
    }
    operand.indices[dim].terms.push_back({loops.at(number)});
  }
  return term.operands.add(std::move(operand));
}

/// count += i64(y(i) != y(i)), of a dense tensor of floats, or of a product. An infinity less itself is no number,
/// either.
Term countOf(const Kernel &kernel, const Counted &counted) {
  Term term;
  term.where = counted.where;
  std::map<size_t, LoopId> loops;
  std::vector<OperandId> factors;
  for (const CountedArray &array : counted.arrays) // of which a square lists one
    factors.push_back(array == counted.arrays.front() && !factors.empty() ? factors.front()
                                                                          : operandFor(kernel, array, loops, term));
  const ValueType type = arithmeticType(kernel.tensors[counted.arrays.front().tensor].type);
  Call differs{Function::NotEqual, {}};
  const auto value = [&] {
    ExprPtr product;
    for (OperandId id : factors) {
      ExprPtr use = makeExpr(Use{id}, type);
      product = product ? makeExpr(Binary{BinaryOp::Mul, std::move(product), std::move(use)}, type) : std::move(use);
    }
    return product;
  };
  for (int side = 0; side < 2; ++side)
    differs.arguments.push_back(counted.isFactor ? makeExpr(Binary{BinaryOp::Sub, value(), value()}, type) : value());
  Call number{Function::Cast, {}};
  number.arguments.push_back(makeExpr(std::move(differs), ValueType::Bool));
  term.expr = makeExpr(std::move(number), ValueType::I64);
  return term;
}

/// Whether a divisor, a number or a count that is at least 1, makes no quotient infinite but of an infinity.
bool isAtLeastOne(const Expr &divisor) {
  if (const auto *literal = std::get_if<Literal>(&divisor.node))
    return literal->value >= 1 && std::isfinite(literal->value);
  const auto *call = std::get_if<Call>(&divisor.node);
  const auto isOne = [](const ExprPtr &argument) { return isAtLeastOne(*argument); };
  if (call && call->function == Function::Max)
    return std::any_of(call->arguments.begin(), call->arguments.end(), isOne);
  return call && call->function == Function::Cast && isOne(call->arguments.front());
}

/// Finds the arrays that decide whether the terms of a statement are right: of each product of a sum that may have no
/// entries the one other factor, or the two, whose product is to be finite.
class FactorSearch {
public:
  FactorSearch(const Kernel &kernel, const Statement &statement) : kernel_(kernel), statement_(statement) {}

  /// Arrays, each with those that are multiplied with it; nullopt where a product is none such.
  std::optional<std::vector<std::vector<CountedArray>>> run() {
    for (const Term &term : statement_.terms) {
      term_ = &term;
      if (!addAll(*term.expr))
        return std::nullopt;
    }
    return std::move(found_);
  }

private:
  struct Product {
    std::vector<OperandId> lacking, others;
    bool isPlain = true; ///< of operands alone, and divisors that are at least 1
  };

  const Tensor &tensorOf(const Use &use) const { return kernel_.tensors[term_->operands[use.operand].tensor]; }

  static bool mayLack(const Tensor &tensor) {
    const auto *temporary = tensor.as<Temporary>();
    return temporary && temporary->mayLack;
  }

  /// Whether a value depends on a sum that may have no entries.
  bool hasLacking(const Expr &expr) const {
    const auto has = [&](const ExprPtr &part) { return hasLacking(*part); };
    if (const auto *use = std::get_if<Use>(&expr.node))
      return mayLack(tensorOf(*use));
    if (const auto *negate = std::get_if<Negate>(&expr.node))
      return has(negate->operand);
    if (const auto *binary = std::get_if<Binary>(&expr.node))
      return has(binary->left) || has(binary->right);
    const auto *call = std::get_if<Call>(&expr.node);
    return call && std::any_of(call->arguments.begin(), call->arguments.end(), has);
  }

  bool addAll(const Expr &expr) {
    if (!hasLacking(expr))
      return true;
    const auto *binary = std::get_if<Binary>(&expr.node);
    if (const auto *negate = std::get_if<Negate>(&expr.node))
      return addAll(*negate->operand);
    if (binary && (binary->op == BinaryOp::Add || binary->op == BinaryOp::Sub))
      return addAll(*binary->left) && addAll(*binary->right);
    Product product;
    collect(expr, product);
    if (!product.isPlain || product.lacking.size() != 1)
      return false;
    if (product.others.size() == 1)
      found_.push_back({wholeOf(kernel_, term_->operands[product.others.front()].tensor)});
    return product.others.size() <= 1 || addPair(product.others);
  }

  /// Adds a pair of factors, whichever of whose products with the sum comes first: where both together are finite, so
  /// is each. False where there are more, or together they have as many dimensions as the target.
  bool addPair(const std::vector<OperandId> &others) {
    std::vector<CountedArray> arrays;
    std::set<size_t> loops;
    for (OperandId id : others) {
      const Operand &operand = term_->operands[id];
      CountedArray array{operand.tensor, {}};
      for (const Index &index : operand.indices) {
        if (!index.isLoop())
          return false;
        array.loops.push_back(index.terms.front().loop.index());
      }
      if (kernel_.tensors[operand.tensor].type != statement_.computeType)
        return false;
      loops.insert(array.loops.begin(), array.loops.end());
      arrays.push_back(std::move(array));
    }
    if (arrays.size() != 2 || loops.size() >= term_->loops.size())
      return false;
    found_.push_back(std::move(arrays));
    return true;
  }

  void collect(const Expr &expr, Product &product) const {
    const auto *binary = std::get_if<Binary>(&expr.node);
    if (const auto *use = std::get_if<Use>(&expr.node)) {
      const Tensor &tensor = tensorOf(*use);
      const bool isFewer = tensor.format.isDense() && tensor.order() < kernel_.tensors[statement_.target].order();
      product.isPlain &= mayLack(tensor) || (isFewer && isFloat(tensor.type) && tensor.order() > 0);
      (mayLack(tensor) ? product.lacking : product.others).push_back(use->operand);
    } else if (const auto *negate = std::get_if<Negate>(&expr.node)) {
      collect(*negate->operand, product);
    } else if (binary &&
               (binary->op == BinaryOp::Mul || (binary->op == BinaryOp::Div && isAtLeastOne(*binary->right)))) {
      collect(*binary->left, product);
      if (binary->op == BinaryOp::Mul)
        collect(*binary->right, product);
    } else {
      product.isPlain = false;
    }
  }

  const Kernel &kernel_;
  const Statement &statement_;
  const Term *term_ = nullptr;
  std::vector<std::vector<CountedArray>> found_;
};

/// Whether a statement reads what one of these steps has made of sums that may have no entries: infinities that met
/// them are in that.
bool readsProducts(const Kernel &kernel, size_t begin, const Statement &reader) {
  const auto reads = [&](const Statement &statement, const auto &isSuch) {
    return std::any_of(statement.terms.begin(), statement.terms.end(), [&](const Term &term) {
      return std::any_of(term.operands.begin(), term.operands.end(),
                         [&](const Operand &operand) { return isSuch(operand.tensor); });
    });
  };
  const auto mayLack = [&](TensorId id) {
    const auto *temporary = kernel.tensors[id].as<Temporary>();
    return temporary && temporary->mayLack;
  };
  std::set<TensorId> made;
  for (size_t k = begin; k < kernel.steps.size(); ++k)
    if (const auto *statement = std::get_if<Statement>(&kernel.steps[k]);
        statement && statement != &reader &&
        (reads(*statement, mayLack) || reads(*statement, [&](TensorId id) { return made.contains(id); })))
      made.insert(statement->target);
  return reads(reader, [&](TensorId id) { return made.contains(id); });
}

} // namespace

bool isPart(const Kernel &kernel, const Statement &statement) {
  const auto *temporary = kernel.tensors[statement.target].as<Temporary>();
  return temporary && temporary->isPart;
}

std::vector<ExtentId> extentsOf(const Counted &counted, const Kernel &kernel) {
  std::vector<ExtentId> extents;
  for (const Loop &loop : countOf(kernel, counted).loops)
    extents.push_back(loop.extent);
  return extents;
}

TensorId addNanCount(Kernel &kernel) {
  Tensor count;
  count.name = "$" + std::to_string(kernel.tensors.size());
  count.role = Temporary{};
  count.type = ValueType::I64;
  count.format = format::denseFormat(0);
  count.isWritten = true;
  return kernel.tensors.add(std::move(count));
}

std::vector<Counted> whatCounts(const Kernel &kernel, size_t given, size_t begin) {
  std::vector<Counted> all;
  bool hasTemporaries = false;
  const auto add = [&](const Counted &counted) {
    const auto known =
        std::find_if(all.begin(), all.end(), [&](const Counted &one) { return one.arrays == counted.arrays; });
    if (known == all.end())
      all.push_back(counted);
    else
      known->isFactor |= counted.isFactor;
  };
  for (size_t k = begin; k < kernel.steps.size(); ++k) {
    const auto *statement = std::get_if<Statement>(&kernel.steps[k]);
    if (!statement)
      continue;
    hasTemporaries |= statement->target.index() >= given;
    if (isPart(kernel, *statement) || !isFloat(kernel.tensors[statement->target].type))
      continue;
    const std::optional<std::vector<std::vector<CountedArray>>> factors =
        readsProducts(kernel, begin, *statement) ? std::nullopt : FactorSearch(kernel, *statement).run();
    const auto *temporary = kernel.tensors[statement->target].as<Temporary>();
    if (factors && factors->empty() && temporary && temporary->mayLack)
      continue; // What is 0 for want of entries shows where it is read.
    if (!factors || factors->empty())
      add({{wholeOf(kernel, statement->target)}, false, statement->where});
    else
      for (const std::vector<CountedArray> &product : *factors)
        add({product, true, statement->where});
  }
  return hasTemporaries ? all : std::vector<Counted>();
}

void appendNanCount(Kernel &kernel, size_t given, size_t begin, TensorId count) {
  Statement statement;
  statement.target = count;
  statement.computeType = ValueType::I64;
  statement.zeroFirst = true;
  if (begin < kernel.steps.size())
    statement.where = std::get<Statement>(kernel.steps.back()).where;
  for (const Counted &counted : whatCounts(kernel, given, begin))
    statement.terms.push_back(countOf(kernel, counted));
  kernel.steps.emplace_back(std::move(statement));
}

} // namespace spc::sema
