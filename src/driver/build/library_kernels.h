// The kernels of a library: objects and their headers, read and found to fit together.
#pragma once

#include "driver/shell/session.h"

#include "abi/library_header.h"
#include "codegen/library.h"

#include <optional>
#include <string>
#include <vector>

namespace spc::driver {

/// The kernels of a library, in the order of their names.
struct LibraryKernels {
  std::vector<abi::LibraryKernel> kernels;
  std::vector<codegen::LibraryMember> members;
  std::string target;                 ///< codegen::linkTarget() of all
  std::vector<std::string> filesRead; ///< objects and headers
};

/// Reads objects as `spc compile` writes them, and their headers: of x.o, x.h beside it or in one
/// of `headerFolders`, or KERNEL.h there. nullopt with errors reported: what is no such object, names that two kernels
/// take, different targets or conventions, missing headers and those of other objects.
std::optional<LibraryKernels> readLibraryKernels(Session &session, const std::vector<std::string> &objects,
                                                 const std::vector<std::string> &headerFolders);

/// A kernel's object as what libraries are made of.
codegen::LibraryMember memberOf(const abi::ReadSignature &signature, std::string object);

/// Makes headers and signatures those of what a shared library exports.
void makeVisible(LibraryKernels &library);

/// Reads `NAME=KERNEL,KERNEL…`. nullopt with errors reported: unknown kernels, names that are taken, kernels that C++
/// cannot tell apart.
std::optional<std::vector<abi::Overload>> readOverloads(Session &session, const std::vector<std::string> &options,
                                                        const std::vector<abi::LibraryKernel> &kernels);

} // namespace spc::driver
