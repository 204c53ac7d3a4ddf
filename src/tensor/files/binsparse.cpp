// Binsparse 0.1: https://graphblas.org/binsparse-specification/
#include "tensor/files/binsparse.h"

#include "format/json_text.h"
#include "tensor/files/integers.h"
#include "tensor/files/packed_segments.h"
#include "tensor/files/readers.h"
#include "tensor/files/segments.h"

#include <algorithm>
#include <array>

namespace spc::tensor {

namespace {

using format::JsonKind;
using format::JsonNode;

/// A format by its name: what it lists, and which dimension comes first.
struct BinsparseFormat {
  std::string_view name;
  enum class Kind { Vector, Coordinates, Segments, ListedSegments, Dense } kind;
  size_t order;
  size_t major;
};

using Kind = BinsparseFormat::Kind;
constexpr BinsparseFormat kFormats[] = {
    {"CVEC", Kind::Vector, 1, 0},         {"COO", Kind::Coordinates, 2, 0},     {"COOR", Kind::Coordinates, 2, 0},
    {"COOC", Kind::Coordinates, 2, 1},    {"CSR", Kind::Segments, 2, 0},        {"CSC", Kind::Segments, 2, 1},
    {"DCSR", Kind::ListedSegments, 2, 0}, {"DCSC", Kind::ListedSegments, 2, 1}, {"DVEC", Kind::Dense, 1, 0},
    {"DMAT", Kind::Dense, 2, 0},          {"DMATR", Kind::Dense, 2, 0},         {"DMATC", Kind::Dense, 2, 1}};

constexpr const char *kReadFormats = "COO, COOR, COOC, CSR, CSC, DCSR, DCSC, DMAT, DMATR, DMATC, DVEC and CVEC";
constexpr std::string_view kReadTypes[] = {"int8",   "int16",  "int32",   "int64",   "uint8", "uint16",
                                           "uint32", "uint64", "float32", "float64", "bint8"};

const JsonNode *memberOf(const JsonNode &object, std::string_view key) {
  const auto found = std::find_if(object.members.begin(), object.members.end(),
                                  [&](const format::JsonMember &member) { return member.key == key; });
  return found == object.members.end() ? nullptr : &found->value;
}

/// Takes `name[` and `]` from around a type.
bool takeModifier(std::string_view &type, std::string_view name) {
  const bool has = type.starts_with(name) && type.substr(name.size()).starts_with('[') && type.ends_with(']');
  if (has)
    type = type.substr(name.size() + 1, type.size() - name.size() - 2);
  return has;
}

class BinsparseReader {
public:
  BinsparseReader(const Hdf5Contents &contents, const ReadRequest &request, FileProblem &problem)
      : contents_(contents), request_(request), problem_(problem) {}

  std::optional<FileTensor> read(std::optional<int64_t> majors) {
    if (!readDescriptor() || !(values_ = array("values", false)))
      return std::nullopt;
    if (majors) {
      result_.shape[format_->major] = *majors;
      announced_.reset();
    }
    bool isRead = false;
    switch (format_->kind) {
    case Kind::Vector:
    case Kind::Coordinates:
      isRead = readCoordinates();
      break;
    case Kind::Segments:
    case Kind::ListedSegments:
      isRead = readSegments();
      break;
    case Kind::Dense:
      isRead = readDense();
      break;
    }
    return isRead ? std::optional(FileTensor{std::move(packed_), std::move(result_), std::move(unstorable_)})
                  : std::nullopt;
  }

  std::optional<BinsparseLayout> layout() {
    if (!readDescriptor() || !(values_ = array("values", false)))
      return std::nullopt;
    const bool isDense = format_->kind == Kind::Dense;
    if ((!isDense && format_->kind != Kind::Segments) || mirror_ != Mirror::None) {
      unsupported("it is a " + std::string(format_->name) + (mirror_ == Mirror::None ? "" : " with mirrored entries") +
                  ", and CSR, CSC and dense ones are read in blocks");
      return std::nullopt;
    }
    const std::optional<int64_t> elements = elementCount(result_.shape);
    const NumpyArray *pointers = isDense ? values_ : array("pointers_to_1", true);
    const NumpyArray *listed = isDense || !pointers ? pointers : array("indices_1", true);
    if (!listed || (isDense && (!elements || isIso_) && !fail("its shape and its values do not fit together")) ||
        !hasValues(isDense ? *elements : listed->count))
      return std::nullopt;
    if (!isDense && pointers->count - 1 != result_.shape[format_->major]) {
      fail("its dataset 'pointers_to_1' does not have the length that its shape asks for");
      return std::nullopt;
    }
    return BinsparseLayout{!isDense, format_->major, isComplex_ ? 2 : 1, isIso_, result_.shape};
  }

private:
  bool fail(std::string message, FileProblem::Kind kind = FileProblem::Kind::Malformed) {
    problem_ = {kind, std::move(message)};
    return false;
  }

