// Matrix Market, FROSTT, NumPy's and Binsparse's files, plain or compressed.
#pragma once

#include "support/diagnostic.h"
#include "support/output_file.h"
#include "support/work_count.h"
#include "tensor/files/compression.h"
#include "tensor/tensor.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace spc::tensor {

enum class FileKind { MatrixMarket, Tns, Npy, Npz, Hdf5 };

/// The format and compression of a file by its name.
struct FileName {
  FileKind kind;
  Compression compression;
};

/// The format of a file named `.mtx`, `.tns`, `.npy`, `.npz`, `.h5` or `.hdf5`, with `.gz` or `.zst` behind it where it
/// is compressed; nullopt of other names.
std::optional<FileName> fileNamed(const std::string &path);

/// Whether `path` is named like a Matrix Market file.
bool isMatrixMarket(const std::string &path);

/// Whether files of this name say the shape of their tensor: all but `.tns`.
bool statesShape(const std::string &path);

/// Reads `.mtx` (Matrix Market: coordinate and array; real, integer, complex, pattern; general, symmetric,
/// skew-symmetric, Hermitian; mirrored entries are added) or `.tns` (FROSTT: 1-based coordinates then the value, no
/// header), `.npy` or `.npz` (NumPy's), or HDF5 (Binsparse's), all by their first bytes. The entries are those of a
/// sparse tensor: without the zeros, of whatever sign, of dense files and of those with padding (bsr, dia). Repeated
/// entries stay as they are; explicit zeros of files that list entries too. `shape`: given by --shape;
/// else from the header, else the largest coordinates. A matrix of one column is read as a vector where `shape` has one
/// extent. `limit`: how many bytes of text there may be, decompressed, in place of what TextSource allows. `count`:
/// counts the file's bytes as they are read. nullopt after reporting an error, which names path and line.
std::optional<Coordinates> readTensor(const std::string &path, const std::optional<std::vector<int64_t>> &shape,
                                      Diagnostics &diagnostics, std::optional<uint64_t> limit = std::nullopt,
                                      WorkCount *count = nullptr);

/// How a tensor is stored that a file is read for.
struct PackTarget {
  const format::Format &format;
  sema::ValueType type;
  bool isPacked = true; ///< else its entries are wanted, whatever the file has
};

/// A tensor as it has been read.
struct FileTensor {
  std::optional<PackedTensor> packed; ///< where the file has the arrays that the target stores
  Coordinates entries;                ///< of all others
  std::string unstorable;             ///< why its values do not fit the target; then there is neither
};

/// Reads as readTensor() does, for a target: all elements of a dense one in an array of NumPy, and the arrays of CSR
/// and CSC in a file of SciPy, are packed at once, without a list of entries. Lists for dense targets have the zeros
/// with a sign, too. A matrix of one column or row is read as a vector where the target is one, too.
std::optional<FileTensor> readTensorFor(const PackTarget &target, const std::string &path,
                                        const std::optional<std::vector<int64_t>> &shape, Diagnostics &diagnostics,
                                        std::optional<uint64_t> limit = std::nullopt, WorkCount *count = nullptr);

/// Choices in writing a tensor, besides its entries.
struct WriteOptions {
  sema::ValueType type = sema::ValueType::F64;
  bool isDense = false;       ///< every element is there
  std::string comment;        ///< a line for people at the beginning; none where it is empty
  int digits = 0;             ///< of values in texts; 0: as many as read back as the same number. Integers are in full
  WorkCount *count = nullptr; ///< counts the entries of texts as they are written
};

/// Why a file of this kind cannot hold a tensor; empty where it can.
std::string whyNotWritten(FileKind kind, int order, const WriteOptions &options);

/// Why this machine cannot write files of a kind: what it lacks and how that is installed; empty where it can.
std::string whyNotHere(FileKind kind);

/// Gives the bytes of a file, uncompressed, to `sink`, those of texts piece by piece. Requires: whyNotWritten() and
/// whyNotHere() are empty. False, with nothing given, of a .npz file of 4 GiB and more, and where libhdf5 makes no
/// file.
bool writeTensor(FileKind kind, const Coordinates &entries, const WriteOptions &options, const ByteSink &sink);

/// Gives the bytes of a file to a sink, and counts its entries meanwhile where there is a count.
using CountedSource = std::function<void(const ByteSink &sink, WorkCount *count)>;

/// A file that is written from a packed tensor's arrays, which outlive it.
struct ArraysFile {
  CountedSource bytes;
  bool isTooLarge = false; ///< a .npz file of 4 GiB and more, which is not written, or one that libhdf5 does not make
};

/// nullopt of kinds and formats that need a list of entries: all but NumPy's and HDF5 of dense tensors, and .npz and
/// HDF5 of CSR and CSC. Requires: whyNotWritten() and whyNotHere() are empty.
std::optional<ArraysFile> fileOfArrays(FileKind kind, const PackedTensor &tensor);

/// The bytes of a .npy file up to its elements, and then, in row-major order, the elements of a dense tensor that is
/// the file's or neighbouring coordinates of its first dimension; the tensor outlives these.
std::string npyHeader(sema::ValueType type, const std::vector<int64_t> &shape);
ByteSource npyElements(const PackedTensor &tensor);

/// A tensor as its file announces it.
struct Announced {
  std::vector<int64_t> shape; ///< empty where it does not say
  double entries = 0;         ///< that a list of all would have at most, mirrored ones included
  double heldBytes = 0;       ///< of the file, while it is read
  bool isArrays = false;      ///< which may be packed without a list of entries
};

/// What the headers of Matrix Market and .npy files announce; other files are judged by how large they are and what
/// their first lines are like. nullopt of a file that cannot be read once more, and where it has no room for what it
/// announces, which reading will report, or is longer than `limit` or TextSource allows. Nothing is reported.
std::optional<Announced> announcedBy(const std::string &path, std::optional<uint64_t> limit = std::nullopt);

/// The text of a .mtx (order 1, as one column, and 2; dense tensors as `array`, integers and bools as `integer`) or
/// .tns file (order 0 and up): every stored entry, values with enough digits to read back the same number. A .tns file
/// has no complex numbers.
std::string writeMatrixMarket(const Coordinates &entries, const WriteOptions &options = {});
std::string writeTns(const Coordinates &entries, const WriteOptions &options = {});

} // namespace spc::tensor
