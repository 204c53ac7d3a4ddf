// divisions FIRST COUNT [COMPILED-ONE-IN]: random kernels, whole and on 2, 3 and 5 parts by each division that their
// tables allow, by the evaluator of --check; one of so many is compiled, and called on the parts. Exits with 1 where
// one is wrong.
//
// divisions --refused FIRST COUNT: of small random kernels, divisions that the table refuses and that are right on 20
// sets of data. Lists them, and exits with 1 where these are more than a twentieth.
#include "parts/trial_data.h"

#include "evaluators/agreement.h"
#include "fuzz/generator.h"
#include "harness/kernel_arguments.h"
#include "harness/kernel_under_test.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>

using namespace spc;
using namespace spc::testing;

namespace {

struct Counts {
  int64_t kernels = 0, allowed = 0, refused = 0, runs = 0, compared = 0, calls = 0, unsupported = 0, wrong = 0;
};

/// The extents of a part, by class.
std::vector<int64_t> extentsOf(const ExtentClasses &classes, const PartData &part, std::vector<int64_t> whole) {
  for (const auto &[name, tensor] : part.tensors)
    for (size_t dim = 0; dim < tensor.shape.size(); ++dim)
      whole[static_cast<size_t>(classes.ofTensor.at(name)[dim])] = tensor.shape[dim];
  return whole;
}

/// What a compiled kernel makes of a part; the empty map with a problem where the call fails.
TensorMap called(const KernelUnderTest &kernel, const PartData &part, const Trial &trial, std::string &problem) {
  Trial own = trial;
  own.padded = false;
  own.extents = extentsOf(kernel.classes(), part, trial.extents);
  TestContext context(own.chunks);
  KernelArguments arguments(kernel.kernel(), kernel.classes(), own, context, &part.tensors);
  problem = arguments.pack();
  TensorMap results;
  if (problem.empty()) {
    void **pointers = arguments.pointers();
    const int status = kernel.code().invoke()(*pointers, pointers + 1);
    if (status == SPC_OK)
      results = arguments.results();
    else
      problem = "the call on a part fails with " + std::string(spc_status_string(static_cast<spc_status>(status)));
  }
  arguments.release();
  return results;
}

/// One kernel, its divisions and their parts.
class Examination {
public:
  Examination(const AnalyzedKernel &analyzed, const KernelUnderTest *compiled, uint64_t seed, Counts &counts)
      : analyzed_(analyzed), compiled_(compiled), seed_(seed), counts_(counts) {}

  /// The first thing that is wrong; empty where nothing is.
  std::string run() {
    for (const sema::IndexDivision &division : analyzed_.kernel->divisions)
      ++(division.reason.empty() ? counts_.allowed : counts_.refused);
    return problemOnTrials(analyzed_, seed_, counts_.unsupported,
                           [&](const TensorMap &data, const Trial &trial) { return runOn(data, trial); });
  }

private:
  std::string runOn(const TensorMap &data, const Trial &trial) {
    const TensorMap expected = expectedResults(analyzed_, data);
    bool isCalled = compiled_ != nullptr;
    if (isCalled) {
      std::string problem;
      called(*compiled_, {data, {}}, trial, problem);
      isCalled = problem.empty(); // its format may not hold the whole result
    }
    for (const sema::IndexDivision &division : analyzed_.kernel->divisions)
      for (int64_t count : {2, 3, 5})
        if (division.reason.empty())
          if (std::string problem = runBy(division, count, data, expected, trial, isCalled); !problem.empty())
            return describe(division, *analyzed_.kernel) + ", " + std::to_string(count) + " parts: " + problem;
    return {};
  }

