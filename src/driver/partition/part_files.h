// The data of each part as files.
#pragma once

#include "driver/partition/parts.h"
#include "host/session.h"
#include "tensor/files/files.h"

#include <string>

namespace spc::driver {

/// Writes what each part has into a folder of its own, DIR/0, DIR/1 and so on: of slices and of what is exchanged its
/// own coordinates, in order and numbered from 0, others as they are; sparse tensors as `kind`, dense ones as .npy
/// files. `extent.npy` lists the coordinates that a part has of an extent. False with an error reported.
bool writeParts(host::Session &session, const sema::Kernel &kernel, const sema::IndexDivision &division,
                const host::Inputs &inputs, const Owners &owners, int64_t parts, const std::string &folder,
                tensor::FileKind kind);

} // namespace spc::driver
