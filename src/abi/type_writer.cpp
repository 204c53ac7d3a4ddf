// The C text of one struct type.
#include "abi/header.h"
#include "abi/text.h"

#include <algorithm>
#include <cctype>

namespace spc::abi {
namespace {

constexpr std::string_view kType = R"(#ifndef SPC_TYPE_@GUARD@
#define SPC_TYPE_@GUARD@

/* @summary@ */
typedef struct @type@ {
@members@} @type@;

@assertions@
/* Checks @checks@. SPC_OK when all is well. */
static inline spc_status @type@_validate(const @type@ *t) {
  if (t == NULL)
    return SPC_ERROR_NULL;
@validation@}
@maker@
#endif
)";

constexpr std::string_view kSparseValidation = R"(  const spc_level levels[@order@] = {
@levels@  };
  return spc_validate_levels(levels, @order@, t->nnz, t->values);
)";

constexpr std::string_view kDenseValidation =
    "  return spc_validate_dense(@shape@, @strides@, @order@, @inner@, t->values);\n";

constexpr std::string_view kMaker = R"(
/* A contiguous tensor over the caller's values. */
static inline @type@ @type@_make(@value@ *values, @sizes@) {
  const @type@ t = {@members@};
  return t;
}
)";

std::string spelling(const StructType &type, FieldType field) {
  switch (field) {
  case FieldType::Int64:
    return "int64_t ";
  case FieldType::Pointers:
    return std::string(cType(type.format.pointers)) + " *";
  case FieldType::Indices:
    return std::string(cType(type.format.indices)) + " *";
  case FieldType::Values:
    return std::string(cType(type.value)) + " *";
  }
  return "";
}

/// What a field holds, for the comment behind it.
std::string meaning(const StructType &type, const Field &field) {
  const std::string number = std::to_string(field.index);
  const std::string dimension = std::to_string(
      field.role == FieldRole::Indices ? type.format.levels[static_cast<size_t>(field.index)].dim : field.index);
  switch (field.role) {
  case FieldRole::Size:
    return field.arrayLength > 0 ? "extents by dimension" : "extent of dimension " + dimension;
  case FieldRole::Stride:
    return std::string("elements from one coordinate to the next") + (field.arrayLength > 0 ? ", by dimension" : "");
  case FieldRole::Count:
    return "entries of level " + number;
  case FieldRole::Stored:
    return "stored values";
  case FieldRole::Width:
    return "entries under each parent of level " + number;
  case FieldRole::Lengths:
    return "number of entries of each parent in level " + number;
  case FieldRole::Entries:
    return "coordinates, entry by entry";
  case FieldRole::Pointers:
    return "where the entries of each parent begin in level " + number + ", then their number";
  case FieldRole::Indices:
    return "coordinates of dimension " + dimension;
  case FieldRole::Values:
    return type.format.isDense() ? "elements" : "stored values, in the order of the entries";
  }
  return "";
}

std::string members(const StructType &type) {
  std::string text;
  for (const Field &field : type.fields) {
    if (field.arrayLength > 0 && field.index > 0)
      continue;
    text += "  " + spelling(type, field.type) + field.name;
    if (field.arrayLength > 0)
      text += "[" + std::to_string(field.arrayLength) + "]";
    text += "; /* " + meaning(type, field) + " */\n";
  }
  return text;
}

std::string assertions(const StructType &type) {
  std::string text;
  for (size_t slot = 0; slot < type.fields.size(); ++slot) {
    const Field &field = type.fields[slot];
    if (field.arrayLength == 0 || field.index == 0)
      text += "SPC_ASSERT_FIELD(" + type.name + ", " + field.name + ", " + std::to_string(slot) + ");\n";
  }
  return text + "SPC_ASSERT_SIZE(" + type.name + ", " + std::to_string(type.fields.size()) + ");\n";
}

/// "t->row_ptr", "t->shape[1]"
std::string access(const StructType &type, FieldRole role, int index) {
  const Field &field = type.fields[static_cast<size_t>(type.find(role, index))];
  return "t->" + field.name + (field.arrayLength > 0 ? "[" + std::to_string(index) + "]" : "");
}

std::string properties(const format::Level &level) {
  if (level.unique && level.ordered)
    return "SPC_UNIQUE | SPC_ORDERED";
  return level.unique ? "SPC_UNIQUE" : level.ordered ? "SPC_ORDERED" : "0";
}

