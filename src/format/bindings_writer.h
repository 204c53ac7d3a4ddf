// Bindings as a format file says them.
#pragma once

#include "format/format.h"
#include "format/schedule.h"

#include <string>
#include <vector>

namespace spc::format {

/// How a tensor is stored: in a format that is found by name, or in one that is written out, or with the structure of
/// another tensor.
struct StoredTensor {
  std::string tensor;
  Format format;
  std::string knownName;       ///< of the format; empty where the levels are to be written
  std::string structureOf;     ///< another tensor; empty where it has a structure of its own
  bool keepsStructure = false; ///< an output whose entries stay where they are
};

/// A format file with an entry for each tensor under `tensors`, and the keys of a schedule, if there are any.
std::string bindingsText(const std::string &description, const std::vector<StoredTensor> &tensors,
                         const Schedule &schedule = {});

} // namespace spc::format
