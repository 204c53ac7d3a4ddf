// What types with infinities of their own, and those without, make of sums that infinities absorb.
#include "sema/check/checking.h"
#include "sema/expression_types.h"

#include <cmath>
#include <set>

namespace spc::sema {
namespace {

constexpr DiagnosticKind kFill{"fill", Severity::Warning};

class InfinityLowering {
public:
  InfinityLowering(const Program &program, ResolvedStatement &statement, Diagnostics &diagnostics)
      : program_(program), statement_(statement), diagnostics_(diagnostics) {}

  void run() {
    const ValueType type = computeTypeOf(program_, statement_);
    const bool isLogic = statement_.op == language::AssignOp::Or; // of numbers of their own type
    visit(statement_.value,
          isLogic ? arithmeticType(typeOf(*statement_.value, statement_.scope, program_).value_or(type)) : type);
  }

private:
  void visit(NodePtr &node, ValueType type) {
    if (const auto *use = std::get_if<AccessNode>(&node->kind))
      return checkFill(use->access, node->where, type);
    if (auto *negate = std::get_if<NegateNode>(&node->kind))
      return visit(negate->operand, type);
    if (auto *binary = std::get_if<BinaryNode>(&node->kind)) {
      visit(binary->left, type);
      return visit(binary->right, type);
    }
    if (auto *reduction = std::get_if<ReduceNode>(&node->kind))
      return visit(reduction->body, bodyType(*reduction, type, statement_.scope, program_));
    if (auto *call = std::get_if<CallNode>(&node->kind))
      visit(*call, node, type);
  }

  void visit(CallNode &call, NodePtr &node, ValueType type) {
    for (size_t k = 0; k < call.arguments.size() && call.function != Function::Pattern; ++k)
      visit(call.arguments[k], argumentType(call, k, type, statement_.scope, program_));
    const bool isAbsorbing = call.function == Function::MinPlus || call.function == Function::MaxPlus;
    if (isAbsorbing && !isInteger(type)) {
      NodePtr left = std::move(call.arguments[0]), right = std::move(call.arguments[1]);
      node = makeNode(BinaryNode{BinaryOp::Add, std::move(left), std::move(right)}, node->where);
    }
  }

  /// The greatest number of one type is a number as any other in a wider one, and settles nothing there.
  void checkFill(AccessId access, Span where, ValueType type) {
    const Tensor &tensor = program_.tensors[statement_.scope.accesses[access].tensor];
    if (!isInteger(tensor.type) || !std::isinf(tensor.fill) || !tensor.hasFill() || type == tensor.type ||
        type == ValueType::Bool || !reported_.insert(tensor.name).second)
      return;
    diagnostics_
        .report(kFill, where,
                "missing entries of " + inQuotes(tensor.name) + " are " + textOf(tensor.type, tensor.fill) + ", the " +
                    (tensor.fill > 0 ? "greatest " : "least ") + spelling(tensor.type) + ", which is no infinity in " +
                    spelling(type) + ", in which this is computed")
        .advise("declare " + inQuotes(tensor.name) + " as " + spelling(type) +
                ", or convert it where that is meant: " + spelling(type) + "(...)");
  }

  const Program &program_;
  ResolvedStatement &statement_;
  Diagnostics &diagnostics_;
  std::set<std::string> reported_;
};

} // namespace

void lowerInfinities(Checking &checking) {
  for (ResolvedStatement &statement : checking.program.statements)
    InfinityLowering(checking.program, statement, checking.diagnostics).run();
}

} // namespace spc::sema
