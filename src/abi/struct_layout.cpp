// Names and fields of the C structs.
#include "abi/signature.h"

#include <array>
#include <string_view>

namespace spc::abi {
namespace {

using format::Format;
using format::IndexType;
using format::Level;

bool isInOrder(const Format &format) {
  for (int k = 0; k < format.order(); ++k)
    if (format.levels[k].dim != k)
      return false;
  return true;
}

/// "_201" for levels that store the dimensions 2, 0, 1.
std::string modeDigits(const Format &format) {
  std::string digits = "_";
  for (const Level &level : format.levels)
    digits += std::to_string(level.dim);
  return digits;
}

std::string modesUnlessInOrder(const Format &format) {
  return isInOrder(format) ? "" : modeDigits(format);
}

/// Only a level above a singleton repeats coordinates: each repeat goes on in the singleton.
bool usuallyUnique(const Format &format, int k) {
  return k + 1 == format.order() || !format.levels[k + 1].isSingleton();
}

bool hasUsualProperties(const Format &format) {
  for (int k = 0; k < format.order(); ++k) {
    const Level &level = format.levels[k];
    if (!level.isDense() && (!level.ordered || level.unique != usuallyUnique(format, k)))
      return false;
  }
  return true;
}

/// A compressed root with nothing but singletons below it: one entry, one value.
bool isCoordinateList(const Format &format) {
  for (int k = 0; k < format.order(); ++k)
    if (!(k == 0 ? format.levels[k].isCompressed() : format.levels[k].isSingleton()))
      return false;
  return true;
}

bool isAllCompressed(const Format &format) {
  for (const Level &level : format.levels)
    if (!level.isCompressed())
      return false;
  return true;
}

/// One letter a level, with marks where its properties are not the usual ones: n not unique, q unique, u unordered.
std::string levelLetters(const Format &format) {
  std::string letters;
  for (int k = 0; k < format.order(); ++k) {
    const Level &level = format.levels[k];
    letters += level.isDense() ? 'd' : level.isCompressed() ? 'c' : 's';
    if (!level.isDense() && level.unique != usuallyUnique(format, k))
      letters += level.unique ? 'q' : 'n';
    if (!level.isDense() && !level.ordered)
      letters += 'u';
  }
  return letters;
}

/// The levels' part of a struct's name.
std::string structureName(const Format &format) {
  const int order = format.order();
  const bool inOrder = isInOrder(format);
  if (format.isDense())
    return "dense" + std::to_string(order) + modesUnlessInOrder(format);
  if (hasUsualProperties(format)) {
    if (order == 1)
      return "spvec";
    if (isCoordinateList(format))
      return "coo" + std::to_string(order) + modesUnlessInOrder(format);
    if (order == 2 && format.levels[0].isDense())
      return inOrder ? "csr" : "csc";
    if (order == 2 && isAllCompressed(format))
      return inOrder ? "dcsr" : "dcsc";
    if (isAllCompressed(format))
      return "csf" + std::to_string(order) + modesUnlessInOrder(format);
  }
  const std::string letters = levelLetters(format);
  const bool spellsAnother = letters == "csc" || letters == "dcsc";
  return letters + (spellsAnother ? modeDigits(format) : modesUnlessInOrder(format));
}

bool hasPointersArray(const Format &format, int k) {
  return k > 0 && format.levels[k].isCompressed();
}

std::string indexTypeSuffix(const Format &format) {
  if (format.isDense())
    return "";
  bool hasPointers = false;
  for (int k = 0; k < format.order(); ++k)
    hasPointers = hasPointers || hasPointersArray(format, k);
  std::string suffix;
  if (hasPointers && format.pointers != format.indices)
    suffix += "_p" + std::to_string(format::bits(format.pointers));
  return suffix + "_" + format::spelling(format.indices);
}

/// Appends fields in the order of the calls.
class FieldList {
public:
  FieldList(const Format &format, sema::ValueType value, bool isMatrix)
      : format_(format), value_(value), isMatrix_(isMatrix) {}

  void dense() {
    const int order = format_.order();
    for (auto [role, one, many] :
         {std::tuple{FieldRole::Size, "size", "shape"}, {FieldRole::Stride, "stride", "strides"}})
      for (int d = 0; d < order; ++d)
        add({order == 1 ? one : many, role, d, FieldType::Int64, order == 1 ? 0 : order});
    values();
  }

  void sparse() {
    sizes();
    add({"nnz", FieldRole::Stored});
    if (format_.levels[0].isCompressed() && !isCoordinateList(format_))
      add({"count_0", FieldRole::Count, 0});
    for (int k = 0; k < format_.order(); ++k)
      level(k);
    values();
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
    const Level &level = format_.levels[k];
    const std::string number = std::to_string(k);
    if (hasPointersArray(format_, k)) {
      const bool ofRows = format_.levels[k - 1].dim == 0;
      add({isMatrix_ ? (ofRows ? "row_ptr" : "col_ptr") : "pointers_to_" + number, FieldRole::Pointers, k,
           FieldType::Pointers});
    }
    if (!level.isDense()) {
      add({isMatrix_ ? (level.dim == 0 ? "row_ind" : "col_ind") : "indices_" + number, FieldRole::Indices, k,
           FieldType::Indices});
    }
  }

  void values() { add({"values", FieldRole::Values, 0, FieldType::Values}); }

  const Format &format_;
  sema::ValueType value_;
  bool isMatrix_;
  std::vector<Field> fields_;
};

} // namespace

int StructType::find(FieldRole role, int index) const {
  for (size_t slot = 0; slot < fields.size(); ++slot)
    if (fields[slot].role == role && fields[slot].index == index)
      return static_cast<int>(slot);
  // A coordinate list has as many entries as values: one field says both.
  if (role == FieldRole::Count && index == 0 && !format.levels.empty() && isCoordinateList(format))
    return find(FieldRole::Stored);
  return -1;
}

StructType structFor(const format::Format &format, sema::ValueType value) {
  const std::string structure = structureName(format);
  const bool isMatrix = structure == "csr" || structure == "csc" || structure.starts_with("coo2");
  FieldList fields(format, value, isMatrix);
  if (format.isDense())
    fields.dense();
  else
    fields.sparse();
  return {"spc_" + structure + "_" + sema::spelling(value) + indexTypeSuffix(format), format, value, fields.take()};
}

} // namespace spc::abi
