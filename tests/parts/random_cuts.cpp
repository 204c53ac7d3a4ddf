// cuts FIRST COUNT: random kernels in the pieces that `spc partition --cut` makes of them, each on 2 and 3 parts of
// what it reads, which exchange what they have made, beside the kernel as a whole. Exits with 1 where one is wrong.
#include "cut/cut.h"
#include "parts/trial_data.h"

#include "evaluators/agreement.h"
#include "fuzz/generator.h"
#include "sema/analyze.h"
#include "syntax/parser.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <set>

using namespace spc;
using namespace spc::testing;

namespace {

struct Counts {
  int64_t kernels = 0, refused = 0, cut = 0, several = 0, copies = 0, runs = 0, compared = 0, unsupported = 0,
          wrong = 0;
};

/// A piece that was compiled as its text says.
struct AnalyzedPiece {
  cut::Piece piece;
  AnalyzedKernel kernel;

  const sema::IndexDivision *division() const {
    for (const sema::IndexDivision &one : kernel.kernel->divisions)
      if (sema::has(one.names, piece.index))
        return &one;
    return nullptr;
  }
};

/// The cut of one kernel by one of its indices.
class RandomCut {
public:
  RandomCut(const KernelSpec &spec, const AnalyzedKernel &whole, const std::string &index, SourceManager &sources)
      : spec_(spec), whole_(whole), index_(index), sources_(sources) {}

  /// Whether there are pieces.
  bool make() {
    const cut::Cut cut = cut::cutProgram(*whole_.program, *whole_.kernel, {index_, "kernel"},
                                         [&](const cut::Piece &piece) { return refusal(piece); });
    for (const cut::Piece &piece : cut.pieces)
      pieces_.push_back({piece, analyzed(piece)});
    return !pieces_.empty();
  }

  const std::vector<AnalyzedPiece> &pieces() const { return pieces_; }

  /// The first result that parts give otherwise than the whole; empty where none is.
  std::string compare(const TensorMap &data, int64_t count, uint64_t seed, Counts &counts) const {
    const TensorMap expected = expectedResults(whole_, data);
    TensorMap held = data;
    for (const AnalyzedPiece &piece : pieces_)
      if (std::string problem = run(piece, held, count, seed, counts); !problem.empty())
        return problem;
    for (const std::string &name : resultsOf(whole_))
      if (std::string problem = differenceOf(expected.at(name), held.at(name), counts.compared); !problem.empty())
        return name + ": " + problem;
    return {};
  }

  std::string text() const {
    std::string text = "cut by " + index_ + "\n";
    for (const AnalyzedPiece &piece : pieces_)
      text += piece.piece.text;
    return text;
  }

private:
  AnalyzedKernel analyzed(const cut::Piece &piece) const {
    Diagnostics found;
    AnalyzedKernel result;
    result.tree = syntax::parse(sources_.add("piece.tex", piece.text), found);
    std::vector<format::Binding> bindings;
    for (const cut::StoredLike &stored : piece.stored)
      if (stored.sharesStructure)
        bindings.push_back({stored.name, nullptr, {}, stored.like});
      else
        bindings.push_back(format::bindingOf(stored.name, formatOf(stored.like)));
    sema::Options options;
    options.function = "piece";
    options.strictFp = spec_.strictFp;
    options.verify = true;
    result.program = found.hasErrors() ? std::nullopt : sema::check(result.tree, bindings, options, found);
    if (result.program)
      result.kernel = sema::plan(*result.program, options, found);
    return result;
  }

  /// Of a tensor of the whole kernel's text.
  format::Format formatOf(const std::string &name) const {
    format::Format sum;
    for (const sema::Tensor &tensor : whole_.kernel->tensors)
      if (tensor.name == name)
        return tensor.format;
      else if (tensor.partOf == name)
        sum.parts.push_back(tensor.format);
    return sum;
  }

  std::string refusal(const cut::Piece &piece) const {
    AnalyzedPiece one{piece, analyzed(piece)};
    if (!one.kernel.kernel)
      return "it has errors";
    if (piece.index.empty())
      return {};
    const sema::IndexDivision *division = one.division();
    return division ? division->reason : "it lacks the index";
  }

  /// Runs a piece on parts of what is held, and holds its results.
  std::string run(const AnalyzedPiece &piece, TensorMap &held, int64_t count, uint64_t seed, Counts &counts) const {
    for (const auto &[copy, tensor] : piece.piece.copies)
      held[copy] = held.at(tensor);
    addMade(piece.kernel, held);
    TensorMap results = expectedResults(piece.kernel, held);
    if (const sema::IndexDivision *division = piece.piece.index.empty() ? nullptr : piece.division()) {
      const std::vector<PartData> parts = partsOf(piece.kernel, *division, held, count, seed);
      std::vector<TensorMap> made;
      for (const PartData &part : parts)
        made.push_back(expectedResults(piece.kernel, part.tensors));
      for (const std::string &name : resultsOf(piece.kernel)) {
        DenseTensor together =
            joined(piece.kernel, name, parts, made, joiningIn(piece.kernel, *division, name), results.at(name));
        if (std::string problem = differenceOf(results.at(name), together, counts.compared); !problem.empty())
          return piece.piece.function + ", " + name + ": " + problem;
        results.at(name) = std::move(together);
      }
    }
    const reference::Tensors computed = referenceResults(piece.kernel, held);
    for (auto &[name, result] : results) {
      const bool isCertain =
          std::all_of(result.errors.begin(), result.errors.end(), [](double error) { return std::isfinite(error); });
      if (!isCertain && sema::has(piece.piece.made, name))
        throw reference::Unsupported("follow what rounding makes of a number that a later piece reads");
      for (size_t at = 0; at < result.stored.size(); ++at)
        result.stored[at] = computed.at(name).isStored(static_cast<int64_t>(at));
      held[name] = std::move(result);
    }
    return {};
  }

