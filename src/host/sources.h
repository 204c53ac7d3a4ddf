// Where inputs come from: which are files, and which are made up.
#pragma once

#include "host/arguments.h"
#include "host/inputs.h"
#include "tensor/generate.h"

#include <optional>
#include <string>

namespace spc::host {

/// The files, and no pipes or terminals, among the sources of inputs.
std::vector<std::string> dataFiles(const InputOptions &options);

/// Whether a source is a generator, or a slip for one rather than a file.
bool isMeantAsGenerator(const std::string &source);

/// The generator that such a source is; nullopt with a usage error.
std::optional<tensor::Generator> readGenerator(Session &session, const Assignment &assignment);

/// The number that a scalar is given as; 0 with an error reported where it is none of the scalar's type.
tensor::Number readScalar(Session &session, const Assignment &assignment, const sema::Tensor &scalar);

/// Has operands that nothing is given for made up: random tensors, and 1.
void addMissingInputs(const sema::Kernel &kernel, InputOptions &options);

} // namespace spc::host
