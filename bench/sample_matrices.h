// Matrices and tensors of about as many entries as asked for, of the kinds that benchmarks need. Values are random in
// [-1, 1), entries distinct, and the same for the same arguments.
#pragma once

#include "tensor/tensor.h"

#include <cstdint>

/// 16 entries in every row, at random columns among the 1024 around the diagonal; as many columns as rows.
spc::tensor::Coordinates nearbyColumns(int64_t entries);

/// The same at random columns anywhere: x is read from wherever in the caches it is.
spc::tensor::Coordinates anyColumns(int64_t entries);

/// Dense blocks of 8 x 8, 4 in every block row at random block columns; as many columns as rows.
spc::tensor::Coordinates denseBlocks(int64_t entries);

/// Rows of 8 to 256 entries from column 0 on; 256 columns.
spc::tensor::Coordinates raggedRows(int64_t entries);

/// A lower triangle, the diagonal included, without gaps.
spc::tensor::Coordinates lowerTriangle(int64_t entries);

/// The matrix of a stencil of 3 x 3 points on a square grid.
spc::tensor::Coordinates stencil(int64_t entries);

/// The matrix of a stencil of 5 points, a point and its four neighbours, on a square grid.
spc::tensor::Coordinates fivePointStencil(int64_t entries);

/// The matrix of a stencil of 3 x 3 x 3 points on a cubic grid.
spc::tensor::Coordinates stencil27(int64_t entries);

/// 8 entries in a row and a column on average, the n-th longest row and column having about 1 / sqrt(n) of what the
/// longest has; long and short ones are scattered.
spc::tensor::Coordinates powerLaw(int64_t entries);

/// A tensor of order 3 with as many slices as fibers in each, none of which is empty: 16 entries in each fiber, at
/// random places among 4096.
spc::tensor::Coordinates fullFibers(int64_t entries);

/// A tensor of order 3 with 64 entries in a slice on average, the n-th longest having about 1 / sqrt(n) of what the
/// longest has, in order; most fibers have one or two entries.
spc::tensor::Coordinates skewedSlices(int64_t entries);
