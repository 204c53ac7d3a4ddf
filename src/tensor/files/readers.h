// The readers of the two kinds of data files.
#pragma once

#include "tensor/files/files.h"
#include "tensor/files/text_reader.h"
#include "tensor/tensor.h"

#include <functional>
#include <optional>
#include <vector>

namespace spc::tensor {

using Shape = std::optional<std::vector<int64_t>>;

/// Whether an element of a dense file is listed. Zeros, of whatever sign, are no entries of a sparse tensor; a dense
/// one has a place for each, and `keepsSigns`: those that differ from what it is filled with are listed for it.
bool isElementListed(Number value, bool keepsSigns);

/// Takes entries as they are read, a piece after the other, and leaves the list empty. False where it takes no more.
using PieceSink = std::function<bool(Coordinates &piece)>;

/// How many entries a piece has, about.
constexpr int64_t kPieceEntries = int64_t{1} << 15;

/// See readTensor in files.h; `shape` is what --shape gives. Where there is a `sink`, it is given all entries, and what
/// is returned has the shape alone; nullopt without an error where the sink takes no more.
std::optional<Coordinates> readMatrixMarket(TextReader &text, const Shape &shape, bool keepsSigns,
                                            const PieceSink &sink = nullptr);
/// The first lines alone, of a regular file; nullopt where it cannot have as many lines as these say.
std::optional<Announced> readAnnounced(TextReader &text);
std::optional<Coordinates> readTns(TextReader &text, const Shape &shape, const PieceSink &sink = nullptr);

/// Gives `entries` to the sink, where there is one and they are `least` or more. False where it takes no more.
bool givePiece(Coordinates &entries, const PieceSink &sink, size_t least);

/// Gives entries the shape of --shape, a matrix of one column or row that of a vector. False after reporting that they
/// cannot have it.
bool applyShape(Coordinates &entries, const std::vector<int64_t> &shape, TextReader &text);

/// Throws std::bad_alloc where `entries` have become so many that they and what is made of them exceed this machine's
/// memory: the system grants more than it has, and then ends the process.
void requireRoom(const Coordinates &entries);
/// The same, to be called after each of many entries that are added together; the one above after each entry.
void requireRoomForPiece(const Coordinates &entries);
/// The same for a list of so many entries that is about to be made.
void requireRoomForList(double entries, int order);

} // namespace spc::tensor
