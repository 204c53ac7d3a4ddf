#include "grad/from_program.h"

#include "sema/composed_reductions.h"

namespace spc::grad {
namespace {

/// Reads the tree of one statement.
class Reader {
public:
  Reader(const sema::Program &program, const sema::ResolvedStatement &source) : program_(program), source_(source) {}

  SourceStatement read() const {
    return {nameOf(source_.target.tensor), sema::namesOf(source_.target.variables, source_.scope), source_.op,
            read(*source_.value), source_.where};
  }

private:
  const std::string &nameOf(sema::TensorId tensor) const { return program_.tensors[tensor].name; }
  const std::string &nameOf(sema::VariableId variable) const { return source_.scope.variables[variable].name; }

  ExprPtr read(const sema::Node &node) const {
    ExprPtr expr = written(node);
    expr->where = node.where;
    return expr;
  }

  /// The node as the source text has it, which may be a reduction that sema has made of others.
  ExprPtr written(const sema::Node &node) const {
    if (const std::optional<sema::ComposedReduction> composed = sema::composedReduction(node))
      return reduce(composed->reduction, sema::namesOf(composed->over->variables, source_.scope),
                    read(*composed->body));
    return std::visit([this](const auto &kind) { return this->ofKind(kind); }, node.kind);
  }

  static ExprPtr ofKind(const sema::NumberNode &number) {
    if (!number.spelling.starts_with('-'))
      return literal({number.value, number.spelling});
    return negate(literal({-number.value, number.spelling.substr(1)}));
  }

  ExprPtr ofKind(const sema::AccessNode &use) const {
    const sema::Access &read = source_.scope.accesses[use.access];
    std::vector<Index> indices;
    for (const sema::VariableId variable : read.variables)
      indices.push_back(indexBy(variable));
    return access(nameOf(read.tensor), std::move(indices));
  }

  /// An index variable of the text, or the sum that a derived one stands for.
  Index indexBy(sema::VariableId id) const {
    const sema::Variable &variable = source_.scope.variables[id];
    if (variable.kind != sema::Variable::Kind::Derived)
      return indexOf(variable.name);
    Index index;
    index.constant = variable.constant;
    for (const sema::Variable::Multiple &term : variable.terms)
      index.terms.push_back({{nameOf(term.variable), {}}, term.scale});
    index.text = language::spellingOf(index);
    return index;
  }

  ExprPtr ofKind(const sema::IndexNode &index) const { return indexValue(nameOf(index.variable)); }

  ExprPtr ofKind(const sema::NegateNode &minus) const { return negate(read(*minus.operand)); }

  ExprPtr ofKind(const sema::BinaryNode &node) const { return binary(node.op, read(*node.left), read(*node.right)); }

  ExprPtr ofKind(const sema::CallNode &node) const {
    Call result{node.function, {}, node.castTo, node.typeParameter};
    for (const sema::NodePtr &argument : node.arguments)
      result.arguments.push_back(read(*argument));
    return call(std::move(result));
  }

  ExprPtr ofKind(const sema::ReduceNode &reduction) const {
    const std::vector<std::string> variables = sema::namesOf(reduction.variables, source_.scope);
    if (const sema::Node *counted = countedIn(reduction))
      return reduce(Reduction::Count, variables, read(*counted));
    return reduce(reduction.reduction, variables, read(*reduction.body));
  }

  /// The access whose entries a sum counts, `sum(j, i64(pattern(A(i,j))))`; else nullptr.
  static const sema::Node *countedIn(const sema::ReduceNode &reduction) {
    const auto *cast = std::get_if<sema::CallNode>(&reduction.body->kind);
    if (reduction.reduction != Reduction::Sum || !cast || cast->function != Function::Cast ||
        cast->castTo != sema::ValueType::I64 || !cast->typeParameter.empty())
      return nullptr;
    const auto *pattern = std::get_if<sema::CallNode>(&cast->arguments.front()->kind);
    return pattern && pattern->function == Function::Pattern ? pattern->arguments.front().get() : nullptr;
  }

  const sema::Program &program_;
  const sema::ResolvedStatement &source_;
};

} // namespace

std::vector<SourceStatement> statementsOf(const sema::Program &program) {
  std::vector<SourceStatement> statements;
  for (const sema::ResolvedStatement &statement : program.statements)
    statements.push_back(Reader(program, statement).read());
  return statements;
}

} // namespace spc::grad
