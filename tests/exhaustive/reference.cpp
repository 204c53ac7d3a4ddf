#include "exhaustive/reference.h"

#include "format/format_file.h"
#include "harness/formats.h"
#include "harness/number_types.h"
#include "sema/analyze.h"
#include "sema/program.h"
#include "support/render.h"
#include "syntax/parser.h"

#include <algorithm>
#include <set>
#include <sstream>
#include <stdexcept>

namespace spc::testing {
namespace {

constexpr std::array<int, kMostOperands + 1> kMostCellsOf = {0, 9, 6, 4}; ///< by arity
constexpr int64_t kFreeExtent = 2;                                        ///< of dimensions that no sparse operand has

std::string errorsOf(const Diagnostics &diagnostics) {
  std::string text;
  for (const Diagnostic &diagnostic : diagnostics.all())
    if (diagnostic.severity == Severity::Error || diagnostic.severity == Severity::Internal)
      text += renderText(diagnostic, false);
  return text;
}

bool isOperand(const std::string &tensor, int arity) {
  for (int role = 0; role < arity; ++role)
    if (tensor == operandName(role))
      return true;
  return false;
}

std::set<std::string> temporariesOf(const syntax::Kernel &kernel) {
  std::set<std::string> names;
  for (const syntax::Statement &statement : kernel.statements)
    if (statement.isTemporary)
      names.insert(statement.target.tensor.text);
  return names;
}

std::set<std::string> targetsOf(const syntax::Kernel &kernel) {
  std::set<std::string> names;
  for (const syntax::Statement &statement : kernel.statements)
    names.insert(statement.target.tensor.text);
  return names;
}

} // namespace

Reference::Reference(const Expression &expression) : expression_(expression) {
  Diagnostics problems;
  const std::string statements = [&] {
    std::string lines = expression.statements;
    std::replace(lines.begin(), lines.end(), ';', '\n');
    return lines;
  }();
  const syntax::Kernel bare = syntax::parse(sources_.add("statements", statements), problems);
  declared_ = DeclaredShapes(bare);
  classes_ = declared_.areThere() ? declared_.classes() : findExtentClasses(bare);
  const size_t begin = declared_.areThere() ? statements.find('\n', bare.declarations.back().where.begin) + 1 : 0;
  text_ = declare(bare, targetsOf(bare)) + statements.substr(begin) + "\n";
  tree_ = syntax::parse(sources_.add("kernel.tex", text_), problems);
  if (problems.hasErrors())
    throw std::runtime_error(expression.text + "\n" + errorsOf(problems));
  findOrientation();
  findTuples();
  planTemporaries();
  if (declared_.areThere())
    checkTies();
}

/// The declarations of what is compiled.
std::string Reference::declare(const syntax::Kernel &bare, const std::set<std::string> &targets) {
  std::ostringstream text;
  const auto fillOf = [&](const std::string &tensor) {
    return !expression_.fill.empty() && isOperand(tensor, expression_.arity) ? ", fill " + expression_.fill : "";
  };
  for (const syntax::TensorDecl &declaration : bare.declarations) {
    const std::string &name = declaration.name.text;
    types_[name] = declared_.isIndexTensor(name) ? sema::ValueType::I64
                   : declaration.type            ? sema::valueTypeNamed(declaration.type->text).value()
                                                 : expression_.type;
    text << "tensor " << declared_.headOf(declaration) << ": " << sema::spelling(types_[name]) << fillOf(name) << "\n";
  }
  for (const std::string &tensor : classes_.tensors) {
    const std::vector<int> &dimensions = classes_.ofTensor.at(tensor);
    if (declared_.areThere() || dimensions.empty() || targets.contains(tensor))
      continue;
    text << "tensor " << tensor;
    for (size_t dim = 0; dim < dimensions.size(); ++dim)
      text << (dim == 0 ? "(n" : ", n") << dimensions[dim];
    text << "): " << sema::spelling(expression_.type) << fillOf(tensor) << "\n";
  }
  return text.str();
}

/// The evaluator is given equations in the place of indices that are tied.
void Reference::checkTies() {
  Diagnostics problems;
  const SourceFile &argument = sources_.add("--format", "csr");
  std::vector<format::Binding> bindings;
  for (int role = 0; role < expression_.arity; ++role)
    bindings.push_back({operandName(role), makeFamily("csr", {}), Span{&argument, 0, 3}});
  const auto program = sema::check(tree_, bindings, {.function = "kernel"}, problems);
  if (program)
    meaning_ = syntax::parse(sources_.add("program.tex", sema::toText(*program)), problems);
  if (!program || problems.hasErrors())
    throw std::runtime_error(expression_.text + "\n" + errorsOf(problems));
}

sema::ValueType Reference::typeOf(const std::string &tensor) const {
  const auto type = types_.find(tensor);
  return type == types_.end() ? expression_.type : type->second;
}

/// Extents by class where each operand has the shape of its role; nullopt where that cannot be.
std::optional<std::vector<int64_t>> Reference::extentsFor(const std::vector<std::array<int, 2>> &shapes) const {
  std::vector<int64_t> extents(static_cast<size_t>(classes_.count), 0);
  for (int role = 0; role < expression_.arity; ++role)
    for (size_t dim = 0; dim < 2; ++dim) {
      int64_t &extent = extents[static_cast<size_t>(classes_.ofTensor.at(operandName(role))[dim])];
      const int64_t wanted = shapes[static_cast<size_t>(role)][dim];
      if (extent != 0 && extent != wanted)
        return std::nullopt;
      extent = wanted;
    }
  std::replace(extents.begin(), extents.end(), int64_t(0), kFreeExtent);
  declared_.settle(extents);
  return extents;
}

/// Which operands are transposed for shapes that are not square to fit: as few as possible, none where nothing helps.
void Reference::findOrientation() {
  for (unsigned across = 0; across < 1u << expression_.arity; ++across) {
    std::vector<std::array<int, 2>> shapes;
    for (int role = 0; role < expression_.arity; ++role)
      shapes.push_back(across >> role & 1u ? std::array{3, 2} : std::array{2, 3});
    if (!extentsFor(shapes))
      continue;
    for (int role = 0; role < expression_.arity; ++role)
      isAcross_[static_cast<size_t>(role)] = (across >> role & 1u) != 0;
    return;
  }
}

void Reference::findTuples() {
  const auto arity = static_cast<size_t>(expression_.arity);
  for (int rows = 1; rows <= kLongestSide; ++rows)
    for (int columns = 1; columns <= kLongestSide; ++columns) {
      if (rows * columns > kMostCellsOf[arity])
        continue;
      std::vector<std::array<int, 2>> shapes;
      for (size_t role = 0; role < arity; ++role)
        shapes.push_back(isAcross_[role] ? std::array{columns, rows} : std::array{rows, columns});
      const uint32_t each = 1u << (rows * columns);
      uint32_t count = 1;
      for (size_t role = 0; role < arity; ++role)
        count *= each;
      if (!extentsFor(shapes)) {
        illShaped_ += count;
        continue;
      }
      for (uint32_t number = 0; number < count; ++number) {
        PatternTuple tuple = {};
        uint32_t rest = number;
        for (size_t role = arity; role-- > 0; rest /= each) {
          const SmallPattern pattern{rows, columns, rest % each};
          tuple[role] = numberOf(isAcross_[role] ? transposed(pattern) : pattern);
        }
        tuples_.push_back(tuple);
      }
    }
}

/// A temporary is, to the evaluator, what it is where all operands are in CSR.
void Reference::planTemporaries() {
  const std::set<std::string> names = temporariesOf(tree_);
  if (names.empty())
    return;
  Diagnostics problems;
  const SourceFile &argument = sources_.add("--format", "csr");
  std::vector<format::Binding> bindings;
  for (int role = 0; role < expression_.arity; ++role)
    bindings.push_back({operandName(role), makeFamily("csr", {}), Span{&argument, 0, 3}});
  const auto kernel = sema::analyze(tree_, bindings, {.function = "kernel", .verify = true}, problems);
  if (!kernel)
    throw std::runtime_error(expression_.text + "\n" + errorsOf(problems));
  for (const sema::Tensor &tensor : kernel->tensors) {
    if (!names.contains(tensor.name))
      continue;
    const auto *temporary = tensor.as<sema::Temporary>();
    DenseTensor &plan = temporaries_[tensor.name];
    plan.sparse = !tensor.format.isDense() || tensor.is<sema::Fused>() || (temporary && temporary->isRestricted);
    plan.assembled = plan.sparse;
    plan.type = tensor.type;
    plan.fill = tensor.fill;
  }
}

std::vector<int64_t> Reference::shapeOf(const std::string &tensor, const PatternTuple &patterns) const {
  std::vector<std::array<int, 2>> shapes;
  for (int role = 0; role < expression_.arity; ++role) {
    const SmallPattern &pattern = smallPatterns()[static_cast<size_t>(patterns[static_cast<size_t>(role)])];
    shapes.push_back({pattern.rows, pattern.columns});
  }
  const std::vector<int64_t> extents = extentsFor(shapes).value();
  std::vector<int64_t> shape;
  for (int dimension : classes_.ofTensor.at(tensor))
    shape.push_back(extents[static_cast<size_t>(dimension)]);
  return shape;
}

std::vector<double> Reference::initialOf(const std::string &tensor, const PatternTuple &patterns) const {
  const std::vector<int64_t> shape = shapeOf(tensor, patterns);
  const auto place = std::find(classes_.tensors.begin(), classes_.tensors.end(), tensor) - classes_.tensors.begin();
  int64_t size = 1;
  for (int64_t extent : shape)
    size *= extent;
  std::vector<double> values;
  if (declared_.isIndexTensor(tensor)) {
    const auto &[indexed, dim] = declared_.indexedBy(tensor);
    for (int64_t at = 0; at < size; ++at)
      values.push_back(static_cast<double>((at + 1) % shapeOf(indexed, patterns)[dim]));
    return values;
  }
  for (int64_t at = 0; at < size; ++at)
    values.push_back(typeOf(tensor) == sema::ValueType::Bool
                         ? static_cast<double>(at % 2)
                         : primeAt(firstDensePrime() + static_cast<int>(place * kLongestSide * kLongestSide + at)));
  return values;
}

/// An infinity of an integer type is its greatest or its least number.
double Reference::fill() const {
  if (expression_.fill.empty())
    return 0;
  const double fill = std::stod(expression_.fill);
  return sema::isInteger(expression_.type) ? converted(fill, expression_.type).real() : fill;
}

Outcome Reference::evaluateOn(const PatternTuple &patterns, const Readings &readings, bool assembles) const {
  TensorMap tensors;
  const std::set<std::string> targets = targetsOf(tree_);
  for (const std::string &name : classes_.tensors) {
    DenseTensor &tensor = tensors[name];
    if (const auto plan = temporaries_.find(name); plan != temporaries_.end())
      tensor = plan->second;
    else
      tensor.type = typeOf(name);
    tensor.shape = shapeOf(name, patterns);
    tensor.values.resize(static_cast<size_t>(tensor.size()));
    tensor.stored.resize(tensor.values.size());
    if (temporaries_.contains(name) || isOperand(name, expression_.arity))
      continue;
    const std::vector<double> initial = initialOf(name, patterns);
    std::copy(initial.begin(), initial.end(), tensor.values.begin());
    const auto format = expression_.formats.find(name);
    tensor.sparse = tensor.assembled =
        format != expression_.formats.end() ? format->second != "dense" : assembles && targets.contains(name);
    tensor.fill = tensor.assembled ? fill() : 0;
  }
  for (int role = 0; role < expression_.arity; ++role) {
    const Reading reading = readings[static_cast<size_t>(role)];
    const SmallPattern &pattern = smallPatterns()[static_cast<size_t>(patterns[static_cast<size_t>(role)])];
    DenseTensor &tensor = tensors.at(operandName(role));
    tensor.sparse = reading != Reading::Dense;
    tensor.fill = fill();
    for (int cell = 0; cell < pattern.cells(); ++cell) {
      const auto at = static_cast<size_t>(cell);
      if (!pattern.isStored(cell))
        continue;
      tensor.values[at] =
          expression_.type == sema::ValueType::Bool ? 1 : valueOf(pattern, role, cell, reading == Reading::Symmetric);
      tensor.stored[at] = 1;
    }
  }
  Outcome outcome;
  outcome.problem = evaluate(meaning_ ? *meaning_ : tree_, tensors);
  if (outcome.problem == "an index is outside of its tensor")
    return {.isOutside = true};
  for (const std::string &target : targets)
    if (!temporaries_.contains(target))
      outcome.results[target] = tensors.at(target);
  return outcome;
}

const Outcome &Reference::outcome(size_t tuple, const Readings &readings, bool assembles) {
  std::vector<std::optional<Outcome>> &all = outcomes_[{readings, assembles}];
  all.resize(tuples_.size());
  if (!all[tuple])
    all[tuple] = evaluateOn(tuples_[tuple], readings, assembles);
  return *all[tuple];
}

} // namespace spc::testing
