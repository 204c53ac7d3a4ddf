#include "harness/kernel_under_test.h"

#include "harness/kernel_arguments.h"
#include "harness/kernel_text.h"
#include "pipeline/compiler.h"
#include "sema/analyze.h"
#include "support/render.h"
#include "syntax/parser.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace spc::testing {
namespace {

constexpr std::string_view kStructureOf = "structure of ";

/// How many kernels a process has compiled and called, printed when it ends; tests/counts adds them up.
struct Tally {
  long compiled = 0, calls = 0;
  ~Tally() { std::printf("kernels: %ld compiled, %ld calls\n", compiled, calls); }
};

Tally &tally() {
  static Tally one;
  return one;
}

int32_t call(const codegen::JitKernel &code, void **arguments) {
  ++tally().calls;
  return code.invoke()(*arguments, arguments + 1);
}

std::string statusText(int32_t status) {
  return "the kernel returned status " + std::to_string(status) + ": " +
         spc_status_string(static_cast<spc_status>(status));
}

/// What a result that its format has no room for is refused with.
bool isRefusal(int32_t status) {
  return status == SPC_ERROR_COUNT || status == SPC_ERROR_SHAPE || status == SPC_ERROR_INDEX_TYPE ||
         status == SPC_ERROR_INDEX_RANGE;
}

/// Then what a sum runs over may be nothing, and how that is said decides whether an assembled result stores zeros.
bool hasEmptyExtent(const Trial &trial) {
  return std::find(trial.extents.begin(), trial.extents.end(), 0) != trial.extents.end();
}

/// Lets what is assembled store zeros anywhere, and lack what either evaluator lacks.
void allowZeros(TensorMap &tensors, PatternMap &least, PatternMap &most) {
  for (auto &[name, tensor] : tensors) {
    if (!tensor.assembled)
      continue;
    std::vector<uint8_t> &stored = least.at(name).stored;
    for (size_t at = 0; at < stored.size(); ++at)
      stored[at] = tensor.stored[at] = stored[at] && tensor.stored[at];
    most.at(name).stored.assign(stored.size(), 1);
  }
}

/// Whether an expression has a reduction of which that holds.
bool hasReduction(const syntax::Expr &expr, bool (*holds)(syntax::Reduction)) {
  const auto *reduction = std::get_if<syntax::Reduce>(&expr.node);
  const std::vector<const syntax::Expr *> below = syntax::children(expr);
  return (reduction && holds(reduction->reduction)) ||
         std::any_of(below.begin(), below.end(),
                     [&](const syntax::Expr *child) { return hasReduction(*child, holds); });
}

/// An `any` that runs over nothing but missing entries is false, which is stored as any other value or not at all.
void allowFalse(const syntax::Kernel &tree, PatternMap &most) {
  for (const syntax::Statement &statement : tree.statements)
    if (Pattern &result = most.at(statement.target.tensor.text);
        result.kind == Pattern::Kind::Assembled &&
        hasReduction(*statement.value, [](syntax::Reduction kind) { return kind == syntax::Reduction::Any; }))
      result.stored.assign(result.stored.size(), 1);
}

/// Whether a sparse operand has no entry.
bool hasEmptyOperand(const PatternMap &patterns) {
  return std::any_of(patterns.begin(), patterns.end(), [](const auto &pattern) {
    const std::vector<uint8_t> &stored = pattern.second.stored;
    return pattern.second.kind == Pattern::Kind::Kept && std::find(stored.begin(), stored.end(), 1) == stored.end();
  });
}

/// Whether a kernel has reductions that are infinite or a NaN over nothing.
bool reducesToInfinity(const syntax::Kernel &kernel) {
  return std::any_of(kernel.statements.begin(), kernel.statements.end(), [](const syntax::Statement &statement) {
    return hasReduction(*statement.value, [](syntax::Reduction kind) {
      return kind != syntax::Reduction::Sum && kind != syntax::Reduction::Count;
    });
  });
}

} // namespace

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
       << "; -O" << spec.optLevel << (spec.strictFp ? " --fp=strict" : "") << (spec.fuses ? "" : ", not fused")
       << (spec.checked ? " --checked" : "") << (spec.typesAreGiven ? ", types by --type" : "")
       << (spec.declares ? "" : ", undeclared") << (spec.chunk ? ", chunks of " + std::to_string(*spec.chunk) : "")
       << describe(spec.schedule);
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

/// SPC_TEST_OPT_LEVEL in the environment compiles all kernels at one level.
static int optLevelOf(const KernelSpec &spec) {
  const char *level = std::getenv("SPC_TEST_OPT_LEVEL");
  return level ? std::atoi(level) : spec.optLevel;
}

/// That of this process for a level.
static pipeline::Workshop &workshopFor(int optLevel) {
  static std::map<int, pipeline::Workshop> workshops;
  return workshops.try_emplace(optLevel, optLevel).first->second;
}

