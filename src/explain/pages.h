// The pages of docs/ on diagnostics and on remarks, which spc holds.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace spc::explain {

/// The page of a diagnostic or of a remark, as plain text with a line break at its end; nullopt where no id is so
/// spelled.
std::optional<std::string> pageOf(std::string_view id);

/// All ids that have a page.
std::vector<std::string> pageIds();

} // namespace spc::explain
