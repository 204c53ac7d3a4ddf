// A data file, its kind in the first byte: read, and where that succeeds packed, unpacked, written and read again.
#include "format/format_file.h"
#include "fuzz/targets/files.h"
#include "support/render.h"
#include "tensor/files/files.h"

#include <array>
#include <cstdlib>

using namespace spc;

namespace {

constexpr uint64_t kMostText = uint64_t{1} << 20;
constexpr int64_t kMostElements = 1 << 16;

bool isSmall(const std::vector<int64_t> &shape) {
  int64_t elements = 1;
  for (int64_t extent : shape) {
    if (extent > kMostElements)
      return false;
    elements *= extent;
    if (elements > kMostElements)
      return false;
  }
  return true;
}

/// Packs the entries in a format and takes them out again.
void pack(const tensor::Coordinates &entries, const format::FormatFamily &family) {
  const auto format = family.instantiate(entries.order());
  if (!format || format->isSum())
    return;
  std::string problem;
  const auto packed = tensor::PackedTensor::pack(entries, *format, sema::ValueType::CF64, problem);
  if (!packed && problem.empty())
    std::abort();
  if (packed)
    packed->unpack();
}

/// What is packed as it is read is what is packed from a list of entries.
void readFor(const std::string &path, const tensor::Coordinates &entries, const format::FormatFamily &family) {
  const auto format = family.instantiate(entries.order());
  if (!format || format->isSum())
    return;
  Diagnostics unheard;
  const tensor::PackTarget target{*format, sema::ValueType::F64};
  const auto read = tensor::readTensorFor(target, path, std::nullopt, unheard, kMostText);
  std::string problem;
  const auto packed = tensor::PackedTensor::pack(entries, *format, target.type, problem);
  if (!read || (read->packed && !packed) ||
      (read->packed && read->packed->unpack().coordinates != packed->unpack().coordinates))
    std::abort();
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  static constexpr std::array kinds = {".mtx", ".tns", ".mtx.gz", ".tns.gz"};
  if (size == 0)
    return 0;
  SourceManager sources;
  Diagnostics diagnostics;
  const std::string path = testing::fileWith(bytes + 1, size - 1, kinds[bytes[0] % kinds.size()]);
  const auto entries = tensor::readTensor(path, std::nullopt, diagnostics, kMostText);
  if (!entries && !diagnostics.hasErrors())
    std::abort();
  for (const Diagnostic &diagnostic : diagnostics.all()) {
    renderText(diagnostic, false);
    renderJson(diagnostic);
  }
  if (!entries || entries->order() == 0 || entries->order() > 8 || !isSmall(entries->shape))
    return 0;
  format::FormatLoader loader({}, sources, diagnostics);
  static constexpr std::array formats = {"csr", "csc",     "coo",    "csf",   "dense",  "bsr",         "dia",
                                         "ell", "sym-csr", "nm-2-4", "lower", "ragged", "coo-unsorted"};
  for (const format::Binding &binding : loader.load(formats[size % formats.size()]))
    pack(*entries, *binding.family);
  for (const char *name : {"dense", "csr", "csc"})
    for (const format::Binding &binding : loader.load(name))
      readFor(path, *entries, *binding.family);
  const std::string text = tensor::writeTns(*entries);
  const std::string again = testing::fileWith(reinterpret_cast<const uint8_t *>(text.data()), text.size(), ".tns");
  Diagnostics later;
  const bool isReal = entries->imaginary.empty();
  if (isReal && entries->size() > 0 && !tensor::readTensor(again, entries->shape, later))
    std::abort(); // what we write we read
  return 0;
}
