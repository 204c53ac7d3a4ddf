// Sizes that operations say are one.
#pragma once

#include "syntax/ast.h"

#include <map>
#include <string>

namespace spc::ingress {

/// A loop runs over dimensions of several tensors, whose sizes then are one: that of the first, or a number.
class SameSizes {
public:
  /// Both are names or numbers; what is neither is left alone, as calls check it.
  void unite(const language::ExtentDecl &one, const language::ExtentDecl &other);
  /// A size that is known by its name is this product of others.
  void divide(const language::ExtentDecl &whole, const language::ExtentSum &parts);
  /// Puts one name, or number, in place of all that are the same.
  void settle(syntax::Kernel &kernel) const;

private:
  using Size = std::variant<std::string, int64_t, language::ExtentSum>;
  Size of(const Size &size) const;
  language::ExtentSum settled(const language::ExtentSum &sum, Span where) const;
  void settle(language::ExtentDecl &extent) const;
  void settle(language::Index &index) const;
  void settle(syntax::Expr &expr) const;

  std::map<std::string, Size> same_;
};

} // namespace spc::ingress
