// NumPy's format of one array: https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html
#include "tensor/files/numpy_array.h"

#include "format/rule.h"
#include "tensor/tensor.h"

#include <algorithm>
#include <charconv>

namespace spc::tensor {

namespace {

using sema::ValueType;

constexpr std::string_view kNumpyMagic = "\x93NUMPY";
constexpr size_t kLongestHeader = size_t{1} << 16;

/// Reads the Python dictionary of a header: three keys in any order, with the values that NumPy writes.
class HeaderReader {
public:
  HeaderReader(std::string_view text, NumpyArray &array, FileProblem &problem)
      : text_(text), array_(array), problem_(problem) {}

  bool read() {
    if (!take("{"))
      return malformed();
    while (!take("}")) {
      const std::optional<std::string_view> key = quoted();
      if (!key || !take(":") || !readValue(*key))
        return malformed();
      if (!take(",") && !text_.starts_with('}'))
        return malformed();
    }
    return (hasType_ && hasOrder_ && hasShape_) || malformed();
  }

private:
  bool malformed() {
    if (problem_.message.empty())
      problem_ = {FileProblem::Kind::Malformed, "its header is not what NumPy writes"};
    return false;
  }

  bool unsupported(std::string message) {
    problem_ = {FileProblem::Kind::Unsupported, std::move(message)};
    return false;
  }

  void skipBlanks() { text_.remove_prefix(std::min(text_.find_first_not_of(" \t\n"), text_.size())); }

  bool take(std::string_view word) {
    skipBlanks();
    if (!text_.starts_with(word))
      return false;
    text_.remove_prefix(word.size());
    skipBlanks();
    return true;
  }

  std::optional<std::string_view> quoted() {
    skipBlanks();
    if (text_.empty() || (text_[0] != '\'' && text_[0] != '"'))
      return std::nullopt;
    const size_t end = text_.find(text_[0], 1);
    if (end == std::string_view::npos)
      return std::nullopt;
    const std::string_view inside = text_.substr(1, end - 1);
    text_.remove_prefix(end + 1);
    return inside;
  }

  bool readValue(std::string_view key) {
    if (key == "descr" && !hasType_)
      return hasType_ = readType();
    if (key == "fortran_order" && !hasOrder_) {
      array_.isFortran = text_.starts_with("True");
      return hasOrder_ = take("True") || take("False");
    }
    return key == "shape" && !hasShape_ && (hasShape_ = readShape());
  }

  bool readType() {
    if (text_.starts_with('['))
      return unsupported("its elements are records of several fields, which are no numbers");
    const std::optional<std::string_view> type = quoted();
    if (!type || type->size() < 2)
      return false;
    array_.isBigEndian = (*type)[0] == '>';
    const bool hasByteOrder = std::string_view("<>|=").find((*type)[0]) != std::string_view::npos;
    const std::string_view rest = type->substr(hasByteOrder ? 1 : 0);
    array_.kind = rest[0];
    if (array_.kind == 'O')
      return unsupported("it holds Python objects, which are pickled and may run any code when they are read");
    size_t bytes = 0;
    const auto [stop, error] = std::from_chars(rest.data() + 1, rest.data() + rest.size(), bytes);
    const bool isText = array_.kind == 'S' || array_.kind == 'U';
    if (error != std::errc() || stop != rest.data() + rest.size() || (isText && bytes > kLongestHeader) ||
        (!isText && !numberType(array_.kind, bytes)))
      return unsupported("its elements are of the type '" + std::string(type->substr(0, 20)) +
                         "', which is none of spc's numbers");
    array_.elementBytes = array_.kind == 'U' ? 4 * bytes : bytes;
    return true;
  }

  bool readShape() {
    if (!take("("))
      return false;
    while (!take(")")) {
      int64_t extent = 0;
      const auto [stop, error] = std::from_chars(text_.data(), text_.data() + text_.size(), extent);
      if (error != std::errc() || extent < 0)
        return false;
      text_.remove_prefix(static_cast<size_t>(stop - text_.data()));
      array_.shape.push_back(extent);
      if (static_cast<int>(array_.shape.size()) > format::kMaxOrder)
        return unsupported("arrays of more than " + std::to_string(format::kMaxOrder) +
                           " dimensions are not supported");
      if (!take(",") && !text_.starts_with(')'))
        return false;
    }
    return true;
  }

