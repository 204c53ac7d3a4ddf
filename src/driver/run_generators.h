// Inputs that are made up, as the command line says them.
#pragma once

#include "driver/run_options.h"
#include "driver/session.h"
#include "tensor/generate.h"

#include <optional>
#include <string>

namespace spc::driver {

/// Whether a source is a generator, or a slip for one rather than a file.
bool isMeantAsGenerator(const std::string &source);

/// The generator that such a source is; nullopt with a usage error.
std::optional<tensor::Generator> readGenerator(Session &session, const Assignment &assignment);

/// Has operands that nothing is given for made up: random tensors, and 1.
void addMissingInputs(const sema::Kernel &kernel, RunCommandOptions &options);

} // namespace spc::driver
