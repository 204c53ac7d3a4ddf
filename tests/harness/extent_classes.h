// Which dimensions of a kernel's tensors must have one extent: what a test needs to choose shapes and to write
// declarations.
#pragma once

#include "syntax/ast.h"

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace spc::testing {

struct ExtentClasses {
  std::map<std::string, std::vector<int>> ofTensor; ///< by dimension; scalars have an empty list
  std::vector<std::string> tensors;                 ///< by first appearance, the target last
  int count = 0;
  /// A dimension that an access comes to at multiples of others' variables: it must have room for them.
  struct Window {
    int dimension;
    std::vector<std::pair<int, int64_t>> terms; ///< a class and the scale of its variable
    int64_t constant;
  };
  std::vector<Window> windows = {};
  /// The constants that statements read, with their numbers, and the classes whose extents these say.
  std::map<std::string, std::shared_ptr<const language::ConstantDecl>> constants = {};
  std::map<int, int64_t> sizes = {};
};

/// Extents by class, those of constants theirs, and those that windows reach into made as large as they must be.
std::vector<int64_t> withRoomForWindows(const ExtentClasses &classes, std::vector<int64_t> extents);

/// Whether no window reaches beyond its dimension.
bool windowsFit(const ExtentClasses &classes, const std::vector<int64_t> &extents);

/// Dimensions indexed by one variable within a statement share a class, as do all uses of a tensor's dimension, and the
/// dimensions of two tensors of one shape, which `sameShape` names.
ExtentClasses findExtentClasses(const syntax::Kernel &kernel, const std::map<std::string, std::string> &sameShape = {});

} // namespace spc::testing