  std::string_view text_;
  NumpyArray &array_;
  FileProblem &problem_;
  bool hasType_ = false, hasOrder_ = false, hasShape_ = false;
};

/// The text of the header; nullopt where the file is none of NumPy's.
std::optional<std::string> headerOf(const ByteReader &file) {
  constexpr size_t kVersionAt = 6, kLengthAt = 8;
  char begin[kLengthAt];
  if (file(begin, kLengthAt) != kLengthAt || !std::string_view(begin, kLengthAt).starts_with(kNumpyMagic))
    return std::nullopt;
  const auto version = static_cast<unsigned char>(begin[kVersionAt]);
  const size_t lengthBytes = version == 1 ? 2 : 4;
  unsigned char digits[4];
  if (version < 1 || version > 3 || file(reinterpret_cast<char *>(digits), lengthBytes) != lengthBytes)
    return std::nullopt;
  size_t length = 0;
  for (size_t k = 0; k < lengthBytes; ++k)
    length |= size_t{digits[k]} << (8 * k);
  if (length > kLongestHeader)
    return std::nullopt;
  std::string text(length, '\0');
  return file(text.data(), length) == length ? std::optional(std::move(text)) : std::nullopt;
}

} // namespace

std::optional<ValueType> numberType(char kind, size_t bytes) {
  static constexpr struct {
    char kind;
    size_t bytes;
    ValueType type;
  } kTypes[] = {{'f', 2, ValueType::F16},  {'f', 4, ValueType::F32},  {'f', 8, ValueType::F64},
                {'i', 1, ValueType::I8},   {'i', 2, ValueType::I16},  {'i', 4, ValueType::I32},
                {'i', 8, ValueType::I64},  {'u', 1, ValueType::U8},   {'u', 2, ValueType::U16},
                {'u', 4, ValueType::U32},  {'u', 8, ValueType::U64},  {'b', 1, ValueType::Bool},
                {'c', 8, ValueType::CF32}, {'c', 16, ValueType::CF64}};
  for (const auto &one : kTypes)
    if (one.kind == kind && one.bytes == bytes)
      return one.type;
  return std::nullopt;
}

ByteReader readerOf(std::string_view bytes) {
  return [bytes](char *to, size_t count) mutable {
    const size_t got = bytes.copy(to, count);
    bytes.remove_prefix(got);
    return got;
  };
}

std::optional<NumpyArray> readNumpyHeader(const ByteReader &file, FileProblem &problem) {
  const std::optional<std::string> header = headerOf(file);
  if (!header) {
    problem = {FileProblem::Kind::Malformed, "it does not begin as a .npy file of NumPy does, or ends in its header"};
    return std::nullopt;
  }
  NumpyArray array;
  if (!HeaderReader(*header, array, problem).read())
    return std::nullopt;
  const std::optional<int64_t> count = elementCount(array.shape);
  int64_t bytes = 0;
  if (!count || __builtin_mul_overflow(*count, static_cast<int64_t>(array.elementBytes), &bytes)) {
    problem = {FileProblem::Kind::Range, "its shape has more elements than any file"};
    return std::nullopt;
  }
  array.count = *count;
  return array;
}

FileProblem wrongLength(const NumpyArray &array, uint64_t follow) {
  return {FileProblem::Kind::Malformed, "its header announces " + std::to_string(array.byteCount()) +
                                            " bytes of elements, " + std::to_string(follow) + " follow"};
}

std::optional<NumpyArray> readNumpyArray(std::string_view file, FileProblem &problem) {
  size_t begin = 0;
  std::optional<NumpyArray> array = readNumpyHeader(
      [&](char *to, size_t count) {
        const size_t got = file.substr(begin).copy(to, count);
        begin += got;
        return got;
      },
      problem);
  if (!array)
    return std::nullopt;
  array->bytes = file.substr(begin);
  if (array->bytes.size() == array->byteCount())
    return array;
  problem = wrongLength(*array, array->bytes.size());
  return std::nullopt;
}

std::string numpyHeader(std::string_view type, const std::vector<int64_t> &shape) {
  constexpr size_t kFixed = 10, kAlignment = 64;
  std::string text = "{'descr': '" + std::string(type) + "', 'fortran_order': False, 'shape': (";
  for (size_t dim = 0; dim < shape.size(); ++dim)
    text += std::to_string(shape[dim]) + (dim == 0 || dim + 1 < shape.size() ? "," : "") +
            (dim + 1 < shape.size() ? " " : "");
  text += "), }";
  text.append(kAlignment - 1 - (kFixed + text.size()) % kAlignment, ' ');
  text += '\n';
  std::string header(kNumpyMagic);
  header += {'\x01', '\x00', static_cast<char>(text.size() & 0xff), static_cast<char>(text.size() >> 8)};
  return header + text;
}

} // namespace spc::tensor
