#include "tensor/files/files.h"

#include "tensor/files/binsparse.h"
#include "tensor/files/hdf5_library.h"
#include "tensor/files/numpy_files.h"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace spc::tensor {

namespace {

constexpr size_t kPiece = size_t{1} << 16; ///< of a text, which is given on when it is so long

void giveFullPiece(std::string &text, const ByteSink &sink) {
  if (text.size() < kPiece)
    return;
  sink(text);
  text.clear();
}

std::string collected(const ByteSource &bytes) {
  std::string all;
  bytes([&](std::string_view piece) { all += piece; });
  return all;
}

/// Appends numbers in the fewest characters that read back as the same number.
template <typename Number> void append(std::string &text, Number number, char end) {
  char buffer[40];
  auto [stop, error] = std::to_chars(buffer, buffer + sizeof(buffer), number);
  text.append(buffer, stop);
  text += end;
}

bool isWhole(sema::ValueType type) {
  return sema::isInteger(type) || type == sema::ValueType::Bool;
}

/// Integers in digits alone, whatever their size.
void appendWhole(std::string &text, double real, int16_t rest, sema::ValueType type) {
  if (std::isinf(real))
    text += sema::textOf(type, real) + '\n';
  else if (std::abs(real) < 0x1p53)
    append(text, static_cast<int64_t>(real), '\n');
  else
    text += toDigits(*toInteger({real, 0, rest})) + '\n';
}

void appendReal(std::string &text, double real, int digits, char end) {
  if (digits == 0)
    return append(text, real, end);
  char buffer[40];
  const auto [stop, error] = std::to_chars(buffer, buffer + sizeof(buffer), real, std::chars_format::general, digits);
  text.append(buffer, stop);
  text += end;
}

void appendValue(std::string &text, Number value, const Coordinates &entries, const WriteOptions &options) {
  if (isWhole(options.type))
    return appendWhole(text, value.real, value.rest, options.type);
  appendReal(text, value.real, options.digits, entries.imaginary.empty() ? '\n' : ' ');
  if (!entries.imaginary.empty())
    appendReal(text, value.imaginary, options.digits, '\n');
}

/// Counts entries, many at a time.
class EntryCounter {
public:
  EntryCounter(WorkCount *count, size_t total) : count_(count) {
    if (count_)
      count_->begin(total);
  }

  /// Before each entry.
  void next(size_t entry) {
    if (entry % kMany == 0 && entry > 0 && count_)
      count_->add(kMany);
  }

private:
  static constexpr size_t kMany = size_t{1} << 14;
  WorkCount *count_;
};

std::string commentLine(const char *sign, const std::string &comment) {
  return comment.empty() ? "" : sign + (" " + comment) + "\n";
}

/// What a Matrix Market file calls the values.
const char *fieldOf(const Coordinates &entries, sema::ValueType type) {
  const auto isLarge = [](double value) { return value >= 0x1p63; };
  if (!isWhole(type))
    return entries.imaginary.empty() ? "real" : "complex";
  const bool hasLarge =
      type == sema::ValueType::U64 && std::any_of(entries.values.begin(), entries.values.end(), isLarge);
  return hasLarge ? "unsigned-integer" : "integer";
}

std::string banner(const char *format, const Coordinates &entries, const WriteOptions &options) {
  return std::string("%%MatrixMarket matrix ") + format + " " + fieldOf(entries, options.type) + " general\n" +
         commentLine("%", options.comment);
}

void giveArray(const Coordinates &entries, int64_t rows, int64_t columns, const WriteOptions &options,
               const ByteSink &sink) {
  const size_t order = entries.shape.size();
  std::string text = banner("array", entries, options);
  append(text, rows, ' ');
  append(text, columns, '\n');
  std::vector<Number> byColumn(elementCount(entries.shape).value_or(0));
  for (size_t e = 0; e < entries.size(); ++e) {
    const int64_t *at = entries.coordinates.data() + e * order;
    byColumn[order == 1 ? at[0] : at[1] * rows + at[0]] = entries.value(e);
  }
  EntryCounter counter(options.count, byColumn.size());
  for (size_t e = 0; e < byColumn.size(); ++e) {
    counter.next(e);
    appendValue(text, byColumn[e], entries, options);
    giveFullPiece(text, sink);
  }
  sink(text);
}

void giveMatrixMarket(const Coordinates &entries, const WriteOptions &options, const ByteSink &sink) {
  const size_t order = entries.shape.size();
  const int64_t rows = entries.shape[0];
  const int64_t columns = order == 1 ? 1 : entries.shape[1];
  if (options.isDense)
    return giveArray(entries, rows, columns, options, sink);
  std::string text = banner("coordinate", entries, options);
  append(text, rows, ' ');
  append(text, columns, ' ');
  append(text, entries.size(), '\n');
  EntryCounter counter(options.count, entries.size());
  for (size_t e = 0; e < entries.size(); ++e) {
    counter.next(e);
    const int64_t *at = entries.coordinates.data() + e * order;
    append(text, at[0] + 1, ' ');
    append(text, order == 1 ? 1 : at[1] + 1, ' ');
    appendValue(text, entries.value(e), entries, options);
    giveFullPiece(text, sink);
  }
  sink(text);
}

void giveTns(const Coordinates &entries, const WriteOptions &options, const ByteSink &sink) {
  const size_t order = entries.shape.size();
  std::string text = commentLine("#", options.comment);
  EntryCounter counter(options.count, entries.size());
  for (size_t e = 0; e < entries.size(); ++e) {
    counter.next(e);
    for (size_t d = 0; d < order; ++d)
      append(text, entries.coordinates[e * order + d] + 1, ' ');
    appendValue(text, {entries.values[e], 0, entries.value(e).rest}, entries, options);
    giveFullPiece(text, sink);
  }
  sink(text);
}

} // namespace

