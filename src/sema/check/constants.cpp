// Constants: what their lists and files hold, of which shape and type.
#include "sema/check/checking.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace spc::sema {
namespace {

using language::ConstantDecl;
using language::ConstantEntries;
using language::ConstantNumber;

constexpr DiagnosticKind kConstantShape{"constant-shape", Severity::Error};
constexpr DiagnosticKind kConstantValue{"constant-value", Severity::Error};

/// Holds every integer of 64 bits, with and without a sign.
__extension__ typedef __int128 Integer;

template <typename T> bool isWithin(const ConstantNumber &number) {
  if (std::isinf(number.real)) // the greatest or the least number
    return true;
  constexpr double kFarBeyond = 0x1p66;
  if (!(std::abs(number.real) <= kFarBeyond) || number.real != std::floor(number.real))
    return false;
  const Integer integer = static_cast<Integer>(number.real) + number.rest;
  return integer >= std::numeric_limits<T>::min() && integer <= std::numeric_limits<T>::max();
}

/// Whether a tensor of the type may hold a number; floats are rounded to what there is.
bool mayHold(ValueType type, const ConstantNumber &number) {
  if (number.imaginary != 0 && !isComplex(type))
    return false;
  switch (type) {
  case ValueType::I8:
    return isWithin<int8_t>(number);
  case ValueType::I16:
    return isWithin<int16_t>(number);
  case ValueType::I32:
    return isWithin<int32_t>(number);
  case ValueType::I64:
    return isWithin<int64_t>(number);
  case ValueType::U8:
    return isWithin<uint8_t>(number);
  case ValueType::U16:
    return isWithin<uint16_t>(number);
  case ValueType::U32:
    return isWithin<uint32_t>(number);
  case ValueType::U64:
    return isWithin<uint64_t>(number);
  case ValueType::Bool:
    return number.real == 0 || number.real == 1;
  default:
    return true;
  }
}

/// One constant of the program.
class ConstantChecker {
public:
  ConstantChecker(Checking &checking, TensorId id)
      : checking_(checking), tensor_(checking.program.tensors[id]),
        declaration_(*checking.program.symbols[id].declaration), constant_(*declaration_.constant) {}

  void read() {
    if (!constant_.file.empty())
      readFile();
    else if (hasAllSizes() && hasDeclaredShape(constant_.shape))
      set({constant_.shape, {}, {}, {}, {}});
  }

  void check() {
    const std::shared_ptr<const ConstantEntries> &entries = std::get<Constant>(tensor_.role).entries;
    if (!entries)
      return;
    if (constant_.file.empty())
      fillFromText();
    else
      checkFile(*entries);
  }

private:
  void set(ConstantEntries entries) {
    tensor_.role = Constant{std::make_shared<const ConstantEntries>(std::move(entries))};
  }

  Diagnostic &fail(const DiagnosticKind &kind, Span where, std::string message) {
    return checking_.diagnostics.report(kind, where, std::move(message));
  }

  /// The number that an extent is declared as.
  std::optional<int64_t> declared(size_t dim) const {
    const auto *number = std::get_if<int64_t>(&declaration_.extents[dim].value);
    return number ? std::optional(*number) : std::nullopt;
  }

  /// How many numbers lists of a shape have; sizes below 0 are those of lists that there are none of.
  static int64_t numbersOf(const std::vector<int64_t> &shape) {
    int64_t count = 1;
    for (const int64_t size : shape)
      count *= std::max<int64_t>(size, 0);
    return count;
  }

  /// Whether the lists, and numbers where these are empty, say how large each dimension is, and there are as many
  /// numbers.
  bool hasAllSizes() {
    std::vector<int64_t> shape = constant_.shape;
    shape.resize(declaration_.extents.size(), -1);
    if (const int64_t count = numbersOf(shape); count != static_cast<int64_t>(constant_.numbers.size())) {
      fail(kConstantShape, constant_.where,
           inQuotes(tensor_.name) + " has " + std::to_string(constant_.numbers.size()) + " numbers in lists of " +
               std::to_string(count));
      return false;
    }
    for (size_t dim = 0; dim < shape.size(); ++dim)
      if (shape[dim] < 0 && !declared(dim)) {
        fail(kConstantShape, declaration_.extents[dim].where,
             "nothing says how large dimension " + std::to_string(dim) + " of " + inQuotes(tensor_.name) +
                 " is: there is no list in it")
            .advise("write its size as a number");
        return false;
      }
    return true;
  }

