#include "sema/cost.h"

#include "format/levels.h"
#include "sema/plan/settled_loops.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <vector>

namespace spc::sema {
namespace {

/// The sparse operands that decide together where a term is computed.
using Product = std::set<OperandId>;

constexpr size_t kMaxProducts = 64;

bool isWithin(const Product &a, const Product &b) {
  return std::includes(b.begin(), b.end(), a.begin(), a.end());
}

/// Adds a product to a sum of them. One that asks for more operands than another visits fewer points.
void addTo(std::vector<Product> &sum, Product product) {
  const auto covers = [&](const Product &other) { return isWithin(other, product); };
  if (std::any_of(sum.begin(), sum.end(), covers))
    return;
  std::erase_if(sum, [&](const Product &other) { return isWithin(product, other); });
  sum.push_back(std::move(product));
}

std::vector<Product> anyOf(const std::vector<Product> &left, const std::vector<Product> &right) {
  std::vector<Product> sum = left;
  for (const Product &product : right)
    addTo(sum, product);
  return sum;
}

/// What all visit is no more than what one of them does: the shorter sum, where there would be very many products.
std::vector<Product> allOf(const std::vector<Product> &left, const std::vector<Product> &right) {
  if (left.size() * right.size() > kMaxProducts)
    return left.size() < right.size() ? left : right;
  std::vector<Product> sum;
  for (const Product &one : left)
    for (Product other : right) {
      other.insert(one.begin(), one.end());
      addTo(sum, std::move(other));
    }
  return sum;
}

/// A domain as a sum of products of operands.
std::vector<Product> productsOfDomain(const Domain &domain) {
  std::vector<Product> sum;
  switch (domain.kind) {
  case Domain::Kind::Stored:
    return {Product{domain.operand}};
  case Domain::Kind::Everywhere:
  case Domain::Kind::Missing:
    return {{}};
  case Domain::Kind::Any:
    for (const Domain &part : domain.parts)
      sum = anyOf(sum, productsOfDomain(part));
    return sum;
  case Domain::Kind::All:
    sum = {{}};
    for (const Domain &part : domain.parts)
      sum = allOf(sum, productsOfDomain(part));
    return sum;
  }
  return sum;
}

class TermCost {
public:
  TermCost(const Term &term, const Statement &statement, const Kernel &kernel)
      : term_(term), statement_(statement), kernel_(kernel) {}

  std::vector<CostProduct> addends() const {
    std::vector<CostProduct> result;
    for (const Product &product : products())
      result.push_back(factorsOf(product));
    return result;
  }

private:
  std::vector<Product> products() const {
    return term_.domain ? productsOfDomain(*term_.domain) : productsOf(*term_.expr);
  }

  /// Of arithmetic without a domain.
  std::vector<Product> productsOf(const Expr &expr) const {
    if (const auto *negate = std::get_if<Negate>(&expr.node))
      return productsOf(*negate->operand);
    if (const auto *use = std::get_if<Use>(&expr.node)) {
      const Operand &operand = term_.operands[use->operand];
      const bool isSparse = !kernel_.tensors[operand.tensor].format.isDense() && !operand.follows;
      return {isSparse ? Product{use->operand} : Product{}};
    }
    const auto *binary = std::get_if<Binary>(&expr.node);
    if (!binary)
      return {{}};
    const std::vector<Product> left = productsOf(*binary->left);
    return binary->op == BinaryOp::Div   ? left
           : binary->op == BinaryOp::Mul ? allOf(left, productsOf(*binary->right))
                                         : anyOf(left, productsOf(*binary->right));
  }

  CostFactor extentOf(LoopId id, bool divides) const {
    const Loop &loop = term_.loops[id];
    return {{}, loop.extent, loop.part, loop.block, divides};
  }

  /// Those of the levels that say how many entries there are.
  std::set<LoopId> loopsOf(const Operand &operand) const {
    std::set<LoopId> loops;
    const auto levels = static_cast<size_t>(structureLevels(kernel_, operand.tensor));
    for (size_t k = 0; k < std::min(levels, operand.indices.size()); ++k)
      for (const IndexTerm &part : operand.indices[k].terms)
        loops.insert(part.loop);
    return loops;
  }

  /// Outer loops first.
  std::set<std::pair<std::set<LoopId>, OperandId>> byLoops(const Product &product) const {
    std::set<std::pair<std::set<LoopId>, OperandId>> sorted;
    for (OperandId number : product)
      sorted.emplace(loopsOf(term_.operands[number]), number);
    return sorted;
  }

