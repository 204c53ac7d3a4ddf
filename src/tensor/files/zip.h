// ZIP archives in memory, of members that are stored or deflated. Private to this folder.
#pragma once

#include "support/memory.h"
#include "support/output_file.h"
#include "tensor/files/numpy_array.h"

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace spc::tensor {

/// A member that has been read.
struct ZipMember {
  std::string_view bytes; ///< in the archive where they are stored
  std::vector<char, LargePages<char>> inflated;
};

using ZipMembers = std::map<std::string, ZipMember>;

/// All members of an archive by their names; it outlives them, and what is deflated in it is given back to the system.
/// `limit` says how many bytes they may have together; where they have more `isTooLong` is set. nullopt with a problem:
/// damaged, or encrypted.
std::optional<ZipMembers> readZip(std::span<char> archive, uint64_t limit, bool &isTooLong, FileProblem &problem);

/// A member that is written.
struct ZipSource {
  uint64_t size = 0;
  ByteSource bytes; ///< as many, the same each time
};

/// Whether members have room in one archive, which has less than 4 GiB.
bool haveRoom(const std::map<std::string, ZipSource> &members);

/// Gives an archive of members as they are, which it asks for their bytes twice. False, with nothing given, where they
/// have no room.
bool writeZip(const std::map<std::string, ZipSource> &members, const ByteSink &sink);

} // namespace spc::tensor