/// The initialiser of one spc_level.
std::string levelInitializer(const StructType &type, int k) {
  const format::Level &level = type.format.levels[static_cast<size_t>(k)];
  const std::string size = access(type, FieldRole::Size, level.dim);
  if (level.isDense())
    return "spc_dense_level(" + size + ")";
  const std::string indices = access(type, FieldRole::Indices, k) + ", " +
                              std::to_string(format::bits(type.format.indices)) + ", " + properties(level) + ")";
  if (level.isSingleton())
    return "spc_singleton_level(" + size + ", " + indices;
  if (k == 0)
    return "spc_root_level(" + size + ", " + access(type, FieldRole::Count, 0) + ", " + indices;
  return "spc_compressed_level(" + size + ", " + access(type, FieldRole::Pointers, k) + ", " +
         std::to_string(format::bits(type.format.pointers)) + ", " + indices;
}

std::string validation(const StructType &type) {
  const int order = type.format.order();
  if (type.format.isDense()) {
    const bool single = order == 1;
    return substitute(kDenseValidation, {{"shape", single ? "&t->size" : "t->shape"},
                                         {"strides", single ? "&t->stride" : "t->strides"},
                                         {"order", std::to_string(order)},
                                         {"inner", std::to_string(type.format.levels.back().dim)}});
  }
  std::string levels;
  for (int k = 0; k < order; ++k)
    levels += "      " + levelInitializer(type, k) + ",\n";
  return substitute(kSparseValidation, {{"order", std::to_string(order)}, {"levels", levels}});
}

/// The parameter that gives a maker the extent of dimension `dim`.
std::string sizeParameter(int order, int dim) {
  if (order == 1)
    return "size";
  if (order == 2)
    return dim == 0 ? "rows" : "cols";
  return "size_" + std::to_string(dim);
}

std::string maker(const StructType &type) {
  if (!type.format.isDense())
    return "";
  const int order = type.format.order();
  std::vector<std::string> parameters, sizes;
  std::vector<std::string> strides(static_cast<size_t>(order));
  for (int d = 0; d < order; ++d) {
    sizes.push_back(sizeParameter(order, d));
    parameters.push_back("int64_t " + sizes.back());
  }
  std::vector<std::string> inner;
  for (auto level = type.format.levels.rbegin(); level != type.format.levels.rend(); ++level) {
    strides[static_cast<size_t>(level->dim)] = inner.empty() ? "1" : join(inner, " * ");
    inner.insert(inner.begin(), sizes[static_cast<size_t>(level->dim)]);
  }
  const std::string members =
      order == 1 ? sizes[0] + ", 1, values" : "{" + join(sizes, ", ") + "}, {" + join(strides, ", ") + "}, values";
  return substitute(
      kMaker,
      {{"type", type.name}, {"value", cType(type.value)}, {"sizes", join(parameters, ", ")}, {"members", members}});
}

std::string summary(const StructType &type) {
  if (type.format.isDense())
    return type.format.order() == 1
               ? "Dense."
               : "Dense, dimension " + std::to_string(type.format.levels.back().dim) + " innermost.";
  std::vector<std::string> levels;
  for (const format::Level &level : type.format.levels)
    levels.push_back("dimension " + std::to_string(level.dim) + " " +
                     (level.isDense()        ? "dense"
                      : level.isCompressed() ? "compressed"
                                             : "one coordinate each"));
  return "From the outside in: " + join(levels, ", ") + ".";
}

} // namespace

std::string typeSection(const StructType &type) {
  std::string guard = type.name.substr(std::string_view("spc_").size());
  std::transform(guard.begin(), guard.end(), guard.begin(),
                 [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  const bool dense = type.format.isDense();
  return substitute(kType,
                    {{"GUARD", guard},
                     {"summary", summary(type)},
                     {"type", type.name},
                     {"members", members(type)},
                     {"assertions", assertions(type)},
                     {"checks", dense ? "extents, and strides: innermost 1, no two elements in one place"
                                      : "extents, counts, pointers, and that coordinates are in range and sorted"},
                     {"validation", validation(type)},
                     {"maker", maker(type)}});
}

} // namespace spc::abi
