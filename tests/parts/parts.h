// A kernel's data cut as its table of divisions says, and results put together again: a stand-in for processes.
#pragma once

#include "harness/dense_evaluator.h"
#include "harness/kernel_spec.h"
#include "sema/divisions.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace spc::testing {

/// The data of one part.
struct PartData {
  TensorMap tensors; ///< parameters, by the names of the text
  std::map<sema::ExtentId, std::vector<int64_t>>
      coordinates; ///< that the part has of an extent, of which it lacks some
};

/// The part that has these coordinates of the divided extent.
PartData partOf(const AnalyzedKernel &analyzed, const sema::IndexDivision &division, const TensorMap &whole,
                std::vector<int64_t> coordinates);

/// How the results of parts become one.
enum class Joining { Whole, Slice, Sum, Product, Min, Max, Or, And };

/// That of a result, by the table.
Joining joiningOf(const sema::ArgumentPart &part);

/// A result of all parts together: values with how far they may be off.
DenseTensor joined(const AnalyzedKernel &analyzed, const std::string &name, const std::vector<PartData> &parts,
                   const std::vector<TensorMap> &results, Joining joining, const DenseTensor &like);

/// What --check expects of a kernel's results. Throws reference::Unsupported.
TensorMap expectedResults(const AnalyzedKernel &analyzed, const TensorMap &tensors);

/// How two results differ; empty where they do not. `compared` counts elements that are certain.
std::string differenceOf(const DenseTensor &one, const DenseTensor &other, int64_t &compared);

/// Where to cut so many coordinates into parts: one of several ways by the seed, empty parts among them.
std::vector<int64_t> cutsOf(int64_t size, int64_t parts, uint64_t seed);

/// The parameters of the text that are written.
std::vector<std::string> resultsOf(const AnalyzedKernel &analyzed);

} // namespace spc::testing
