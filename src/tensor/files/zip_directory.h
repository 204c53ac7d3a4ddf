// The directory of a ZIP archive, which need not be in memory. Private to this folder.
#pragma once

#include "tensor/files/numpy_array.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace spc::tensor {

/// Reads bytes from a place of a file on: fewer than asked for at its end, and where it cannot be read.
using ReadAt = std::function<size_t(uint64_t at, char *to, size_t count)>;

/// A member as the directory lists it.
struct ZipEntry {
  std::string name;
  bool isDeflated = false; ///< else stored
  uint32_t checksum = 0;
  uint64_t begin = 0, packed = 0; ///< where its bytes are in the archive, and how many
  uint64_t bytes = 0;             ///< when they are inflated
};

/// Numbers of the format.
constexpr uint32_t kLocalHeader = 0x04034b50, kCentralHeader = 0x02014b50, kEndOfDirectory = 0x06054b50;
constexpr size_t kLocalBytes = 30, kLongestComment = 0xffff;
constexpr uint32_t kNoRoom = 0xffffffff; ///< where the number is in an extension
constexpr uint16_t kStored = 0;

/// Makes a problem of what is damaged; true.
bool isDamaged(FileProblem &problem, const std::string &why);

/// All members of an archive of so many bytes, inside of which they are. nullopt with a problem: damaged, or members
/// that are encrypted, or neither stored nor deflated.
std::optional<std::vector<ZipEntry>> listZip(const ReadAt &archive, uint64_t archiveBytes, FileProblem &problem);

} // namespace spc::tensor
