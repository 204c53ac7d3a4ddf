#include "codegen/read_signatures.h"

#include "llvm/Object/Archive.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Object/ObjectFile.h"
#include "llvm/Support/MemoryBuffer.h"

#include <map>

namespace spc::codegen {
namespace {

using Texts = std::map<std::string, std::string>; // by kernel

/// The text at a symbol, up to its 0; nothing where the symbol is undefined or the text leaves its section.
llvm::Expected<std::optional<std::string>> textAt(const llvm::object::ObjectFile &object,
                                                  const llvm::object::SymbolRef &symbol) {
  llvm::Expected<llvm::object::section_iterator> section = symbol.getSection();
  if (!section)
    return section.takeError();
  if (*section == object.section_end())
    return std::nullopt;
  llvm::Expected<uint64_t> address = symbol.getAddress();
  if (!address)
    return address.takeError();
  llvm::Expected<llvm::StringRef> contents = (*section)->getContents();
  if (!contents)
    return contents.takeError();
  const uint64_t begin = *address - (*section)->getAddress();
  if (begin >= contents->size())
    return std::nullopt;
  const llvm::StringRef rest = contents->drop_front(begin);
  const size_t end = rest.find('\0');
  return end == llvm::StringRef::npos ? std::nullopt : std::optional(rest.take_front(end).str());
}

llvm::Error read(const llvm::object::ObjectFile &object, const llvm::object::SymbolRef &symbol, Texts &texts) {
  constexpr llvm::StringLiteral kPrefix = "spc_signature_";
  llvm::Expected<llvm::StringRef> name = symbol.getName();
  if (!name)
    return name.takeError();
  llvm::StringRef kernel = *name;
  if (object.isMachO() || object.getArch() == llvm::Triple::x86) // C names begin with an underscore there
    kernel.consume_front("_");
  if (!kernel.consume_front(kPrefix))
    return llvm::Error::success();
  llvm::Expected<std::optional<std::string>> text = textAt(object, symbol);
  if (!text)
    return text.takeError();
  if (*text)
    texts.emplace(kernel.str(), std::move(**text));
  return llvm::Error::success();
}

llvm::Error readObject(const llvm::object::ObjectFile &object, Texts &texts) {
  for (const llvm::object::SymbolRef &symbol : object.symbols())
    if (llvm::Error error = read(object, symbol, texts))
      return error;
  if (const auto *elf = llvm::dyn_cast<llvm::object::ELFObjectFileBase>(&object)) // all that strip leaves of a library
    for (const llvm::object::SymbolRef &symbol : elf->getDynamicSymbolIterators())
      if (llvm::Error error = read(object, symbol, texts))
        return error;
  return llvm::Error::success();
}

llvm::Error readBinary(const llvm::object::Binary &binary, Texts &texts) {
  if (const auto *object = llvm::dyn_cast<llvm::object::ObjectFile>(&binary))
    return readObject(*object, texts);
  const auto *archive = llvm::dyn_cast<llvm::object::Archive>(&binary);
  if (!archive)
    return llvm::createStringError("it is neither an object nor an archive");
  llvm::Error failed = llvm::Error::success();
  for (const llvm::object::Archive::Child &child : archive->children(failed)) {
    llvm::Expected<std::unique_ptr<llvm::object::Binary>> member = child.getAsBinary();
    if (!member) { // something else that lies in the archive
      llvm::consumeError(member.takeError());
      continue;
    }
    const auto *object = llvm::dyn_cast<llvm::object::ObjectFile>(member->get());
    if (llvm::Error error = object ? readObject(*object, texts) : llvm::Error::success()) {
      llvm::consumeError(std::move(failed));
      return error;
    }
  }
  return failed;
}

} // namespace

std::optional<std::vector<std::string>> readSignatures(std::string_view bytes, std::string &error) {
  const llvm::MemoryBufferRef buffer(llvm::StringRef(bytes.data(), bytes.size()), "object");
  llvm::Expected<std::unique_ptr<llvm::object::Binary>> binary = llvm::object::createBinary(buffer);
  Texts texts;
  llvm::Error failed = binary ? readBinary(**binary, texts) : binary.takeError();
  if (failed) {
    error = llvm::toString(std::move(failed));
    return std::nullopt;
  }
  std::vector<std::string> signatures;
  for (auto &[kernel, text] : texts)
    signatures.push_back(std::move(text));
  return signatures;
}

} // namespace spc::codegen
