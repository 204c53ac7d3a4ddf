// A term's tree to the kernel's expression: types settled, operands numbered. Private to this folder.
#pragma once

#include "sema/tree.h"

#include <functional>

namespace spc::sema {

class ExpressionBuilder {
public:
  /// `accesses` lists the term's operands; `valueOf` gives an index variable as a sum of the term's loops; `domain` is
  /// the term's, or nothing. The references must outlive the builder.
  ExpressionBuilder(const std::vector<AccessId> &accesses, const Scope &scope, const Kernel &kernel,
                    std::function<Index(VariableId)> valueOf, std::optional<AccessDomain> domain)
      : accesses_(accesses), scope_(scope), kernel_(kernel), valueOf_(std::move(valueOf)), domain_(std::move(domain)) {}

  /// The term's operand that an access is.
  OperandId operandOf(AccessId access) const;

  /// A domain of accesses as one of the term's operands.
  Domain numbered(const AccessDomain &domain) const;

  /// The tree's value in `type`, in which its arithmetic is done too, or in the type of its parts (see Expr); arguments
  /// of comparisons, logic and casts are computed in types of their own.
  ExprPtr build(const Node &node, ValueType type) const;

private:
  ExprPtr buildProduct(const Node &node, ValueType type) const;
  void collectMasks(const Node &product, std::vector<const Node *> &masks) const;
  ExprPtr buildBinary(const Node &node, ValueType type, const std::vector<const Node *> &without) const;
  std::optional<Domain> deciding(const Node &node, ValueType type, double &outside) const;
  ExprPtr buildCall(const CallNode &call, const Node &node, ValueType type) const;

  const std::vector<AccessId> &accesses_;
  const Scope &scope_;
  const Kernel &kernel_;
  std::function<Index(VariableId)> valueOf_;
  std::optional<AccessDomain> domain_;
};

} // namespace spc::sema
