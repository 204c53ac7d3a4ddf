// Kernels that were compiled just now, as one object with one header.
#pragma once

#include "driver/build/library_kernels.h"

#include <optional>
#include <string>
#include <vector>

namespace spc::driver {

/// A kernel that was compiled by itself.
struct SingleKernel {
  Span where; ///< its name
  std::string object, header;
};

/// What is made of kernels: an object or a library.
struct CodeAndHeader {
  std::string code, header;
};

/// Kernels as what libraries are made of, in the order of their names. nullopt with errors reported: names that two of
/// them need. Requires: kernels.
std::optional<LibraryKernels> kernelsOf(Session &session, std::vector<SingleKernel> kernels);

/// Links kernels, and a table of them, to one object, and makes their header, that of a library `name`. nullopt with
/// errors reported: those of kernelsOf(), platforms of which objects are not linked.
std::optional<CodeAndHeader> joinKernels(Session &session, const std::string &name, std::vector<SingleKernel> kernels);

} // namespace spc::driver