  std::string runBy(const sema::IndexDivision &division, int64_t count, const TensorMap &data,
                    const TensorMap &expected, const Trial &trial, bool isCalled) {
    const std::vector<PartData> parts =
        partsOf(analyzed_, division, data, count, trial.seed + static_cast<uint64_t>(count));
    std::vector<TensorMap> evaluated, returned;
    ++counts_.runs;
    for (const PartData &part : parts) {
      evaluated.push_back(expectedResults(analyzed_, part.tensors));
      if (!isCalled)
        continue;
      std::string problem;
      returned.push_back(called(*compiled_, part, trial, problem));
      ++counts_.calls;
      if (!problem.empty())
        return problem;
      for (auto &[name, result] : returned.back())
        result.errors = evaluated.back().at(name).errors;
    }
    for (const std::string &name : resultsOf(analyzed_)) {
      const Joining joining = joiningIn(analyzed_, division, name);
      for (const std::vector<TensorMap> *results : {&evaluated, &returned})
        if (!results->empty())
          if (std::string problem =
                  differenceOf(expected.at(name), joined(analyzed_, name, parts, *results, joining, expected.at(name)),
                               counts_.compared);
              !problem.empty())
            return (results == &returned ? "compiled, " : "") + name + ": " + problem;
    }
    return {};
  }

