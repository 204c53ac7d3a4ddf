// Fields of the C structs.
#include "abi/signature.h"
#include "abi/struct_names.h"
#include "format/levels.h"

#include <array>
#include <tuple>

namespace spc::abi {
namespace {

using format::Format;
using format::Level;
using format::LevelKind;

/// "_i32", or "_p64_i32" where pointers and indices differ; only the types that the struct has.
std::string indexTypeSuffix(const Format &format) {
  const std::string pointers = "_p" + std::to_string(format::bits(format.pointers));
  if (!format.hasIndices())
    return format.hasPointers() ? pointers : "";
  const std::string indices = std::string("_") + format::spelling(format.indices);
  return format.hasPointers() && format.pointers != format.indices ? pointers + indices : indices;
}

/// Appends fields in the order of the calls.
class FieldList {
public:
  FieldList(const Format &format, bool isMatrix) : format_(format), isMatrix_(isMatrix) {}

  void dense() {
    const int order = format_.order();
    for (auto [role, one, many] :
         {std::tuple{FieldRole::Size, "size", "shape"}, {FieldRole::Stride, "stride", "strides"}})
      for (int d = 0; d < order; ++d)
        add({order == 1 ? one : many, role, d, FieldType::Int64, order == 1 ? 0 : order});
    add({"values", FieldRole::Values, 0, FieldType::Values});
  }

  void sparse() {
    sizes();
    if (storesCount(format_))
      add({"nnz", FieldRole::Stored});
    for (int k = 0; k < format_.levelCount(); ++k)
      if (hasCount(format_, k))
        add({"count_" + std::to_string(k), FieldRole::Count, k});
    for (int k = 0; k < format_.levelCount(); ++k)
      if (format::kindOf(format_, k) == LevelKind::FixedWidth && !format_.levels[k].width)
        add({isMatrix_ ? "width" : "width_" + std::to_string(k), FieldRole::Width, k});
    for (int k = 0; k < format_.levelCount(); ++k)
      level(k);
    add({"values", FieldRole::Values, 0, FieldType::Values});
  }

  std::vector<Field> take() { return std::move(fields_); }

private:
  void add(Field field) { fields_.push_back(std::move(field)); }

  void sizes() {
    constexpr std::array<const char *, 2> kMatrixSizes = {"nrows", "ncols"};
    const int order = format_.order();
    for (int d = 0; d < order; ++d)
      if (isMatrix_)
        add({kMatrixSizes[d], FieldRole::Size, d});
      else
        add({order == 1 ? "size" : "shape", FieldRole::Size, d, FieldType::Int64, order == 1 ? 0 : order});
  }

  void level(int k) {
    switch (format::kindOf(format_, k)) {
    case LevelKind::Dense:
    case LevelKind::ClosedDense:
      break;
    case LevelKind::RaggedDense:
      segments(k);
      break;
    case LevelKind::Compressed:
      segments(k);
      coordinates(k);
      break;
    case LevelKind::Singleton:
    case LevelKind::FixedWidth:
    case LevelKind::ClosedCompressed:
      coordinates(k);
      break;
    }
  }

  /// A root has a count in place of the array.
  void segments(int k) {
    const std::string number = std::to_string(k);
    const bool ofRows = k > 0 && format_.levels[k - 1].dim == 0;
    if (format_.levels[k].hasLengths())
      add({isMatrix_ ? (ofRows ? "row_len" : "col_len") : "lengths_" + number, FieldRole::Lengths, k,
           FieldType::Pointers});
    else if (k > 0)
      add({isMatrix_ ? (ofRows ? "row_ptr" : "col_ptr") : "pointers_to_" + number, FieldRole::Pointers, k,
           FieldType::Pointers});
  }

  void coordinates(int k) {
    const Level &level = format_.levels[k];
    const std::string number = std::to_string(k);
    if (!format_.interleaved)
      add({isMatrix_ ? (level.dim == 0 ? "row_ind" : "col_ind") : "indices_" + number, FieldRole::Indices, k,
           FieldType::Indices});
    else if (k == 0 || format_.levels[k - 1].isDense())
      add({"entries", FieldRole::Entries, k, FieldType::Indices});
  }

  const Format &format_;
  bool isMatrix_;
  std::vector<Field> fields_;
};

} // namespace

bool storesCount(const Format &format) {
  for (int k = 0; k < format.levelCount(); ++k)
    if (hasSegments(format::kindOf(format, k)))
      return true;
  return false;
}

bool hasCount(const Format &format, int k) {
  if (!hasSegments(format::kindOf(format, k)))
    return false;
  const bool isRoot = k == 0 && !format.levels[0].hasLengths();
  return isRoot ? !isCoordinateList(format) : !valuesPerEntry(format, k);
}

int StructType::find(FieldRole role, int index) const {
  for (size_t slot = 0; slot < fields.size(); ++slot)
    if (fields[slot].role == role && fields[slot].index == index)
      return static_cast<int>(slot);
  // A coordinate list has as many entries as values: one field says both.
  if (role == FieldRole::Count && index == 0 && isCoordinateList(format))
    return find(FieldRole::Stored);
  return -1;
}

StructType structFor(const format::Format &format, sema::ValueType value) {
  const Structure structure = structureOf(format);
  FieldList fields(format, structure.isMatrix);
  if (format.isDense())
    fields.dense();
  else
    fields.sparse();
  const std::string types = sema::spelling(value) + (format.isDense() ? "" : indexTypeSuffix(format));
  return {"spc_" + structure.name + "_" + types, format, value, fields.take()};
}

} // namespace spc::abi
