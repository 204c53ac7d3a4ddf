// Conversions that change nothing: what is left of a kernel whose types are parameters should be what one in these
// types would be written as, since functions of operands are computed in other ways than products.
#include "sema/fold.h"
#include "sema/simplify.h"

#include <cmath>

namespace spc::sema {
namespace {

class ConversionDropper {
public:
  ConversionDropper(const Program &program, ResolvedStatement &statement)
      : program_(program), statement_(statement), type_(computeTypeOf(program, statement)) {}

  void run() { visit(statement_.value); }

private:
  /// Sums and products are computed in the statement's type, and so are their operands.
  void visit(NodePtr &node) {
    if (auto *negate = std::get_if<NegateNode>(&node->kind))
      return visit(negate->operand);
    if (auto *binary = std::get_if<BinaryNode>(&node->kind)) {
      visit(binary->left);
      return visit(binary->right);
    }
    auto *reduction = std::get_if<ReduceNode>(&node->kind);
    if (reduction && reduction->reduction == Reduction::Sum)
      return visit(reduction->body);
    const auto *call = std::get_if<CallNode>(&node->kind);
    if (NodePtr same = call && call->function == Function::Cast ? unconverted(*call, node->where) : nullptr)
      replace(node, std::move(same));
  }

  /// The number or the access that is converted, where its value in the statement's type is that of the conversion.
  NodePtr unconverted(const CallNode &cast, Span where) const {
    const Node &argument = *cast.arguments.front();
    if (const auto *number = std::get_if<NumberNode>(&argument.kind)) {
      const std::optional<double> value = foldCast(cast.castTo, ValueType::F64, number->value);
      const bool isExact = value && std::isfinite(*value) && foldCast(type_, cast.castTo, *value) == value;
      return isExact ? makeNode(NumberNode{*value, textOf(cast.castTo, *value)}, where) : nullptr;
    }
    const auto *use = std::get_if<AccessNode>(&argument.kind);
    if (!use)
      return nullptr;
    const ValueType own = program_.tensors[statement_.scope.accesses[use->access].tensor].type;
    return own == cast.castTo || type_ == cast.castTo ? clone(argument) : nullptr;
  }

  /// Not where the statement would then be computed in another type.
  void replace(NodePtr &node, NodePtr same) {
    std::swap(node, same);
    if (computeTypeOf(program_, statement_) != type_)
      std::swap(node, same);
  }

  const Program &program_;
  ResolvedStatement &statement_;
  const ValueType type_;
};

} // namespace

void dropConversions(Program &program) {
  for (ResolvedStatement &statement : program.statements)
    if (statement.op != language::AssignOp::Or)
      ConversionDropper(program, statement).run();
}

} // namespace spc::sema
