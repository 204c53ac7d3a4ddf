#include "grad/from_program.h"
#include "grad/program.h"

namespace spc::grad {
namespace {

/// Puts the tensors in that have the values of those of the source text.
void renameTensors(Expr &expr, const std::map<std::string, std::string> &values) {
  if (auto *read = std::get_if<Access>(&expr.node))
    if (const auto value = values.find(read->tensor); value != values.end())
      read->tensor = value->second;
  for (Expr *child : mutableChildren(expr))
    renameTensors(*child, values);
}

void takeNames(const Expr &expr, NameSource &fresh) {
  if (const auto *read = std::get_if<Access>(&expr.node)) {
    for (const std::string &variable : variablesOf(*read))
      fresh.takeVariable(variable);
  }
  if (const auto *reduction = std::get_if<Reduce>(&expr.node))
    for (const std::string &variable : reduction->variables)
      fresh.takeVariable(variable);
  for (const Expr *child : children(expr))
    takeNames(*child, fresh);
}

class Builder {
public:
  Builder(const sema::Program &source, const sema::Kernel &planned)
      : source_(source), planned_(planned), statements_(statementsOf(source)) {}

  Program build() {
    for (const language::TypeDecl &type : source_.types)
      program_.fresh.take(type.name.text);
    for (const sema::Extent &extent : planned_.extents)
      program_.fresh.take(extent.name);
    for (const SourceStatement &statement : statements_) {
      ++writesLeft_[statement.target];
      takeNames(*access(statement.target, statement.indices), program_.fresh);
      takeNames(*statement.value, program_.fresh);
    }
    for (const sema::Tensor &tensor : planned_.tensors)
      if (const std::string &name = tensor.partOf.empty() ? tensor.name : tensor.partOf; !sources_.contains(name))
        addSource(name, tensor);
    for (const sema::TensorId id : planned_.parameters)
      if (const sema::Tensor &tensor = planned_.tensors[id]; tensor.isRead)
        program_.operands.push_back(tensor.partOf.empty() ? tensor.name : tensor.partOf);
    for (SourceStatement &statement : statements_)
      addStatement(std::move(statement));
    return std::move(program_);
  }

private:
  /// As a declaration would write a type: the parameter that the tensor is declared with, or one that means it.
  std::string typeNameOf(const std::string &name, sema::ValueType type) const {
    const std::string spelled = sema::spelling(type);
    for (const language::TensorDecl &declaration : source_.declarations)
      if (declaration.name.text == name && declaration.type)
        return declaration.type->text;
    for (const language::TypeDecl &parameter : source_.types)
      if (parameter.type.text == spelled)
        return parameter.name.text;
    return spelled;
  }

  TensorInfo infoOf(const std::string &name, const sema::Tensor &tensor) const {
    TensorInfo info;
    info.source = name;
    for (sema::ExtentId id : tensor.extents) {
      const sema::Extent &extent = planned_.extents[id];
      info.extents.push_back(extent.fixed ? std::to_string(*extent.fixed) : extent.name);
    }
    info.type = tensor.type;
    info.typeName = typeNameOf(name, tensor.type);
    info.fill = tensor.fill;
    return info;
  }

  /// Whether an operand has the pattern of all values of a tensor, dimension by dimension.
  std::string patternOf(const std::string &name, const sema::Tensor &tensor, const std::string &value) const {
    if (tensor.format.isDense())
      return "";
    for (const sema::TensorId id : planned_.tensors.ids()) {
      if (&planned_.tensors[id] != &tensor || tensor.format.isSum())
        continue;
      const sema::Tensor &owner = planned_.tensors[sema::structureOwner(planned_, id)];
      if (owner.is<sema::Parameter>() && owner.isRead && !writesLeft_.contains(owner.name) &&
          owner.format.sameStorage(tensor.format))
        return owner.name;
    }
    return tensor.isRead && !tensor.isWritten ? name : value;
  }

