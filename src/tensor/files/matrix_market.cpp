// Matrix Market exchange format: Boisvert, Pozo and Remington, NISTIR 5935 (1996).
#include "support/memory.h"
#include "tensor/files/readers.h"

#include <algorithm>
#include <cctype>
#include <map>

namespace spc::tensor {

namespace {

enum class Field { Real, Integer, Complex, Pattern };
enum class Symmetry { General, Symmetric, Skew, Hermitian };

std::string lowerCase(std::string_view text) {
  std::string lower(text);
  for (char &c : lower)
    c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return lower;
}

class MatrixMarketReader {
public:
  explicit MatrixMarketReader(TextReader &text, bool keepsSigns = false, PieceSink sink = nullptr)
      : text_(text), keepsSigns_(keepsSigns), sink_(std::move(sink)) {}

  std::optional<Coordinates> read() {
    if (!readBanner() || !readSizes() || !(isArray_ ? readArray() : readEntries()) || !givePiece(result_, sink_, 1))
      return std::nullopt;
    if (text_.nextLine('%')) {
      text_.malformed("unexpected text after the last of the entries that the header announces");
      return std::nullopt;
    }
    return std::move(result_);
  }

  std::optional<Announced> readAnnounced() {
    constexpr double kLeastArrayLine = 2, kLeastLine = 4; // "1", "1 1" and a line break
    if (!readBanner() || !readSizes())
      return std::nullopt;
    const int mirrored = symmetry_ == Symmetry::General ? 1 : 2;
    const double elements = static_cast<double>(rows_) * static_cast<double>(columns_);
    const double listed =
        isArray_ ? (elements - (mirrored - 1) * static_cast<double>(rows_)) / mirrored : static_cast<double>(entries_);
    if (listed * (isArray_ ? kLeastArrayLine : kLeastLine) > static_cast<double>(text_.most()) + 1)
      return std::nullopt;
    return Announced{result_.shape, isArray_ ? elements : listed * mirrored};
  }

private:
  TextReader &text_;
  bool keepsSigns_;
  PieceSink sink_;
  bool isArray_ = false;
  Field field_ = Field::Real;
  Symmetry symmetry_ = Symmetry::General;
  int64_t rows_ = 0;
  int64_t columns_ = 0;
  int64_t entries_ = 0; ///< announced by a coordinate header
  Coordinates result_;

