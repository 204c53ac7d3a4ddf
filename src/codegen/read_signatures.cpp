#include "codegen/read_signatures.h"

#include "llvm/BinaryFormat/Magic.h"
#include "llvm/Object/Archive.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Object/MachOUniversal.h"
#include "llvm/Object/ObjectFile.h"
#include "llvm/Object/Wasm.h"
#include "llvm/Support/MemoryBuffer.h"

#include <set>

namespace spc::codegen {
namespace {

using Texts = std::set<std::string>;

/// The signatures in a WebAssembly module, found by how they begin: LLVM's reader ends the program upon a module that
/// is broken, and what a linker makes has no symbols for data.
void readModule(llvm::StringRef bytes, Texts &texts) {
  constexpr llvm::StringLiteral kBegin = "{\"spc_abi\":";
  for (size_t begin = bytes.find(kBegin); begin != llvm::StringRef::npos; begin = bytes.find(kBegin, begin + 1)) {
    const size_t end = bytes.find('\0', begin);
    if (end != llvm::StringRef::npos)
      texts.insert(bytes.slice(begin, end).str());
  }
}

std::optional<std::string> upToZero(llvm::StringRef text) {
  const size_t end = text.find('\0');
  return end == llvm::StringRef::npos ? std::nullopt : std::optional(text.take_front(end).str());
}

/// The same as textAt(): WebAssembly's symbols are places in segments.
std::optional<std::string> textAt(const llvm::object::WasmObjectFile &object, const llvm::object::WasmSymbol &symbol) {
  if (!symbol.isTypeData() || symbol.isUndefined() || symbol.Info.DataRef.Segment >= object.dataSegments().size())
    return std::nullopt;
  const llvm::ArrayRef<uint8_t> bytes = object.dataSegments()[symbol.Info.DataRef.Segment].Data.Content;
  const llvm::StringRef text(reinterpret_cast<const char *>(bytes.data()), bytes.size());
  return symbol.Info.DataRef.Offset < text.size() ? upToZero(text.drop_front(symbol.Info.DataRef.Offset))
                                                  : std::nullopt;
}

/// The text at a symbol, up to its 0; nothing where the symbol is undefined or the text leaves its section.
llvm::Expected<std::optional<std::string>> textAt(const llvm::object::ObjectFile &object,
                                                  const llvm::object::SymbolRef &symbol) {
  if (const auto *wasm = llvm::dyn_cast<llvm::object::WasmObjectFile>(&object))
    return textAt(*wasm, wasm->getWasmSymbol(symbol));
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
  return upToZero(contents->drop_front(begin));
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
    texts.insert(std::move(**text));
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

bool isObject(llvm::file_magic magic) {
  return (magic >= llvm::file_magic::elf && magic <= llvm::file_magic::elf_core) ||
         (magic >= llvm::file_magic::macho_object && magic <= llvm::file_magic::macho_kext_bundle) ||
         magic == llvm::file_magic::coff_object || magic == llvm::file_magic::pecoff_executable;
}

/// An object, a module, or nothing: an archive may hold other files, too.
llvm::Expected<bool> readMember(llvm::MemoryBufferRef buffer, Texts &texts) {
  const llvm::file_magic magic = llvm::identify_magic(buffer.getBuffer());
  if (magic == llvm::file_magic::wasm_object) {
    readModule(buffer.getBuffer(), texts);
    return true;
  }
  if (!isObject(magic))
    return false;
  llvm::Expected<std::unique_ptr<llvm::object::ObjectFile>> object =
      llvm::object::ObjectFile::createObjectFile(buffer, magic);
  if (!object)
    return object.takeError();
  if (llvm::Error error = readObject(**object, texts))
    return error;
  return true;
}

llvm::Error readArchive(llvm::MemoryBufferRef buffer, Texts &texts) {
  llvm::Expected<std::unique_ptr<llvm::object::Archive>> archive = llvm::object::Archive::create(buffer);
  if (!archive)
    return archive.takeError();
  llvm::Error failed = llvm::Error::success();
  for (const llvm::object::Archive::Child &child : (*archive)->children(failed)) {
    llvm::Expected<llvm::MemoryBufferRef> member = child.getMemoryBufferRef();
    llvm::Expected<bool> read = member ? readMember(*member, texts) : member.takeError();
    if (!read) {
      llvm::consumeError(std::move(failed));
      return read.takeError();
    }
  }
  return failed;
}

/// An object or an archive.
llvm::Error readPlain(llvm::MemoryBufferRef buffer, Texts &texts) {
  if (llvm::identify_magic(buffer.getBuffer()) == llvm::file_magic::archive)
    return readArchive(buffer, texts);
  llvm::Expected<bool> read = readMember(buffer, texts);
  if (!read)
    return read.takeError();
  return *read ? llvm::Error::success() : llvm::createStringError("it is neither an object nor an archive");
}

/// A file with an object or an archive for each of several architectures (lipo).
llvm::Error readUniversal(llvm::MemoryBufferRef buffer, Texts &texts) {
  llvm::Expected<std::unique_ptr<llvm::object::MachOUniversalBinary>> universal =
      llvm::object::MachOUniversalBinary::create(buffer);
  if (!universal)
    return universal.takeError();
  for (const llvm::object::MachOUniversalBinary::ObjectForArch &slice : (*universal)->objects()) {
    const llvm::StringRef bytes = buffer.getBuffer().substr(slice.getOffset(), slice.getSize());
    if (llvm::Error error = readPlain({bytes, buffer.getBufferIdentifier()}, texts))
      return error;
  }
  return llvm::Error::success();
}

llvm::Error readAny(llvm::MemoryBufferRef buffer, Texts &texts) {
  const bool isUniversal = llvm::identify_magic(buffer.getBuffer()) == llvm::file_magic::macho_universal_binary;
  return isUniversal ? readUniversal(buffer, texts) : readPlain(buffer, texts);
}

} // namespace

std::optional<std::vector<std::string>> readSignatures(std::string_view bytes, std::string &error) {
  const llvm::MemoryBufferRef buffer(llvm::StringRef(bytes.data(), bytes.size()), "object");
  Texts texts;
  if (llvm::Error failed = readAny(buffer, texts)) {
    error = llvm::toString(std::move(failed));
    return std::nullopt;
  }
  return std::vector<std::string>(texts.begin(), texts.end());
}

} // namespace spc::codegen
