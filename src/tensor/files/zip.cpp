// PKWARE's APPNOTE.TXT 6.3, sections 4.3 to 4.5. Archives of 4 GiB and more (Zip64) are read, and not written.
#include "tensor/files/zip.h"

#include "tensor/files/zip_directory.h"

#include <zlib.h>

#include <algorithm>

namespace spc::tensor {

namespace {

constexpr size_t kMostDeflated = 1032; ///< bytes that one of a deflated member may stand for

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

/// What a member holds, of whose bytes `packed` is a view; nullopt where it is damaged.
std::optional<ZipMember> contentsOf(const ZipEntry &entry, std::string_view packed) {
  ZipMember contents{packed, {}};
  if (entry.isDeflated) {
    if (entry.bytes / kMostDeflated > packed.size()) // before so much is allocated
      return std::nullopt;
    contents.inflated.resize(entry.bytes);
    if (!inflateInto(contents.inflated, packed))
      return std::nullopt;
    contents.bytes = {contents.inflated.data(), contents.inflated.size()};
    releasePages(const_cast<char *>(packed.data()), packed.size());
  }
  return checksumOf(contents.bytes) == entry.checksum ? std::optional(std::move(contents)) : std::nullopt;
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

} // namespace

std::optional<ZipMembers> readZip(std::span<char> file, uint64_t limit, bool &isTooLong, FileProblem &problem) {
  const std::string_view archive(file.data(), file.size());
  const ReadAt readAt = [archive](uint64_t at, char *to, size_t count) {
    return at < archive.size() ? archive.substr(at).copy(to, count) : 0;
  };
  const std::optional<std::vector<ZipEntry>> entries = listZip(readAt, archive.size(), problem);
  if (!entries)
    return std::nullopt;
  uint64_t total = 0;
  for (const ZipEntry &entry : *entries) {
    if (isTooLong = entry.bytes > limit - total; isTooLong)
      return std::nullopt;
    total += entry.bytes;
  }
  ZipMembers members;
  for (const ZipEntry &entry : *entries) {
    std::optional<ZipMember> contents = contentsOf(entry, archive.substr(entry.begin, entry.packed));
    if (!contents && isDamaged(problem, "its member '" + entry.name + "' does not decompress to what it says"))
      return std::nullopt;
    if (!members.emplace(entry.name, std::move(*contents)).second &&
        isDamaged(problem, "it has two members '" + entry.name + "'"))
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
