// The generated C header of one kernel.
#pragma once

#include "abi/signature.h"

#include <string>
#include <string_view>

namespace spc::abi {

/// A self-contained header, C11 and C++17: the common part in include/spc, the struct types with their
/// validators (each under its own guard), the exported `_ctx` function and the inline plain one.
/// The text depends on nothing but `signature` and `kernel` (same input, same bytes).
std::string writeHeader(const Signature &signature, const sema::Kernel &kernel);

/// One struct type under its guard: the struct, layout assertions, its validator and, for dense types, a maker.
/// Needs the common part before it. `fills`: a sentence on what entries that are not stored are; empty where all are 0.
std::string typeSection(const StructType &type, const std::string &fills = {});

/// The members of the struct as typeSection has them, one a line, each with a comment on what it holds.
std::string structMembers(const StructType &type);

/// The texts of include/spc/spc.h, message.h, plan.h and levels.h as of the build, in this order.
std::string_view commonText();

} // namespace spc::abi
