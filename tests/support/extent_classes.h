// Which dimensions of a kernel's tensors must have one extent: what a test needs to choose shapes and to write
// declarations.
#pragma once

#include "syntax/ast.h"

#include <map>
#include <string>
#include <vector>

namespace spc::testing {

struct ExtentClasses {
  std::map<std::string, std::vector<int>> ofTensor; ///< by dimension; scalars have an empty list
  std::vector<std::string> tensors;                 ///< by first appearance, the target last
  int count = 0;
};

/// Dimensions indexed by one variable within a statement share a class, as do all uses of a tensor's dimension, and the
/// dimensions of two tensors of one shape, which `sameShape` names.
ExtentClasses findExtentClasses(const syntax::Kernel &kernel, const std::map<std::string, std::string> &sameShape = {});

} // namespace spc::testing
