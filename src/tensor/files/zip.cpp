// PKWARE's APPNOTE.TXT 6.3, sections 4.3 to 4.5. Archives of 4 GiB and more (Zip64) are read, and not written.
#include "tensor/files/zip.h"

#include <zlib.h>

#include <algorithm>

namespace spc::tensor {

namespace {

constexpr uint32_t kLocalHeader = 0x04034b50, kCentralHeader = 0x02014b50, kEndOfDirectory = 0x06054b50,
                   kEndOfDirectory64 = 0x06064b50, kLocator64 = 0x07064b50;
constexpr size_t kLocalBytes = 30, kCentralBytes = 46, kEndBytes = 22, kLocatorBytes = 20;
constexpr size_t kLongestComment = 0xffff;
constexpr uint32_t kNoRoom = 0xffffffff, kNoRoomInTwo = 0xffff; ///< where the number is in an extension
constexpr size_t kMostDeflated = 1032;                          ///< bytes that one of a deflated member may stand for
constexpr uint16_t kStored = 0, kDeflated = 8;

/// Integers at places of an archive; 0 beyond its end.
class Fields {
public:
  explicit Fields(std::string_view bytes) : bytes_(bytes) {}
  uint32_t two(uint64_t at) const { return static_cast<uint32_t>(get(at, 2)); }
  uint32_t four(uint64_t at) const { return static_cast<uint32_t>(get(at, 4)); }
  uint64_t eight(uint64_t at) const { return get(at, 8); }

private:
  uint64_t get(uint64_t at, size_t count) const {
    if (at > bytes_.size() || count > bytes_.size() - at)
      return 0;
    uint64_t value = 0;
    for (size_t k = 0; k < count; ++k)
      value |= uint64_t{static_cast<unsigned char>(bytes_[at + k])} << (8 * k);
    return value;
  }
  std::string_view bytes_;
};

bool isDamaged(FileProblem &problem, const std::string &why) {
  problem = {FileProblem::Kind::Malformed, "the archive is damaged: " + why};
  return true;
}

struct Member {
  std::string name;
  uint32_t method = 0, checksum = 0;
  std::string_view packed;
  uint64_t bytes = 0;
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
std::optional<Member> memberAt(std::string_view archive, uint64_t at, FileProblem &problem) {
  constexpr uint32_t kEncrypted = 1;
  const Fields fields(archive);
  if (fields.four(at) != kCentralHeader && isDamaged(problem, "its directory ends early"))
    return std::nullopt;
  const std::optional<Place> place = placeAt(fields, at);
  Member member{std::string(archive.substr(std::min(at + kCentralBytes, archive.size()), fields.two(at + 28))),
                fields.two(at + 10),
                fields.four(at + 16),
                {},
                place ? place->bytes : 0};
  if ((fields.two(at + 8) & kEncrypted) != 0 || (member.method != kStored && member.method != kDeflated)) {
    problem = {FileProblem::Kind::Unsupported,
               "its member '" + member.name + "' is encrypted, or neither stored nor deflated"};
    return std::nullopt;
  }
  if (!place && isDamaged(problem, "its directory does not say where its member '" + member.name + "' is"))
    return std::nullopt;
  const bool hasHeader = place->local <= archive.size() && fields.four(place->local) == kLocalHeader;
  const uint64_t begin =
      hasHeader ? place->local + kLocalBytes + fields.two(place->local + 26) + fields.two(place->local + 28) : 0;
  const bool isInside = hasHeader && begin <= archive.size() && place->packed <= archive.size() - begin;
  if ((!isInside || (member.method == kStored && place->packed != member.bytes)) &&
      isDamaged(problem, "its member '" + member.name + "' is not where the directory says"))
    return std::nullopt;
  member.packed = archive.substr(begin, place->packed);
  return member;
}

/// Inflates into `bytes`, all of which it fills; false where the member is damaged.
bool inflateInto(std::span<char> bytes, std::string_view packed) {
  constexpr size_t kAtOnce = size_t{1} << 30; // zlib counts in 32 bits
  z_stream stream{};
  if (inflateInit2(&stream, -MAX_WBITS) != Z_OK)
    return false;
  size_t read = 0, written = 0;
  int status = Z_OK;
  while (status == Z_OK) {
    const size_t in = std::min(kAtOnce, packed.size() - read), out = std::min(kAtOnce, bytes.size() - written);
    stream.next_in = reinterpret_cast<Bytef *>(const_cast<char *>(packed.data() + read));
    stream.avail_in = static_cast<uInt>(in);
    stream.next_out = reinterpret_cast<Bytef *>(bytes.data() + written);
    stream.avail_out = static_cast<uInt>(out);
    status = inflate(&stream, Z_NO_FLUSH);
    read += in - stream.avail_in;
    written += out - stream.avail_out;
  }
  inflateEnd(&stream);
  return status == Z_STREAM_END && written == bytes.size();
}

uint32_t checksumOf(std::string_view bytes, uint32_t before = 0) {
  return static_cast<uint32_t>(crc32_z(before, reinterpret_cast<const Bytef *>(bytes.data()), bytes.size()));
}

/// What a member holds; nullopt where it is damaged.
std::optional<ZipMember> contentsOf(const Member &member) {
  ZipMember contents{member.packed, {}};
  if (member.method == kDeflated) {
    if (member.bytes / kMostDeflated > member.packed.size()) // before so much is allocated
      return std::nullopt;
    contents.inflated.resize(member.bytes);
    if (!inflateInto(contents.inflated, member.packed))
      return std::nullopt;
    contents.bytes = {contents.inflated.data(), contents.inflated.size()};
    releasePages(const_cast<char *>(member.packed.data()), member.packed.size());
  }
  return checksumOf(contents.bytes) == member.checksum ? std::optional(std::move(contents)) : std::nullopt;
}

void appendBytes(std::string &to, size_t value, size_t count) {
  for (size_t k = 0; k < count; ++k)
    to += static_cast<char>(value >> (8 * k) & 0xff);
}

/// What local headers and the directory's say in the same words, from the version on.
std::string commonFields(const std::string &name, const ZipSource &member) {
  constexpr size_t kVersion = 20, kFirstOf1980 = 0x21;
  std::string fields;
  appendBytes(fields, kVersion, 2);
  appendBytes(fields, 0, 2);
  appendBytes(fields, kStored, 2);
  appendBytes(fields, kFirstOf1980 << 16, 4);
  uint32_t checksum = 0;
  member.bytes([&](std::string_view piece) { checksum = checksumOf(piece, checksum); });
  appendBytes(fields, checksum, 4);
  appendBytes(fields, member.size, 4);
  appendBytes(fields, member.size, 4);
  appendBytes(fields, name.size(), 2);
  appendBytes(fields, 0, 2);
  return fields;
}

struct Directory {
  uint64_t members, begin;
};

/// Where the directory is; nullopt with a problem. Numbers that do not fit into the archive's end are in one for Zip64,
/// which a locator in front of the end leads to.
std::optional<Directory> directoryOf(std::string_view archive, FileProblem &problem) {
  const Fields fields(archive);
  size_t end = archive.size() < kEndBytes ? 0 : archive.size() - kEndBytes;
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

std::optional<ZipMembers> readZip(std::span<char> file, uint64_t limit, bool &isTooLong, FileProblem &problem) {
  const std::string_view archive(file.data(), file.size());
  const std::optional<Directory> directory = directoryOf(archive, problem);
  if (!directory)
    return std::nullopt;
  const Fields fields(archive);
  uint64_t at = directory->begin;
  uint64_t total = 0;
  std::vector<Member> found;
  for (uint64_t k = 0; k < directory->members; ++k) {
    std::optional<Member> member = memberAt(archive, at, problem);
    if (!member)
      return std::nullopt;
    if (isTooLong = member->bytes > limit - total; isTooLong)
      return std::nullopt;
    total += member->bytes;
    found.push_back(std::move(*member));
    at += kCentralBytes + fields.two(at + 28) + fields.two(at + 30) + fields.two(at + 32);
  }
  ZipMembers members;
  for (const Member &member : found) {
    std::optional<ZipMember> contents = contentsOf(member);
    if (!contents && isDamaged(problem, "its member '" + member.name + "' does not decompress to what it says"))
      return std::nullopt;
    if (!members.emplace(member.name, std::move(*contents)).second &&
        isDamaged(problem, "it has two members '" + member.name + "'"))
      return std::nullopt;
  }
  return members;
}

bool haveRoom(const std::map<std::string, ZipSource> &members) {
  uint64_t bytes = 0;
  for (const auto &[name, member] : members)
    if (bytes += kLocalBytes + name.size() + member.size; bytes >= kNoRoom - kLongestComment)
      return false;
  return true;
}

bool writeZip(const std::map<std::string, ZipSource> &members, const ByteSink &sink) {
  if (!haveRoom(members))
    return false;
  std::string directory;
  uint64_t written = 0;
  for (const auto &[name, member] : members) {
    const std::string fields = commonFields(name, member);
    appendBytes(directory, kCentralHeader, 4);
    appendBytes(directory, 20, 2);
    directory += fields;
    directory.append(10, '\0'); // no comment, and nothing of where the file was
    appendBytes(directory, written, 4);
    directory += name;
    std::string header;
    appendBytes(header, kLocalHeader, 4);
    header += fields + name;
    sink(header);
    member.bytes(sink);
    written += header.size() + member.size;
  }
  std::string end = directory;
  appendBytes(end, kEndOfDirectory, 4);
  appendBytes(end, 0, 4);
  appendBytes(end, members.size(), 2);
  appendBytes(end, members.size(), 2);
  appendBytes(end, directory.size(), 4);
  appendBytes(end, written, 4);
  appendBytes(end, 0, 2);
  sink(end);
  return true;
}

} // namespace spc::tensor
