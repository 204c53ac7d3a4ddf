#include "harness/kernel_spec.h"
#include "harness/plain_choices.h"

#include "harness/kernel_text.h"
#include "sema/analyze.h"
#include "syntax/parser.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <set>
#include <sstream>
#include <stdexcept>

namespace spc::testing {

constexpr std::string_view kStructureOf = "structure of ";

/// The schedule's keys, each with a blank in front; nothing where none is given.
static std::string describe(const format::Schedule &schedule) {
  std::ostringstream text;
  const auto number = [&](const char *key, const std::optional<format::Given<int64_t>> &value) {
    if (value)
      text << " " << key << " " << value->value;
  };
  number("tile", schedule.tile);
  number("unroll", schedule.unroll);
  number("prefetch", schedule.prefetch);
  number("chunk", schedule.chunk);
  if (schedule.workspace)
    text << " workspace " << static_cast<int>(schedule.workspace->value);
  if (schedule.parallel)
    text << " parallel " << schedule.parallel->value;
  if (schedule.order) {
    text << " order";
    for (const format::Given<std::string> &variable : schedule.order->value)
      text << " " << variable.value;
  }
  return text.str();
}

int levelOf(const KernelSpec &spec) {
  if (const char *level = std::getenv("SPC_TEST_OPT_LEVEL"))
    return std::atoi(level);
  if (spec.optLevel)
    return *spec.optLevel;
  if (std::getenv("SPC_TEST_ALL"))
    return 1;
  size_t turn = std::hash<std::string>{}(spec.statements);
  for (const auto &[tensor, spelling] : spec.formats)
    turn = 31 * turn + std::hash<std::string>{}(tensor + spelling);
  return turn % 12 == 5 ? 3 : turn % 24 == 10 ? 1 : 0;
}

std::string describe(const KernelSpec &spec) {
  std::ostringstream text;
  text << "kernel: " << spec.statements << "\nformats:";
  for (const auto &[tensor, spelling] : spec.formats)
    text << " " << tensor << "=" << spelling;
  text << "\nvalues: " << sema::spelling(spec.type);
  for (const auto &[tensor, type] : spec.types)
    text << ", " << tensor << " " << sema::spelling(type);
  for (const auto &[tensor, fill] : spec.fills)
    text << ", missing in " << tensor << " " << fill;
  text << "; pointers " << format::spelling(spec.index.pointers) << ", indices " << format::spelling(spec.index.indices)
       << "; -O" << levelOf(spec) << (spec.strictFp ? " --fp=strict" : "") << (spec.fuses ? "" : ", not fused")
       << (spec.plan ? " --plan=" + std::to_string(*spec.plan + 1) : "") << (spec.checked ? " --checked" : "")
       << (spec.asWritten ? " --plan=as-written" : "") << (spec.distributes ? " --fp=distribute" : "")
       << (spec.typesAreGiven ? ", types by --type" : "") << (spec.declares ? "" : ", undeclared")
       << (spec.chunk ? ", chunks of " + std::to_string(*spec.chunk) : "") << describe(spec.schedule);
  return text.str();
}

std::string describe(const Trial &trial) {
  std::ostringstream text;
  text << "extents:";
  for (int64_t extent : trial.extents)
    text << " " << extent;
  text << "; " << spelling(trial.fill) << (trial.otherFill ? std::string(" and ") + spelling(*trial.otherFill) : "")
       << (trial.nonFinite ? ", with infinities and NaNs" : "") << (trial.padded ? ", padded rows" : "")
       << (trial.chunks == Chunks::Serial    ? ""
           : trial.chunks == Chunks::Threads ? ", threads"
                                             : ", chunks backwards")
       << "; seed " << trial.seed;
  return text.str();
}

/// Throws where a tensor has another type than was asked for: the evaluators take the compiler's word for it.
static void checkTypes(const KernelSpec &spec, const sema::Kernel &kernel) {
  for (sema::TensorId id : kernel.parameters) {
    const sema::Tensor &tensor = kernel.tensors[id];
    if (spec.declares && tensor.type != typeOf(spec, tensor.partOf.empty() ? tensor.name : tensor.partOf))
      throw std::logic_error(tensor.name + " has another type than it was given");
  }
}

/// The tensors that list their entries, and are 0 elsewhere.
static std::set<std::string> listedIn(const sema::Program &program) {
  std::set<std::string> names;
  for (const sema::Tensor &tensor : program.tensors)
    if (!tensor.format.isDense() && tensor.fill == 0)
      names.insert(tensor.partOf.empty() ? tensor.name : tensor.partOf);
  return names;
}

AnalyzedKernel analyze(const KernelSpec &spec, SourceManager &sources, Diagnostics &diagnostics) {
  Diagnostics ignored;
  std::map<std::string, std::string> owners;
  for (const auto &[tensor, spelling] : spec.formats)
    if (spelling.starts_with(kStructureOf))
      owners[tensor] = spelling.substr(kStructureOf.size());
  AnalyzedKernel analyzed;
  analyzed.classes =
      findExtentClasses(syntax::parse(sources.add("statements", literalStatements(spec)), ignored), owners);
  const syntax::Kernel given =
      syntax::parse(sources.add("kernel.tex", kernelText(spec, analyzed.classes)), diagnostics);
  if (diagnostics.hasErrors())
    return analyzed;
  KernelSpec literal = spec; // what the evaluators read
  literal.typesAreGiven = false;
  analyzed.tree = syntax::parse(sources.add("literal.tex", kernelText(literal, analyzed.classes)), ignored);
  std::vector<format::Binding> bindings;
  for (const auto &[tensor, spelling] : spec.formats) {
    const SourceFile &argument = sources.add("--format", tensor + "=" + spelling);
    const Span where{&argument, 0, static_cast<uint32_t>(argument.text().size())};
    if (owners.contains(tensor))
      bindings.push_back({tensor, nullptr, where, owners[tensor]});
    else
      bindings.push_back({tensor, makeFamily(spelling, spec.index), where});
  }
  if (!bindings.empty())
    bindings.front().schedule = spec.schedule;
  sema::Options options{
      .function = "kernel", .strictFp = spec.strictFp, .checked = spec.checked, .fuses = spec.fuses, .verify = true};
  options.alternative = spec.plan;
  options.asWritten = spec.asWritten;
  options.distributes = spec.distributes;
  options.types = givenTypes(spec, analyzed.classes, sources, diagnostics);
  analyzed.program = sema::check(given, bindings, options, diagnostics);
  if (analyzed.program) {
    const std::set<std::string> listed = listedIn(*analyzed.program);
    for (syntax::Statement &statement : analyzed.tree.statements) {
      orderChoices(*statement.value);
      multiplyChosenAddends(statement, listed);
    }
    analyzed.kernel = sema::plan(*analyzed.program, options, diagnostics);
  }
  if (analyzed.kernel)
    checkTypes(spec, *analyzed.kernel);
  return analyzed;
}

bool hasEmptyExtent(const Trial &trial) {
  return std::find(trial.extents.begin(), trial.extents.end(), 0) != trial.extents.end();
}

bool hasReduction(const syntax::Expr &expr, bool (*holds)(language::Reduction)) {
  const auto *reduction = std::get_if<syntax::Reduce>(&expr.node);
  const std::vector<const syntax::Expr *> below = syntax::children(expr);
  return (reduction && holds(reduction->reduction)) ||
         std::any_of(below.begin(), below.end(),
                     [&](const syntax::Expr *child) { return hasReduction(*child, holds); });
}

/// Whether a kernel has reductions that are infinite or a NaN over nothing.
static bool reducesToInfinity(const syntax::Kernel &kernel) {
  return std::any_of(kernel.statements.begin(), kernel.statements.end(), [](const syntax::Statement &statement) {
    return hasReduction(*statement.value, [](language::Reduction kind) {
      return kind != language::Reduction::Sum && kind != language::Reduction::Count;
    });
  });
}

bool canStore(const AnalyzedKernel &analyzed, const Trial &given) {
  const Trial trial = withRoom(analyzed.classes, given);
  // Zeros that pad a format take part as zeros, and make NaNs of infinities. The minimum of nothing is infinite.
  const bool hasInfinities = trial.nonFinite || (hasEmptyExtent(trial) && reducesToInfinity(analyzed.tree)) ||
                             std::any_of(analyzed.kernel->tensors.begin(), analyzed.kernel->tensors.end(),
                                         [](const sema::Tensor &tensor) { return std::isinf(tensor.fill); });
  for (const sema::Tensor &tensor : analyzed.kernel->tensors) {
    if (tensor.format.isDense() || (!tensor.is<sema::Parameter>() && !tensor.is<sema::Constant>()))
      continue;
    std::vector<int64_t> shape;
    for (int dimension : analyzed.classes.ofTensor.at(tensor.partOf.empty() ? tensor.name : tensor.partOf))
      shape.push_back(trial.extents[static_cast<size_t>(dimension)]);
    if (!isStorable(tensor.format, shape) || !fitsIndexTypes(tensor.format, shape) ||
        (hasInfinities && hasSlots(tensor.format) && tensor.fill == 0)) // others are read from copies without padding
      return false;
  }
  return true;
}

Trial withRoom(const ExtentClasses &classes, Trial trial) {
  trial.extents = withRoomForWindows(classes, trial.extents);
  return trial;
}

} // namespace spc::testing
