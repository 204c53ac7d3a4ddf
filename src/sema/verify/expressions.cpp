#include "sema/verify/verification.h"

#include "language/function.h"

#include <algorithm>

namespace spc::sema {
namespace {

/// Whether a domain is the one that stands for no place at all: an operand is there and is missing. What a term has to
/// do with its other operands is then left out.
bool isNowhere(const std::optional<Domain> &domain) {
  return domain && domain->kind == DomainKind::All && domain->parts.size() == 2 &&
         domain->parts.front().kind == DomainKind::Stored && domain->parts.back().kind == DomainKind::Missing &&
         domain->parts.front().operand == domain->parts.back().operand;
}

/// Whether what is computed in `type` may have a side of another one.
bool isSideOf(ValueType type, ValueType side) {
  return side == type || (isComplex(type) && side == partOf(type));
}

/// Looks through a term's expression.
class ExpressionVerifier {
public:
  ExpressionVerifier(Verification &verification, const Statement &statement, const Term &term)
      : verification_(verification), statement_(statement), term_(term),
        isRead_(IdVector<OperandId, bool>(term.operands.size())) {}

  bool run();

private:
  bool holds(const ExprPtr &expr);
  bool nodeHolds(const Literal &, ValueType) { return true; }
  bool nodeHolds(const Use &use, ValueType type);
  bool nodeHolds(const IndexValue &index, ValueType type);
  bool nodeHolds(const Negate &negate, ValueType type);
  bool nodeHolds(const Binary &binary, ValueType type);
  bool nodeHolds(const Call &call, ValueType type);
  bool argumentsHold(const Call &call, ValueType type);
  std::optional<bool> isZeroElsewhere(const Expr &expr);
  std::optional<bool> isZeroElsewhere(const Binary &binary);
  bool domainHolds(const std::optional<Domain> &domain);
  bool domainHolds(const Domain &domain);
  bool isSparse(OperandId operand) const {
    return !verification_.kernel.tensors[term_.operands[operand].tensor].format.isDense();
  }
  bool hasSparseOperand() const {
    for (OperandId operand : term_.operands.ids())
      if (isSparse(operand))
        return true;
    return false;
  }
  bool require(bool condition, std::string_view otherwise) { return verification_.holds(condition, otherwise); }

