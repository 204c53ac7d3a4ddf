#include "sema/plan/nan_count.h"

#include <set>

namespace spc::sema {
namespace {

/// count += i64(y(i) != y(i)), of a dense tensor of floats.
Term countOf(const Kernel &kernel, TensorId id, Span where) {
  const Tensor &tensor = kernel.tensors[id];
  Term term;
  term.where = where;
  Operand operand;
  operand.tensor = id;
  operand.indices.resize(tensor.extents.size());
  for (const format::Level &level : tensor.format.levels) {
    const ExtentId extent = tensor.extents[static_cast<size_t>(level.dim)];
    const LoopId loop =
        term.loops.add({.variable = kernel.extents[extent].name, .extent = extent, .isReduction = true});
    operand.indices[static_cast<size_t>(level.dim)].terms.push_back({loop});
  }
  term.operands.push_back(std::move(operand));
  const ValueType type = arithmeticType(tensor.type);
  Call differs{Function::NotEqual, {}};
  for (int side = 0; side < 2; ++side)
    differs.arguments.push_back(makeExpr(Use{OperandId(0)}, type));
  Call number{Function::Cast, {}};
  number.arguments.push_back(makeExpr(std::move(differs), ValueType::Bool));
  term.expr = makeExpr(std::move(number), ValueType::I64);
  return term;
}

} // namespace

bool isPart(const Kernel &kernel, const Statement &statement) {
  const auto *temporary = kernel.tensors[statement.target].as<Temporary>();
  return temporary && temporary->isPart;
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

void appendNanCount(Kernel &kernel, size_t given, size_t begin, TensorId count) {
  Statement statement;
  statement.target = count;
  statement.computeType = ValueType::I64;
  statement.zeroFirst = true;
  std::set<TensorId> seen;
  bool hasTemporaries = false;
  for (size_t k = begin; k < kernel.steps.size(); ++k) {
    const auto &own = std::get<Statement>(kernel.steps[k]);
    statement.where = own.where;
    hasTemporaries |= own.target.index() >= given;
    if (!isPart(kernel, own) && isFloat(kernel.tensors[own.target].type) && seen.insert(own.target).second)
      statement.terms.push_back(countOf(kernel, own.target, own.where));
  }
  if (!hasTemporaries)
    statement.terms.clear();
  kernel.steps.emplace_back(std::move(statement));
}

} // namespace spc::sema
