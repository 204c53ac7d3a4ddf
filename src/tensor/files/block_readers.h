// The readers of blocks by kind of file. Private to this folder.
#pragma once

#include "tensor/files/binsparse.h"
#include "tensor/files/file_parts.h"
#include "tensor/files/numpy_files.h"
#include "tensor/files/readers.h"
#include "tensor/files/row_blocks.h"

#include <initializer_list>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace spc::tensor {

/// The bytes of a list of so many entries while it is made into a tensor of the target with this shape.
double listBytes(const PackTarget &target, const std::vector<int64_t> &shape, double entries);

/// Makes a problem of a malformed file; false.
bool failWith(FileProblem &problem, std::string message);

/// The problem with a file that has changed, or could not be read.
FileProblem changed();

/// An array of which the elements begin at `begin` in the file. Requires: no text, of the target's order.
std::unique_ptr<BlockReader> arrayBlocks(std::unique_ptr<FileParts> file, uint64_t begin, const NumpyArray &array,
                                         int dim, const PackTarget &target);

/// The members of an archive by their names.
using ZipEntries = std::map<std::string, ZipEntry>;

/// A matrix of scipy.sparse.save_npz in csr or csc, in blocks of the dimension that has pointers, `major`. Null with a
/// problem.
std::unique_ptr<BlockReader> segmentBlocks(std::unique_ptr<FileParts> file, const ZipEntries &members, size_t major,
                                           const PackTarget &target, FileProblem &problem);

/// Gives the entries of a matrix of scipy.sparse.save_npz, of csr, csc and coo. Its shape; nullopt with a problem,
/// which is empty where the sink takes no more.
std::optional<std::vector<int64_t>> giveEntries(const FileParts &file, const ZipEntries &members,
                                                const std::string &format, const PieceSink &sink, FileProblem &problem);

/// What a file of Binsparse is like. nullopt with a problem: malformed, or, which is Unsupported, not read in blocks.
std::optional<BinsparseLayout> binsparseLayoutOf(const std::string &path, FileProblem &problem);

/// Such a file, in blocks of the dimension that comes first. Null with a problem.
std::unique_ptr<BlockReader> binsparseBlocks(std::unique_ptr<FileParts> file, const std::string &path,
                                             const PackTarget &target, FileProblem &problem);

/// Sorts entries in any order into blocks of a dimension, in a temporary file.
class Buckets {
public:
  /// `memory`: how many bytes may be held for it.
  Buckets(int dim, int order, double memory);
  ~Buckets();

  /// Takes entries of the order. False where they cannot be written, which why() then says.
  bool add(const Coordinates &piece);
  const std::string &why() const;

  /// The reader of all that was added, of which this keeps nothing. `shape` holds all entries. Null where the rest
  /// cannot be written.
  std::unique_ptr<BlockReader> reader(const std::vector<int64_t> &shape, const PackTarget &target);

private:
  struct State;
  std::unique_ptr<State> state_;
};

/// What an open archive holds.
struct Archive {
  ZipEntries members;
  std::string format;              ///< of a matrix: csr, csc, coo, …; empty of one that holds an array
  std::vector<int64_t> shape = {}; ///< of a matrix
};

/// Reads the directory, and of a matrix what it is. nullopt with a problem.
std::optional<Archive> openArchive(const FileParts &file, FileProblem &problem);

/// The array of a member, whose header is read off the stream. nullopt with a problem, which names the member.
std::optional<NumpyArray> headerOfMember(MemberStream &stream, FileProblem &problem);

/// A member of an archive; null with a problem.
const ZipEntry *memberOf(const ZipEntries &members, const std::string &name, FileProblem &problem);

/// The next elements of an array off its stream; false with a problem where it ends early.
bool readPiece(MemberStream &stream, const NumpyArray &array, int64_t count, std::vector<char> &buffer,
               NumpyArray &piece, FileProblem &problem);

/// Whether members come to their ends as they should; false with a problem.
bool finishMembers(std::initializer_list<MemberStream *> members, FileProblem &problem);

} // namespace spc::tensor
