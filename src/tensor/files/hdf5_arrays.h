// The arrays of Binsparse in HDF5 files, by libhdf5. Private to this folder.
#pragma once

#include "tensor/files/numpy_array.h"
#include "tensor/files/text_reader.h"

#include <array>
#include <cstdint>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace spc::tensor {

/// The names that Binsparse gives to the arrays of matrices and vectors.
constexpr const char *kBinsparseArrays[] = {"pointers_to_1", "indices_0", "indices_1", "values"};
/// The attribute that says what they are.
constexpr const char *kBinsparseAttribute = "binsparse";

/// Elements of one of these arrays, all where there are no more.
struct Hdf5Slab {
  uint64_t begin = 0, count = 0;
};
/// By kBinsparseArrays; none of an array: its type and its length alone.
using Hdf5Slabs = std::array<std::optional<Hdf5Slab>, std::size(kBinsparseArrays)>;

struct Hdf5Contents {
  std::string attribute;
  /// Those that there are, of elements of 8 bytes: i, u or f.
  std::map<std::string, NumpyArray> arrays;
  std::shared_ptr<const void> storage; ///< what the arrays' bytes are in
};

/// Reads what has the attribute in a file that is given as its bytes, which are freed: its root, or the one group
/// below. `limit` says how many bytes the arrays may have together, at 8 an element; where they have more `isTooLong`
/// is set. nullopt with a problem: damaged, without attribute, arrays of other elements or of other files, or no
/// libhdf5 here. It runs in a process of its own, so that its crash on a damaged file is a problem, too.
std::optional<Hdf5Contents> readHdf5(FileBytes &file, uint64_t limit, bool &isTooLong, FileProblem &problem);

/// Reads, in the same way, some elements of the arrays of the file at `path`. Those without a slab have no bytes.
std::optional<Hdf5Contents> readHdf5(const std::string &path, const Hdf5Slabs &slabs, FileProblem &problem);

/// An array that is written, of any type but half-precision floats; bools are written as bytes, complex numbers as
/// their parts in turn.
struct Hdf5Array {
  std::string name;
  sema::ValueType type;
  std::string_view elements; ///< of what is written, or of `owned`
  std::vector<char> owned;
};

/// The bytes of a file with the attribute and the arrays in its root. nullopt where libhdf5 makes none.
std::optional<std::string> writeHdf5(const std::string &attribute, const std::vector<Hdf5Array> &arrays);

} // namespace spc::tensor
