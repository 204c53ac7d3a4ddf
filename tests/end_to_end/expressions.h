// Table-driven end-to-end checks: one expression, its formats, all the types and shapes.
#pragma once

#include "harness/kernel_under_test.h"
#include "harness/number_types.h"

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace spc::testing {

using Formats = std::map<std::string, std::string>;
using Choices = std::vector<std::pair<std::string, std::vector<std::string>>>;

/// Whether the environment variable SPC_TEST_ALL is set: no kernel is left out to save time.
bool takesAll();

/// The optimisation level of the `compilation`-th kernel where most are not optimised: what copies or assembles takes
/// several times as long with it.
int seldomOptimised(size_t compilation);

/// Every combination of one format a tensor.
std::vector<Formats> product(const Choices &choices);

/// The storages of a matrix and of a third-order tensor that most expressions are tried with.
extern const std::vector<std::string> kMatrix;
extern const std::vector<std::string> kThirdOrder;

/// Those that expressions with more to try are tried with: of a sparse matrix, of any, of an array alone, of a vector.
extern const std::vector<std::string> kSparse, kThreeSparse;
extern const std::vector<std::string> kFourStorages;
extern const std::vector<std::string> kDense;
extern const std::vector<std::string> kVector;

/// One kernel whose tensors all have the default format.
extern const std::vector<Formats> kDefaults;

/// Compiles `statements` under each format assignment, with value and index types that rotate so that every expression
/// meets each of them, and compares every compiled kernel with the evaluator on shapes and patterns of all kinds.
/// A refusal is a failure.
void check(const std::string &statements, const std::vector<Formats> &assignments);

/// The same with fewer kernels, most of them without optimisation: for what goes wrong before LLVM optimises.
void checkLowering(const std::string &statements, const std::vector<Formats> &assignments);

/// One spec on all shapes and patterns.
void check(const KernelSpec &spec);

/// One spec on those of `trials` that its formats can store. Returns how many these are, 0 after a failure.
int check(const KernelSpec &spec, const std::vector<Trial> &trials);

/// The kernel of `statements` under `formats` with the types and the optimisation whose turn it is at the
/// `compilation`-th kernel.
KernelSpec specFor(const std::string &statements, const Formats &formats, size_t compilation);

/// The shapes and patterns for a kernel with that many independent extents.
std::vector<Trial> trialsFor(int extentClasses);

/// The patterns for each of these extents, by class, with finite numbers alone and with others.
std::vector<Trial> trialsOn(const std::vector<std::vector<int64_t>> &extents);

} // namespace spc::testing
