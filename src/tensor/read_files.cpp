#include "tensor/files.h"

#include "support/memory.h"
#include "tensor/readers.h"

#include <new>
#include <stdexcept>

namespace spc::tensor {

namespace {

constexpr DiagnosticKind kUnreadableFile{"tensor-file", Severity::Error};

/// Of the machine's memory, what a list of entries may take: sorting and packing it take as much again, twice.
constexpr double kListShare = 0.25;

std::optional<Coordinates> read(const std::string &path, const Shape &shape, std::optional<uint64_t> limit,
                                Diagnostics &diagnostics) {
  TextSource source(path, limit, diagnostics);
  TextReader reader(source, path, diagnostics);
  const bool hasBanner = reader.startsWith("%%MatrixMarket");
  if (reader.failed())
    return std::nullopt;
  const bool isTns = path.ends_with(".tns") || path.ends_with(".tns.gz");
  if (hasBanner || isMatrixMarket(path) || isTns) {
    std::optional<Coordinates> entries = hasBanner || !isTns ? readMatrixMarket(reader, shape) : readTns(reader, shape);
    return reader.failed() ? std::nullopt : std::move(entries);
  }
  diagnostics.report(kUnreadableFile, {}, "neither its name nor its first line says what kind of file it is")
      .at(path)
      .advise("name it .mtx (Matrix Market) or .tns (FROSTT), with .gz where it is compressed");
  return std::nullopt;
}

} // namespace

void requireRoom(const Coordinates &entries) {
  constexpr size_t kEvery = size_t{1} << 16;
  if (entries.values.size() % kEvery > 1) // one entry or two have been added
    return;
  static const double most = kListShare * physicalMemory();
  const size_t numbers =
      entries.coordinates.size() + entries.values.size() + entries.imaginary.size() + entries.rests.size();
  if (static_cast<double>(numbers) * sizeof(double) > most)
    throw std::bad_alloc();
}

bool isMatrixMarket(const std::string &path) {
  return path.ends_with(".mtx") || path.ends_with(".mtx.gz");
}

std::optional<Coordinates> readTensor(const std::string &path, const std::optional<std::vector<int64_t>> &shape,
                                      Diagnostics &diagnostics, std::optional<uint64_t> limit) {
  try {
    return read(path, shape, limit, diagnostics);
  } catch (const std::bad_alloc &) {
  } catch (const std::length_error &) {
  }
  diagnostics.report(kUnreadableFile, {}, "its tensor does not fit into memory").at(path);
  return std::nullopt;
}

} // namespace spc::tensor
