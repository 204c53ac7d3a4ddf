// What the modes share: names of derivatives, and statements that add up.
#include "grad/derivative_writer.h"

#include <algorithm>

namespace spc::grad {

TensorId DerivativeWriter::derivativeFor(TensorId tensor, const std::string &name) {
  TensorInfo info;
  info.like = tensor;
  info.typeName = program_.info(tensor).typeName;
  const sema::Tensor &like = program_.kernel.tensors[tensor];
  return program_.add(prefix_ + name, std::move(info), like.type, like.extents);
}

TensorId DerivativeWriter::seedFor(TensorId tensor, const std::string &name) {
  const TensorId seed = derivativeFor(tensor, name);
  program_.infos[seed].isSeed = true;
  program_.infos[seed].pattern = program_.info(tensor).pattern;
  return seed;
}

Mask DerivativeWriter::maskOf(TensorId tensor, const Variables &indices) const {
  const std::optional<TensorId> owner = program_.info(tensor).pattern;
  return owner ? Mask{owner, indices} : Mask{};
}

void DerivativeWriter::add(std::vector<Contribution> &list, Contribution one) const {
  const auto same = std::find_if(list.begin(), list.end(), [&](const Contribution &other) {
    return other.indices == one.indices && program_.isSame(*other.addend.value, *one.addend.value);
  });
  if (same == list.end() && one.addend.coefficient != 0)
    list.push_back(std::move(one));
  else if (same != list.end() && (same->addend.coefficient += one.addend.coefficient) == 0)
    list.erase(same);
}

void DerivativeWriter::writeSum(TensorId tensor, std::vector<Contribution> contributions, bool isTemporary) {
  std::vector<Variables> lists;
  for (const Contribution &one : contributions)
    if (std::find(lists.begin(), lists.end(), one.indices) == lists.end())
      lists.push_back(one.indices);
  const std::optional<TensorId> pattern = program_.info(*program_.info(tensor).like).pattern;
  const bool isAssembled = pattern && readsOthers(contributions, *pattern);
  if (isAssembled)
    derivative.assembled.push_back(tensor);
  std::set<std::optional<TensorId>> owners;
  for (const Variables &indices : lists) {
    const bool isFirst = &indices == &lists.front();
    std::vector<Addend> addends;
    if (isAssembled && isFirst) // an entry wherever the tensor has one
      addends.push_back({select(call(Function::Pattern, program_.access(*pattern, indices)), number(0), number(0))});
    for (Contribution &one : contributions)
      if (one.indices == indices)
        addends.push_back(std::move(one.addend));
    separateVariables(addends, indices);
    Statement sum{tensor, indices, sumOf(std::move(addends)), {}};
    separateExtents(*sum.value, *program_.info(tensor).like, indices);
    owners.insert(addends_.inferredOwner(sum));
    if (isTemporary && isFirst && !isSized(*sum.value, indices))
      derivative.sized.push_back(tensor);
    derivative.statements.push_back({tensor, indices, isFirst ? language::AssignOp::Assign : language::AssignOp::Add,
                                     std::move(sum.value), isTemporary && isFirst});
  }
  const bool isDense = owners.contains(std::nullopt);
  if (pattern)
    program_.infos[tensor].pattern = isAssembled ? tensor : *pattern;
  else if (isTemporary && !isDense)
    program_.infos[tensor].pattern = owners.size() == 1 ? *owners.begin() : tensor;
  else if (!isTemporary && !isDense && !program_.kernel.tensors[tensor].extents.empty())
    derivative.dense.push_back(tensor);
}

bool DerivativeWriter::isSized(const Node &value, const Variables &indices) const {
  return std::all_of(indices.begin(), indices.end(), [&](VariableId index) {
    return any(value, [&](const Node &part) {
      const Access *read = program_.accessIn(part);
      return read && contains(read->variables, index);
    });
  });
}

std::string DerivativeWriter::extentOf(VariableId variable, const Node &around) const {
  std::string extent;
  any(around, [&](const Node &part) {
    const Access *read = program_.accessIn(part);
    for (size_t dim = 0; read && extent.empty() && dim < read->variables.size(); ++dim)
      if (read->variables[dim] == variable)
        extent = program_.extentOf(read->tensor, dim);
    return !extent.empty();
  });
  return extent;
}

void DerivativeWriter::separateVariables(std::vector<Addend> &addends, const Variables &indices) const {
  std::map<VariableId, std::string> extents;
  std::set<VariableId> used(indices.begin(), indices.end());
  for (Addend &one : addends)
    for (const VariableId variable : program_.freeVariables(*one.value)) {
      const std::string extent = contains(indices, variable) ? "" : extentOf(variable, *one.value);
      if (extent.empty())
        continue;
      const auto [known, isNew] = extents.emplace(variable, extent);
      used.insert(variable);
      if (known->second == extent)
        continue;
      const VariableId other = program_.variableFor(*one.value, used);
      program_.renameVariable(*one.value, variable, other);
      extents.emplace(other, extent);
      used.insert(other);
    }
}

bool DerivativeWriter::isWindowed(TensorId tensor, size_t dim) const {
  const auto isSuch = [&](const Node &part) {
    const Access *read = program_.accessIn(part);
    return read && read->tensor == tensor && dim < read->variables.size() && !program_.isPlain(read->variables[dim]);
  };
  return std::any_of(program_.statements.begin(), program_.statements.end(),
                     [&](const Statement &statement) { return any(*statement.value, isSuch); });
}

void DerivativeWriter::separateExtents(Node &value, TensorId tensor, const Variables &indices) const {
  std::set<VariableId> used(indices.begin(), indices.end());
  std::set<std::pair<TensorId, size_t>> windows;
  std::vector<Node *> reads;
  const std::function<void(Node &)> collect = [&](Node &part) {
    const Access *read = program_.accessIn(part);
    for (size_t dim = 0; read && dim < read->variables.size(); ++dim)
      if (!program_.isPlain(read->variables[dim]))
        windows.emplace(read->tensor, dim);
    if (program_.readIn(part))
      reads.push_back(&part);
    for (Node *child : sema::children(part))
      collect(*child);
  };
  collect(value);
  for (Node *read : reads) {
    const Access from = *program_.accessIn(*read);
    Variables moved = from.variables, summed;
    NodePtr condition;
    for (size_t dim = 0; dim < moved.size(); ++dim) {
      const auto index = std::find(indices.begin(), indices.end(), moved[dim]);
      if (index == indices.end() ||
          program_.extentOf(from.tensor, dim) == program_.extentOf(tensor, index - indices.begin()) ||
          !isWindowed(from.tensor, dim) || windows.contains({from.tensor, dim}))
        continue;
      summed.push_back(program_.variableFor(value, used));
      used.insert(summed.back());
      NodePtr equal = call(Function::Equal, indexValue(summed.back()), indexValue(*index));
      condition = condition ? call(Function::And, std::move(condition), std::move(equal)) : std::move(equal);
      moved[dim] = summed.back();
    }
    if (condition) {
      NodePtr chosen = select(std::move(condition), program_.access(from.tensor, std::move(moved)), number(0));
      read->kind = std::move(reduce(Reduction::Sum, summed, std::move(chosen))->kind);
    }
  }
}

bool DerivativeWriter::readsOthers(const std::vector<Contribution> &contributions, TensorId owner) const {
  return std::any_of(contributions.begin(), contributions.end(), [&](const Contribution &one) {
    return addends_.readsOthers(*one.addend.value, {owner, one.indices});
  });
}

void DerivativeWriter::writeZero(TensorId tensor, std::optional<TensorId> sizedBy) {
  std::set<VariableId> used;
  Variables indices;
  for (size_t dim = 0; dim < program_.kernel.tensors[tensor].extents.size(); ++dim) {
    indices.push_back(program_.freshVariable(used));
    used.insert(indices.back());
  }
  NodePtr value = number(0);
  if (sizedBy && !indices.empty())
    value = binary(BinaryOp::Mul, std::move(value), call(Function::Pattern, program_.access(*sizedBy, indices)));
  derivative.statements.push_back({tensor, indices, language::AssignOp::Assign, std::move(value), false});
}

} // namespace spc::grad
