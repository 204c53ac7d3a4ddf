// PKWARE's APPNOTE.TXT 6.3, sections 4.3 to 4.5.
#include "tensor/files/zip_directory.h"

#include <algorithm>

namespace spc::tensor {

namespace {

constexpr uint32_t kEndOfDirectory64 = 0x06064b50, kLocator64 = 0x07064b50;
constexpr size_t kCentralBytes = 46, kEndBytes = 22, kLocatorBytes = 20;
constexpr uint32_t kNoRoomInTwo = 0xffff; ///< where the number is in an extension
constexpr uint16_t kDeflated = 8;

/// Integers at places of an archive; 0 beyond its end.
class Fields {
public:
  Fields(const ReadAt &archive, uint64_t size) : archive_(archive), size_(size) {}
  uint64_t size() const { return size_; }
  uint32_t two(uint64_t at) const { return static_cast<uint32_t>(get(at, 2)); }
  uint32_t four(uint64_t at) const { return static_cast<uint32_t>(get(at, 4)); }
  uint64_t eight(uint64_t at) const { return get(at, 8); }

  /// The bytes from a place on, as many of them as there are.
  std::string text(uint64_t at, size_t count) const {
    std::string text(count, '\0');
    text.resize(archive_(at, text.data(), count));
    return text;
  }

private:
  uint64_t get(uint64_t at, size_t count) const {
    unsigned char bytes[8];
    if (at > size_ || count > size_ - at || archive_(at, reinterpret_cast<char *>(bytes), count) != count)
      return 0;
    uint64_t value = 0;
    for (size_t k = 0; k < count; ++k)
      value |= uint64_t{bytes[k]} << (8 * k);
    return value;
  }

  const ReadAt &archive_;
  uint64_t size_;
};

/// What the directory says of a member in numbers that may have 8 bytes.
struct Place {
  uint64_t bytes, packed, local;
};

/// The numbers of the entry at a place. Those that 4 bytes do not hold are in its extension for Zip64, in this order;
/// nullopt where that lacks them.
std::optional<Place> placeAt(const Fields &fields, uint64_t at) {
  constexpr uint32_t kZip64 = 1;
  Place place{fields.four(at + 24), fields.four(at + 20), fields.four(at + 42)};
  uint64_t *const wanted[] = {&place.bytes, &place.packed, &place.local};
  if (std::none_of(std::begin(wanted), std::end(wanted), [](const uint64_t *number) { return *number == kNoRoom; }))
    return place;
  uint64_t next = at + kCentralBytes + fields.two(at + 28);
  const uint64_t end = next + fields.two(at + 30);
  while (end - next >= 4 && fields.two(next) != kZip64) {
    const uint64_t bytes = 4 + uint64_t{fields.two(next + 2)};
    if (bytes > end - next)
      return std::nullopt;
    next += bytes;
  }
  if (end - next < 4)
    return std::nullopt;
  uint64_t left = std::min<uint64_t>(fields.two(next + 2), end - next - 4);
  next += 4;
  for (uint64_t *number : wanted) {
    if (*number != kNoRoom)
      continue;
    if (left < 8)
      return std::nullopt;
    *number = fields.eight(next);
    next += 8;
    left -= 8;
  }
  return place;
}

/// The member that the directory lists at a place; nullopt with a problem.
std::optional<ZipEntry> memberAt(const Fields &fields, uint64_t at, FileProblem &problem) {
  constexpr uint32_t kEncrypted = 1;
  if (fields.four(at) != kCentralHeader && isDamaged(problem, "its directory ends early"))
    return std::nullopt;
  const std::optional<Place> place = placeAt(fields, at);
  const uint32_t method = fields.two(at + 10);
  ZipEntry member{fields.text(at + kCentralBytes, fields.two(at + 28)), method == kDeflated, fields.four(at + 16)};
  if ((fields.two(at + 8) & kEncrypted) != 0 || (method != kStored && method != kDeflated)) {
    problem = {FileProblem::Kind::Unsupported,
               "its member '" + member.name + "' is encrypted, or neither stored nor deflated"};
    return std::nullopt;
  }
  if (!place && isDamaged(problem, "its directory does not say where its member '" + member.name + "' is"))
    return std::nullopt;
  member.bytes = place->bytes;
  member.packed = place->packed;
  const bool hasHeader = place->local <= fields.size() && fields.four(place->local) == kLocalHeader;
  member.begin =
      hasHeader ? place->local + kLocalBytes + fields.two(place->local + 26) + fields.two(place->local + 28) : 0;
  const bool isInside = hasHeader && member.begin <= fields.size() && place->packed <= fields.size() - member.begin;
  if ((!isInside || (method == kStored && place->packed != member.bytes)) &&
      isDamaged(problem, "its member '" + member.name + "' is not where the directory says"))
    return std::nullopt;
  return member;
}

struct Directory {
  uint64_t members, begin;
};

/// Where the directory is; nullopt with a problem. Numbers that do not fit into the archive's end are in one for Zip64,
/// which a locator in front of the end leads to.
std::optional<Directory> directoryOf(const Fields &fields, FileProblem &problem) {
  uint64_t end = fields.size() < kEndBytes ? 0 : fields.size() - kEndBytes;
  for (size_t steps = 0; fields.four(end) != kEndOfDirectory && end > 0 && steps < kLongestComment; ++steps)
    --end;
  if (fields.four(end) != kEndOfDirectory && isDamaged(problem, "its end is missing"))
    return std::nullopt;
  const Directory directory{fields.two(end + 10), fields.four(end + 16)};
  if (directory.members != kNoRoomInTwo && directory.begin != kNoRoom)
    return directory;
  if (end < kLocatorBytes || fields.four(end - kLocatorBytes) != kLocator64)
    return directory; // which may have just as many members
  const uint64_t end64 = fields.eight(end - kLocatorBytes + 8);
  if (fields.four(end64) != kEndOfDirectory64 && isDamaged(problem, "its end is missing"))
    return std::nullopt;
  return Directory{fields.eight(end64 + 32), fields.eight(end64 + 48)};
}

} // namespace

bool isDamaged(FileProblem &problem, const std::string &why) {
  problem = {FileProblem::Kind::Malformed, "the archive is damaged: " + why};
  return true;
}

std::optional<std::vector<ZipEntry>> listZip(const ReadAt &archive, uint64_t archiveBytes, FileProblem &problem) {
  const Fields fields(archive, archiveBytes);
  const std::optional<Directory> directory = directoryOf(fields, problem);
  if (!directory)
    return std::nullopt;
  uint64_t at = directory->begin;
  std::vector<ZipEntry> members;
  for (uint64_t k = 0; k < directory->members; ++k) {
    std::optional<ZipEntry> member = memberAt(fields, at, problem);
    if (!member)
      return std::nullopt;
    members.push_back(std::move(*member));
    at += kCentralBytes + fields.two(at + 28) + fields.two(at + 30) + fields.two(at + 32);
  }
  return members;
}

} // namespace spc::tensor
