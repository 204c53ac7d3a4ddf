// Matrix Market and FROSTT files, plain or gzipped.
#pragma once

#include "support/diagnostic.h"
#include "tensor/tensor.h"

#include <optional>
#include <string>
#include <vector>

namespace spc::tensor {

/// Reads `.mtx`, `.mtx.gz` (Matrix Market: coordinate and array; real, integer, pattern; general, symmetric,
/// skew-symmetric; entries are expanded) or `.tns`, `.tns.gz` (FROSTT: 1-based coordinates then the value, no header).
/// `shape`: given by --shape; else from the header, else the largest coordinates. Errors name path and line.
std::optional<Coordinates> readTensor(const std::string &path, const std::optional<std::vector<int64_t>> &shape,
                                      Diagnostics &diagnostics);

/// The text of a .mtx (order 1 and 2; dense tensors as `array`) or .tns file: every stored entry, values with enough
/// digits to read back the same number.
std::string writeMatrixMarket(const Coordinates &entries, bool dense);
std::string writeTns(const Coordinates &entries);

} // namespace spc::tensor
