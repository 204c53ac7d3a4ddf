// Tensors in NumPy's and SciPy's files. Private to this folder.
#pragma once

#include "tensor/files.h"
#include "tensor/numpy_array.h"
#include "tensor/tensor.h"
#include "tensor/zip.h"

#include <optional>
#include <string>
#include <string_view>

namespace spc::tensor {

/// The elements of an array; zeros are left out, but for those with a sign.
std::optional<Coordinates> readNpy(std::string_view file, FileProblem &problem);

/// Of an archive's members: a matrix as scipy.sparse.save_npz writes it (csr, csc, coo, bsr, dia), with the entries
/// that are stored, or the only array.
std::optional<Coordinates> readNpz(const ZipMembers &members, FileProblem &problem);

/// The bytes of a .npy file. Requires every element in row-major order.
std::string writeNpy(const Coordinates &entries, sema::ValueType type);

/// The bytes of a .npz file: of a dense tensor as numpy.savez writes it, else of a vector (one column) or matrix as
/// scipy.sparse.save_npz does, csr, csc or coo after the order of the entries. nullopt where it has 4 GiB or more.
std::optional<std::string> writeNpz(const Coordinates &entries, const WriteOptions &options);

} // namespace spc::tensor
