#include "grad/program.h"

#include "sema/composed_reductions.h"

#include <algorithm>
#include <cctype>
#include <map>

namespace spc::grad {
namespace {

/// Reads the tree of one statement.
class Reader {
public:
  Reader(const sema::ResolvedStatement &source, const std::map<TensorId, TensorId> &values, Program &program)
      : source_(source), values_(values), program_(program) {}

  NodePtr read(const Node &node) const {
    NodePtr read = written(node);
    read->where = node.where;
    return read;
  }

  Variables read(const Variables &variables) const {
    Variables result;
    for (const VariableId variable : variables)
      result.push_back(read(variable));
    return result;
  }

private:
  /// The node as the source text has it, which may be a reduction that sema has made of others.
  NodePtr written(const Node &node) const {
    if (const std::optional<sema::ComposedReduction> composed = sema::composedReduction(node))
      return reduce(composed->reduction, read(composed->over->variables), read(*composed->body));
    if (const auto *use = std::get_if<AccessNode>(&node.kind)) {
      const Access &read = source_.scope.accesses[use->access];
      const auto value = values_.find(read.tensor);
      return program_.access(value == values_.end() ? read.tensor : value->second, this->read(read.variables));
    }
    if (const auto *index = std::get_if<IndexNode>(&node.kind))
      return indexValue(read(index->variable));
    if (const auto *reduction = std::get_if<ReduceNode>(&node.kind)) {
      const Node *counted = countedIn(*reduction);
      NodePtr result = reduce(counted ? Reduction::Count : reduction->reduction, read(reduction->variables),
                              read(counted ? *counted : *reduction->body));
      if (reduction->rank)
        std::get<ReduceNode>(result->kind).rank = read(*reduction->rank);
      return result;
    }
    if (const auto *minus = std::get_if<NegateNode>(&node.kind))
      return negate(read(*minus->operand));
    if (const auto *binary = std::get_if<BinaryNode>(&node.kind)) {
      NodePtr left = read(*binary->left);
      return grad::binary(binary->op, std::move(left), read(*binary->right));
    }
    if (const auto *call = std::get_if<CallNode>(&node.kind)) {
      CallNode result{call->function, call->castTo, {}, call->typeParameter};
      for (const NodePtr &argument : call->arguments)
        result.arguments.push_back(read(*argument));
      return sema::makeNode(std::move(result), {});
    }
    return clone(node);
  }

  /// An index variable of that name, or the sum that a derived one stands for.
  VariableId read(VariableId id) const {
    const sema::Variable &variable = source_.scope.variables[id];
    if (variable.kind != sema::Variable::Kind::Derived)
      return program_.variable(variable.name);
    std::vector<sema::Variable::Multiple> terms = variable.terms;
    for (sema::Variable::Multiple &term : terms)
      term.variable = read(term.variable);
    return program_.index(terms, variable.constant);
  }

  /// The access whose entries a sum counts, `sum(j, i64(pattern(A(i,j))))`; else nullptr.
  static const Node *countedIn(const ReduceNode &reduction) {
    const CallNode *cast = callOf(*reduction.body, Function::Cast);
    if (reduction.reduction != Reduction::Sum || !cast || cast->castTo != sema::ValueType::I64 ||
        !cast->typeParameter.empty())
      return nullptr;
    const CallNode *pattern = callOf(*cast->arguments.front(), Function::Pattern);
    return pattern ? pattern->arguments.front().get() : nullptr;
  }

  const sema::ResolvedStatement &source_;
  const std::map<TensorId, TensorId> &values_;
  Program &program_;
};

class Builder {
public:
  Builder(const sema::Program &source, const sema::Kernel &planned) : source_(source), planned_(planned) {}

  Program build() {
    program_.kernel = source_;
    takeNames();
    for (const sema::ResolvedStatement &statement : source_.statements)
      ++writesLeft_[statement.target.tensor];
    for (const TensorId id : source_.tensors.ids())
      addSource(id);
    for (const TensorId id : source_.parameters)
      if (source_.tensors[id].isRead)
        program_.operands.push_back(id);
    for (const sema::ResolvedStatement &statement : source_.statements)
      addStatement(statement);
    return std::move(program_);
  }

private:
  void takeNames() {
    for (const language::TypeDecl &type : source_.types)
      program_.taken.insert(type.name.text);
    for (const sema::Extent &extent : source_.extents)
      program_.taken.insert(extent.name);
    for (const sema::Tensor &tensor : source_.tensors)
      program_.taken.insert(tensor.name);
    for (const sema::ResolvedStatement &statement : source_.statements)
      for (const sema::Variable &variable : statement.scope.variables)
        if (variable.kind != sema::Variable::Kind::Derived)
          program_.variable(variable.name);
  }

