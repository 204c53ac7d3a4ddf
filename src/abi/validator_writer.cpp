#include "abi/validator_writer.h"

#include "abi/text.h"
#include "format/levels.h"

#include <cstdint>
#include <string_view>
#include <utility>

namespace spc::abi {
namespace {

using format::Format;
using format::Level;
using format::LevelKind;
using format::Symmetry;

constexpr std::string_view kSparseValidation = R"(  spc_detail_level levels[@count@];
  if (@misshapen@)
    return SPC_ERROR_SHAPE;
@levels@  return spc_detail_validate_levels(levels, @count@, @stored@, t->values);
)";

constexpr std::string_view kSymmetricValidation = R"(  spc_detail_level levels[@count@];
  spc_status status;
  if (@misshapen@)
    return SPC_ERROR_SHAPE;
@levels@  status = spc_detail_validate_levels(levels, @count@, @stored@, t->values);
  return status == SPC_OK ? spc_detail_check_symmetric(levels, @count@) : status;
)";

constexpr std::string_view kDenseValidation =
    "  return spc_detail_validate_dense(@shape@, @strides@, @order@, @inner@, t->values);\n";

/// "t->row_ptr", "t->shape[1]"
std::string access(const StructType &type, FieldRole role, int index) {
  const Field &field = type.fields[static_cast<size_t>(type.find(role, index))];
  return "t->" + field.name + (field.arrayLength > 0 ? "[" + std::to_string(index) + "]" : "");
}

/// Whether the level's pointers or lengths end at a count of its own.
bool isCounted(const Format &format, int k) {
  return hasCount(format, k) && (k > 0 || format.levels[0].hasLengths());
}

std::string properties(const Format &format, int k) {
  const Level &level = format.levels[static_cast<size_t>(k)];
  std::vector<std::string> words;
  if (level.unique)
    words.push_back("SPC_DETAIL_UNIQUE");
  if (level.ordered)
    words.push_back("SPC_DETAIL_ORDERED");
  if (format::continuesParent(format, k))
    words.push_back("SPC_DETAIL_CONTINUES");
  if (isCounted(format, k))
    words.push_back("SPC_DETAIL_COUNTED");
  return words.empty() ? "0" : join(words, " | ");
}

/// The range of a level's coordinates, as "low, high".
std::string coordinateRange(const StructType &type, const Level &level) {
  const format::CoordinateRange range = format::coordinateRange(level);
  const auto size = [&](int dim) { return access(type, FieldRole::Size, dim); };
  const std::string block = std::to_string(range.block);
  const std::string low = range.minus ? "1 - " + size(*range.minus) : "0";
  if (!range.dim)
    return low + ", " + block;
  return low + ", " +
         (range.block > 1 ? "spc_detail_blocks(" + size(*range.dim) + ", " + block + ")" : size(*range.dim));
}

/// How include/spc/levels.h calls it: by what says how many entries a parent has.
const char *levelKind(const Format &format, int k) {
  switch (format::kindOf(format, k)) {
  case LevelKind::Dense:
    return "SPC_DETAIL_LEVEL_DENSE";
  case LevelKind::Singleton:
  case LevelKind::FixedWidth:
    return "SPC_DETAIL_LEVEL_FIXED";
  case LevelKind::Compressed:
  case LevelKind::RaggedDense:
    if (format.levels[static_cast<size_t>(k)].hasLengths())
      return "SPC_DETAIL_LEVEL_LENGTHS";
    return k == 0 ? "SPC_DETAIL_LEVEL_ROOT" : "SPC_DETAIL_LEVEL_COMPRESSED";
  case LevelKind::ClosedDense:
  case LevelKind::ClosedCompressed:
    return "SPC_DETAIL_LEVEL_CLOSED";
  }
  return "";
}

/// The statements that describe one level.
class LevelWriter {
public:
  LevelWriter(const StructType &type, int k)
      : type_(type), format_(type.format), level_(format_.levels[static_cast<size_t>(k)]), k_(k),
        name_("  levels[" + std::to_string(k) + "]") {}