  /// Whether the sizes are those that the declaration has as numbers; sizes below 0 are unknown.
  bool hasDeclaredShape(const std::vector<int64_t> &shape) {
    for (size_t dim = 0; dim < shape.size(); ++dim)
      if (const std::optional<int64_t> size = declared(dim); size && shape[dim] >= 0 && *size != shape[dim]) {
        fail(kConstantShape, declaration_.extents[dim].where,
             "dimension " + std::to_string(dim) + " of " + inQuotes(tensor_.name) + " is declared as " +
                 std::to_string(*size) + ", and its numbers have " + std::to_string(shape[dim]))
            .note(constant_.where, "the numbers are here");
        return false;
      }
    return true;
  }

  void readFile() {
    if (!checking_.options.readConstant) {
      fail(kConstantValue, constant_.where, "constants are not read from files here")
          .advise("write the numbers in the text");
      return;
    }
    std::optional<std::vector<int64_t>> shape = std::vector<int64_t>();
    for (size_t dim = 0; dim < declaration_.extents.size() && shape; ++dim) {
      const std::optional<int64_t> size = declared(dim);
      shape = size ? std::move(shape) : std::nullopt;
      if (shape)
        shape->push_back(*size);
    }
    const std::shared_ptr<const ConstantEntries> entries =
        checking_.options.readConstant({declaration_, tensor_.format, shape}, checking_.diagnostics);
    if (!entries)
      return;
    if (entries->shape.size() == declaration_.extents.size()) {
      if (hasDeclaredShape(entries->shape))
        tensor_.role = Constant{entries};
      return;
    }
    fail(kConstantShape, declaration_.where,
         inQuotes(tensor_.name) + " has order " + std::to_string(declaration_.extents.size()) + ", and '" +
             constant_.file + "' has order " + std::to_string(entries->shape.size()));
  }

  bool holds(const ConstantNumber &number, Span where, const std::string &at) {
    if (mayHold(tensor_.type, number))
      return true;
    Diagnostic &wrong = fail(kConstantValue, where,
                             language::textOf(number) + at + " is no " + std::string(spelling(tensor_.type)) +
                                 ", which " + inQuotes(tensor_.name) + " holds");
    if (!declaration_.type)
      wrong.advise("declare it as a type that holds it, as in 'const " + tensor_.name +
                   "(...): " + (number.imaginary != 0 ? "cf64" : "f64") + "'");
    return false;
  }

  /// A dense constant has all numbers of the text, a sparse one those that are not what missing entries are.
  void fillFromText() {
    ConstantEntries entries{constant_.shape, {}, {}, {}, {}};
    for (size_t dim = constant_.shape.size(); dim < declaration_.extents.size(); ++dim)
      entries.shape.push_back(*declared(dim));
    for (size_t dim = 0; dim < entries.shape.size(); ++dim)
      entries.shape[dim] = entries.shape[dim] < 0 ? *declared(dim) : entries.shape[dim];
    std::vector<int64_t> at(entries.shape.size());
    for (size_t k = 0; k < constant_.numbers.size(); ++k) {
      const ConstantNumber &number = constant_.numbers[k];
      if (!holds(number, k < constant_.places.size() ? constant_.places[k] : constant_.where, ""))
        return;
      if (tensor_.format.isDense() || number.real != tensor_.fill || number.imaginary != 0) {
        entries.coordinates.insert(entries.coordinates.end(), at.begin(), at.end());
        entries.append(number);
      }
      for (size_t dim = at.size(); dim-- > 0 && ++at[dim] == entries.shape[dim];)
        at[dim] = 0;
    }
    set(std::move(entries));
  }

  void checkFile(const ConstantEntries &entries) {
    const size_t order = entries.shape.size();
    for (size_t entry = 0; entry < entries.size(); ++entry) {
      std::string at;
      const ConstantNumber number = entries.value(entry);
      if (mayHold(tensor_.type, number))
        continue;
      for (size_t dim = 0; dim < order; ++dim)
        at += (at.empty() ? "(" : ", ") + std::to_string(entries.coordinates[entry * order + dim]);
      (void)holds(number, constant_.where, at.empty() ? at : " at " + at + ") of '" + constant_.file + "'");
      return;
    }
  }

  Checking &checking_;
  Tensor &tensor_;
  const language::TensorDecl &declaration_;
  const ConstantDecl &constant_;
};

template <typename Step> void forEachConstant(Checking &checking, const Step &step) {
  for (TensorId id : checking.program.symbols.ids())
    if (checking.program.tensors[id].is<Constant>())
      step(ConstantChecker(checking, id));
}

} // namespace

void readConstants(Checking &checking) {
  forEachConstant(checking, [](ConstantChecker constant) { constant.read(); });
}

void checkConstants(Checking &checking) {
  forEachConstant(checking, [](ConstantChecker constant) { constant.check(); });
}

} // namespace spc::sema
