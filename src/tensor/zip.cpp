// PKWARE's APPNOTE.TXT 6.3, sections 4.3 and 4.4, without the extensions for 4 GiB and more.
#include "tensor/zip.h"

#include <zlib.h>

#include <algorithm>

namespace spc::tensor {

namespace {

constexpr uint32_t kLocalHeader = 0x04034b50, kCentralHeader = 0x02014b50, kEndOfDirectory = 0x06054b50;
constexpr size_t kLocalBytes = 30, kCentralBytes = 46, kEndBytes = 22;
constexpr size_t kLongestComment = 0xffff;
constexpr uint32_t kNoRoom = 0xffffffff; ///< where the number is in an extension
constexpr uint16_t kStored = 0, kDeflated = 8;

/// Integers at places of an archive; 0 beyond its end.
class Fields {
public:
  explicit Fields(std::string_view bytes) : bytes_(bytes) {}
  uint32_t two(size_t at) const { return get(at, 2); }
  uint32_t four(size_t at) const { return get(at, 4); }

private:
  uint32_t get(size_t at, size_t count) const {
    uint32_t value = 0;
    for (size_t k = 0; k < count && at + count <= bytes_.size(); ++k)
      value |= static_cast<uint32_t>(static_cast<unsigned char>(bytes_[at + k])) << (8 * k);
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
  size_t bytes = 0;
};

/// The member that the directory lists at a place; nullopt with a problem.
std::optional<Member> memberAt(std::string_view archive, size_t at, FileProblem &problem) {
  constexpr uint32_t kEncrypted = 1;
  const Fields fields(archive);
  if (fields.four(at) != kCentralHeader && isDamaged(problem, "its directory ends early"))
    return std::nullopt;
  const size_t nameBytes = fields.two(at + 28), packed = fields.four(at + 20), local = fields.four(at + 42);
  Member member{std::string(archive.substr(std::min(at + kCentralBytes, archive.size()), nameBytes)),
                fields.two(at + 10),
                fields.four(at + 16),
                {},
                fields.four(at + 24)};
  if ((fields.two(at + 8) & kEncrypted) != 0 || (member.method != kStored && member.method != kDeflated)) {
    problem = {FileProblem::Kind::Unsupported,
               "its member '" + member.name + "' is encrypted, or neither stored nor deflated"};
    return std::nullopt;
  }
  if (packed == kNoRoom || member.bytes == kNoRoom || local == kNoRoom) {
    problem = {FileProblem::Kind::Unsupported, "archives of 4 GiB and more are not supported"};
    return std::nullopt;
  }
  const size_t begin = local + kLocalBytes + fields.two(local + 26) + fields.two(local + 28);
  const bool isInside =
      fields.four(local) == kLocalHeader && begin <= archive.size() && packed <= archive.size() - begin;
  if ((!isInside || (member.method == kStored && packed != member.bytes)) &&
      isDamaged(problem, "its member '" + member.name + "' is not where the directory says"))
    return std::nullopt;
  member.packed = archive.substr(begin, packed);
  return member;
}

/// What a member holds; nullopt where it is damaged.
std::optional<std::string> contentsOf(const Member &member) {
  std::string bytes(member.packed);
  if (member.method == kDeflated) {
    bytes.assign(member.bytes, '\0');
    z_stream stream{};
    if (inflateInit2(&stream, -MAX_WBITS) != Z_OK)
      return std::nullopt;
    stream.next_in = reinterpret_cast<Bytef *>(const_cast<char *>(member.packed.data()));
    stream.avail_in = static_cast<uInt>(member.packed.size());
    stream.next_out = reinterpret_cast<Bytef *>(bytes.data());
    stream.avail_out = static_cast<uInt>(bytes.size());
    const bool isWhole = inflate(&stream, Z_FINISH) == Z_STREAM_END && stream.avail_out == 0;
    inflateEnd(&stream);
    if (!isWhole)
      return std::nullopt;
  }
  const uLong checksum = crc32_z(0, reinterpret_cast<const Bytef *>(bytes.data()), bytes.size());
  return checksum == member.checksum ? std::optional(std::move(bytes)) : std::nullopt;
}

void appendBytes(std::string &to, size_t value, size_t count) {
  for (size_t k = 0; k < count; ++k)
    to += static_cast<char>(value >> (8 * k) & 0xff);
}

/// What local headers and the directory's say in the same words, from the version on.
std::string commonFields(const std::string &name, const std::string &bytes) {
  constexpr size_t kVersion = 20, kFirstOf1980 = 0x21;
  std::string fields;
  appendBytes(fields, kVersion, 2);
  appendBytes(fields, 0, 2);
  appendBytes(fields, kStored, 2);
  appendBytes(fields, kFirstOf1980 << 16, 4);
  appendBytes(fields, crc32_z(0, reinterpret_cast<const Bytef *>(bytes.data()), bytes.size()), 4);
  appendBytes(fields, bytes.size(), 4);
  appendBytes(fields, bytes.size(), 4);
  appendBytes(fields, name.size(), 2);
  appendBytes(fields, 0, 2);
  return fields;
}

} // namespace

std::optional<ZipMembers> readZip(std::string_view archive, uint64_t limit, bool &isTooLong, FileProblem &problem) {
  const Fields fields(archive);
  size_t end = archive.size() < kEndBytes ? 0 : archive.size() - kEndBytes;
  for (size_t steps = 0; fields.four(end) != kEndOfDirectory && end > 0 && steps < kLongestComment; ++steps)
    --end;
  if (fields.four(end) != kEndOfDirectory && isDamaged(problem, "its end is missing"))
    return std::nullopt;
  const size_t count = fields.two(end + 10);
  size_t at = fields.four(end + 16);
  uint64_t total = 0;
  std::vector<Member> found;
  for (size_t k = 0; k < count; ++k) {
    std::optional<Member> member = memberAt(archive, at, problem);
    if (!member)
      return std::nullopt;
    total += member->bytes;
    if (isTooLong = total > limit; isTooLong)
      return std::nullopt;
    found.push_back(std::move(*member));
    at += kCentralBytes + fields.two(at + 28) + fields.two(at + 30) + fields.two(at + 32);
  }
  ZipMembers members;
  for (const Member &member : found) {
    std::optional<std::string> bytes = contentsOf(member);
    if (!bytes && isDamaged(problem, "its member '" + member.name + "' does not decompress to what it says"))
      return std::nullopt;
    if (!members.emplace(member.name, std::move(*bytes)).second &&
        isDamaged(problem, "it has two members '" + member.name + "'"))
      return std::nullopt;
  }
  return members;
}

std::optional<std::string> writeZip(const ZipMembers &members) {
  std::string archive, directory;
  for (const auto &[name, bytes] : members) {
    if (archive.size() + bytes.size() >= kNoRoom - kLongestComment)
      return std::nullopt;
    const std::string fields = commonFields(name, bytes);
    appendBytes(directory, kCentralHeader, 4);
    appendBytes(directory, 20, 2);
    directory += fields;
    directory.append(10, '\0'); // no comment, and nothing of where the file was
    appendBytes(directory, archive.size(), 4);
    directory += name;
    appendBytes(archive, kLocalHeader, 4);
    archive += fields + name;
    archive += bytes;
  }
  const size_t begin = archive.size();
  archive += directory;
  appendBytes(archive, kEndOfDirectory, 4);
  appendBytes(archive, 0, 4);
  appendBytes(archive, members.size(), 2);
  appendBytes(archive, members.size(), 2);
  appendBytes(archive, directory.size(), 4);
  appendBytes(archive, begin, 4);
  appendBytes(archive, 0, 2);
  return archive;
}

} // namespace spc::tensor
