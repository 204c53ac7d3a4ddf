#include "codegen/library.h"

#include "llvm/Object/ArchiveWriter.h"
#include "llvm/Support/MemoryBuffer.h"

namespace spc::codegen {

std::optional<std::string> writeArchive(const std::vector<LibraryMember> &members, const std::string &table,
                                        std::string &error) {
  std::vector<std::string> names;
  for (const LibraryMember &member : members)
    names.push_back(member.kernel + ".o");
  std::vector<llvm::NewArchiveMember> parts;
  for (size_t k = 0; k < members.size(); ++k)
    if (!members[k].object.empty())
      parts.emplace_back(llvm::MemoryBufferRef(members[k].object, names[k]));
  parts.emplace_back(llvm::MemoryBufferRef(table, "spc_kernels.o"));
  const auto kind = parts.front().detectKindFromObject();
  llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>> archive = llvm::writeArchiveToBuffer(
      parts, llvm::SymtabWritingMode::NormalSymtab, kind, /*Deterministic=*/true, /*Thin=*/false);
  if (archive)
    return (*archive)->getBuffer().str();
  error = llvm::toString(archive.takeError());
  return std::nullopt;
}

} // namespace spc::codegen