  /// Room for the results that no earlier piece has made.
  static void addMade(const AnalyzedKernel &piece, TensorMap &held) {
    std::map<sema::ExtentId, int64_t> sizes;
    for (const sema::Tensor &tensor : piece.program->tensors)
      for (size_t dim = 0; dim < tensor.extents.size() && held.contains(tensor.name); ++dim)
        sizes[tensor.extents[dim]] = held.at(tensor.name).shape[dim];
    for (const sema::Tensor &tensor : piece.program->tensors) {
      if (!tensor.isWritten || held.contains(tensor.name))
        continue;
      DenseTensor made;
      for (sema::ExtentId extent : tensor.extents)
        made.shape.push_back(piece.program->extents[extent].fixed.value_or(sizes[extent]));
      made.sparse = !tensor.format.isDense();
      made.type = tensor.type;
      made.fill = tensor.fill;
      made.values.assign(static_cast<size_t>(made.size()), 0);
      made.stored.assign(made.values.size(), made.sparse ? 0 : 1);
      held[tensor.name] = std::move(made);
    }
  }

  const KernelSpec &spec_;
  const AnalyzedKernel &whole_;
  const std::string index_;
  SourceManager &sources_;
  std::vector<AnalyzedPiece> pieces_;
};

/// A kernel, by each of its indices.
class Examination {
public:
  Examination(const KernelSpec &spec, const AnalyzedKernel &whole, SourceManager &sources, uint64_t seed,
              Counts &counts)
      : spec_(spec), whole_(whole), sources_(sources), seed_(seed), counts_(counts) {}

  std::string run() {
    for (const auto &[index, where] : whole_.program->indexNames) {
      RandomCut cut(spec_, whole_, index, sources_);
      if (!cut.make()) {
        ++counts_.refused;
        continue;
      }
      ++counts_.cut;
      counts_.several += cut.pieces().size() > 1;
      for (const AnalyzedPiece &piece : cut.pieces())
        counts_.copies += static_cast<int64_t>(piece.piece.copies.size());
      if (std::string problem = runTrials(cut); !problem.empty())
        return problem + "\n" + cut.text();
    }
    return {};
  }

private:
  std::string runTrials(const RandomCut &cut) {
    return problemOnTrials(whole_, seed_, counts_.unsupported, [&](const TensorMap &data, const Trial &trial) {
      for (int64_t count : {2, 3}) {
        ++counts_.runs;
        const std::string problem = cut.compare(data, count, trial.seed + static_cast<uint64_t>(count), counts_);
        if (!problem.empty())
          return problem;
      }
      return std::string();
    });
  }

  const KernelSpec &spec_;
  const AnalyzedKernel &whole_;
  SourceManager &sources_;
  const uint64_t seed_;
  Counts &counts_;
};

void examine(uint64_t seed, Counts &counts) {
  KernelSpec spec = generateKernel(seed);
  spec.fuses = false;
  SourceManager sources;
  Diagnostics diagnostics;
  const AnalyzedKernel whole = analyze(spec, sources, diagnostics);
  if (!whole.kernel || diagnostics.hasErrors())
    return;
  ++counts.kernels;
  const std::string problem = Examination(spec, whole, sources, seed, counts).run();
  if (problem.empty())
    return;
  ++counts.wrong;
  std::printf("seed %llu: %s%s\n\n", static_cast<unsigned long long>(seed), problem.c_str(), describe(spec).c_str());
}

} // namespace

int main(int argc, char **argv) try {
  const uint64_t first = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 1;
  const uint64_t count = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1000;
  Counts counts;
  for (uint64_t seed = first; seed < first + count; ++seed)
    examine(seed, counts);
  std::printf(
      "%lld kernels, %lld cuts (%lld of several pieces, %lld copies of operands; %lld refused), %lld runs, %lld "
      "elements compared, %lld trials not evaluated; %lld wrong\n",
      static_cast<long long>(counts.kernels), static_cast<long long>(counts.cut),
      static_cast<long long>(counts.several), static_cast<long long>(counts.copies),
      static_cast<long long>(counts.refused), static_cast<long long>(counts.runs),
      static_cast<long long>(counts.compared), static_cast<long long>(counts.unsupported),
      static_cast<long long>(counts.wrong));
  return counts.wrong > 0 ? 1 : 0;
} catch (const std::exception &error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
