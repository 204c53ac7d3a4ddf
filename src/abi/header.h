// The generated C header of one kernel.
#pragma once

#include "abi/signature.h"

#include <string>
#include <string_view>

namespace spc::abi {

/// A self-contained header, C11 and C++17: the common part of include/spc/spc.h, the struct types with their
/// validators (each under its own guard), the exported `_ctx` function and the inline plain one.
/// The text depends on nothing but `signature` and `kernel` (same input, same bytes).
std::string writeHeader(const Signature &signature, const sema::Kernel &kernel);

/// One struct type under its guard: the struct, layout assertions, its validator and, for dense types, a maker.
/// Needs the common part before it.
std::string typeSection(const StructType &type);

/// The text of include/spc/spc.h as of the build.
std::string_view commonText();

} // namespace spc::abi
