#include "grad/derivative_writer.h"

#include <algorithm>

namespace spc::grad {
namespace {

Assignment statementOf(const std::string &target, const std::vector<std::string> &indices, language::AssignOp op,
                       ExprPtr value, bool isTemporary) {
  Assignment statement;
  statement.target = std::get<Access>(access(target, indices)->node);
  statement.op = op;
  statement.value = std::move(value);
  statement.isTemporary = isTemporary;
  return statement;
}

} // namespace

void contribute(std::vector<Contribution> &list, Contribution one) {
  const auto same = std::find_if(list.begin(), list.end(), [&](const Contribution &other) {
    return other.indices == one.indices && isSame(*other.addend.value, *one.addend.value);
  });
  if (same == list.end() && one.addend.coefficient != 0)
    list.push_back(std::move(one));
  else if (same != list.end() && (same->addend.coefficient += one.addend.coefficient) == 0)
    list.erase(same);
}

std::string DerivativeWriter::nameFor(const std::string &tensor) {
  return program_.fresh.tensor(prefix_ + tensor);
}

void DerivativeWriter::noteSeed(const std::string &seed, const std::string &tensor) {
  if (const std::string &owner = program_.info(tensor).pattern; !owner.empty())
    patterns_[seed] = owner;
  seeds_.insert(seed);
  likes_[seed] = tensor;
}

Mask DerivativeWriter::maskOf(const std::string &tensor, const std::vector<std::string> &indices) const {
  const std::string &owner = program_.info(tensor).pattern;
  return owner.empty() ? Mask{} : Mask{owner, indices};
}

void DerivativeWriter::writeSum(const std::string &name, const std::string &tensor,
                                std::vector<Contribution> contributions, bool isTemporary) {
  std::vector<std::vector<std::string>> lists;
  for (const Contribution &one : contributions)
    if (std::find(lists.begin(), lists.end(), one.indices) == lists.end())
      lists.push_back(one.indices);
  likes_[name] = tensor;
  const TensorInfo &like = program_.info(tensor);
  const bool isAssembled = !like.pattern.empty() && readsOthers(contributions, like.pattern);
  if (isAssembled)
    derivative.assembled.emplace_back(name, tensor);
  std::set<std::string> owners;
  for (const std::vector<std::string> &indices : lists) {
    std::vector<Addend> addends;
    if (isAssembled && &indices == &lists.front()) // an entry wherever the tensor has one
      addends.push_back({select(call(Function::Pattern, access(like.pattern, indices)), number(0), number(0))});
    for (Contribution &one : contributions)
      if (one.indices == indices)
        addends.push_back(std::move(one.addend));
    separateVariables(addends, indices);
    const bool isFirst = &indices == &lists.front();
    ExprPtr value = sumOf(std::move(addends));
    separateExtents(*value, tensor, indices);
    Statement sum;
    sum.indices = indices;
    sum.value = clone(*value);
    owners.insert(addends_.inferredOwner(name, sum));
    bool isSized = true;
    for (const std::string &index : indices) {
      bool indexesSome = false;
      any(*value, [&](const Expr &part) {
        const auto *read = std::get_if<Access>(&part.node);
        for (size_t dim = 0; read && dim < read->indices.size(); ++dim)
          indexesSome |= read->indices[dim].isPlain() && read->indices[dim].text == index;
        return false;
      });
      isSized &= indexesSome;
    }
    if (isTemporary && isFirst && !isSized)
      derivative.sized.emplace_back(name, tensor);
    derivative.statements.push_back(statementOf(name, indices,
                                                isFirst ? language::AssignOp::Assign : language::AssignOp::Add,
                                                std::move(value), isTemporary && isFirst));
  }
  if (!like.pattern.empty())
    patterns_[name] = isAssembled ? name : like.pattern;
  else if (isTemporary && !owners.contains(""))
    patterns_[name] = owners.size() == 1 ? *owners.begin() : name;
  else if (!isTemporary && !owners.contains("") && !like.extents.empty())
    derivative.dense.emplace_back(name, tensor);
}

std::string DerivativeWriter::extentOf(const std::string &variable, const Expr &around) const {
  std::string extent;
  any(around, [&](const Expr &part) {
    const auto *read = std::get_if<Access>(&part.node);
    for (size_t dim = 0; read && extent.empty() && dim < read->indices.size(); ++dim) {
      if (!read->indices[dim].isPlain() || read->indices[dim].text != variable)
        continue;
      const auto like = likes_.find(read->tensor);
      extent = program_.info(like == likes_.end() ? read->tensor : like->second).extents[dim];
    }
    return !extent.empty();
  });
  return extent;
}

void DerivativeWriter::separateVariables(std::vector<Addend> &addends, const std::vector<std::string> &indices) const {
  std::map<std::string, std::string> extents;
  std::set<std::string> used(indices.begin(), indices.end());
  for (Addend &one : addends)
    for (const std::string &variable : freeVariables(*one.value)) {
      const std::string extent = contains(indices, variable) ? "" : extentOf(variable, *one.value);
      if (extent.empty())
        continue;
      const auto [known, isNew] = extents.emplace(variable, extent);
      used.insert(variable);
      if (known->second == extent)
        continue;
      const std::string other = program_.fresh.variableFor(*one.value, used);
      renameVariable(*one.value, variable, other);
      extents.emplace(other, extent);
      used.insert(other);
    }
}

bool DerivativeWriter::isWindowed(const std::string &tensor, size_t dim) const {
  const auto isSuch = [&](const Expr &part) {
    const auto *read = std::get_if<Access>(&part.node);
    return read && read->tensor == tensor && dim < read->indices.size() && !read->indices[dim].isPlain();
  };
  return std::any_of(program_.statements.begin(), program_.statements.end(),
                     [&](const Statement &statement) { return any(*statement.value, isSuch); });
}

void DerivativeWriter::separateExtents(Expr &value, const std::string &tensor,
                                       const std::vector<std::string> &indices) const {
  std::set<std::string> used(indices.begin(), indices.end()), windows;
  std::vector<Expr *> reads;
  const std::function<void(Expr &)> collect = [&](Expr &part) {
    const auto *read = std::get_if<Access>(&part.node);
    for (size_t dim = 0; read && dim < read->indices.size(); ++dim)
      if (!read->indices[dim].isPlain())
        windows.insert(read->tensor + " " + std::to_string(dim));
    if (read && program_.names.contains(read->tensor))
      reads.push_back(&part);
    for (Expr *child : mutableChildren(part))
      collect(*child);
  };
  collect(value);
  const std::vector<std::string> &extents = program_.info(tensor).extents;
  for (Expr *read : reads) {
    Access moved = std::get<Access>(read->node);
    const std::string name = moved.tensor;
    const std::vector<std::string> &known = program_.info(name).extents;
    ExprPtr condition;
    std::vector<std::string> summed;
    for (size_t dim = 0; dim < moved.indices.size(); ++dim) {
      const auto index = std::find(indices.begin(), indices.end(), moved.indices[dim].text);
      if (index == indices.end() || dim >= known.size() || known[dim] == extents[index - indices.begin()] ||
          !isWindowed(name, dim) || windows.contains(name + " " + std::to_string(dim)))
        continue;
      summed.push_back(program_.fresh.variableFor(value, used));
      used.insert(summed.back());
      ExprPtr equal = call(Function::Equal, indexValue(summed.back()), indexValue(*index));
      condition = condition ? call(Function::And, std::move(condition), std::move(equal)) : std::move(equal);
      moved.indices[dim] = indexOf(summed.back());
    }
    if (condition) {
      ExprPtr chosen = select(std::move(condition), access(name, std::move(moved.indices)), number(0));
      read->node = std::move(reduce(Reduction::Sum, summed, std::move(chosen))->node);
    }
  }
}

bool DerivativeWriter::readsOthers(const std::vector<Contribution> &contributions, const std::string &owner) const {
  return std::any_of(contributions.begin(), contributions.end(), [&](const Contribution &one) {
    return addends_.readsOthers(*one.addend.value, {owner, one.indices});
  });
}

void DerivativeWriter::writeZero(const std::string &name, const std::string &tensor, const std::string &sizedBy) {
  std::set<std::string> used;
  std::vector<std::string> indices;
  for (size_t dim = 0; dim < program_.info(tensor).extents.size(); ++dim) {
    indices.push_back(program_.fresh.variable(used));
    used.insert(indices.back());
  }
  ExprPtr value = number(0);
  if (!sizedBy.empty() && !indices.empty())
    value = binary(BinaryOp::Mul, std::move(value), call(Function::Pattern, access(sizedBy, indices)));
  derivative.statements.push_back(statementOf(name, indices, language::AssignOp::Assign, std::move(value), false));
}

} // namespace spc::grad