  const AnalyzedKernel &analyzed_;
  const KernelUnderTest *compiled_;
  const uint64_t seed_;
  Counts &counts_;
};

void examine(uint64_t seed, bool isCompiled, Counts &counts) {
  const KernelSpec spec = generateKernel(seed);
  SourceManager sources;
  Diagnostics diagnostics;
  const AnalyzedKernel analyzed = analyze(spec, sources, diagnostics);
  if (!analyzed.kernel || diagnostics.hasErrors())
    return;
  ++counts.kernels;
  std::optional<KernelUnderTest> compiled;
  if (isCompiled)
    compiled.emplace(spec);
  if (compiled && compiled->outcome() != KernelUnderTest::Outcome::Compiled)
    compiled.reset();
  const std::string problem = Examination(analyzed, compiled ? &*compiled : nullptr, seed, counts).run();
  if (problem.empty())
    return;
  ++counts.wrong;
  std::printf("seed %llu: %s\n%s\n\n", static_cast<unsigned long long>(seed), problem.c_str(), describe(spec).c_str());
}

/// Whether the formats of a part can store it, and what comes of it in fixed widths, and windows are inside.
bool isStored(const AnalyzedKernel &analyzed, const PartData &part, const std::vector<int64_t> &whole) {
  if (!windowsFit(analyzed.classes, extentsOf(analyzed.classes, part, whole)))
    return false;
  for (sema::TensorId id : analyzed.kernel->parameters) {
    const sema::Tensor &tensor = analyzed.kernel->tensors[id];
    const DenseTensor &data = part.tensors.at(tensor.partOf.empty() ? tensor.name : tensor.partOf);
    if (tensor.format.isDense())
      continue;
    if (!isStorable(tensor.format, data.shape) || hasWidthOfNothing(tensor.format, data.shape))
      return false;
    tensor::Coordinates entries;
    entries.shape = data.shape;
    std::vector<int64_t> at(data.shape.size(), 0);
    if (hasElements(data.shape))
      do
        if (data.stored[static_cast<size_t>(offsetOf(at.data(), data.shape))])
          entries.append(at.data(), {1});
      while (advance(at, data.shape));
    const size_t count = entries.size();
    keepStorable(entries, tensor.format);
    if (tensor.partOf.empty() && entries.size() < count)
      return false;
  }
  return true;
}

/// Whether the same cuts, with any joining of each result, give the whole on all of so many sets of data.
bool isRightAnyway(const AnalyzedKernel &analyzed, const sema::IndexDivision &division, uint64_t seed) {
  constexpr int kSets = 20;
  std::map<std::string, std::vector<Joining>> possible;
  int sets = 0;
  int64_t compared = 0;
  for (uint64_t k = 0; sets < kSets && k < 6 * kSets; ++k) {
    Trial trial = generateTrial(analyzed.classes.count, seed * 1000 + k);
    trial.nonFinite = false;
    for (int64_t &extent : trial.extents)
      extent = std::min<int64_t>(std::max<int64_t>(extent, 2), 6);
    trial = withRoom(analyzed.classes, trial);
    const TensorMap data = dataOf(analyzed, trial);
    if (data.empty())
      continue;
    try {
      const TensorMap expected = expectedResults(analyzed, data);
      const std::vector<PartData> parts = partsOf(analyzed, division, data, 2 + static_cast<int64_t>(k % 2), 4 * k);
      std::vector<TensorMap> results;
      for (const PartData &part : parts) {
        if (!isStored(analyzed, part, trial.extents))
          return false;
        results.push_back(expectedResults(analyzed, part.tensors));
      }
      ++sets;
      for (const std::string &name : resultsOf(analyzed)) {
        auto [entry, isNew] =
            possible.try_emplace(name, std::vector{Joining::Slice, Joining::Whole, Joining::Sum, Joining::Product,
                                                   Joining::Min, Joining::Max, Joining::Or, Joining::And});
        std::erase_if(entry->second, [&](Joining joining) {
          return !differenceOf(expected.at(name), joined(analyzed, name, parts, results, joining, expected.at(name)),
                               compared)
                      .empty();
        });
        if (entry->second.empty())
          return false;
      }
    } catch (const reference::Unsupported &) {
      continue; // these data say nothing
    }
  }
  return sets == kSets && compared > 0;
}

int listRefused(uint64_t first, uint64_t count) {
  int64_t programs = 0, refused = 0, right = 0;
  for (uint64_t seed = first; programs < static_cast<int64_t>(count); ++seed) {
    const KernelSpec spec = generateKernel(seed);
    SourceManager sources;
    Diagnostics diagnostics;
    const AnalyzedKernel analyzed = analyze(spec, sources, diagnostics);
    if (!analyzed.kernel || diagnostics.hasErrors() || analyzed.classes.count > 4)
      continue;
    ++programs;
    for (const sema::IndexDivision &division : analyzed.kernel->divisions) {
      if (division.reason.empty())
        continue;
      ++refused;
      if (!isRightAnyway(analyzed, division, seed))
        continue;
      ++right;
      std::printf("seed %llu: %s\n  %s\n", static_cast<unsigned long long>(seed),
                  describe(division, *analyzed.kernel).c_str(), describe(spec).c_str());
    }
  }
  std::printf("%lld programs, %lld divisions refused, %lld of them right on all data\n",
              static_cast<long long>(programs), static_cast<long long>(refused), static_cast<long long>(right));
  return 20 * right > refused ? 1 : 0;
}

} // namespace

int main(int argc, char **argv) try {
  const auto number = [&](int k, uint64_t otherwise) {
    return argc > k ? std::strtoull(argv[k], nullptr, 10) : otherwise;
  };
  if (argc > 1 && std::strcmp(argv[1], "--refused") == 0)
    return listRefused(number(2, 1), number(3, 500));
  const uint64_t first = number(1, 1), count = number(2, 1000), compiledOneIn = number(3, 0);
  Counts counts;
  for (uint64_t seed = first; seed < first + count; ++seed)
    examine(seed, compiledOneIn > 0 && seed % compiledOneIn == 0, counts);
  std::printf("%lld kernels, %lld divisions (%lld refused), %lld runs, %lld elements compared, %lld calls of compiled "
              "parts, %lld trials not evaluated; %lld wrong\n",
              static_cast<long long>(counts.kernels), static_cast<long long>(counts.allowed),
              static_cast<long long>(counts.refused), static_cast<long long>(counts.runs),
              static_cast<long long>(counts.compared), static_cast<long long>(counts.calls),
              static_cast<long long>(counts.unsupported), static_cast<long long>(counts.wrong));
  return counts.wrong > 0 ? 1 : 0;
} catch (const std::exception &error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
