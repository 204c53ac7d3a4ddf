// Statements as text, written otherwise.
#pragma once

#include "harness/data.h"
#include "harness/kernel_under_test.h"
#include "harness/text.h"

#include <map>
#include <string>
#include <vector>

namespace spc::testing {

/// `text` with each whole word that `names` holds replaced.
std::string renamed(const std::string &text, const std::map<std::string, std::string> &names);

/// Gives one tensor's dimensions another order, in all that read or write it, and its format another mode order, or
/// now and then not. Returns by tensor which of the new dimensions each of the old ones is; empty where no tensor can
/// be chosen.
std::map<std::string, std::vector<int>> permuteDimensions(KernelSpec &spec, Random &random);

/// Puts a temporary's right side in place of what reads it. Returns whether there was one that this can be done with.
bool inlineTemporary(KernelSpec &spec);

} // namespace spc::testing
