// The body of a struct type's validator, in C.
#pragma once

#include "abi/signature.h"

#include <string>

namespace spc::abi {

/// The statements that check the tensor `t` points to, which is not NULL, and return a status. They describe each level
/// to the functions of include/spc/levels.h.
std::string validatorBody(const StructType &type);

} // namespace spc::abi