  std::string write() {
    text_ = name_ + " = spc_detail_make_level(" + levelKind(format_, k_) + ", " + coordinateRange(type_, level_) +
            ", " + properties(format_, k_) + ");\n";
    segments();
    if (!level_.isDense())
      indices();
    if (format_.symmetry != Symmetry::None)
      set("weight", std::to_string(format::triangleWeight(format_, k_)));
    return text_;
  }

private:
  void set(const std::string &field, const std::string &value) { text_ += name_ + "." + field + " = " + value + ";\n"; }

  /// How many entries each parent has, and where those of a run without a list begin.
  void segments() {
    switch (format::kindOf(format_, k_)) {
    case LevelKind::Dense:
      break;
    case LevelKind::Singleton:
    case LevelKind::FixedWidth:
      set("count", level_.width ? std::to_string(*level_.width) : access(type_, FieldRole::Width, k_));
      break;
    case LevelKind::Compressed:
      ends();
      break;
    case LevelKind::RaggedDense:
      ends();
      if (level_.start == format::ClosedForm())
        break;
      parents();
      closedForm("start", level_.start);
      break;
    case LevelKind::ClosedDense:
      parents();
      closedForm("length", level_.length);
      closedForm("start", level_.start);
      break;
    case LevelKind::ClosedCompressed:
      parents();
      closedForm("length", level_.length);
      break;
    }
  }

  void ends() {
    const bool isRoot = k_ == 0 && !level_.hasLengths();
    if (isRoot || isCounted(format_, k_))
      set("count", access(type_, FieldRole::Count, k_));
    if (isRoot)
      return;
    set("pointers", access(type_, level_.hasLengths() ? FieldRole::Lengths : FieldRole::Pointers, k_));
    set("pointer_bits", std::to_string(format::bits(format_.pointers)));
  }

  void parents() { set("parent_size", "levels[" + std::to_string(k_ - 1) + "].high"); }

  void closedForm(const std::string &field, const format::ClosedForm &form) {
    for (const auto &[part, value] :
         {std::pair{".constant", form.constant}, {".slope", form.slope}, {".size", form.size}})
      if (value != 0)
        set(field + part, value == INT64_MIN ? "INT64_MIN" : std::to_string(value));
  }

  void indices() {
    if (format_.interleaved) {
      int first = 0;
      while (format_.levels[static_cast<size_t>(first)].isDense())
        ++first;
      set("indices", access(type_, FieldRole::Entries, first));
      set("index_stride", std::to_string(format_.levelCount() - first));
      set("index_offset", std::to_string(k_ - first));
    } else {
      set("indices", access(type_, FieldRole::Indices, k_));
    }
    set("index_bits", std::to_string(format::bits(format_.indices)));
  }

  const StructType &type_;
  const Format &format_;
  const Level &level_;
  int k_;
  std::string name_;
  std::string text_;
};

/// When the extents are wrong by themselves: negative, or of a symmetric matrix not the same.
std::string misshapen(const StructType &type) {
  std::vector<std::string> conditions;
  for (int d = 0; d < type.format.order(); ++d)
    conditions.push_back(access(type, FieldRole::Size, d) + " < 0");
  if (type.format.symmetry != Symmetry::None)
    conditions.push_back(access(type, FieldRole::Size, 0) + " != " + access(type, FieldRole::Size, 1));
  return join(conditions, " || ");
}

} // namespace

std::string validatorBody(const StructType &type) {
  const Format &format = type.format;
  if (format.isDense()) {
    const bool single = format.order() == 1;
    return substitute(kDenseValidation, {{"shape", single ? "&t->size" : "t->shape"},
                                         {"strides", single ? "&t->stride" : "t->strides"},
                                         {"order", std::to_string(format.order())},
                                         {"inner", std::to_string(format.levels.back().dim)}});
  }
  std::string levels;
  for (int k = 0; k < format.levelCount(); ++k)
    levels += LevelWriter(type, k).write();
  return substitute(format.symmetry == Symmetry::None ? kSparseValidation : kSymmetricValidation,
                    {{"count", std::to_string(format.levelCount())},
                     {"misshapen", misshapen(type)},
                     {"levels", levels},
                     {"stored", storesCount(format) ? "&t->nnz" : "NULL"}});
}

} // namespace spc::abi