  /// As a declaration would write a type: the parameter that the tensor is declared with, or one that means it.
  std::string typeNameOf(TensorId id) const {
    const std::string spelled = sema::spelling(source_.tensors[id].type);
    if (const std::optional<language::TensorDecl> &declaration = source_.symbols[id].declaration;
        declaration && declaration->type)
      return declaration->type->text;
    for (const language::TypeDecl &parameter : source_.types)
      if (parameter.type.text == spelled)
        return parameter.name.text;
    return spelled;
  }

  /// The planned tensor of one of the source text: of a sum of parts the first one.
  TensorId plannedOf(TensorId id) const {
    const std::string &name = source_.tensors[id].name;
    for (const TensorId planned : planned_.tensors.ids())
      if (const sema::Tensor &tensor = planned_.tensors[planned];
          name == (tensor.partOf.empty() ? tensor.name : tensor.partOf))
        return planned;
    return id;
  }

  TensorInfo infoOf(TensorId id) const {
    TensorInfo info;
    info.source = id;
    info.typeName = typeNameOf(id);
    return info;
  }

  /// Whose entries all values of a tensor have, dimension by dimension: those of an operand, or of `value` itself.
  std::optional<TensorId> patternOf(TensorId id, TensorId value) const {
    const TensorId planned = plannedOf(id);
    const sema::Tensor &tensor = planned_.tensors[planned];
    if (tensor.format.isDense())
      return std::nullopt;
    const sema::Tensor &owner = planned_.tensors[sema::structureOwner(planned_, planned)];
    if (!tensor.format.isSum() && (owner.is<sema::Parameter>() || owner.is<sema::Constant>()) && owner.isRead &&
        owner.format.sameStorage(tensor.format))
      for (const TensorId operand : source_.tensors.ids())
        if (source_.tensors[operand].name == owner.name && !writesLeft_.contains(operand))
          return operand;
    return tensor.isRead && !tensor.isWritten ? id : value;
  }

  void addSource(TensorId id) {
    TensorInfo info = infoOf(id);
    if (source_.tensors[id].isRead)
      info.pattern = patternOf(id, id);
    program_.infos.push_back(std::move(info));
    // Of names for one size declarations have one, or a number.
    if (const auto *size = source_.tensors[id].as<sema::Size>()) {
      const std::string text = program_.textOf(size->extent);
      const bool isOne = std::all_of(text.begin(), text.end(), [](char c) { return std::isalnum(c) || c == '_'; });
      program_.kernel.tensors[id].name = isOne ? text : "(" + text + ")";
    }
    const sema::Tensor &planned = planned_.tensors[plannedOf(id)];
    program_.kernel.tensors[id].fill = planned.fill;
    if (planned.partOf.empty())
      program_.kernel.tensors[id].format = planned.format;
  }

  void addStatement(const sema::ResolvedStatement &source) {
    const TensorId target = source.target.tensor;
    const Reader reader(source, values_, program_);
    Statement statement;
    statement.indices = reader.read(source.target.variables);
    statement.where = source.where;

    NodePtr right = reader.read(*source.value);
    const Variables free = program_.freeVariables(*right);
    std::set<VariableId> variables(free.begin(), free.end());
    variables.insert(statement.indices.begin(), statement.indices.end());
    program_.separate(*right, variables);
    statement.value = written(source, std::move(right), statement.indices);

    const bool isLast = --writesLeft_[target] == 0;
    const TensorId value = valueFor(target, isLast);
    statement.target = value;
    TensorInfo &info = program_.infos[value];
    info.writer = program_.statements.size();
    info.isFinal = isLast && source_.tensors[target].is<sema::Parameter>();
    info.pattern = patternOf(target, value);
    program_.statements.push_back(std::move(statement));
    values_[target] = value;
  }

