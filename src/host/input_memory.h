// The memory that inputs will take, said before they are read.
#pragma once

#include "host/session.h"
#include "sema/kernel.h"
#include "tensor/files/files.h"

#include <optional>
#include <vector>

namespace spc::host {

/// Tensors do not fit into the memory that is given for them.
constexpr DiagnosticKind kTooLittleMemory{"too-little-memory", Severity::Error};

/// A tensor as it is known before anything is read.
struct ForeseenTensor {
  const sema::Tensor *tensor;
  tensor::Announced announced; ///< by its file; of others what shape they have, with no entries
  std::string whyWhole = {};   ///< why it is not read in blocks; empty where no block is asked for
};

/// The least that a tensor of `entries` entries takes, wherever they are. All entries of a sum may be in its last part.
double leastBytes(const sema::Tensor &tensor, const std::vector<int64_t> &shape, double entries);

/// Before anything is allocated: a size with a digit too many should not bring the machine down. Reports an error where
/// `bytes`, of this tensor and those before it, exceed this machine's memory.
void checkMemory(Session &session, const sema::Tensor &tensor, double bytes, const std::vector<int64_t> &shape);

/// Adds the dense tensors of known sizes that no file gives: outputs, what is made up, and what the kernel allocates
/// for a while.
void addDense(const sema::Kernel &kernel, const IdVector<sema::ExtentId, std::optional<int64_t>> &sizes,
              std::vector<ForeseenTensor> &tensors);

/// Reports an error where these tensors, while they are read and packed, take more than `memory` bytes; false then.
bool fitsInto(Session &session, const std::vector<ForeseenTensor> &tensors, bool packs, double memory);

/// Warns where these tensors, and the inputs among them while they are read and packed, take more memory than is free.
/// `packs`: inputs may be packed without a list of their entries. False where somebody at a terminal was
/// asked then whether to begin, and did not say yes; nobody is unless `asks`.
bool reportMemory(Session &session, const std::vector<ForeseenTensor> &tensors, bool packs, bool asks);

} // namespace spc::host
