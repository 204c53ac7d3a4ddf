// Operands that a kernel reads in several ways: symmetric ones, whose stored entries stand for their mirror images too,
// and those that are the sum of parts in different formats.
#include "sema/draft.h"

#include <algorithm>

namespace spc::sema {
namespace {

constexpr DiagnosticKind kSumNotLinear{"sum-not-linear", Severity::Error};
constexpr DiagnosticKind kSplitLimit{"split-limit", Severity::Error};

constexpr size_t kMaxTerms = 256;

void redirect(Node &node, AccessId from, AccessId to) {
  if (auto *use = std::get_if<AccessNode>(&node.kind)) {
    if (use->access == from)
      use->access = to;
  } else if (auto *negate = std::get_if<NegateNode>(&node.kind)) {
    redirect(*negate->operand, from, to);
  } else if (auto *binary = std::get_if<BinaryNode>(&node.kind)) {
    redirect(*binary->left, from, to);
    redirect(*binary->right, from, to);
  }
}

class OperandSplitter {
public:
  OperandSplitter(Analysis &analysis, Draft &draft)
      : analysis_(analysis), draft_(draft), scope_(analysis.statements[draft.statement].scope) {}

  void run() {
    std::vector<DraftTerm> result;
    for (DraftTerm &term : draft_.terms) {
      std::vector<DraftTerm> split;
      split.push_back(std::move(term));
      for (AccessId access : accessesOf(*split.front().expr))
        splitBy(access, split);
      std::move(split.begin(), split.end(), std::back_inserter(result));
    }
    if (result.size() > kMaxTerms && result.size() > draft_.terms.size())
      analysis_.diagnostics.report(kSplitLimit, draft_.where,
                                   "reading symmetric operands and sums of parts gives " +
                                       std::to_string(result.size()) + " terms; the limit is " +
                                       std::to_string(kMaxTerms));
    draft_.terms = std::move(result);
  }

private:
  const Tensor &tensorOf(AccessId access) const { return analysis_.kernel.tensors[scope_.accesses[access].tensor]; }

  /// What the access is read as, one after the other.
  std::vector<AccessId> readings(AccessId id, const DraftTerm &term) {
    const Tensor &tensor = tensorOf(id);
    if (tensor.format.isSum())
      return readingsOfParts(id, term);
    const bool isKept = !analysis_.kernel.tensors[draft_.target].format.isDense();
    if (tensor.format.symmetry == format::Symmetry::None || isKept)
      return {id};
    Access mirrored = scope_.accesses[id];
    mirrored.mirrored = true;
    return {id, scope_.intern(std::move(mirrored))};
  }

  std::vector<AccessId> readingsOfParts(AccessId id, const DraftTerm &term) {
    std::vector<AccessId> result;
    const TensorId whole = scope_.accesses[id].tensor;
    int uses = 0;
    Span second;
    forEachAccess(*term.expr, true, [&](const AccessNode &use, Span where) {
      if (scope_.accesses[use.access].tensor == whole && ++uses == 2)
        second = where;
    });
    if (uses > 1)
      analysis_.diagnostics
          .report(kSumNotLinear, second,
                  inQuotes(tensorOf(id).name) + " is stored as a sum of parts and occurs twice in this product")
          .note(scope_.accesses[id].where, "its first use is here")
          .advise("store it in one format");
    for (TensorId part : partsOf(whole)) {
      Access access = scope_.accesses[id];
      access.tensor = part;
      result.push_back(scope_.intern(std::move(access)));
    }
    return result;
  }

  /// The parts' tensors, made at their first use, and passed in the place of the whole.
  std::vector<TensorId> partsOf(TensorId whole) {
    Kernel &kernel = analysis_.kernel;
    std::vector<TensorId> parts;
    for (TensorId id = 0; id < static_cast<int>(kernel.tensors.size()); ++id)
      if (kernel.tensors[id].partOf == kernel.tensors[whole].name)
        parts.push_back(id);
    if (!parts.empty())
      return parts;
    const std::vector<format::Format> formats = kernel.tensors[whole].format.parts;
    for (size_t k = 0; k < formats.size(); ++k) {
      Tensor part = kernel.tensors[whole];
      part.partOf = part.name;
      part.part = static_cast<int>(k);
      part.name = freshName(part.name + "_" + std::to_string(k));
      part.format = formats[k];
      parts.push_back(static_cast<TensorId>(kernel.tensors.size()));
      kernel.tensors.push_back(std::move(part));
    }
    auto place = std::find(kernel.parameters.begin(), kernel.parameters.end(), whole);
    place = kernel.parameters.erase(place);
    kernel.parameters.insert(place, parts.begin(), parts.end());
    return parts;
  }

  std::string freshName(std::string name) const {
    const auto isTaken = [&](const Tensor &tensor) { return tensor.name == name; };
    while (std::any_of(analysis_.kernel.tensors.begin(), analysis_.kernel.tensors.end(), isTaken))
      name += "_";
    return name;
  }

  void splitBy(AccessId access, std::vector<DraftTerm> &terms) {
    const std::vector<AccessId> all = readings(access, terms.front());
    std::vector<DraftTerm> result;
    for (const DraftTerm &term : terms)
      for (AccessId reading : all) {
        DraftTerm copy{clone(*term.expr), term.reductions, term.overwrites, term.where};
        redirect(*copy.expr, access, reading);
        result.push_back(std::move(copy));
      }
    terms = std::move(result);
  }

  Analysis &analysis_;
  Draft &draft_;
  Scope &scope_;
};

/// Wholes whose parts are passed in their place are no tensors of the kernel any more: moves the others up.
void dropWholes(Kernel &kernel, std::vector<Expansion> &expansions, Analysis &analysis) {
  std::vector<TensorId> moved(kernel.tensors.size(), -1);
  std::vector<Tensor> kept;
  for (size_t id = 0; id < kernel.tensors.size(); ++id) {
    if (kernel.tensors[id].format.isSum())
      continue;
    moved[id] = static_cast<TensorId>(kept.size());
    kept.push_back(std::move(kernel.tensors[id]));
  }
  if (kept.size() == kernel.tensors.size()) {
    kernel.tensors = std::move(kept);
    return;
  }
  const auto move = [&](TensorId &id) { id = moved[id]; };
  for (Tensor &tensor : kept)
    for (std::optional<TensorId> *link : {&tensor.patternOf, &tensor.source, &tensor.structureOf})
      if (*link)
        move(**link);
  kernel.tensors = std::move(kept);
  for (TensorId &id : kernel.parameters)
    move(id);
  for (ResolvedStatement &statement : analysis.statements) {
    for (Access &access : statement.scope.accesses)
      access.tensor = std::max(moved[access.tensor], 0); // wholes are not accessed any more
    move(statement.target.tensor);
  }
  for (Expansion &expansion : expansions) {
    for (Draft &temporary : expansion.temporaries)
      move(temporary.target);
    if (expansion.copyOfTarget) {
      move(expansion.copyOfTarget->from);
      move(expansion.copyOfTarget->to);
    }
    move(expansion.main.target);
  }
}

} // namespace

void splitOperands(Analysis &analysis, std::vector<Expansion> &expansions) {
  for (Expansion &expansion : expansions) {
    for (Draft &temporary : expansion.temporaries)
      OperandSplitter(analysis, temporary).run();
    OperandSplitter(analysis, expansion.main).run();
  }
  if (!analysis.diagnostics.hasErrors())
    dropWholes(analysis.kernel, expansions, analysis);
}

} // namespace spc::sema
