// ZIP archives in memory, of members that are stored or deflated. Private to this folder.
#pragma once

#include "tensor/numpy_array.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace spc::tensor {

using ZipMembers = std::map<std::string, std::string>;

/// All members of an archive by their names. `limit` says how many bytes they may have together; where they have more
/// `isTooLong` is set. nullopt with a problem: damaged, or encrypted.
std::optional<ZipMembers> readZip(std::string_view archive, uint64_t limit, bool &isTooLong, FileProblem &problem);

/// An archive of members as they are; nullopt where it would have 4 GiB or more.
std::optional<std::string> writeZip(const ZipMembers &members);

} // namespace spc::tensor
