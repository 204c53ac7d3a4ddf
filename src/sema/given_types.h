// The arguments of --type and --index.
#pragma once

#include "sema/analyze.h"

namespace spc::sema {

/// Reads `f32`, `A=i8` or `T=f32`; `sources` keeps the text for diagnostics. Whether the names exist sema says later.
/// nullopt with an error reported.
std::optional<format::GivenType> readGivenType(const std::string &argument, SourceManager &sources,
                                               Diagnostics &diagnostics);

/// The same of `i64` and `A=i64`.
std::optional<GivenIndexType> readGivenIndexType(const std::string &argument, SourceManager &sources,
                                                 Diagnostics &diagnostics);

} // namespace spc::sema
