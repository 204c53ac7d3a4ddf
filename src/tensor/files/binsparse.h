// Tensors in files of Binsparse 0.1, in HDF5. Private to this folder.
#pragma once

#include "tensor/files/files.h"
#include "tensor/files/hdf5_arrays.h"
#include "tensor/files/numpy_files.h"
#include "tensor/tensor.h"

#include <optional>
#include <string>

namespace spc::tensor {

/// A tensor of which neighbouring coordinates of a dimension are next to each other in the file.
struct BinsparseLayout {
  bool hasPointers = false; ///< else it is dense
  size_t major = 0;         ///< the dimension
  int64_t parts = 1;        ///< numbers of a value: 2 of complex ones
  bool isIso = false;       ///< all entries have one value
  std::vector<int64_t> shape;
};

/// What a file holds by its attribute and the lengths of its arrays. nullopt with a problem: malformed, or, which is
/// Unsupported, another layout.
std::optional<BinsparseLayout> binsparseLayout(const Hdf5Contents &contents, FileProblem &problem);

/// The matrix or vector that arrays hold, with the entries that are stored and those that a structure such as
/// symmetric_lower mirrors; a dense one's zeros are left out, but for those with a sign.
/// `majors`: the arrays hold so many coordinates of the first dimension alone, or of the second of a column-major one.
std::optional<FileTensor> readBinsparse(const Hdf5Contents &contents, const ReadRequest &request, FileProblem &problem,
                                        std::optional<int64_t> majors = std::nullopt);

/// The bytes of a file: a dense vector as DVEC, a dense matrix as DMATR, a sparse vector as CVEC, a sparse matrix as
/// CSR, CSC or COO after the order of its entries. Requires order 1 or 2, and of dense tensors every element in
/// row-major order. nullopt where libhdf5 makes none.
std::optional<std::string> writeBinsparse(const Coordinates &entries, const WriteOptions &options);

/// Whether a packed tensor's arrays are those of a file: a dense one's, of order 1 or 2, and those of CSR and CSC.
bool hasBinsparseArrays(const PackedTensor &tensor);

/// The same file from such arrays.
std::optional<std::string> writeBinsparse(const PackedTensor &tensor);

} // namespace spc::tensor