/// SPC_TEST_ASSEMBLY in the environment names a folder: tests then write each kernel's assembly there, in a file named
/// by a hash of what the kernel is, and run nothing. Two such folders show where a change alters the code that spc
/// generates. SPC_TEST_SAMPLE=n takes one kernel of n.
static const char *assemblyFolder() {
  return std::getenv("SPC_TEST_ASSEMBLY");
}

static void recordAssembly(const KernelSpec &spec, const sema::Kernel &kernel) {
  const std::string what = describe(spec);
  const size_t hash = std::hash<std::string>{}(what);
  const char *sample = std::getenv("SPC_TEST_SAMPLE");
  const std::filesystem::path file = std::filesystem::path(assemblyFolder()) / (std::to_string(hash) + ".s");
  if ((sample && hash % std::stoul(sample) != 0) || std::filesystem::exists(file))
    return;
  pipeline::CompileOptions options;
  options.target.cpu = "x86-64-v3";
  options.target.optLevel = 3;
  Diagnostics problems;
  const auto text = pipeline::compile(kernel, pipeline::Stage::Assembly, options, problems);
  std::ofstream(file) << what << "\n" << text.value_or("not compiled");
}

/// Throws where a tensor has another type than was asked for: the evaluators take the compiler's word for it.
static void checkTypes(const KernelSpec &spec, const sema::Kernel &kernel) {
  for (sema::TensorId id : kernel.parameters) {
    const sema::Tensor &tensor = kernel.tensors[id];
    if (spec.declares && tensor.type != typeOf(spec, tensor.partOf.empty() ? tensor.name : tensor.partOf))
      throw std::logic_error(tensor.name + " has another type than it was given");
  }
}

KernelUnderTest::KernelUnderTest(const KernelSpec &spec, pipeline::Workshop *workshop) {
  compile(spec, workshop);
  const auto &all = diagnostics_.all();
  const bool isDone = code_ || (kernel_ && assemblyFolder());
  const bool isInternal =
      std::any_of(all.begin(), all.end(), [](const auto &one) { return one.severity == Severity::Internal; });
  if (isInternal || isDone == diagnostics_.hasErrors())
    outcome_ = Outcome::Broken;
  else
    outcome_ = isDone ? Outcome::Compiled : Outcome::Refused;
}

void KernelUnderTest::compile(const KernelSpec &spec, pipeline::Workshop *workshop) {
  Diagnostics ignored;
  std::map<std::string, std::string> owners;
  for (const auto &[tensor, spelling] : spec.formats)
    if (spelling.starts_with(kStructureOf))
      owners[tensor] = spelling.substr(kStructureOf.size());
  classes_ = findExtentClasses(syntax::parse(sources_.add("statements", literalStatements(spec)), ignored), owners);
  const syntax::Kernel given = syntax::parse(sources_.add("kernel.tex", kernelText(spec, classes_)), diagnostics_);
  if (diagnostics_.hasErrors())
    return;
  KernelSpec literal = spec; // what the evaluators read
  literal.typesAreGiven = false;
  tree_ = syntax::parse(sources_.add("literal.tex", kernelText(literal, classes_)), ignored);
  std::vector<format::Binding> bindings;
  for (const auto &[tensor, spelling] : spec.formats) {
    const SourceFile &argument = sources_.add("--format", tensor + "=" + spelling);
    const Span where{&argument, 0, static_cast<uint32_t>(argument.text().size())};
    if (owners.contains(tensor))
      bindings.push_back({tensor, nullptr, where, owners[tensor]});
    else
      bindings.push_back({tensor, makeFamily(spelling, spec.index), where});
  }
  if (!bindings.empty())
    bindings.front().schedule = spec.schedule;
  sema::Options options{.function = "kernel", .strictFp = spec.strictFp, .checked = spec.checked, .fuses = spec.fuses};
  options.types = givenTypes(spec, classes_, sources_, diagnostics_);
  kernel_ = sema::analyze(given, bindings, options, diagnostics_);
  if (kernel_)
    checkTypes(spec, *kernel_);
  if (kernel_ && spec.chunk)
    kernel_->schedule.chunk = spec.chunk;
  if (kernel_ && assemblyFolder())
    recordAssembly(spec, *kernel_);
  else if (kernel_) {
    code_ = (workshop ? *workshop : workshopFor(optLevelOf(spec))).compile(*kernel_, diagnostics_);
    ++tally().compiled;
  }
}

std::string KernelUnderTest::diagnostics() const {
  std::string text;
  for (const Diagnostic &diagnostic : diagnostics_.all())
    text += renderText(diagnostic, false);
  return text;
}

std::string KernelUnderTest::firstError() const {
  for (const Diagnostic &diagnostic : diagnostics_.all())
    if (diagnostic.severity == Severity::Error)
      return std::string(diagnostic.kind.id);
  return {};
}

