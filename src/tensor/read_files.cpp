#include "tensor/files.h"

#include "support/input.h"
#include "tensor/gzip.h"
#include "tensor/readers.h"

#include <filesystem>
#include <new>
#include <stdexcept>

namespace spc::tensor {

namespace {

constexpr DiagnosticKind kTensorFile{"tensor-file", Severity::Error};

constexpr size_t kMaxFile = size_t{16} << 30;

std::optional<std::string> readText(const std::string &path, Diagnostics &diagnostics) {
  std::error_code error;
  if (path != "-" && std::filesystem::is_character_file(path, error)) {
    diagnostics.report(kTensorFile, {}, "cannot read a tensor from a device").at(path);
    return std::nullopt;
  }
  std::optional<std::string> bytes = readBytes(path, diagnostics, kMaxFile);
  if (!bytes || !isGzip(*bytes))
    return bytes;
  std::string reason;
  std::optional<std::string> text = gunzip(*bytes, kMaxFile, reason);
  if (!text)
    diagnostics.report(kTensorFile, {}, "cannot decompress the file: " + reason).at(path);
  return text;
}

std::optional<Coordinates> read(const std::string &path, const Shape &shape, Diagnostics &diagnostics) {
  std::optional<std::string> text = readText(path, diagnostics);
  if (!text)
    return std::nullopt;
  TextReader reader(*text, path, diagnostics);
  if (isMatrixMarket(path) || text->starts_with("%%MatrixMarket"))
    return readMatrixMarket(reader, shape);
  if (path.ends_with(".tns") || path.ends_with(".tns.gz"))
    return readTns(reader, shape);
  diagnostics.report(kTensorFile, {}, "neither its name nor its first line says what kind of file it is")
      .at(path)
      .advise("name it .mtx (Matrix Market) or .tns (FROSTT), with .gz where it is compressed");
  return std::nullopt;
}

} // namespace

bool isMatrixMarket(const std::string &path) {
  return path.ends_with(".mtx") || path.ends_with(".mtx.gz");
}

std::optional<Coordinates> readTensor(const std::string &path, const std::optional<std::vector<int64_t>> &shape,
                                      Diagnostics &diagnostics) {
  try {
    return read(path, shape, diagnostics);
  } catch (const std::bad_alloc &) {
  } catch (const std::length_error &) {
  }
  diagnostics.report(kTensorFile, {}, "its tensor does not fit into memory").at(path);
  return std::nullopt;
}

} // namespace spc::tensor