  bool unsupported(std::string message) { return fail(std::move(message), FileProblem::Kind::Unsupported); }

  bool readDescriptor() {
    Diagnostics unheard{WarningOptions()};
    const SourceFile source("binsparse", contents_.attribute);
    const std::optional<JsonNode> all = format::parseJson(source, unheard);
    const JsonNode *descriptor = all && all->kind == JsonKind::Object ? memberOf(*all, "binsparse") : nullptr;
    if (!descriptor || descriptor->kind != JsonKind::Object)
      return fail("its attribute 'binsparse' is no JSON object with a member 'binsparse'");
    return readVersion(*descriptor) && readFormat(*descriptor) && readShape(*descriptor) && readType(*descriptor) &&
           readStructure(*descriptor) && readCount(*descriptor);
  }

  bool readVersion(const JsonNode &descriptor) {
    const JsonNode *version = memberOf(descriptor, "version");
    constexpr std::string_view kVersion = "0.1"; // and its corrections, 0.1.1
    const std::string_view text = version ? version->string : kVersion;
    const bool isRead = text == kVersion || text.starts_with(std::string(kVersion) + ".");
    return !version || (version->kind == JsonKind::String && isRead) ||
           unsupported("its version of Binsparse is not 0.1");
  }

  bool readFormat(const JsonNode &descriptor) {
    const JsonNode *format = memberOf(descriptor, "format");
    if (!format || (format->kind != JsonKind::String && format->kind != JsonKind::Object))
      return fail("its attribute 'binsparse' names no format");
    for (const BinsparseFormat &one : kFormats)
      if (one.name == format->string)
        format_ = &one;
    if (!format_)
      return unsupported((format->kind == JsonKind::String ? "its format '" + format->string.substr(0, 20) + "'"
                                                           : "its custom format") +
                         " is none of " + kReadFormats);
    const JsonNode *fill = memberOf(descriptor, "fill");
    return !fill || (fill->kind == JsonKind::Boolean && !fill->boolean) ||
           unsupported("it has a fill value; missing entries that are not 0 are not read");
  }

  bool readShape(const JsonNode &descriptor) {
    const JsonNode *shape = memberOf(descriptor, "shape");
    if (!shape || shape->kind != JsonKind::Array || shape->elements.size() != format_->order)
      return fail("its shape is not that of a " + std::string(format_->order == 1 ? "vector" : "matrix") +
                  ", which the format '" + std::string(format_->name) + "' holds");
    for (const JsonNode &extent : shape->elements) {
      if (extent.kind != JsonKind::Integer || extent.integer < 0)
        return fail("an extent of its shape is no whole number from 0 to 2^63 - 1");
      result_.shape.push_back(extent.integer);
    }
    return true;
  }

  bool readType(const JsonNode &descriptor) {
    const JsonNode *types = memberOf(descriptor, "data_types");
    const JsonNode *values = types ? memberOf(*types, "values") : nullptr;
    if (!values || values->kind != JsonKind::String)
      return fail("its 'data_types' do not name the type of 'values'");
    std::string_view type = values->string;
    isIso_ = takeModifier(type, "iso");
    isComplex_ = takeModifier(type, "complex");
    isBool_ = type == "bint8";
    if (std::find(std::begin(kReadTypes), std::end(kReadTypes), type) == std::end(kReadTypes) ||
        (isComplex_ && !type.starts_with("float")))
      return unsupported("its values are of the type '" + values->string.substr(0, 30) +
                         "', which is none of spc's numbers");
    return true;
  }

