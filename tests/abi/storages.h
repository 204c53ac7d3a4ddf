// Many formats of the algebra, and what tells their storages apart.
#pragma once

#include "format/format.h"

#include <string>
#include <vector>

namespace spc::abi::test {

/// Formats of orders 1 to 3 with every kind of level, blocks, diagonals, symmetry, interleaving and index widths. Some
/// agree in storage.
std::vector<format::Format> manyFormats();

/// Everything that decides how a tensor lies in memory and what its coordinates promise, in words of its own: two
/// formats are stored alike if and only if these agree.
std::string storageKey(const format::Format &format);

/// Named storages: ELL, BSR, DIA, packed triangles and their like.
format::Format ell(std::optional<int64_t> width, bool isUnique = false);
format::Format blocks(format::Extent columns, int64_t rows, int64_t cols, bool isColumnMajor = false);
format::Format diagonals();
format::Format ragged(format::Storage storage, format::Extent extent);
format::Format triangle(format::Symmetry part);
format::Format grouped(int64_t entries, int64_t group);
format::Format symmetric(format::Format format, format::Symmetry triangle);
format::Format interleaved(format::Format format);
format::Format withTypes(format::Format format, format::IndexType pointers, format::IndexType indices);

} // namespace spc::abi::test
