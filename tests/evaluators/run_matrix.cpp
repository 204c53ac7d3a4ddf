// evaluator_matrix [COMPILED-ONE-IN] [COUNTS]: every construct in every storage with infinities in every place through
// both evaluators; of the kernels, one of so many is compiled and called on finite data and on data with infinities.
// Writes what it counted as JSON, by construct and placement. Exits with 1 where something differs, or a cell of
// constructs and placements, or of storages and placements, is empty.
#include "evaluators/matrix.h"
#ifdef SPC_HAS_COMPILER
#include "evaluators/compiled_agreement.h"
#endif

#include <nlohmann/json.hpp>

#include <cstdio>
#include <cstdlib>
#include <fstream>

using namespace spc;
using namespace spc::testing;

namespace {

using Json = nlohmann::ordered_json;

constexpr uint64_t kTrials = 4;

class Matrix {
public:
  explicit Matrix(uint64_t compiledOneIn) : compiledOneIn_(compiledOneIn) {}

  void run() {
    for (const Construct &construct : kConstructs)
      for (const std::string &storage : kStorages)
        examine(construct, storage);
  }

  /// Whether all agree, and nothing was left out.
  bool isFine() const {
    bool isFull = true;
    for (const Placement &placement : kPlacements) {
      for (const Construct &construct : kConstructs)
        isFull = isFilled("constructs", construct.name, placement.name) && isFull;
      for (const std::string &storage : kStorages)
        isFull = isFilled("storages", storage, placement.name) && isFull;
    }
    return isFull && problems_ == 0;
  }

  const Json &counts() const { return counts_; }

private:
  /// Whether trials were compared, or, of storage with padding, left out as --check leaves them out.
  bool isFilled(const char *axis, const std::string &row, const std::string &column) const {
    const Json cell = counts_.value(axis, Json::object()).value(row, Json::object()).value(column, Json::object());
    const bool isStorage = axis == std::string("storages");
    if (cell.contains("compared") || (isStorage && cell.contains("not checked")))
      return true;
    std::printf("nothing was compared of %s, %s\n", row.c_str(), column.c_str());
    return false;
  }

  static void addTo(Json &counts, const char *name) { counts[name] = counts.is_null() ? 1 : counts.value(name, 0) + 1; }

  void add(const std::string &name, int64_t count) { counts_[name] = counts_.value(name, int64_t{0}) + count; }

  void report(const KernelSpec &spec, const Placement *placement, const Trial &trial, const std::string &problem) {
    ++problems_;
    add("kernels that differ", 1);
    std::printf("%s: %s\n%s\n%s\n\n", placement ? placement->name.c_str() : "compiled", problem.c_str(),
                describe(spec).c_str(), describe(trial).c_str());
  }

  void examine(const Construct &construct, const std::string &storage) {
    const KernelSpec spec = specFor(construct, storage);
    SourceManager sources;
    Diagnostics diagnostics;
    const AnalyzedKernel analyzed = analyze(spec, sources, diagnostics);
    if (!analyzed.kernel || diagnostics.hasErrors())
      return add("refused", 1);
    add("kernels", 1);
    for (const Placement &placement : kPlacements)
      for (uint64_t seed = 1; seed <= kTrials; ++seed) {
        const Trial trial = trialFor(placement, analyzed.classes.count, seed);
        if (!canStore(analyzed, trial))
          continue;
        const Agreement agreement = compareEvaluators(analyzed, trial, placement.place);
        if (!agreement.problem.empty()) {
          report(spec, &placement, trial, agreement.problem);
          break;
        }
        add("elements", agreement.compared);
        add("infinities and NaNs", agreement.nonFinite);
        add("uncertain", agreement.uncertain);
        const char *what = agreement.notChecked.empty() ? "compared" : "not checked";
        for (const auto &[axis, row] : {std::pair("constructs", construct.name), std::pair("storages", storage)})
          addTo(counts_[axis][row][placement.name], what);
        addTo(counts_["placements"][placement.name], what);
      }
    if (++kernels_ % compiledOneIn_ == 0)
      compile(spec);
  }

#ifdef SPC_HAS_COMPILER
  void compile(const KernelSpec &spec) {
    const KernelUnderTest kernel(spec);
    if (kernel.outcome() != KernelUnderTest::Outcome::Compiled)
      return report(spec, nullptr, {}, "it is not compiled: " + kernel.diagnostics());
    add("compiled", 1);
    for (const Placement &placement : kPlacements)
      for (const bool nonFinite : {false, true}) {
        Trial trial = trialFor(placement, kernel.extentClasses(), kernels_);
        trial.nonFinite = nonFinite;
        if (!kernel.canStore(trial))
          continue;
        add("calls", 2);
        std::string problem = kernel.check(trial);
        if (problem.empty())
          problem = compareCompiled(kernel, trial);
        if (!problem.empty())
          return report(spec, nullptr, trial, problem);
      }
  }
#else
  void compile(const KernelSpec &) {}
#endif

  const uint64_t compiledOneIn_;
  uint64_t kernels_ = 0, problems_ = 0;
  Json counts_ = Json::object();
};

} // namespace

int main(int argc, char **argv) {
  Matrix matrix(argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 1);
  matrix.run();
  if (argc > 2)
    std::ofstream(argv[2]) << matrix.counts().dump(2) << "\n";
  for (const auto &[name, count] : matrix.counts().items())
    if (count.is_number())
      std::printf("%s: %lld\n", name.c_str(), static_cast<long long>(count.get<int64_t>()));
  return matrix.isFine() ? 0 : 1;
}
