// What inputs will take of memory, said before they are read.
#pragma once

#include "driver/session.h"
#include "sema/kernel.h"
#include "tensor/files.h"

#include <optional>
#include <vector>

namespace spc::driver {

/// What is known of a tensor before anything is read.
struct ForeseenTensor {
  const sema::Tensor *tensor;
  tensor::Announced announced; ///< by its file; of others what shape they have, with no entries
};

/// Elements that a tensor takes whatever its entries are: all of a dense one, the outer dense levels of another.
double leastElements(const format::Format &format, const std::vector<int64_t> &shape);

/// Before anything is allocated: a size with a digit too many should not bring the machine down. Reports an error where
/// `words` numbers of 8 bytes, in this tensor and those before it, exceed this machine's memory.
void checkMemory(Session &session, const sema::Tensor &tensor, double words, const std::vector<int64_t> &shape);

/// Adds the dense tensors of known sizes that no file gives: outputs, what is made up, and what the kernel allocates
/// for a while.
void addDense(const sema::Kernel &kernel, const IdVector<sema::ExtentId, std::optional<int64_t>> &sizes,
              std::vector<ForeseenTensor> &tensors);

/// Warns where these tensors, and the inputs among them while they are read and packed, take more memory than is free.
/// `packs`: inputs may be packed without a list of their entries. False where somebody at a terminal was
/// asked then whether to begin, and did not say yes; nobody is unless `asks`.
bool reportMemory(Session &session, const std::vector<ForeseenTensor> &tensors, bool packs, bool asks);

} // namespace spc::driver