  bool readStructure(const JsonNode &descriptor) {
    const JsonNode *structure = memberOf(descriptor, "structure");
    if (!structure)
      return true;
    const std::string name = structure->kind == JsonKind::String ? structure->string : "";
    const size_t end = name.rfind('_');
    const std::string kind = name.substr(0, end), side = end == std::string::npos ? "" : name.substr(end + 1);
    const bool isKnown = kind == "symmetric" || kind == "skew_symmetric" || kind == "hermitian";
    if (!isKnown || (side != "lower" && side != "upper"))
      return unsupported("its structure '" + name.substr(0, 30) +
                         "' is none of symmetric, skew_symmetric and hermitian with _lower or _upper");
    if (format_->order != 2 || result_.shape[0] != result_.shape[1])
      return fail("its structure '" + name + "' asks for a matrix of as many rows as columns");
    mirror_ = kind == "symmetric" ? Mirror::Same : kind == "hermitian" ? Mirror::Conjugate : Mirror::Negative;
    isLower_ = side == "lower";
    return true;
  }

  bool readCount(const JsonNode &descriptor) {
    const JsonNode *count = memberOf(descriptor, "number_of_stored_values");
    if (count && (count->kind != JsonKind::Integer || count->integer < 0))
      return fail("its 'number_of_stored_values' is no whole number");
    announced_ = count ? std::optional(count->integer) : std::nullopt;
    return true;
  }

  /// A dataset; of integers where it says places.
  const NumpyArray *array(const std::string &name, bool isPlaces) {
    const auto found = contents_.arrays.find(name);
    if (found == contents_.arrays.end())
      fail("it lacks the dataset '" + name + "' of the format '" + std::string(format_->name) + "'");
    else if (isPlaces && !found->second.isInteger())
      fail("its dataset '" + name + "' is no list of integers");
    else
      return &found->second;
    return nullptr;
  }

  /// Whether there are values for so many entries, and as many were announced.
  bool hasValues(int64_t entries) {
    const int64_t parts = isComplex_ ? 2 : 1, stored = values_->count;
    if (isIso_ ? stored != parts : stored % parts != 0 || stored / parts != entries)
      return fail("its dataset 'values' has " + std::to_string(stored) + " elements, for " + std::to_string(entries) +
                  " entries");
    return !announced_ || *announced_ == entries ||
           fail("it announces " + std::to_string(*announced_) + " stored values and has " + std::to_string(entries));
  }

  Number value(int64_t entry) const {
    const int64_t at = isIso_ ? 0 : entry;
    if (isComplex_)
      return {values_->number(2 * at).real, values_->number(2 * at + 1).real};
    const Number stored = values_->number(at);
    return isBool_ ? Number{stored.real != 0 ? 1.0 : 0.0} : stored;
  }

  bool add(int64_t major, int64_t minor, int64_t entry) {
    const std::array<int64_t, 2> at = format_->major == 0 ? std::array{major, minor} : std::array{minor, major};
    for (size_t dim = 0; dim < format_->order; ++dim)
      if (at[dim] < 0 || at[dim] >= result_.shape[dim])
        return fail("its entry " + std::to_string(entry) + " lies at " + std::to_string(at[dim]) +
                        ", counted from 0, outside of dimension " + std::to_string(dim + 1),
                    FileProblem::Kind::Range);
    const Number number = value(entry);
    result_.append(at.data(), number);
    requireRoom(result_);
    return mirror_ == Mirror::None || addMirrored(at, number);
  }

  bool addMirrored(const std::array<int64_t, 2> &at, Number number) {
    if (isLower_ ? at[0] < at[1] : at[0] > at[1])
      return fail("an entry lies outside of the triangle that its structure says");
    const bool isOnDiagonal = at[0] == at[1];
    if (isOnDiagonal && mirror_ == Mirror::Negative && number != Number())
      return fail("a skew-symmetric matrix has no diagonal");
    if (isOnDiagonal && mirror_ == Mirror::Conjugate && number.imaginary != 0)
      return fail("a Hermitian matrix has a real diagonal");
    if (mirror_ == Mirror::Conjugate)
      number.imaginary = -number.imaginary;
    if (mirror_ == Mirror::Negative)
      number = {-number.real, -number.imaginary, static_cast<int16_t>(-number.rest)};
    const int64_t mirrored[] = {at[1], at[0]};
    if (!isOnDiagonal)
      result_.append(mirrored, number);
    return true;
  }

