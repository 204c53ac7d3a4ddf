// Kernels that the reference evaluates, of numbers written down.
#pragma once

#include "reference/reference.h"

#include <map>
#include <string>
#include <vector>

namespace spc::testing {

struct Given {
  std::vector<int64_t> shape;
  std::vector<int64_t> coordinates;
  std::vector<double> values;
  bool isSparse = false;
  sema::ValueType type = sema::ValueType::F64;
  double fill = 0;
  bool isPadded = false; ///< its storage has padding
};

/// The tensors of a kernel after it has run. `storages`: how it is stored what it makes.
reference::Tensors evaluated(const std::string &text, const std::map<std::string, Given> &given,
                             const reference::Storages &storages = {});

/// The first numbers of a tensor.
std::vector<double> valuesOf(const reference::Tensor &tensor, int64_t count);

} // namespace spc::testing