  /// The entries of a tensor. Those of a part are counted with all others: what is done with one part is done with
  /// each.
  CostFactor entriesOf(TensorId id) const {
    CostFactor entries{entriesOwner(kernel_, id)};
    if (const Tensor &owner = kernel_.tensors[*entries.entriesOf]; owner.is<Tie>() && owner.order() == 2)
      return {{}, owner.extents.front()}; // one a row
    const std::vector<TensorId> parts = partsOf(kernel_, *entries.entriesOf);
    entries.otherParts.assign(parts.begin() + 1, parts.end());
    return entries;
  }

  /// What the entries of an operand are divided by for each point of the loops around: the extents that it shares.
  std::vector<CostFactor> divisorsOf(const Operand &operand, const std::set<LoopId> &covered) const {
    std::set<LoopId> counted;
    std::vector<CostFactor> divisors;
    const auto levels = static_cast<size_t>(structureLevels(kernel_, operand.tensor));
    for (size_t k = 0; k < std::min(levels, operand.indices.size()); ++k) {
      const Index &index = operand.indices[k];
      std::vector<LoopId> loops;
      for (const IndexTerm &part : index.terms)
        loops.push_back(part.loop);
      // A diagonal and a row are one column.
      const auto diagonal = std::find_if(
          loops.begin(), loops.end(), [&](LoopId loop) { return term_.loops[loop].part == format::Part::Difference; });
      const bool isColumn = loops.size() > 1 && diagonal != loops.end();
      if (isColumn && std::all_of(loops.begin(), loops.end(), [&](LoopId loop) { return covered.contains(loop); }))
        divisors.push_back({{}, term_.loops[*diagonal].extent, format::Part::Whole, 0, true});
      for (LoopId loop : isColumn ? std::vector<LoopId>() : loops)
        if (covered.contains(loop) && counted.insert(loop).second)
          divisors.push_back(extentOf(loop, true));
    }
    return divisors;
  }

  /// The blocks of an extent times their size are that extent.
  static CostProduct withWholeExtents(CostProduct product) {
    for (size_t k = 0; k < product.size(); ++k) {
      CostFactor &blocks = product[k];
      const auto size = std::find_if(product.begin(), product.end(), [&](const CostFactor &other) {
        return other.part == format::Part::Remainder && other.extent == blocks.extent && other.block == blocks.block &&
               other.divides == blocks.divides;
      });
      if (blocks.part != format::Part::Quotient || size == product.end())
        continue;
      blocks.part = format::Part::Whole;
      blocks.block = 0;
      if (size - product.begin() < static_cast<std::ptrdiff_t>(k))
        --k;
      product.erase(size);
    }
    return product;
  }

  /// Whether a value is known from where operands store entries, and not from what these are.
  static bool asksForPatterns(const Expr &expr) {
    const auto *call = std::get_if<Call>(&expr.node);
    const auto asks = [](const ExprPtr &part) { return asksForPatterns(*part); };
    return call && (call->function == Function::Pattern ||
                    ((call->function == Function::And || call->function == Function::Or) &&
                     std::all_of(call->arguments.begin(), call->arguments.end(), asks)));
  }

  /// The operand of which each row is only asked whether it has entries, which spc-factor-reductions does without a
  /// loop; nullopt where there is none.
  std::optional<OperandId> askedByRow() const {
    if (term_.loops.empty() || statement_.computeType != ValueType::Bool || !asksForPatterns(*term_.expr))
      return std::nullopt;
    const LoopId last(term_.loops.size() - 1);
    std::optional<OperandId> asked;
    for (OperandId number : term_.operands.ids()) {
      const std::vector<Index> &indices = term_.operands[number].indices;
      if (std::none_of(indices.begin(), indices.end(), [&](const Index &index) { return index.has(last); }))
        continue;
      const format::Format &format = kernel_.tensors[term_.operands[number].tensor].format;
      const bool isByRow = format.levels.size() == 2 && indices[1].has(last) && !indices[0].has(last) &&
                           format::kindOf(format, 0) == format::LevelKind::Dense &&
                           format::kindOf(format, 1) == format::LevelKind::Compressed;
      if (asked || !isByRow)
        return std::nullopt;
      asked = number;
    }
    return term_.loops[last].isReduction ? asked : std::nullopt;
  }

