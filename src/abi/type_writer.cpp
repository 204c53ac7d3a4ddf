// The C text of one struct type.
#include "abi/header.h"
#include "abi/text.h"
#include "abi/validator_writer.h"

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

/* The values of a tensor that may be written: not of one over const data. */
static inline @value@ *@type@_values(@type@ *t) {
  return SPC_DETAIL_MUTABLE(@value@ *, t->values);
}
@release@@maker@
#endif
)";

constexpr std::string_view kRelease = R"(
/* Releases the arrays, which a call with this context has assembled, sets them to NULL and the counts to 0. NULL and what is
 * released already are fine. */
static inline void @type@_free_ctx(const spc_context *ctx, @type@ *t) {
  if (t == NULL)
    return;
@released@@cleared@}

/* The same of a call without a context. */
static inline void @type@_free(@type@ *t) {
  @type@_free_ctx(NULL, t);
}
)";

constexpr std::string_view kMaker = R"(
/* @what@ over the caller's values. */
static inline @type@ @type@_make(const @value@ *values, @sizes@) {
  const @type@ t = {@members@};
  return t;
}
)";

std::string spelling(const StructType &type, FieldType field) {
  switch (field) {
  case FieldType::Int64:
    return "int64_t ";
  case FieldType::Pointers:
    return std::string("const ") + cType(type.format.pointers) + " *";
  case FieldType::Indices:
    return std::string("const ") + cType(type.format.indices) + " *";
  case FieldType::Values:
    return std::string("const ") + cType(type.value) + " *";
  }
  return "";
}

/// What a field holds, for the comment behind it.
std::string meaning(const StructType &type, const Field &field) {
  const std::string number = std::to_string(field.index);
  switch (field.role) {
  case FieldRole::Size:
    return field.arrayLength > 0 ? "extents by dimension" : "extent of dimension " + number;
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

std::string assertions(const StructType &type) {
  std::string text;
  for (size_t slot = 0; slot < type.fields.size(); ++slot) {
    const Field &field = type.fields[slot];
    if (field.arrayLength == 0 || field.index == 0)
      text += "SPC_DETAIL_ASSERT_FIELD(" + type.name + ", " + field.name + ", " + std::to_string(slot) + ");\n";
  }
  return text + "SPC_DETAIL_ASSERT_SIZE(" + type.name + ", " + std::to_string(type.fields.size()) + ");\n";
}

/// The parameter that gives a maker the extent of dimension `dim`.
std::string sizeParameter(int order, int dim) {
  if (order == 1)
    return "size";
  if (order == 2)
    return dim == 0 ? "rows" : "cols";
  return "size_" + std::to_string(dim);
}

/// The sizes as parameters of a maker, and as initializers of the first members of its struct.
struct MakerSizes {
  std::vector<std::string> names;

  explicit MakerSizes(const StructType &type) {
    for (int d = 0; d < type.format.order(); ++d)
      names.push_back(sizeParameter(type.format.order(), d));
  }

  std::string parameters() const { return "int64_t " + join(names, ", int64_t "); }
};

std::string denseMembers(const StructType &type, const MakerSizes &sizes) {
  if (sizes.names.size() == 1)
    return sizes.names[0] + ", 1, values";
  std::vector<std::string> strides(sizes.names.size()), inner;
  for (auto level = type.format.levels.rbegin(); level != type.format.levels.rend(); ++level) {
    strides[static_cast<size_t>(level->dim)] = inner.empty() ? "1" : join(inner, " * ");
    inner.insert(inner.begin(), sizes.names[static_cast<size_t>(level->dim)]);
  }
  return "{" + join(sizes.names, ", ") + "}, {" + join(strides, ", ") + "}, values";
}

/// Packed triangles, tiles: nothing but sizes and values.
bool hasSizesAndValuesOnly(const StructType &type) {
  return std::all_of(type.fields.begin(), type.fields.end(), [](const Field &field) {
    return field.role == FieldRole::Size || field.role == FieldRole::Values;
  });
}

std::string maker(const StructType &type) {
  const MakerSizes sizes(type);
  std::string text;
  if (type.format.isDense())
    text = denseMembers(type, sizes);
  else if (hasSizesAndValuesOnly(type))
    text =
        (type.fields[0].arrayLength > 0 ? "{" + join(sizes.names, ", ") + "}" : join(sizes.names, ", ")) + ", values";
  else
    return "";
  return substitute(kMaker, {{"what", type.format.isDense() ? "A contiguous tensor" : "A tensor"},
                             {"type", type.name},
                             {"value", cType(type.value)},
                             {"sizes", sizes.parameters()},
                             {"members", text}});
}

/// What releases the arrays of a sparse tensor.
std::string release(const StructType &type) {
  if (type.format.isDense())
    return "";
  std::string released, cleared;
  for (const Field &field : type.fields) {
    const std::string member = "t->" + field.name;
    if (field.type != FieldType::Int64)
      released += "  spc_detail_release(ctx, " + member + ");\n";
    if (field.type != FieldType::Int64)
      cleared += "  " + member + " = NULL;\n";
    else if (field.role == FieldRole::Count || field.role == FieldRole::Stored)
      cleared += "  " + member + " = 0;\n";
  }
  return substitute(kRelease, {{"type", type.name}, {"released", released}, {"cleared", cleared}});
}

/// What the validator checks, in words.
std::string checks(const StructType &type) {
  const format::Format &format = type.format;
  std::string text = "extents";
  if (storesCount(format))
    text += ", counts, pointers";
  if (format.hasIndices())
    text += ", that coordinates are in range and in order";
  if (format.symmetry != format::Symmetry::None)
    text += ", that entries are in the stored triangle";
  return text;
}

std::string denseChecks(const StructType &type) {
  if (type.format.order() == 1)
    return "extents, and that no two elements are in one place";
  return "extents, and strides: innermost 1, no two elements in one place";
}

std::string summary(const StructType &type, const std::string &fills) {
  if (type.format.isDense())
    return type.format.order() == 1
               ? "Dense."
               : "Dense, dimension " + std::to_string(type.format.levels.back().dim) + " innermost.";
  return "From the outside in: " + format::describe(type.format) + "." + (fills.empty() ? "" : "\n * " + fills);
}

} // namespace

std::string structMembers(const StructType &type) {
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

std::string typeSection(const StructType &type, const std::string &fills) {
  std::string guard = type.name.substr(std::string_view("spc_").size());
  std::transform(guard.begin(), guard.end(), guard.begin(),
                 [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  const bool dense = type.format.isDense();
  return substitute(kType, {{"GUARD", guard},
                            {"summary", summary(type, fills)},
                            {"type", type.name},
                            {"value", cType(type.value)},
                            {"members", structMembers(type)},
                            {"assertions", assertions(type)},
                            {"checks", dense ? denseChecks(type) : checks(type)},
                            {"validation", validatorBody(type)},
                            {"release", release(type)},
                            {"maker", maker(type)}});
}

} // namespace spc::abi
