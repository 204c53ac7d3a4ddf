#include "harness/kernel_under_test.h"

#include "harness/kernel_arguments.h"
#include "harness/kernel_text.h"
#include "pipeline/compiler.h"
#include "sema/analyze.h"
#include "sema/two_phases.h"
#include "support/render.h"
#include "syntax/parser.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <sstream>
#include <stdexcept>

namespace spc::testing {
namespace {

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

/// An `any` that runs over nothing but missing entries is false, which is stored as any other value or not at all.
void allowFalse(const syntax::Kernel &tree, PatternMap &most) {
  for (const syntax::Statement &statement : tree.statements)
    if (Pattern &result = most.at(statement.target.tensor.text);
        result.kind == Pattern::Kind::Assembled &&
        hasReduction(*statement.value, [](language::Reduction kind) { return kind == language::Reduction::Any; }))
      result.stored.assign(result.stored.size(), 1);
}

/// Whether a sparse operand has no entry.
bool hasEmptyOperand(const PatternMap &patterns) {
  return std::any_of(patterns.begin(), patterns.end(), [](const auto &pattern) {
    const std::vector<uint8_t> &stored = pattern.second.stored;
    return pattern.second.kind == Pattern::Kind::Kept && std::find(stored.begin(), stored.end(), 1) == stored.end();
  });
}

} // namespace

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

KernelUnderTest::KernelUnderTest(const KernelSpec &spec, pipeline::Workshop *workshop) {
  compile(spec, workshop);
  const auto &all = diagnostics_.all();
  const bool isDone = code_ || (analyzed_.kernel && assemblyFolder());
  const bool isInternal =
      std::any_of(all.begin(), all.end(), [](const auto &one) { return one.severity == Severity::Internal; });
  if (isInternal || isDone == diagnostics_.hasErrors())
    outcome_ = Outcome::Broken;
  else
    outcome_ = isDone ? Outcome::Compiled : Outcome::Refused;
}

void KernelUnderTest::compile(const KernelSpec &spec, pipeline::Workshop *workshop) {
  analyzed_ = analyze(spec, sources_, diagnostics_);
  std::optional<sema::Kernel> &kernel = analyzed_.kernel;
  if (kernel && spec.chunk)
    kernel->schedule.chunk = spec.chunk;
  if (kernel && assemblyFolder())
    recordAssembly(spec, *kernel);
  else if (kernel) {
    code_ = (workshop ? *workshop : workshopFor(levelOf(spec))).compile(*kernel, diagnostics_);
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

const codegen::JitKernel &KernelUnderTest::code() const {
  if (!code_)
    throw std::logic_error("a kernel that is not in memory is called");
  return *code_;
}

/// Whether a kernel has conditional entries: patterns alone do not say where these are.
static bool holdsWhere(const syntax::Kernel &kernel) {
  const std::function<bool(const syntax::Expr &)> holds = [&](const syntax::Expr &expr) {
    const auto *call = std::get_if<syntax::Call>(&expr.node);
    const std::vector<const syntax::Expr *> below = syntax::children(expr);
    return (call && call->function == language::Function::Where) ||
           std::any_of(below.begin(), below.end(), [&](const syntax::Expr *child) { return holds(*child); });
  };
  return std::any_of(kernel.statements.begin(), kernel.statements.end(),
                     [&](const syntax::Statement &statement) { return holds(*statement.value); });
}

void takeConditionalPatterns(const syntax::Kernel &kernel, const TensorMap &tensors, PatternMap &least,
                             PatternMap &most) {
  if (!holdsWhere(kernel))
    return;
  for (const auto &[name, tensor] : tensors) {
    if (!tensor.assembled)
      continue;
    least.at(name).stored = tensor.stored;
    Pattern &whole = most.at(name);
    whole.stored = tensor.stored;
    whole.masks.push_back(whole.stored);
    if (whole.pad)
      whole.pad(whole.stored);
  }
}

std::string KernelUnderTest::check(const Trial &given, const Meaning *meaning) const {
  if (assemblyFolder())
    return {};
  const Trial trial = withRoom(analyzed_.classes, given);
  TestContext context(trial.chunks);
  KernelArguments arguments(*analyzed_.kernel, analyzed_.classes, trial, context);
  if (std::string problem = arguments.pack(); !problem.empty())
    return problem;
  if (!windowsFit(analyzed_.classes, trial.extents))
    return call(*code_, arguments.pointers()) == SPC_ERROR_SHAPE ? "" : "an index outside of its tensor is not refused";
  TensorMap tensors = arguments.denseTensors();
  PatternMap least = arguments.patterns(/*withPadding=*/false), most = arguments.patterns(/*withPadding=*/true);
  const bool isOwn = !meaning || meaning->hasTemporaries;
  const bool readsNothing = hasEmptyOperand(least);
  const TensorMap before = meaning && isOwn ? tensors : TensorMap();
  std::string problem = isOwn ? evaluate(analyzed_.tree, tensors) : evaluate(*meaning, tensors);
  for (PatternMap *patterns : {&least, &most})
    if (problem.empty())
      problem = isOwn ? evaluatePatterns(analyzed_.tree, *patterns, patterns == &most)
                      : evaluatePatterns(*meaning, *patterns, patterns == &most);
  if (problem.empty() && !before.empty())
    problem = disagreement(*meaning, before, tensors);
  if (!problem.empty())
    return problem;
  if (meaning && hasEmptyExtent(trial))
    allowZeros(tensors, least, most);
  if (readsNothing)
    allowFalse(analyzed_.tree, most);
  takeConditionalPatterns(analyzed_.tree, tensors, least, most);
  for (const auto &[name, tensor] : tensors)
    if (tensor.assembled && tensor.stored != least.at(name).stored)
      return "the evaluators disagree on what " + name + " stores";

  const int32_t status = call(*code_, arguments.pointers());
  if (isRefusal(status) && !arguments.canStore(most))
    problem = arguments.compareFailed();
  else
    problem = status == SPC_OK ? arguments.compare(tensors, least, most) : statusText(status);
  if (problem.empty() && status == SPC_OK && sema::hasPhases(*analyzed_.kernel))
    problem = arguments.checkPhases(*code_);
  return problem.empty() ? arguments.release() : problem;
}

std::string KernelUnderTest::checkFailures(const Trial &given) const {
  if (assemblyFolder())
    return {};
  const Trial trial = withRoom(analyzed_.classes, given);
  constexpr int64_t kMaxRequests = 10000;
  for (int64_t request = 0; request < kMaxRequests; ++request) {
    TestContext context(trial.chunks);
    KernelArguments arguments(*analyzed_.kernel, analyzed_.classes, trial, context);
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