  /// The tensor that a statement for `target` writes.
  TensorId valueFor(TensorId target, bool isLast) {
    const sema::Tensor &tensor = source_.tensors[target];
    if (isLast && !tensor.isRead)
      return target;
    const std::string base = tensor.name + (isLast ? "_out" : "_" + std::to_string(++versions_[target]));
    const TensorId value = program_.add(base, infoOf(target), tensor.type, tensor.extents);
    program_.kernel.tensors[value].fill = program_.kernel.tensors[target].fill;
    return value;
  }

  /// The right side of an assignment that does the same.
  NodePtr written(const sema::ResolvedStatement &source, NodePtr value, const Variables &indices) {
    using language::AssignOp;
    if (source.op == AssignOp::Assign)
      return value;
    const auto known = values_.find(source.target.tensor);
    NodePtr before = program_.access(known == values_.end() ? source.target.tensor : known->second, indices);
    if (source.op == AssignOp::Add)
      return binary(BinaryOp::Add, std::move(before), std::move(value));
    const Reduction reduction = source.op == AssignOp::Min   ? Reduction::Min
                                : source.op == AssignOp::Max ? Reduction::Max
                                                             : Reduction::Any;
    const Function function = source.op == AssignOp::Min   ? Function::Min
                              : source.op == AssignOp::Max ? Function::Max
                                                           : Function::Or;
    Variables taken;
    for (const VariableId variable : program_.freeVariables(*value))
      if (!contains(indices, variable))
        taken.push_back(variable);
    if (!taken.empty())
      value = reduce(reduction, taken, std::move(value));
    return call(function, std::move(before), std::move(value));
  }

  const sema::Program &source_;
  const sema::Kernel &planned_;
  Program program_;
  std::map<TensorId, int> writesLeft_, versions_;
  std::map<TensorId, TensorId> values_; ///< by tensor of the source text, the one that has its value
};

void collectTerms(const Program &program, const Statement &statement, const Node &node, bool isNegative,
                  std::vector<Term> &terms) {
  if (const auto *minus = std::get_if<NegateNode>(&node.kind))
    return collectTerms(program, statement, *minus->operand, !isNegative, terms);
  if (const BinaryNode *sum = sema::asSum(node)) {
    collectTerms(program, statement, *sum->left, isNegative, terms);
    return collectTerms(program, statement, *sum->right, isNegative != (sum->op == BinaryOp::Sub), terms);
  }
  Term term{&node, isNegative, {}};
  for (const VariableId variable : program.freeVariables(node))
    if (!contains(statement.indices, variable))
      term.summed.push_back(variable);
  terms.push_back(std::move(term));
}

} // namespace

Program singleAssignments(const sema::Program &source, const sema::Kernel &planned) {
  return Builder(source, planned).build();
}

/// Converts what whole numbers a tree reads.
static NodePtr converted(NodePtr node) {
  if (std::holds_alternative<AccessNode>(node->kind) || std::holds_alternative<IndexNode>(node->kind))
    return floatOf(std::move(node));
  if (callOf(*node, Function::Pattern) || callOf(*node, Function::Cast))
    return node;
  if (auto *minus = std::get_if<NegateNode>(&node->kind))
    minus->operand = converted(std::move(minus->operand));
  if (auto *reduction = std::get_if<ReduceNode>(&node->kind))
    reduction->body = converted(std::move(reduction->body));
  if (auto *operation = std::get_if<BinaryNode>(&node->kind)) {
    operation->left = converted(std::move(operation->left));
    operation->right = converted(std::move(operation->right));
  }
  if (auto *call = std::get_if<CallNode>(&node->kind))
    for (NodePtr &argument : call->arguments)
      argument = converted(std::move(argument));
  return node;
}

NodePtr inFloats(const Node &value, const Program &program) {
  bool hasFloats = false, hasWholes = false;
  any(value, [&](const Node &part) {
    hasWholes |= std::holds_alternative<IndexNode>(part.kind);
    if (const Access *read = program.accessIn(part)) {
      const bool isFloat = sema::isFloat(program.typeOf(read->tensor));
      hasFloats |= isFloat;
      hasWholes |= !isFloat;
    }
    return false;
  });
  return hasFloats || !hasWholes ? clone(value) : converted(clone(value));
}

std::vector<Term> termsOf(const Program &program, const Statement &statement) {
  std::vector<Term> terms;
  collectTerms(program, statement, *statement.value, false, terms);
  return terms;
}

} // namespace spc::grad
