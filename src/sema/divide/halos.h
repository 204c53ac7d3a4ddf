// Which coordinates of the other extents a part needs: those that its entries have.
#pragma once

#include "sema/divide/part_values.h"
#include "sema/divisions.h"
#include "sema/kernel.h"

#include <optional>

namespace spc::sema {

/// The tensor of the program that a parameter of its plan is, or is part of.
TensorId sourceIn(const Program &program, const Kernel &kernel, TensorId parameter);

/// Whether the program uses the size of an extent as a number, declares it as one, or says how it follows from others.
std::string whyNotSized(const Program &program, ExtentId extent);

/// The coordinates of `extent` that a part needs where `divided` is divided, if these are fewer than all: what else
/// there is changes no result. `values` has gone through the statements.
std::optional<Halo> haloOf(const Program &program, const Kernel &kernel, ExtentId divided, ExtentId extent,
                           const PartValues &values);

} // namespace spc::sema
