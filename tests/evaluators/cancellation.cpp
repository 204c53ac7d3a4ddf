// cancellation FIRST COUNT [COMPILED-ONE-IN [COUNTS]]: random kernels whose results cancel, by exact arithmetic, by
// both evaluators and, one of so many, compiled: none may be off by more than the text's own operations. Adds what it
// counted to the file COUNTS; there 0 for FIRST goes on behind the last seed. Exits with 1 where one was wrong.
#include "evaluators/agreement.h"
#include "evaluators/cancelling.h"
#include "evaluators/exact.h"
#include "harness/kernel_arguments.h"
#include "harness/kernel_under_test.h"

#include <nlohmann/json.hpp>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <limits>

using namespace spc;
using namespace spc::testing;

namespace {

constexpr uint64_t kTrials = 3;
constexpr double kCancelled = 16; ///< a result less than that part of its addends' magnitudes has cancelled

double sizeOf(Quad value) {
  return std::abs(static_cast<double>(value));
}

bool isFloating(const DenseTensor &tensor) {
  return sema::isFloat(tensor.type);
}

class Cancellation {
public:
  explicit Cancellation(nlohmann::ordered_json counts) : counts_(std::move(counts)) {}

  void examine(uint64_t seed, bool compiles) {
    const CancellingKernel generated = generateCancelling(seed);
    SourceManager sources;
    Diagnostics diagnostics;
    const AnalyzedKernel analyzed = analyze(generated.spec, sources, diagnostics);
    row_ = &counts_["kernels"][generated.kind][std::string(sema::spelling(generated.spec.type))];
    if (row_->is_null())
      *row_ = nlohmann::ordered_json::object();
    if (!analyzed.kernel || diagnostics.hasErrors())
      return count("refused");
    count("programs");
    seed_ = seed;
    for (uint64_t k = 0; k < kTrials; ++k) {
      const Trial trial =
          withRoom(analyzed.classes, cancellingTrial(generated, analyzed.classes.count, kTrials * seed + k));
      if (canStore(analyzed, trial))
        evaluate(generated, analyzed, trial);
    }
    if (compiles)
      compile(generated);
  }

  nlohmann::ordered_json &counts() { return counts_; }
  bool isFine() const { return wrong_ == 0; }

private:
  void count(const char *what, int64_t by = 1) { (*row_)[what] = row_->value(what, int64_t{0}) + by; }

  void report(const CancellingKernel &kernel, const Trial &trial, const std::string &problem) {
    ++wrong_;
    count("wrong");
    std::printf("seed %llu, %s: %s\n%s\n%s, near %g give or take %g of it\n\n", static_cast<unsigned long long>(seed_),
                kernel.kind.c_str(), problem.c_str(), describe(kernel.spec).c_str(), describe(trial).c_str(),
                trial.near->base, trial.near->spread);
  }

  /// Puts what is exact in place of what was evaluated, keeping its bounds; returns what is off by more.
  std::string replaceByExact(const ExactMap &exact, TensorMap &tensors) {
    for (auto &[name, tensor] : tensors)
      for (size_t at = 0; isFloating(tensor) && !tensor.errors.empty() && at < tensor.values.size(); ++at) {
        if (!std::isfinite(tensor.values[at].real())) // more than its type holds
          continue;
        const ExactValue &wanted = exact.at(name).values[at];
        const double value = static_cast<double>(wanted.value), error = tensor.errors[at];
        const double off = sizeOf(wanted.value - static_cast<Quad>(tensor.values[at].real()));
        if (std::isfinite(error) && off > error + std::numeric_limits<double>::min())
          return name + "[" + std::to_string(at) + "] is " + tensor::toText({tensor.values[at].real()}, 17) +
                 " give or take " + tensor::toText({error}, 3) + " where exactly it is " + tensor::toText({value}, 17);
        count("elements");
        if (std::abs(value) * kCancelled < static_cast<double>(wanted.magnitude))
          count("cancelled");
        tensor.values[at] = value;
      }
    return {};
  }

  void evaluate(const CancellingKernel &kernel, const AnalyzedKernel &analyzed, const Trial &trial) {
    TestContext context(trial.chunks);
    KernelArguments arguments(*analyzed.kernel, analyzed.classes, trial, context);
    if (!arguments.pack().empty())
      return;
    TensorMap tensors = arguments.denseTensors();
    const ExactMap exact = evaluateExactly(analyzed.tree, tensors);
    std::string problem, notChecked;
    reference::Tensors checked;
    try {
      checked = referenceResults(analyzed, tensors);
    } catch (const reference::Unsupported &reason) {
      notChecked = reason.what();
    }
    arguments.release();
    problem = testing::evaluate(analyzed.tree, tensors);
    if (problem.empty())
      problem = replaceByExact(exact, tensors);
    if (problem.empty() && notChecked.empty())
      problem = compareChecked(checked, exact, tensors);
    if (!problem.empty())
      report(kernel, trial, problem);
  }

