// What messages about storage call things. Private to this folder.
#pragma once

#include "sema/tree.h"

namespace spc::sema {

/// A sparse format that comes with spc and stores the dimensions `modes`, as --format has it: "csc", "csf:0,2,1".
std::string shippedFormat(const std::vector<int> &modes);

/// Whether a tensor is a temporary that no text names.
bool isUnnamed(const Tensor &tensor);

/// "'A'", or "a temporary"; for a part of a sum "part 1 of 'A'", as the source text does not name it, and a copy is
/// named as its source.
std::string nameInMessages(const Kernel &kernel, TensorId tensor);

/// How to store the tensor of `access` so that it need not be copied to `copy`, whose levels are (dense, compressed,
/// …): "store 'A' as csf:0,2,1 to avoid the copy". `rootIsListable`: other operands' root levels may be compressed as
/// well, since no sum of loops has to be found there. Empty where the statement reads the tensor in two orders, so that
/// no storage does without a copy.
std::string adviceAgainstCopy(const Kernel &kernel, const Access &access, const format::Format &copy,
                              bool rootIsListable, const Scope &scope);

} // namespace spc::sema
