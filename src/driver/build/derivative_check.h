// Whether spc can compile a derivative that it has written.
#pragma once

#include "driver/shell/session.h"

#include "format/bindings_writer.h"
#include "format/format_file.h"

#include <string>
#include <vector>

namespace spc::driver {

/// Analyses a derivative with its sparse arguments stored as given. False with an error reported where that cannot be,
/// as where it has more operators than a kernel may have. `verifies` what is planned for it. Files of constants are
/// found from where the derivative will be.
bool checkDerivative(Session &session, const std::string &path, const std::string &text,
                     const std::vector<format::StoredTensor> &stored, const std::vector<format::GivenType> &types,
                     bool verifies);

} // namespace spc::driver
