// Tensors in NumPy's and SciPy's files. Private to this folder.
#pragma once

#include "tensor/files/files.h"
#include "tensor/files/numpy_array.h"
#include "tensor/files/zip.h"
#include "tensor/tensor.h"

#include <optional>
#include <string>
#include <string_view>

namespace spc::tensor {

/// A request to a reader of a file.
struct ReadRequest {
  const std::optional<std::vector<int64_t>> &shape; ///< of --shape
  const PackTarget *target = nullptr;               ///< null: the entries of a sparse tensor are wanted

  /// Whether a tensor is to be made of the file's arrays where it can be.
  bool packs() const { return target && target->isPacked; }
  /// Whether zeros of files that list none are taken as they are, since the tensor has a sign for each.
  bool keepsSigns() const { return target && target->format.isDense(); }
};

/// Whether packElements() makes such a tensor of an array, which is no text.
bool isArrayOf(const NumpyArray &array, const PackTarget &target);

/// All elements of an array as a dense tensor; nullopt with a problem, or with why a value does not fit the target.
/// Requires: of the order of the target's format, which is dense.
std::optional<PackedTensor> packElements(const NumpyArray &array, const ByteReader &file, const PackTarget &target,
                                         FileProblem &problem, std::string &unstorable);

/// Adds the values of elements that follow one another to a list of entries.
void appendValues(const NumpyArray &array, int64_t begin, int64_t count, Coordinates &entries);

/// The elements of an array that isElementListed().
std::optional<Coordinates> listElements(const NumpyArray &array, const ByteReader &file, bool keepsSigns,
                                        FileProblem &problem);

/// The array of a .npy file of so many bytes, where that is known. nullopt with a problem, or where the reader has
/// reported one.
std::optional<FileTensor> readNpy(const ByteReader &file, std::optional<uint64_t> fileBytes, const ReadRequest &request,
                                  FileProblem &problem);

/// Reads an archive's members: a matrix as scipy.sparse.save_npz writes it, with the entries that are listed (csr, csc,
/// coo) or are not 0 (bsr, dia), or the only array.
std::optional<FileTensor> readNpz(const ZipMembers &members, const ReadRequest &request, FileProblem &problem);

/// Gives the bytes of a .npy file. Requires every element in row-major order.
void writeNpy(const Coordinates &entries, const WriteOptions &options, const ByteSink &sink);

/// Gives the bytes of a .npz file: of a dense tensor as numpy.savez writes it, else of a vector (one column) or matrix
/// as scipy.sparse.save_npz does, csr, csc or coo after the order of the entries. False, with nothing given, where it
/// has 4 GiB or more.
bool writeNpz(const Coordinates &entries, const WriteOptions &options, const ByteSink &sink);

using NumpyMembers = std::map<std::string, ZipSource>;

/// The members of a .npz file from the arrays of a packed tensor, which outlives them; nullopt where the file is to
/// have others.
std::optional<NumpyMembers> npzMembers(const PackedTensor &tensor);

/// The file of members that have room in one, in which there are so many entries.
CountedSource npzFile(NumpyMembers members, uint64_t entries);

/// The .npy file of a dense tensor, which outlives it.
CountedSource npyFile(const PackedTensor &tensor);

} // namespace spc::tensor
