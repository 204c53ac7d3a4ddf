// What inputs will take of memory, said before they are read.
#pragma once

#include "driver/session.h"
#include "sema/kernel.h"
#include "tensor/files.h"

#include <utility>
#include <vector>

namespace spc::driver {

/// A tensor and what its file announces.
using AnnouncedInput = std::pair<const sema::Tensor *, tensor::Announced>;

/// Before anything is allocated: a size with a digit too many should not bring the machine down. Reports an error where
/// `words` numbers of 8 bytes, in this tensor and those before it, exceed this machine's memory.
void checkMemory(Session &session, const sema::Tensor &tensor, double words, const std::vector<int64_t> &shape);

/// Warns where reading and packing these inputs takes more memory than is free. False where somebody at a terminal was
/// asked then whether to begin, and did not say yes; nobody is unless `asks`.
bool reportMemory(Session &session, const std::vector<AnnouncedInput> &inputs, bool asks);

} // namespace spc::driver
