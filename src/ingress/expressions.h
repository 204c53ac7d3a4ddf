// Trees of what operations compute.
#pragma once

#include "syntax/ast.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace spc::ingress {

/// What is computed for one element, and the condition under which there is one at all: null where there always is.
struct Element {
  syntax::ExprPtr value;
  syntax::ExprPtr domain;
};

/// Makes trees, all at one place.
class Maker {
public:
  explicit Maker(Span where) : where_(where) {}

  Span where() const { return where_; }
  syntax::ExprPtr number(double value) const;
  /// Exact, whatever an integer's width.
  syntax::ExprPtr integer(int64_t value) const;
  syntax::ExprPtr truth(bool value) const;
  /// A scalar, or the value of an index variable.
  syntax::ExprPtr name(const std::string &name) const;
  syntax::ExprPtr access(const std::string &tensor, std::vector<language::Index> indices) const;
  /// The same where indices may lie outside.
  syntax::ExprPtr padded(const std::string &tensor, std::vector<language::Index> indices) const;
  syntax::ExprPtr negate(syntax::ExprPtr operand) const;
  syntax::ExprPtr binary(language::BinaryOp op, syntax::ExprPtr left, syntax::ExprPtr right) const;
  syntax::ExprPtr call(language::Function function, std::vector<syntax::ExprPtr> arguments) const;
  /// The conversion to a type.
  syntax::ExprPtr cast(const std::string &type, syntax::ExprPtr value) const;
  syntax::ExprPtr reduce(language::Reduction reduction, const std::vector<std::string> &variables,
                         syntax::ExprPtr body) const;

  template <typename... Arguments>
  syntax::ExprPtr call(language::Function function, syntax::ExprPtr first, Arguments... others) const {
    std::vector<syntax::ExprPtr> arguments;
    arguments.push_back(std::move(first));
    (arguments.push_back(std::move(others)), ...);
    return call(function, std::move(arguments));
  }

  language::Name named(const std::string &name) const { return {name, where_}; }
  /// A variable.
  language::Index index(const std::string &variable) const;

private:
  syntax::ExprPtr make(decltype(syntax::Expr::node) node) const;

  Span where_;
};

syntax::ExprPtr clone(const syntax::Expr &expr);
inline syntax::ExprPtr clone(const syntax::ExprPtr &expr) {
  return expr ? clone(*expr) : nullptr;
}
Element clone(const Element &element);

/// The number of nodes.
size_t sizeOf(const syntax::Expr &expr);

/// Whether a tree is one number, and which.
bool isNumber(const syntax::Expr &expr, double value);

/// Whether a tree reads one of these variables.
bool mentions(const syntax::Expr &expr, const std::vector<std::string> &loops);

/// Adds `multiple` times a loop, or its place where it is one of those that are written out, to an index.
void addLoop(language::Index &index, const std::string &loop, int64_t multiple,
             const std::map<std::string, int64_t> &fixed, Span where);

/// Adds up an index's terms by their variables, and spells it anew.
language::Index settled(language::Index index, Span where);

} // namespace spc::ingress
