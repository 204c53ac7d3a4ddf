// Statements that take values into what a sparse target holds, other than by adding them to zeros. What the target
// holds becomes an operand as any other, `C(i,j) min= e` the assignment `C(i,j) = min(C(i,j), e)`.
#include "sema/expression_types.h"
#include "sema/simplify.h"
#include "sema/taken_in.h"

#include <utility>

namespace spc::sema {
namespace {

using language::AssignOp;

class TargetReader {
public:
  TargetReader(Program &program, ResolvedStatement &statement)
      : program_(program), statement_(statement), target_(program.tensors[statement.target.tensor]) {}

  void run() {
    if (!statement_.value || target_.format.isDense() || statement_.op == AssignOp::Assign)
      return;
    if (statement_.op == AssignOp::Add && target_.fill == 0) // zeros, which sums leave out
      return;
    const Span where = statement_.value->where;
    NodePtr value = statement_.op == AssignOp::Add ? sumOf(*statement_.value) : reduced(std::move(statement_.value));
    NodePtr held = makeNode(AccessNode{statement_.scope.intern(statement_.target)}, statement_.targetWhere);
    if (statement_.op == AssignOp::Add) {
      statement_.value = makeNode(BinaryNode{BinaryOp::Add, std::move(held), std::move(value)}, where);
    } else {
      CallNode joined{function(), ValueType::F64, {}};
      joined.arguments.push_back(std::move(held));
      joined.arguments.push_back(std::move(value));
      statement_.value = makeNode(std::move(joined), where);
      statement_.takesIn = true;
    }
    statement_.op = AssignOp::Assign;
    if (Symbol &symbol = program_.symbols[statement_.target.tensor]; isFirstWrite(symbol))
      symbol.isOperand = true;
  }

private:
  bool isFirstWrite(const Symbol &symbol) const {
    return &program_.statements[static_cast<size_t>(symbol.firstWrite)] == &statement_;
  }

  Function function() const {
    return statement_.op == AssignOp::Min   ? Function::Min
           : statement_.op == AssignOp::Max ? Function::Max
                                            : Function::Or;
  }

  Reduction reduction() const { return *takenInBy(statement_.op); }

  /// The variables of a tree that the target lacks.
  std::vector<VariableId> takenOf(const Node &node) const {
    std::vector<VariableId> taken = freeVariables(node, statement_.scope);
    std::erase_if(taken, [&](VariableId variable) { return has(statement_.target.variables, variable); });
    return taken;
  }

  /// What the target takes in, each value in the target's type.
  NodePtr reduced(NodePtr value) const {
    const Span where = value->where;
    // Rounding changes no order; integers wrap around.
    const bool wraps = isInteger(target_.type) && typeOf(*value) != target_.type;
    auto *inner = std::get_if<ReduceNode>(&value->kind);
    NodePtr body = inner && inner->reduction == reduction() && !wraps ? std::move(inner->body) : std::move(value);
    std::vector<VariableId> taken = takenOf(*body);
    if (wraps) {
      CallNode cast{Function::Cast, target_.type, {}};
      cast.arguments.push_back(std::move(body));
      body = makeNode(std::move(cast), where);
    }
    return taken.empty() ? std::move(body)
                         : makeNode(ReduceNode{reduction(), std::move(taken), std::move(body)}, where);
  }

  ValueType typeOf(const Node &node) const {
    return widest(target_.type, sema::typeOf(node, statement_.scope, program_).value_or(target_.type));
  }

  /// A right side whose addends are summed each over what the target lacks.
  NodePtr sumOf(const Node &node) const {
    if (const BinaryNode *sum = asSum(node))
      return makeNode(BinaryNode{sum->op, sumOf(*sum->left), sumOf(*sum->right)}, node.where);
    std::vector<VariableId> taken = takenOf(node);
    return taken.empty() ? clone(node)
                         : makeNode(ReduceNode{Reduction::Sum, std::move(taken), clone(node)}, node.where);
  }

  Program &program_;
  ResolvedStatement &statement_;
  const Tensor &target_;
};

} // namespace

void readSparseTargets(Program &program) {
  for (ResolvedStatement &statement : program.statements)
    TargetReader(program, statement).run();
}

} // namespace spc::sema
