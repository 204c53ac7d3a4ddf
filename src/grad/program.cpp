// Names, variables and accesses of the program.
#include "grad/program.h"

#include "language/index.h"
#include "sema/amounts.h"
#include "sema/expression_types.h"

#include <algorithm>

namespace spc::grad {

std::string Program::extentOf(TensorId tensor, size_t dim) const {
  return textOf(kernel.tensors[tensor].extents[dim]);
}

std::string Program::textOf(sema::ExtentId id) const {
  const sema::Extent &extent = kernel.extents[id];
  return extent.fixed          ? std::to_string(*extent.fixed)
         : extent.sums.empty() ? extent.name
                               : sema::textOf(extent.sums.front(), kernel);
}

TensorId Program::add(const std::string &base, TensorInfo info, sema::ValueType type,
                      const std::vector<sema::ExtentId> &extents) {
  sema::Tensor tensor;
  tensor.name = freshName(base);
  tensor.type = type;
  tensor.extents = extents;
  infos.push_back(std::move(info));
  return kernel.tensors.add(std::move(tensor));
}

std::string Program::freshName(const std::string &base) {
  const auto isVariable = [&](const std::string &name) {
    return std::any_of(scope.variables.begin(), scope.variables.end(),
                       [&](const sema::Variable &variable) { return variable.name == name; });
  };
  std::string name = base;
  for (int k = 2; isVariable(name) || !taken.insert(name).second; ++k)
    name = base + "_" + std::to_string(k);
  return name;
}

VariableId Program::variable(const std::string &name) {
  for (const VariableId id : scope.variables.ids())
    if (scope.variables[id].name == name && isPlain(id))
      return id;
  return scope.variables.add({name});
}

VariableId Program::index(const std::vector<sema::Variable::Multiple> &terms, int64_t constant) {
  if (constant == 0 && terms.size() == 1 && terms.front().scale == 1)
    return terms.front().variable;
  for (const VariableId id : scope.variables.ids())
    if (!isPlain(id) && scope.variables[id].terms == terms && scope.variables[id].constant == constant)
      return id;
  language::Index written;
  written.constant = constant;
  for (const sema::Variable::Multiple &term : terms)
    written.terms.push_back({{nameOf(term.variable), {}}, term.scale});
  sema::Variable derived{language::spellingOf(written), sema::Variable::Kind::Derived};
  derived.terms = terms;
  derived.constant = constant;
  return scope.variables.add(std::move(derived));
}

VariableId Program::freshVariable(const std::set<VariableId> &others) {
  static constexpr std::string_view kLetters = "ijklpqrstuvw";
  for (size_t k = 0;; ++k) {
    const std::string name = std::string(1, kLetters[k % kLetters.size()]) +
                             (k < kLetters.size() ? "" : std::to_string(k / kLetters.size()));
    const auto hasName = [&](VariableId other) { return nameOf(other) == name; };
    if (!taken.contains(name) && std::none_of(others.begin(), others.end(), hasName))
      return variable(name);
  }
}

VariableId Program::variableFor(const Node &body, std::set<VariableId> others) {
  any(body, [&](const Node &part) {
    if (const auto *value = std::get_if<IndexNode>(&part.kind))
      others.insert(value->variable);
    if (const Access *read = accessIn(part)) {
      const Variables indices = variablesOf(*read);
      others.insert(indices.begin(), indices.end());
    }
    if (const auto *reduction = std::get_if<ReduceNode>(&part.kind))
      others.insert(reduction->variables.begin(), reduction->variables.end());
    return false;
  });
  return freshVariable(others);
}

void Program::separate(ReduceNode &reduction, std::set<VariableId> &used) {
  for (VariableId &variable : reduction.variables) {
    if (used.contains(variable)) {
      const VariableId other = variableFor(*reduction.body, used);
      renameVariable(*reduction.body, variable, other);
      variable = other;
    }
    used.insert(variable);
  }
}

void Program::separate(Node &node, std::set<VariableId> &used) {
  if (auto *reduction = std::get_if<ReduceNode>(&node.kind))
    separate(*reduction, used);
  for (Node *child : sema::children(node))
    separate(*child, used);
}

void Program::separateNested(Node &node, std::set<VariableId> around) {
  if (auto *reduction = std::get_if<ReduceNode>(&node.kind))
    separate(*reduction, around);
  for (Node *child : sema::children(node))
    separateNested(*child, around);
}

NodePtr Program::access(TensorId tensor, Variables indices) {
  return sema::makeNode(AccessNode{scope.intern({tensor, std::move(indices), {}, {}})}, {});
}

const Access *Program::accessIn(const Node &node) const {
  const auto *use = std::get_if<AccessNode>(&node.kind);
  return use ? &scope.accesses[use->access] : nullptr;
}

const Access *Program::readIn(const Node &node) const {
  const Access *read = accessIn(node);
  return read && !info(read->tensor).like ? read : nullptr;
}

void Program::forEachRead(const Node &node, const std::function<void(const Access &)> &visit) const {
  if (const Access *read = readIn(node))
    visit(*read);
  for (const Node *child : sema::children(node))
    forEachRead(*child, visit);
}

void Program::renameVariable(Node &node, VariableId from, VariableId to) {
  const auto renamed = [&](VariableId id) { return id == from ? to : id; };
  if (auto *value = std::get_if<IndexNode>(&node.kind))
    value->variable = renamed(value->variable);
  if (auto *use = std::get_if<AccessNode>(&node.kind)) {
    Access moved = scope.accesses[use->access];
    for (VariableId &id : moved.variables) {
      const sema::Variable before = scope.variables[id];
      std::vector<sema::Variable::Multiple> terms = before.terms;
      for (sema::Variable::Multiple &term : terms)
        term.variable = renamed(term.variable);
      id = isPlain(id) ? renamed(id) : index(terms, before.constant);
    }
    use->access = scope.intern(std::move(moved));
  }
  if (auto *reduction = std::get_if<ReduceNode>(&node.kind); reduction && reduction->rank == from)
    reduction->rank = to;
  if (auto *reduction = std::get_if<ReduceNode>(&node.kind))
    std::replace(reduction->variables.begin(), reduction->variables.end(), from, to);
  for (Node *child : sema::children(node))
    renameVariable(*child, from, to);
}

bool isTruth(const Node &node, const Program &program) {
  if (const Access *read = program.readIn(node))
    return program.typeOf(read->tensor) == sema::ValueType::Bool;
  if (const auto *reduction = std::get_if<ReduceNode>(&node.kind))
    return sema::isLogical(reduction->reduction);
  const auto *call = std::get_if<CallNode>(&node.kind);
  return call && (language::isLogical(call->function) ||
                  (call->function == Function::Cast && call->castTo == sema::ValueType::Bool));
}

sema::ValueType computedType(const Program &program, const Node &value, sema::ValueType target) {
  return sema::arithmeticType(
      sema::widest(target, sema::typeOf(value, program.scope, program.kernel).value_or(target)));
}

sema::ValueType impliedType(const Program &program, const Node &value) {
  return sema::typeOf(value, program.scope, program.kernel).value_or(sema::ValueType::F64);
}

} // namespace spc::grad
