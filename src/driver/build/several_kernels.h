// Several kernels of one file as one object with one header.
#pragma once

#include "driver/shell/session.h"

#include <optional>
#include <string>
#include <vector>

namespace spc::driver {

/// A kernel that was compiled by itself.
struct SingleKernel {
  Span where; ///< its name
  std::string object, header;
};

struct ObjectAndHeader {
  std::string object, header;
};

/// Links kernels, and a table of them, to one object, and makes their header, that of a library `name`. nullopt with
/// errors reported: names that two of them need, platforms of which objects are not linked.
std::optional<ObjectAndHeader> joinKernels(Session &session, const std::string &name,
                                           std::vector<SingleKernel> kernels);

} // namespace spc::driver
