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

constexpr std::string_view kSparseValidation = R"(  spc_level levels[@count@];
@levels@  return spc_validate_levels(levels, @count@, @stored@, t->values);
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
  const std::string dimension = std::to_string(field.index);
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
    return "coordinates of level " + number + ", " +
           format::coordinateText(type.format.levels[static_cast<size_t>(field.index)]);
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

std::string properties(const format::Format &format, int k) {
  const format::Level &level = format.levels[static_cast<size_t>(k)];
  std::vector<std::string> words;
  if (level.unique)
    words.push_back("SPC_UNIQUE");
  if (level.ordered)
    words.push_back("SPC_ORDERED");
  if (level.isSingleton() && k > 0 && !format.levels[static_cast<size_t>(k) - 1].isDense())
    words.push_back("SPC_CONTINUES");
  return words.empty() ? "0" : join(words, " | ");
}

/// The range of a level's coordinates, as "low, high".
std::string coordinateRange(const StructType &type, const format::Level &level) {
  const std::string size = access(type, FieldRole::Size, level.dim);
  switch (level.part) {
  case format::Part::Whole:
    return "0, " + size;
  case format::Part::Quotient:
    return "0, spc_blocks(" + size + ", " + std::to_string(level.block) + ")";
  case format::Part::Remainder:
    return "0, " + std::to_string(level.block);
  case format::Part::Difference:
    return "1 - " + access(type, FieldRole::Size, level.minus) + ", " + size;
  }
  return "";
}

const char *levelKind(const format::Level &level, int k) {
  switch (level.extent) {
  case format::Extent::Fixed:
    return level.isDense() ? "SPC_LEVEL_DENSE" : "SPC_LEVEL_FIXED";
  case format::Extent::Ragged:
    return k == 0 ? "SPC_LEVEL_ROOT" : "SPC_LEVEL_COMPRESSED";
  case format::Extent::Lengths:
    return "SPC_LEVEL_LENGTHS";
  case format::Extent::Closed:
    return "SPC_LEVEL_CLOSED";
  }
  return "";
}

std::string closedForm(const std::string &field, const format::ClosedForm &form) {
  return field + ".constant = " + std::to_string(form.constant) + ";\n" + field +
         ".slope = " + std::to_string(form.slope) + ";\n" + field + ".size = " + std::to_string(form.size) + ";\n";
}

/// The statements that describe one level.
std::string levelStatements(const StructType &type, int k) {
  const format::Format &format = type.format;
  const format::Level &level = format.levels[static_cast<size_t>(k)];
  const std::string name = "  levels[" + std::to_string(k) + "]";
  std::string text = name + " = spc_make_level(" + levelKind(level, k) + ", " + coordinateRange(type, level) + ", " +
                     properties(format, k) + ");\n";
  const auto set = [&](const std::string &field, const std::string &value) {
    text += name + "." + field + " = " + value + ";\n";
  };
  if (level.extent == format::Extent::Fixed && !level.isDense())
    set("count", level.width ? std::to_string(*level.width) : access(type, FieldRole::Width, k));
  if (level.extent == format::Extent::Ragged && k == 0)
    set("count", access(type, FieldRole::Count, 0));
  if ((level.extent == format::Extent::Ragged && k > 0) || level.extent == format::Extent::Lengths) {
    const bool isLengths = level.extent == format::Extent::Lengths;
    set("pointers", access(type, isLengths ? FieldRole::Lengths : FieldRole::Pointers, k));
    set("pointer_bits", std::to_string(format::bits(format.pointers)));
  }
  if (level.extent == format::Extent::Closed) {
    const int parent = format.levels[static_cast<size_t>(k) - 1].dim;
    set("parent_size", access(type, FieldRole::Size, parent));
    text += closedForm(name + ".length", level.length) + closedForm(name + ".start", level.start);
  }
  if (level.isDense())
    return text;
  if (format.interleaved) {
    int first = 0;
    while (format.levels[static_cast<size_t>(first)].isDense())
      ++first;
    set("indices", access(type, FieldRole::Entries, first));
    set("index_stride", std::to_string(format.levelCount() - first));
    set("index_offset", std::to_string(k - first));
  } else {
    set("indices", access(type, FieldRole::Indices, k));
  }
  set("index_bits", std::to_string(format::bits(format.indices)));
  return text;
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
  for (int k = 0; k < type.format.levelCount(); ++k)
    levels += levelStatements(type, k);
  return substitute(kSparseValidation, {{"count", std::to_string(type.format.levelCount())},
                                        {"levels", levels},
                                        {"stored", storesCount(type.format) ? "&t->nnz" : "NULL"}});
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
  return "From the outside in: " + format::describe(type.format) + ".";
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
