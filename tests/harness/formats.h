// Formats for tests, spelled in a word, without going through format files.
#pragma once

#include "format/format_file.h"

#include <memory>
#include <string>
#include <vector>

namespace spc::testing {

struct IndexTypes {
  format::IndexType pointers = format::IndexType::I32;
  format::IndexType indices = format::IndexType::I32;
};

/// Every form of format for tensors of order 2, 3, 4 and 1 whose entries are sorted and do not repeat.
extern const std::vector<std::string> kMatrixFormats;
extern const std::vector<std::string> kThirdOrderFormats;
extern const std::vector<std::string> kFourthOrderFormats;
extern const std::vector<std::string> kVectorFormats;

/// Matrix formats whose entries need not be sorted, or may repeat.
extern const std::vector<std::string> kLooseMatrixFormats;

/// The format that `spelling` names for tensors of `order`: `dense`, `csr`, `csc`, `dcsr`, `dcsc`, `sv` (a sparse
/// vector), `coo`, `csf`, one letter a level (`ddc`), or one of the names in formats.cpp (`bsr2x3`, `dia`, …), each
/// with a mode order after a colon where wanted: `csf:2,0,1`; two of those whose sum it is: `ell4+coo`; or a list of
/// levels, see level_lists.h: `@0=d,1=c`. Throws
/// std::invalid_argument on a misspelt one: a mistake in the test. Indices of diagonals are signed: unsigned types give
/// way to i32.
format::Format makeFormat(const std::string &spelling, int order, IndexTypes types);

/// The same as something that `--format` could have been given.
std::shared_ptr<const format::FormatFamily> makeFamily(const std::string &spelling, IndexTypes types);

} // namespace spc::testing
