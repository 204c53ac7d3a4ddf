// Kernels that spc itself has written as text.
#pragma once

#include "driver/shell/session.h"

#include "format/bindings_writer.h"
#include "format/format_file.h"
#include "sema/analyze.h"
#include "sema/kernel.h"

#include <optional>
#include <string>
#include <vector>

namespace spc::driver {

/// The format of a tensor of the source text.
format::Format formatOf(const sema::Kernel &kernel, const std::string &tensor);

/// How a tensor of a written kernel is stored: as `like` of the one that it is made from, or in the arrays of that.
format::StoredTensor storedLike(format::FormatLoader &loader, const sema::Kernel &kernel, const std::string &name,
                                const std::string &like, bool sharesStructure);

/// Analyses a text with its sparse arguments stored as given; of the types in `options` it takes those that it names.
/// Files of constants are found from `path`, where it will be. nullopt with errors in `found`.
std::optional<sema::Kernel> planWritten(Session &session, const std::string &path, const std::string &text,
                                        const std::vector<format::StoredTensor> &stored, sema::Options options,
                                        Diagnostics &found);

} // namespace spc::driver