bool KernelUnderTest::reported(std::string_view id) const {
  const auto &all = diagnostics_.all();
  return std::any_of(all.begin(), all.end(), [&](const auto &one) { return one.kind.id == id; });
}

bool KernelUnderTest::canStore(const Trial &given) const {
  const Trial trial = withRoom(given);
  // Zeros that pad a format take part as zeros, and make NaNs of infinities. The minimum of nothing is infinite.
  const bool hasInfinities = trial.nonFinite || (hasEmptyExtent(trial) && reducesToInfinity(tree_)) ||
                             std::any_of(kernel_->tensors.begin(), kernel_->tensors.end(),
                                         [](const sema::Tensor &tensor) { return std::isinf(tensor.fill); });
  for (sema::TensorId id : kernel_->parameters) {
    const sema::Tensor &tensor = kernel_->tensors[id];
    if (tensor.format.isDense())
      continue;
    std::vector<int64_t> shape;
    for (int dimension : classes_.ofTensor.at(tensor.partOf.empty() ? tensor.name : tensor.partOf))
      shape.push_back(trial.extents[static_cast<size_t>(dimension)]);
    if (!isStorable(tensor.format, shape) || !fitsIndexTypes(tensor.format, shape) ||
        (hasInfinities && hasSlots(tensor.format)))
      return false;
  }
  return true;
}

Trial KernelUnderTest::withRoom(Trial trial) const {
  trial.extents = withRoomForWindows(classes_, trial.extents);
  return trial;
}

const codegen::JitKernel &KernelUnderTest::code() const {
  if (!code_)
    throw std::logic_error("a kernel that is not in memory is called");
  return *code_;
}

std::string KernelUnderTest::check(const Trial &given, const Meaning *meaning) const {
  if (assemblyFolder())
    return {};
  const Trial trial = withRoom(given);
  TestContext context(trial.chunks);
  KernelArguments arguments(*kernel_, classes_, trial, context);
  if (std::string problem = arguments.pack(); !problem.empty())
    return problem;
  if (!windowsFit(classes_, trial.extents))
    return call(*code_, arguments.pointers()) == SPC_ERROR_SHAPE ? "" : "an index outside of its tensor is not refused";
  TensorMap tensors = arguments.denseTensors();
  PatternMap least = arguments.patterns(/*withPadding=*/false), most = arguments.patterns(/*withPadding=*/true);
  const bool isOwn = !meaning || meaning->hasTemporaries;
  const bool readsNothing = hasEmptyOperand(least);
  const TensorMap before = meaning && isOwn ? tensors : TensorMap();
  std::string problem = isOwn ? evaluate(tree_, tensors) : evaluate(*meaning, tensors);
  for (PatternMap *patterns : {&least, &most})
    if (problem.empty())
      problem = isOwn ? evaluatePatterns(tree_, *patterns, patterns == &most)
                      : evaluatePatterns(*meaning, *patterns, patterns == &most);
  if (problem.empty() && !before.empty())
    problem = disagreement(*meaning, before, tensors);
  if (!problem.empty())
    return problem;
  if (meaning && hasEmptyExtent(trial))
    allowZeros(tensors, least, most);
  if (readsNothing)
    allowFalse(tree_, most);
  for (const auto &[name, tensor] : tensors)
    if (tensor.assembled && tensor.stored != least.at(name).stored)
      return "the evaluators disagree on what " + name + " stores";

  const int32_t status = call(*code_, arguments.pointers());
  if (isRefusal(status) && !arguments.canStore(most))
    problem = arguments.compareFailed();
  else
    problem = status == SPC_OK ? arguments.compare(tensors, least, most) : statusText(status);
  return problem.empty() ? arguments.release() : problem;
}

std::string KernelUnderTest::checkFailures(const Trial &given) const {
  if (assemblyFolder())
    return {};
  const Trial trial = withRoom(given);
  constexpr int64_t kMaxRequests = 10000;
  for (int64_t request = 0; request < kMaxRequests; ++request) {
    TestContext context(trial.chunks);
    KernelArguments arguments(*kernel_, classes_, trial, context);
    if (std::string problem = arguments.pack(); !problem.empty())
      return problem;
    context.failFrom(request);
    const int32_t status = call(*code_, arguments.pointers());
    const std::string where = "memory ended at request " + std::to_string(request) + ": ";
    if (status != SPC_OK && status != SPC_ERROR_MEMORY)
      return where + statusText(status);
    if (status == SPC_OK && context.requests() > request)
      return where + "the kernel returned no error";
    std::string problem = status == SPC_OK ? "" : arguments.compareFailed();
    if (problem.empty())
      problem = arguments.release();
    if (!problem.empty())
      return where + problem;
    if (status == SPC_OK)
      return {};
  }
  return "the kernel asks for memory without end";
}

} // namespace spc::testing
