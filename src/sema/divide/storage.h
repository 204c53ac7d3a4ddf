// Which storages can hold a part of a tensor as they hold all of it.
#pragma once

#include "sema/roles.h"

#include <cstdint>
#include <string>

namespace spc::sema {

struct Tensor;

/// Why what is left of a tensor where one dimension is cut cannot be stored alike, wherever it is cut; empty where it
/// can.
std::string whyNotCut(const Tensor &tensor, int dim);

/// Whether any coordinates of a dimension may be left out, and the others be numbered anew.
bool mayRenumber(const Tensor &tensor, int dim);

/// Whether a dimension has to have a coordinate at least, by which rows are padded.
bool needsOne(const Tensor &tensor, int dim);

/// The size of the blocks that a tensor stores along a dimension; 1 where it stores none.
int64_t blockOf(const Tensor &tensor, int dim);

} // namespace spc::sema