  CostProduct factorsOf(Product product) const {
    std::set<LoopId> covered;
    CostProduct result;
    const std::optional<OperandId> asked = askedByRow();
    if (asked && product.erase(*asked) > 0)
      covered.insert(LoopId(term_.loops.size() - 1));
    for (const auto &[own, number] : byLoops(product)) {
      std::set<LoopId> shared;
      std::set_intersection(own.begin(), own.end(), covered.begin(), covered.end(),
                            std::inserter(shared, shared.begin()));
      if (shared.size() == own.size() && !own.empty())
        continue;
      result.push_back(entriesOf(term_.operands[number].tensor));
      const std::vector<CostFactor> divisors = divisorsOf(term_.operands[number], covered);
      result.insert(result.end(), divisors.begin(), divisors.end());
      covered.insert(own.begin(), own.end());
    }
    const std::set<LoopId> settled = settledLoops(term_, statement_, kernel_, covered);
    for (LoopId loop : term_.loops.ids())
      if (!covered.contains(loop) && !settled.contains(loop))
        result.push_back(extentOf(loop, false));
    return withoutPairs(withWholeExtents(std::move(result)));
  }

  /// An extent that is divided by what it is multiplied with is none.
  static CostProduct withoutPairs(CostProduct product) {
    for (size_t k = 0; k < product.size(); ++k) {
      const auto undoes = [&](const CostFactor &other) {
        return !other.entriesOf && other.extent == product[k].extent && other.part == product[k].part &&
               other.block == product[k].block && other.divides != product[k].divides;
      };
      const auto pair = std::find_if(product.begin() + static_cast<std::ptrdiff_t>(k), product.end(), undoes);
      if (product[k].entriesOf || pair == product.end())
        continue;
      product.erase(pair);
      product.erase(product.begin() + static_cast<std::ptrdiff_t>(k--));
    }
    return product;
  }

  const Term &term_;
  const Statement &statement_;
  const Kernel &kernel_;
};

std::string textOf(const CostFactor &factor, const Kernel &kernel) {
  if (factor.entriesOf) {
    const Tensor &tensor = kernel.tensors[*factor.entriesOf];
    return "nnz(" + (factor.otherParts.empty() ? tensor.name : tensor.partOf) + ")";
  }
  const Extent &extent = kernel.extents[factor.extent];
  const std::string size = extent.fixed ? std::to_string(*extent.fixed) : extent.name;
  const std::string quotient = size + "/" + std::to_string(factor.block);
  return factor.part == format::Part::Quotient    ? (factor.divides ? "(" + quotient + ")" : quotient)
         : factor.part == format::Part::Remainder ? std::to_string(factor.block)
                                                  : size;
}

std::optional<double> valueOf(const CostFactor &factor, const CostSizes &sizes) {
  if (factor.entriesOf) {
    std::optional<double> entries = sizes.entries(*factor.entriesOf);
    for (TensorId part : factor.otherParts)
      if (const std::optional<double> more = sizes.entries(part); entries)
        entries = more ? std::optional(*entries + *more) : std::nullopt;
    return entries;
  }
  const auto block = static_cast<double>(factor.block);
  const double size = sizes.extent(factor.extent);
  return factor.part == format::Part::Quotient    ? std::ceil(size / block)
         : factor.part == format::Part::Remainder ? block
                                                  : size;
}

} // namespace

TensorId entriesOwner(const KernelHead &kernel, TensorId tensor) {
  const TensorId owner = structureOwner(kernel, tensor);
  if (const auto *copy = kernel.tensors[owner].as<Converted>())
    return entriesOwner(kernel, copy->source);
  return partsOf(kernel, owner).front();
}

std::vector<CostProduct> costOf(const Statement &statement, const Term &term, const Kernel &kernel) {
  return TermCost(term, statement, kernel).addends();
}

std::vector<CostProduct> costOf(const Statement &statement, const Kernel &kernel) {
  std::vector<CostProduct> addends;
  std::set<std::string> seen;
  for (const Term &term : statement.terms)
    for (CostProduct &product : costOf(statement, term, kernel))
      if (seen.insert(describe(product, kernel)).second)
        addends.push_back(std::move(product));
  return addends;
}

std::string describe(const CostProduct &product, const Kernel &kernel) {
  std::string text;
  for (const CostFactor &factor : product)
    text += (text.empty() ? "" : factor.divides ? "/" : "*") + textOf(factor, kernel);
  return text.empty() ? "1" : text;
}

std::string describe(const std::vector<CostProduct> &cost, const Kernel &kernel) {
  std::string sum;
  for (const CostProduct &product : cost)
    sum += (sum.empty() ? "" : " + ") + describe(product, kernel);
  return sum;
}

std::optional<double> evaluate(const std::vector<CostProduct> &cost, const CostSizes &sizes) {
  double sum = 0;
  for (const CostProduct &product : cost) {
    double value = 1;
    for (const CostFactor &factor : product) {
      const std::optional<double> size = valueOf(factor, sizes);
      if (!size)
        return std::nullopt;
      value = factor.divides ? (*size == 0 ? 0 : value / *size) : value * *size;
    }
    sum += value;
  }
  return sum;
}

} // namespace spc::sema
