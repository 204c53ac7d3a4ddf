// The shapes that a line of expressions.txt declares, and what its index tensors index.
#pragma once

#include "harness/extent_classes.h"
#include "syntax/ast.h"

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace spc::testing {

/// What declarations say; nothing where there are none.
class DeclaredShapes {
public:
  DeclaredShapes() = default;
  explicit DeclaredShapes(const syntax::Kernel &kernel);

  bool areThere() const { return !declarations_.empty(); }
  /// A class for each extent that is written in another way, and what they are of.
  const ExtentClasses &classes() const { return classes_; }
  bool isIndexTensor(const std::string &tensor) const { return indexed_.contains(tensor); }
  /// The tensor and the dimension that an index tensor's numbers are places of.
  const std::pair<std::string, size_t> &indexedBy(const std::string &tensor) const { return indexed_.at(tensor); }
  /// Sets those extents, by class, that are numbers or follow from others. 0 stands for what is not known.
  void settle(std::vector<int64_t> &extents) const;
  /// "R(m, 2*n)".
  std::string headOf(const syntax::TensorDecl &declaration) const;

private:
  void noteHolders(const syntax::Access &access);
  void noteHolders(const syntax::Expr &expr);

  std::vector<syntax::TensorDecl> declarations_;
  ExtentClasses classes_;
  std::map<std::string, int> classOf_; ///< by what is written
  std::map<std::string, std::pair<std::string, size_t>> indexed_;
};

} // namespace spc::testing