  void addSource(const std::string &name, const sema::Tensor &tensor) {
    sources_.insert(name);
    program_.fresh.take(name);
    if (!tensor.isRead)
      return;
    TensorInfo info = infoOf(name, tensor);
    info.pattern = patternOf(name, tensor, name);
    program_.add(name, std::move(info));
    values_[name] = name;
  }

  void addStatement(SourceStatement source) {
    const std::string &name = source.target;
    Statement statement;
    statement.indices = source.indices;
    statement.where = source.where;

    ExprPtr right = std::move(source.value);
    const std::vector<std::string> free = freeVariables(*right);
    std::set<std::string> variables(free.begin(), free.end());
    variables.insert(statement.indices.begin(), statement.indices.end());
    program_.fresh.separate(*right, variables);
    renameTensors(*right, values_);
    statement.value = written(source, std::move(right), statement.indices);

    const bool isLast = --writesLeft_[name] == 0;
    const sema::Tensor &tensor = *tensorNamed(planned_, name);
    const std::string value = isLast && !tensor.isRead ? name
                              : isLast ? program_.fresh.tensor(name + "_out")
                                       : program_.fresh.tensor(name + "_" + std::to_string(++versions_[name]));
    statement.target = value;
    TensorInfo info = infoOf(name, tensor);
    info.writer = program_.statements.size();
    info.isFinal = isLast && tensor.is<sema::Parameter>();
    info.pattern = patternOf(name, tensor, value);
    program_.add(value, std::move(info));
    program_.statements.push_back(std::move(statement));
    values_[name] = value;
  }

  /// The right side of an assignment that does the same.
  ExprPtr written(const SourceStatement &source, ExprPtr value, const std::vector<std::string> &indices) {
    using language::AssignOp;
    if (source.op == AssignOp::Assign)
      return value;
    ExprPtr before = access(values_.at(source.target), indices);
    if (source.op == AssignOp::Add)
      return binary(BinaryOp::Add, std::move(before), std::move(value));
    const Reduction reduction = source.op == AssignOp::Min   ? Reduction::Min
                                : source.op == AssignOp::Max ? Reduction::Max
                                                             : Reduction::Any;
    const Function function = source.op == AssignOp::Min   ? Function::Min
                              : source.op == AssignOp::Max ? Function::Max
                                                           : Function::Or;
    std::vector<std::string> taken;
    for (const std::string &variable : freeVariables(*value))
      if (!contains(indices, variable))
        taken.push_back(variable);
    if (!taken.empty())
      value = reduce(reduction, taken, std::move(value));
    return call(function, std::move(before), std::move(value));
  }

