// Tensors in files that are larger than memory, of which neighbouring coordinates of one dimension are read at a time.
#pragma once

#include "support/diagnostic.h"
#include "tensor/files/files.h"
#include "tensor/files/numpy_array.h"
#include "tensor/tensor.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace spc::tensor {

/// A tensor of which a block after the other is read. Functions are for one thread at a time.
class BlockReader {
public:
  virtual ~BlockReader() = default;

  virtual const std::vector<int64_t> &shape() const = 0;

  /// The bytes that it holds as long as it lives.
  virtual double heldBytes() const = 0;

  /// The bytes of the temporary file that its entries were sorted into; 0 where there is none.
  virtual uint64_t sortedBytes() const { return 0; }

  /// Blocks begin and end at multiples of so many coordinates, or at the end of all.
  virtual int64_t step() const { return 1; }

  /// The most bytes that the block takes while it is read and packed for the target.
  virtual double bytesFor(int64_t begin, int64_t end) const = 0;

  /// Reads the coordinates from `begin` to `end` of the divided dimension, which are counted from 0 in what it gives.
  /// Blocks are asked for in order, each beginning where the last one ended; the one that ends at the extent finds
  /// out whether the file was whole. nullopt with a problem: the file is damaged, or has changed. Throws
  /// std::bad_alloc.
  virtual std::optional<FileTensor> read(int64_t begin, int64_t end, FileProblem &problem) = 0;
};

/// What is read in blocks.
struct BlocksRequest {
  const std::string &path;
  int dim = 0;                                    ///< of the tensor, which is divided
  int order = 0;                                  ///< of the tensor
  std::optional<std::vector<int64_t>> shape = {}; ///< of --shape
  std::optional<uint64_t> limit = {};             ///< of bytes of text, as readTensorFor() has it
  double buffers = 0;                             ///< bytes that may be held while entries are sorted into files
};

/// Whether a file is read in blocks of a dimension, as far as its beginning says.
struct BlockAccess {
  std::string whyNot;    ///< why it is not, as a clause that begins with what it is; empty where it is
  bool isSorted = false; ///< all of it is read first, and its entries are sorted into a temporary file
};
BlockAccess blockAccess(const BlocksRequest &request);

/// Opens a file that is read in blocks. The temporary file of what is sorted is in $TMPDIR or /tmp, and has no name.
/// Null with an error reported. The target's format outlives the reader.
std::unique_ptr<BlockReader> openBlocks(const BlocksRequest &request, const PackTarget &target,
                                        Diagnostics &diagnostics, WorkCount *count = nullptr);

/// Entries that are in memory, in blocks.
std::unique_ptr<BlockReader> blocksOf(Coordinates entries, int dim, const PackTarget &target);

/// Reports a problem with the file at `path`.
void reportProblem(const FileProblem &problem, const std::string &path, Diagnostics &diagnostics);

} // namespace spc::tensor