std::string whyNotWritten(FileKind kind, int order, const WriteOptions &options) {
  const bool isComplex = sema::isComplex(options.type);
  switch (kind) {
  case FileKind::MatrixMarket:
    return order > 2 ? "a Matrix Market file holds matrices and vectors alone" : "";
  case FileKind::Tns:
    return isComplex ? "a .tns file has no complex numbers" : "";
  case FileKind::Npy:
    return options.isDense ? "" : "a .npy file holds dense tensors alone";
  case FileKind::Npz:
    return options.isDense || order <= 2 ? "" : "a .npz file holds matrices and vectors alone, and dense tensors";
  case FileKind::Hdf5:
    return order > 2 ? "a file of Binsparse holds matrices and vectors alone" : "";
  }
  return "";
}

std::string whyNotHere(FileKind kind) {
  return kind == FileKind::Hdf5 && !hdf5Library() ? kNoHdf5 : "";
}

bool writeTensor(FileKind kind, const Coordinates &entries, const WriteOptions &options, const ByteSink &sink) {
  switch (kind) {
  case FileKind::MatrixMarket:
    giveMatrixMarket(entries, options, sink);
    return true;
  case FileKind::Tns:
    giveTns(entries, options, sink);
    return true;
  case FileKind::Npy:
    writeNpy(entries, options, sink);
    return true;
  case FileKind::Npz:
    return writeNpz(entries, options, sink);
  case FileKind::Hdf5: {
    const std::optional<std::string> bytes = writeBinsparse(entries, options);
    if (bytes)
      sink(*bytes);
    return bytes.has_value();
  }
  }
  return false;
}

std::optional<ArraysFile> fileOfArrays(FileKind kind, const PackedTensor &tensor) {
  if (kind == FileKind::Npy && tensor.format().isDense())
    return ArraysFile{npyFile(tensor)};
  if (kind == FileKind::Hdf5 && hasBinsparseArrays(tensor)) {
    std::optional<std::string> bytes = writeBinsparse(tensor);
    const bool isMade = bytes.has_value();
    const auto give = [bytes = std::move(bytes).value_or("")](const ByteSink &sink, WorkCount *) { sink(bytes); };
    return ArraysFile{give, !isMade};
  }
  std::optional<NumpyMembers> members = kind == FileKind::Npz ? npzMembers(tensor) : std::nullopt;
  if (!members)
    return std::nullopt;
  const bool isTooLarge = !haveRoom(*members);
  return ArraysFile{npzFile(std::move(*members), static_cast<uint64_t>(tensor.valueCount())), isTooLarge};
}

std::string writeMatrixMarket(const Coordinates &entries, const WriteOptions &options) {
  return collected([&](const ByteSink &sink) { giveMatrixMarket(entries, options, sink); });
}

std::string writeTns(const Coordinates &entries, const WriteOptions &options) {
  return collected([&](const ByteSink &sink) { giveTns(entries, options, sink); });
}

} // namespace spc::tensor