  Verification &verification_;
  const Statement &statement_;
  const Term &term_;
  IdVector<OperandId, bool> isRead_;
};

bool ExpressionVerifier::run() {
  if (!domainHolds(term_.domain) || !holds(term_.expr))
    return false;
  for (OperandId operand : term_.operands.ids())
    if (!require(isRead_[operand] || isNowhere(term_.domain), "has an operand that it does not read"))
      return false;
  return (term_.domain || isZeroElsewhere(*term_.expr)) && require(isSideOf(statement_.computeType, term_.expr->type),
                                                                   "has a value of another type than the statement's");
}

bool ExpressionVerifier::holds(const ExprPtr &expr) {
  return require(expr != nullptr, "lacks a part of its expression") &&
         std::visit([&](const auto &node) { return nodeHolds(node, expr->type); }, expr->node);
}

bool ExpressionVerifier::nodeHolds(const Use &use, ValueType) {
  if (!require(term_.operands.has(use.operand), "reads an operand that is none of its own"))
    return false;
  isRead_[use.operand] = true;
  return true;
}

bool ExpressionVerifier::nodeHolds(const IndexValue &index, ValueType) {
  return require(!index.index.terms.empty() &&
                     std::all_of(index.index.terms.begin(), index.index.terms.end(),
                                 [&](const IndexTerm &part) { return term_.loops.has(part.loop); }),
                 "has the value of an index that is none of its loops");
}

bool ExpressionVerifier::nodeHolds(const Negate &negate, ValueType type) {
  return holds(negate.operand) && require(negate.operand->type == type, "negates a value of another type");
}

bool ExpressionVerifier::nodeHolds(const Binary &binary, ValueType type) {
  return domainHolds(binary.domain) && holds(binary.left) && holds(binary.right) &&
         require(isSideOf(type, binary.left->type) && isSideOf(type, binary.right->type) &&
                     (binary.left->type == type || binary.right->type == type),
                 "combines values of another type") &&
         require(!binary.domain || term_.domain, "has no domain, and a value outside of one");
}

bool ExpressionVerifier::nodeHolds(const Call &call, ValueType type) {
  const language::FunctionSpelling &spelling = language::spellingOf(call.function);
  const int count = static_cast<int>(call.arguments.size());
  if (!require(count >= spelling.fewest && count <= spelling.most, "calls with more or fewer arguments than there are"))
    return false;
  for (const ExprPtr &argument : call.arguments)
    if (!holds(argument))
      return false;
  return domainHolds(call.domain) && argumentsHold(call, type) &&
         require(!call.domain || term_.domain, "has no domain, and a value outside of one");
}

/// The types of a call's arguments, which hold, and of its value.
bool ExpressionVerifier::argumentsHold(const Call &call, ValueType type) {
  if (call.function == Function::Cast)
    return true;
  if (call.function == Function::Pattern)
    return require(std::holds_alternative<Use>(call.arguments.front()->node), "asks for the pattern of no operand");
  if (!require(!language::isLogical(call.function) || type == ValueType::Bool, "has a truth of another type than bool"))
    return false;
  if (language::isComparison(call.function))
    return require(call.arguments.front()->type == call.arguments.back()->type, "compares values of two types");
  const bool isLogic = language::isLogical(call.function);
  for (size_t k = call.function == Function::Select ? 1 : 0; !isLogic && k < call.arguments.size(); ++k)
    if (const ValueType given = call.arguments[k]->type;
        !require((language::isOfParts(call.function)   ? partOf(given)
                  : call.function == Function::Complex ? complexOf(given)
                                                       : given) == type,
                 "calls with an argument of another type"))
      return false;
  return true;
}

/// Of a term without a domain, whose loops are over the entries of its sparse operands: whether a value is 0 where some
/// of them have none, as a factor of it is one of them; nullopt with that noted where it is neither so nor without any.
std::optional<bool> ExpressionVerifier::isZeroElsewhere(const Expr &expr) {
  if (const auto *use = std::get_if<Use>(&expr.node))
    return isSparse(use->operand);
  if (const auto *negate = std::get_if<Negate>(&expr.node))
    return isZeroElsewhere(*negate->operand);
  if (const auto *binary = std::get_if<Binary>(&expr.node))
    return isZeroElsewhere(*binary);
  if (std::holds_alternative<IndexValue>(expr.node) &&
      !require(!hasSparseOperand(), "has no domain, and the value of an index beside a sparse operand"))
    return std::nullopt;
  const auto *call = std::get_if<Call>(&expr.node);
  if (!call)
    return false;
  if (call->function == Function::Cast)
    return isZeroElsewhere(*call->arguments.front());
  for (const ExprPtr &argument : call->arguments) {
    const std::optional<bool> isZero = isZeroElsewhere(*argument);
    if (!isZero || !require(!*isZero, "has no domain, and a function of a sparse operand"))
      return std::nullopt;
  }
  return false;
}

std::optional<bool> ExpressionVerifier::isZeroElsewhere(const Binary &binary) {
  const std::optional<bool> left = isZeroElsewhere(*binary.left);
  const std::optional<bool> right = left ? isZeroElsewhere(*binary.right) : std::nullopt;
  if (!right)
    return std::nullopt;
  if (binary.op == BinaryOp::Mul)
    return *left || *right;
  if (binary.op == BinaryOp::Div)
    return require(!*right, "has no domain, and divides by a sparse operand") ? left : std::nullopt;
  return require(*left == *right, "has no domain, and adds to a sparse operand what is everywhere") ? left
                                                                                                    : std::nullopt;
}

bool ExpressionVerifier::domainHolds(const std::optional<Domain> &domain) {
  return !domain || domainHolds(*domain);
}

bool ExpressionVerifier::domainHolds(const Domain &domain) {
  switch (domain.kind) {
  case DomainKind::Everywhere:
    return require(domain.parts.empty(), "has a domain with parts and no need of them");
  case DomainKind::Stored:
  case DomainKind::Missing:
    if (!require(domain.parts.empty() && term_.operands.has(domain.operand) && isSparse(domain.operand),
                 "has a domain of what is no sparse operand"))
      return false;
    isRead_[domain.operand] = true;
    return true;
  case DomainKind::All:
  case DomainKind::Any:
    break;
  }
  return require(domain.parts.size() > 1, "has a domain that lacks parts") &&
         std::all_of(domain.parts.begin(), domain.parts.end(), [&](const Domain &part) { return domainHolds(part); });
}

} // namespace

bool expressionHolds(Verification &verification, const Statement &statement, const Term &term) {
  return ExpressionVerifier(verification, statement, term).run();
}

} // namespace spc::sema
