// Kernels that spc itself has written as text.
#pragma once

#include "driver/shell/session.h"

#include "format/bindings_writer.h"
#include "sema/analyze.h"
#include "sema/kernel.h"

#include <optional>
#include <string>
#include <vector>

namespace spc::driver {

/// The format of a tensor of the source text.
format::Format formatOf(const sema::Kernel &kernel, const std::string &tensor);

/// Analyses a text with its sparse arguments stored as given; of the types in `options` it takes those that it names.
/// Files of constants are found from `path`, where it will be. nullopt with errors in `found`.
std::optional<sema::Kernel> planWritten(Session &session, const std::string &path, const std::string &text,
                                        const std::vector<format::StoredTensor> &stored, sema::Options options,
                                        Diagnostics &found);

} // namespace spc::driver