  const sema::Program &source_;
  const sema::Kernel &planned_;
  std::vector<SourceStatement> statements_;
  Program program_;
  TensorNames sources_;
  std::map<std::string, int> writesLeft_, versions_;
  std::map<std::string, std::string> values_; ///< by tensor of the source text, the one that has its value
};

void collectTerms(const Program &program, const Statement &statement, const Expr &expr, bool isNegative,
                  std::vector<Term> &terms) {
  if (const auto *minus = std::get_if<Negate>(&expr.node))
    return collectTerms(program, statement, *minus->operand, !isNegative, terms);
  const auto *node = std::get_if<Binary>(&expr.node);
  if (node && (node->op == BinaryOp::Add || node->op == BinaryOp::Sub)) {
    collectTerms(program, statement, *node->left, isNegative, terms);
    return collectTerms(program, statement, *node->right, isNegative != (node->op == BinaryOp::Sub), terms);
  }
  Term term{&expr, isNegative, {}};
  for (const std::string &variable : freeVariables(expr))
    if (!contains(statement.indices, variable))
      term.summed.push_back(variable);
  terms.push_back(std::move(term));
}

} // namespace

std::string NameSource::tensor(const std::string &base) {
  std::string name = base;
  for (int k = 2; variables_.contains(name) || !tensors_.insert(name).second; ++k)
    name = base + "_" + std::to_string(k);
  return name;
}

std::string NameSource::variable(const std::set<std::string> &others) {
  static constexpr std::string_view kLetters = "ijklpqrstuvw";
  const auto isFree = [&](const std::string &name) { return !tensors_.contains(name) && !others.contains(name); };
  std::string name;
  for (size_t k = 0; name.empty(); ++k)
    if (std::string next = std::string(1, kLetters[k % kLetters.size()]) +
                           (k < kLetters.size() ? "" : std::to_string(k / kLetters.size()));
        isFree(next))
      name = std::move(next);
  variables_.insert(name);
  return name;
}

std::string NameSource::variableFor(const Expr &body, std::set<std::string> others) {
  any(body, [&](const Expr &part) {
    if (const auto *value = std::get_if<IndexValue>(&part.node))
      others.insert(value->variable);
    if (const auto *read = std::get_if<Access>(&part.node)) {
      const std::vector<std::string> indices = variablesOf(*read);
      others.insert(indices.begin(), indices.end());
      others.insert(read->tensor);
    }
    if (const auto *reduction = std::get_if<Reduce>(&part.node))
      others.insert(reduction->variables.begin(), reduction->variables.end());
    return false;
  });
  return variable(others);
}

void NameSource::separate(Reduce &reduction, std::set<std::string> &used) {
  for (std::string &name : reduction.variables) {
    if (used.contains(name)) {
      const std::string other = variableFor(*reduction.body, used);
      renameVariable(*reduction.body, name, other);
      name = other;
    }
    used.insert(name);
  }
}

void NameSource::separate(Expr &expr, std::set<std::string> &used) {
  if (auto *reduction = std::get_if<Reduce>(&expr.node))
    separate(*reduction, used);
  for (Expr *child : mutableChildren(expr))
    separate(*child, used);
}

void NameSource::separateNested(Expr &expr, std::set<std::string> around) {
  if (auto *reduction = std::get_if<Reduce>(&expr.node))
    separate(*reduction, around);
  for (Expr *child : mutableChildren(expr))
    separateNested(*child, around);
}

void Program::add(const std::string &name, TensorInfo info) {
  names.insert(name);
  fresh.take(name);
  tensors.emplace(name, std::move(info));
}

Program singleAssignments(const sema::Program &source, const sema::Kernel &planned) {
  return Builder(source, planned).build();
}

const sema::Tensor *tensorNamed(const sema::Kernel &kernel, const std::string &name) {
  for (const sema::Tensor &tensor : kernel.tensors)
    if (name == (tensor.partOf.empty() ? tensor.name : tensor.partOf))
      return &tensor;
  return nullptr;
}

std::string finalValueOf(const Program &program, const std::string &output) {
  for (const auto &[name, info] : program.tensors)
    if (info.isFinal && info.source == output)
      return name;
  return "";
}

/// Converts what whole numbers an expression reads.
static ExprPtr converted(ExprPtr expr) {
  if (std::holds_alternative<Access>(expr->node) || std::holds_alternative<IndexValue>(expr->node))
    return floatOf(std::move(expr));
  const auto *node = std::get_if<Call>(&expr->node);
  if (node && (node->function == Function::Pattern || node->function == Function::Cast))
    return expr;
  if (auto *minus = std::get_if<Negate>(&expr->node))
    minus->operand = converted(std::move(minus->operand));
  if (auto *reduction = std::get_if<Reduce>(&expr->node))
    reduction->body = converted(std::move(reduction->body));
  if (auto *operation = std::get_if<Binary>(&expr->node)) {
    operation->left = converted(std::move(operation->left));
    operation->right = converted(std::move(operation->right));
  }
  if (auto *call = std::get_if<Call>(&expr->node))
    for (ExprPtr &argument : call->arguments)
      argument = converted(std::move(argument));
  return expr;
}

ExprPtr inFloats(const Expr &value, const Program &program) {
  bool hasFloats = false, hasWholes = false;
  any(value, [&](const Expr &part) {
    hasWholes |= std::holds_alternative<IndexValue>(part.node);
    if (const auto *read = std::get_if<Access>(&part.node)) {
      const bool isFloat = sema::isFloat(program.info(read->tensor).type);
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
