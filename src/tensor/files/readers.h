// The readers of the two kinds of data files.
#pragma once

#include "tensor/files/files.h"
#include "tensor/files/text_reader.h"
#include "tensor/tensor.h"

#include <optional>
#include <vector>

namespace spc::tensor {

using Shape = std::optional<std::vector<int64_t>>;

/// Whether an element of a dense file is listed. Zeros, of whatever sign, are no entries of a sparse tensor; a dense
/// one has a place for each, and `keepsSigns`: those that differ from what it is filled with are listed for it.
bool isElementListed(Number value, bool keepsSigns);

/// See readTensor in files.h; `shape` is what --shape gives.
std::optional<Coordinates> readMatrixMarket(TextReader &text, const Shape &shape, bool keepsSigns);
/// The first lines alone, of a regular file; nullopt where it cannot have as many lines as these say.
std::optional<Announced> readAnnounced(TextReader &text);
std::optional<Coordinates> readTns(TextReader &text, const Shape &shape);

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