  /// What --check expects has to have the exact result within its bound.
  static std::string compareChecked(const reference::Tensors &checked, const ExactMap &exact,
                                    const TensorMap &tensors) {
    for (const auto &[name, tensor] : tensors) {
      const auto known = checked.find(name);
      if (known == checked.end() || tensor.errors.empty() || !known->second.isComputed())
        continue;
      for (size_t at = 0; at < tensor.values.size(); ++at) {
        const reference::Value value = known->second.at(static_cast<int64_t>(at));
        const double off = sizeOf(exact.at(name).values[at].value - static_cast<Quad>(value.number.real()));
        if (!value.alternatives && std::isfinite(std::abs(value.number) + value.error) &&
            off > value.error + std::numeric_limits<float>::min())
          return name + "[" + std::to_string(at) + "] is " + tensor::toText({value.number.real()}, 17) +
                 " give or take " + tensor::toText({value.error}, 3) + " by --check, and exactly " +
                 tensor::toText({static_cast<double>(exact.at(name).values[at].value)}, 17);
      }
    }
    return {};
  }

  void compile(const CancellingKernel &generated) {
    const KernelUnderTest kernel(generated.spec);
    if (kernel.outcome() == KernelUnderTest::Outcome::Refused)
      return;
    if (kernel.outcome() != KernelUnderTest::Outcome::Compiled)
      return report(generated, cancellingTrial(generated, 0, 0), "it is not compiled: " + kernel.diagnostics());
    count("compiled");
    for (uint64_t k = 0; k < kTrials; ++k) {
      const Trial trial =
          withRoom(kernel.classes(), cancellingTrial(generated, kernel.extentClasses(), kTrials * seed_ + k));
      if (!kernel.canStore(trial))
        continue;
      if (const std::string problem = call(kernel, trial); !problem.empty())
        return report(generated, trial, "compiled: " + problem);
    }
  }

  std::string call(const KernelUnderTest &kernel, const Trial &trial) {
    TestContext context(trial.chunks);
    KernelArguments arguments(kernel.kernel(), kernel.classes(), trial, context);
    if (!arguments.pack().empty())
      return {};
    TensorMap tensors = arguments.denseTensors();
    PatternMap least = arguments.patterns(/*withPadding=*/false), most = arguments.patterns(/*withPadding=*/true);
    const ExactMap exact = evaluateExactly(kernel.tree(), tensors);
    std::string problem = testing::evaluate(kernel.tree(), tensors);
    for (PatternMap *patterns : {&least, &most})
      if (problem.empty())
        problem = evaluatePatterns(kernel.tree(), *patterns, patterns == &most);
    if (problem.empty())
      problem = replaceByExact(exact, tensors);
    if (!problem.empty())
      return problem;
    count("calls");
    void **pointers = arguments.pointers();
    if (kernel.code().invoke()(*pointers, pointers + 1) != SPC_OK)
      return arguments.release();
    problem = arguments.compare(tensors, least, most);
    return problem.empty() ? arguments.release() : problem;
  }

  nlohmann::ordered_json counts_;
  nlohmann::ordered_json *row_ = nullptr;
  uint64_t seed_ = 0;
  int64_t wrong_ = 0;
};

} // namespace

int main(int argc, char **argv) {
  uint64_t first = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 1;
  const uint64_t count = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1000;
  const uint64_t compiledOneIn = argc > 3 ? std::strtoull(argv[3], nullptr, 10) : 0;
  auto counts = nlohmann::ordered_json::object();
  if (argc > 4)
    if (std::ifstream known(argv[4]); known)
      counts = nlohmann::ordered_json::parse(known);
  if (first == 0)
    first = counts.value("next seed", uint64_t{1});
  Cancellation cancellation(std::move(counts));
  for (uint64_t seed = first; seed < first + count; ++seed)
    cancellation.examine(seed, compiledOneIn > 0 && seed % compiledOneIn == 0);
  cancellation.counts()["next seed"] = first + count;
  if (argc > 4)
    std::ofstream(argv[4]) << cancellation.counts().dump(1) << "\n";
  else
    std::printf("%s\n", cancellation.counts().dump().c_str());
  return cancellation.isFine() ? 0 : 1;
}