  bool readCoordinates() {
    const NumpyArray *majors = array("indices_0", true);
    const NumpyArray *minors = majors && format_->order == 2 ? array("indices_1", true) : majors;
    if (!minors)
      return false;
    if (majors->count != minors->count)
      return fail("its datasets 'indices_0' and 'indices_1' differ in length");
    if (!hasValues(majors->count))
      return false;
    requireRoomForList(static_cast<double>(majors->count), 2);
    Integers major(*majors), minor(*minors);
    for (int64_t e = 0; e < majors->count; ++e)
      if (!add(major[e], minor[e], e))
        return false;
    return true;
  }

  bool readSegments() {
    const bool isListed = format_->kind == Kind::ListedSegments;
    const NumpyArray *pointers = array("pointers_to_1", true);
    const NumpyArray *minors = pointers ? array("indices_1", true) : nullptr;
    const NumpyArray *majors = minors && isListed ? array("indices_0", true) : minors;
    if (!majors || !hasValues(minors->count))
      return false;
    const int64_t segments = isListed ? majors->count : result_.shape[format_->major];
    if (pointers->count == 0 || pointers->count - 1 != segments)
      return fail("its dataset 'pointers_to_1' has " + std::to_string(pointers->count) + " elements, not " +
                  std::to_string(segments) + " and one");
    if (hasPlainValues() && !isListed && mayPack() &&
        (packed_ = packSegments({result_.shape, format_->major, *pointers, *minors, *values_}, *request_.target)))
      return true;
    Integers pointer(*pointers), minor(*minors), listed(*majors);
    int64_t begin = 0;
    if (pointers->integer(0) != 0 || pointers->integer(segments) != minors->count)
      return fail("its dataset 'pointers_to_1' does not go from 0 to the number of entries");
    for (int64_t segment = 0; segment < segments; ++segment) {
      const int64_t end = pointer[segment + 1];
      if (end < begin || end > minors->count)
        return fail("its dataset 'pointers_to_1' does not ascend");
      const int64_t major = isListed ? listed[segment] : segment;
      for (; begin < end; ++begin)
        if (!add(major, minor[begin], begin))
          return false;
    }
    return true;
  }

  bool readDense() {
    if (mirror_ != Mirror::None || isIso_)
      return unsupported("a dense format with 'iso' values or a structure such as 'symmetric_lower' is not read");
    const std::optional<int64_t> count = elementCount(result_.shape);
    if (!count)
      return fail("its shape has more elements than any file", FileProblem::Kind::Range);
    if (!hasValues(*count))
      return false;
    NumpyArray elements = *values_;
    elements.shape = result_.shape;
    elements.isFortran = format_->major == 1;
    if (hasPlainValues() && mayPack() && isArrayOf(elements, *request_.target)) {
      packed_ = packElements(elements, readerOf(elements.bytes), *request_.target, problem_, unstorable_);
      return packed_ || !unstorable_.empty();
    }
    const int64_t minorExtent = format_->order == 1 ? 1 : result_.shape[1 - format_->major];
    for (int64_t e = 0; e < *count; ++e)
      if (isElementListed(value(e), request_.keepsSigns()))
        if (!add(e / minorExtent, e % minorExtent, e))
          return false;
    return true;
  }

  /// Whether `values` are those of the entries, one each.
  bool hasPlainValues() const { return !isIso_ && !isComplex_ && !isBool_ && mirror_ == Mirror::None; }

  bool mayPack() const { return request_.packs() && (!request_.shape || *request_.shape == result_.shape); }

  enum class Mirror { None, Same, Negative, Conjugate };

  const Hdf5Contents &contents_;
  const ReadRequest &request_;
  FileProblem &problem_;
  const BinsparseFormat *format_ = nullptr;
  const NumpyArray *values_ = nullptr;
  bool isIso_ = false, isComplex_ = false, isBool_ = false, isLower_ = false;
  Mirror mirror_ = Mirror::None;
  std::optional<int64_t> announced_;
  Coordinates result_;
  std::optional<PackedTensor> packed_;
  std::string unstorable_;
};

} // namespace

std::optional<BinsparseLayout> binsparseLayout(const Hdf5Contents &contents, FileProblem &problem) {
  const Shape shape;
  return BinsparseReader(contents, {shape}, problem).layout();
}

std::optional<FileTensor> readBinsparse(const Hdf5Contents &contents, const ReadRequest &request, FileProblem &problem,
                                        std::optional<int64_t> majors) {
  return BinsparseReader(contents, request, problem).read(majors);
}

} // namespace spc::tensor