  bool readBanner();
  bool readSizes();
  bool readEntries();
  bool readArray();
  bool readValue(Number &value);
  bool nextEntry(int64_t read, int64_t announced);
  bool add(int64_t row, int64_t column, Number value);
  Number mirrored(Number value) const;
};

bool MatrixMarketReader::readBanner() {
  if (!text_.nextLine('\n') || lowerCase(text_.token()) != "%%matrixmarket")
    return text_.malformed("a Matrix Market file starts with '%%MatrixMarket matrix'");
  if (std::string object = lowerCase(text_.token()); object != "matrix")
    return text_.unsupported("Matrix Market object '" + object + "' is not supported, only 'matrix' is");
  std::string format = lowerCase(text_.token());
  if (format != "coordinate" && format != "array")
    return text_.malformed("'" + format + "' is no Matrix Market format: 'coordinate' or 'array'");
  isArray_ = format == "array";
  std::string field = lowerCase(text_.token());
  static const std::map<std::string, Field> kFields = {
      {"real", Field::Real},       {"double", Field::Real},
      {"integer", Field::Integer}, {"unsigned-integer", Field::Integer},
      {"complex", Field::Complex}, {"pattern", Field::Pattern}};
  if (!kFields.contains(field))
    return text_.malformed("'" + field + "' is no Matrix Market field: 'real', 'integer', 'complex' or 'pattern'");
  field_ = kFields.at(field);
  static const std::map<std::string, Symmetry> kSymmetries = {{"general", Symmetry::General},
                                                              {"symmetric", Symmetry::Symmetric},
                                                              {"skew-symmetric", Symmetry::Skew},
                                                              {"hermitian", Symmetry::Hermitian}};
  std::string symmetry = lowerCase(text_.token());
  if (!kSymmetries.contains(symmetry))
    return text_.malformed("'" + symmetry +
                           "' is no symmetry: 'general', 'symmetric', 'skew-symmetric' or 'hermitian'");
  symmetry_ = kSymmetries.at(symmetry);
  if (symmetry_ == Symmetry::Hermitian && field_ != Field::Complex)
    return text_.malformed("only a complex matrix is Hermitian");
  if (isArray_ && field_ == Field::Pattern)
    return text_.malformed("an array has values, it cannot be a pattern");
  if (symmetry_ == Symmetry::Skew && field_ == Field::Pattern)
    return text_.malformed("a pattern cannot be skew-symmetric");
  return text_.lineEnd();
}

bool MatrixMarketReader::readSizes() {
  if (!text_.nextLine('%'))
    return text_.malformed("the line with the matrix's sizes is missing");
  if (!text_.integer(rows_, "the number of rows") || !text_.integer(columns_, "the number of columns") ||
      (!isArray_ && !text_.integer(entries_, "the number of entries")))
    return false;
  if (rows_ < 0 || columns_ < 0 || entries_ < 0)
    return text_.outOfRange("a size is negative");
  if (symmetry_ != Symmetry::General && rows_ != columns_)
    return text_.malformed("a symmetric matrix has as many rows as columns");
  result_.shape = {rows_, columns_};
  return text_.lineEnd();
}

bool MatrixMarketReader::nextEntry(int64_t read, int64_t announced) {
  if (text_.nextLine('%'))
    return true;
  return text_.malformed("the file ends after " + std::to_string(read) + " of " + std::to_string(announced) +
                         " entries");
}

bool MatrixMarketReader::readValue(Number &value) {
  if (field_ == Field::Integer)
    return text_.integerValue(value);
  if (field_ == Field::Real)
    return text_.real(value);
  Number imaginary;
  if (!text_.real(value) || !text_.real(imaginary))
    return false;
  value = {value.real, imaginary.real};
  return true;
}

/// The entry on the other side of the diagonal.
Number MatrixMarketReader::mirrored(Number value) const {
  if (symmetry_ == Symmetry::Skew)
    return {-value.real, -value.imaginary, static_cast<int16_t>(-value.rest)};
  return symmetry_ == Symmetry::Hermitian ? Number{value.real, -value.imaginary} : value;
}

bool MatrixMarketReader::add(int64_t row, int64_t column, Number value) {
  const int64_t at[] = {row, column}, mirror[] = {column, row};
  result_.append(at, value);
  if (symmetry_ != Symmetry::General && row != column)
    result_.append(mirror, mirrored(value));
  requireRoom(result_);
  return givePiece(result_, sink_, kPieceEntries);
}

bool MatrixMarketReader::readEntries() {
  // The header may announce more than there is: an entry takes at least "1 1" and a line break.
  auto possible = std::min(static_cast<uint64_t>(entries_), text_.expectedSize() / 4 + 1);
  if (sink_)
    possible = std::min<uint64_t>(possible, kPieceEntries);
  size_t expected = possible * (symmetry_ == Symmetry::General ? 1 : 2);
  result_.coordinates.reserve(2 * expected);
  result_.values.reserve(expected);
  adviseLargePages(result_.coordinates.data(), 2 * expected * sizeof(int64_t));
  adviseLargePages(result_.values.data(), expected * sizeof(double));
  for (int64_t read = 0; read < entries_; ++read) {
    int64_t row = 0;
    int64_t column = 0;
    Number value{1};
    if (!nextEntry(read, entries_) || !text_.coordinate(row, "row", rows_) ||
        !text_.coordinate(column, "column", columns_) || (field_ != Field::Pattern && !readValue(value)) ||
        !text_.lineEnd())
      return false;
    if (row == column && symmetry_ == Symmetry::Skew && value != Number())
      return text_.malformed("a skew-symmetric matrix has no diagonal");
    if (row == column && symmetry_ == Symmetry::Hermitian && value.imaginary != 0)
      return text_.malformed("a Hermitian matrix has a real diagonal");
    if (!add(row, column, value))
      return false;
  }
  return true;
}

/// Column by column; of a symmetric matrix the lower triangle, of a skew-symmetric one without the diagonal.
bool MatrixMarketReader::readArray() {
  int64_t read = 0;
  for (int64_t column = 0; column < columns_ && rows_ > 0; ++column) {
    int64_t first = symmetry_ == Symmetry::General ? 0 : symmetry_ == Symmetry::Skew ? column + 1 : column;
    for (int64_t row = first; row < rows_; ++row, ++read) {
      Number value;
      if (!text_.nextLine('%'))
        return text_.malformed("the file ends after " + std::to_string(read) + " values of a matrix of " +
                               std::to_string(rows_) + " x " + std::to_string(columns_));
      if (!readValue(value) || !text_.lineEnd())
        return false;
      if (isElementListed(value, keepsSigns_) && !add(row, column, value))
        return false;
    }
  }
  return true;
}

} // namespace

std::optional<Announced> readAnnounced(TextReader &text) {
  return MatrixMarketReader(text).readAnnounced();
}

std::optional<Coordinates> readMatrixMarket(TextReader &text, const Shape &shape, bool keepsSigns,
                                            const PieceSink &sink) {
  std::optional<Coordinates> matrix = MatrixMarketReader(text, keepsSigns, sink).read();
  if (!matrix || !shape)
    return matrix;
  return applyShape(*matrix, *shape, text) ? std::move(matrix) : std::nullopt;
}

} // namespace spc::tensor
