// The declarations of a kernel, whether a file or another front end makes them.
#pragma once

#include "language/constant.h"
#include "support/source.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace spc::language {

struct Name {
  std::string text;
  Span where;
};

/// `m*p + 2`: a sum of products of other extents' names, and a number.
struct ExtentSum {
  struct Product {
    int64_t factor = 1;
    std::vector<std::string> names;
  };
  std::vector<Product> products;
  int64_t constant = 0;
};

/// As it is written.
std::string spellingOf(const ExtentSum &sum);

/// A declared extent: a name (`m`), a number, or a sum of others.
struct ExtentDecl {
  std::variant<std::string, int64_t, ExtentSum> value;
  Span where;
};

/// The name, the number or the sum.
std::string spellingOf(const ExtentDecl &extent);

/// `fill inf`: what a sparse tensor's missing entries are.
struct FillDecl {
  double value;
  Span where;
  bool bySemiring = false; ///< not written: the identity of the semiring that the declaration stands after
};

/// `type T = f64`: a name that declarations and conversions have in place of a type, which the command line may change.
struct TypeDecl {
  Name name;
  Name type; ///< its text is that of a sema::ValueType once sema has accepted it
  Span where;
};

/// `tensor S(m, n): f32, sparse, fill inf`, or, with numbers, `const W(3, 3) = [...]`
struct TensorDecl {
  Name name;
  std::vector<ExtentDecl> extents;
  std::optional<Name> type; ///< a sema::ValueType's or a type parameter's, once sema has accepted it
  bool sparse = false;
  std::optional<FillDecl> fill;
  Span where;
  std::shared_ptr<const ConstantDecl> constant; ///< null of tensors that are passed or computed
};

/// `kernel cg(A, x, r) -> (q, s)`: what the function is called, and its arguments in order.
struct SignatureDecl {
  Name name;
  std::vector<Name> operands; ///< in front of the arrow: what is read
  std::vector<Name> outputs;
  Span where;
};

} // namespace spc::language
