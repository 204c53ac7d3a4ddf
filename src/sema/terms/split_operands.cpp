// Operands that a kernel reads in several ways: symmetric ones, whose stored entries stand for their mirror images too,
// and those that are the sum of parts in different formats.
#include "sema/terms/logical_plan.h"
#include "sema/terms/repeats.h"
#include "sema/terms/sparsity.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>

namespace spc::sema {
namespace {

constexpr DiagnosticKind kSumNotLinear{"sum-not-linear", Severity::Error};
constexpr DiagnosticKind kTooManyParts{"too-many-terms", Severity::Error};

/// The tensors of the parts, by the tensor that was the whole and now is part 0.
using PartsOfWholes = std::map<TensorId, std::vector<TensorId>>;

std::string freshName(const Kernel &kernel, std::string name) {
  const auto isTaken = [&](const Tensor &tensor) { return tensor.name == name; };
  while (std::any_of(kernel.tensors.begin(), kernel.tensors.end(), isTaken))
    name += "_";
  return name;
}

/// The whole's entry becomes part 0, so that no number changes; the other parts are new, and passed right after it.
std::vector<TensorId> makeParts(Kernel &kernel, TensorId whole) {
  const Tensor original = kernel.tensors[whole];
  std::vector<TensorId> parts;
  for (size_t k = 0; k < original.format.parts.size(); ++k) {
    Tensor part = original;
    part.name = freshName(kernel, original.name + "_" + std::to_string(k));
    part.format = original.format.parts[k];
    part.partOf = original.name;
    part.part = static_cast<int>(k);
    if (k == 0)
      kernel.tensors[whole] = std::move(part);
    parts.push_back(k == 0 ? whole : kernel.tensors.add(std::move(part)));
  }
  const auto place = std::find(kernel.parameters.begin(), kernel.parameters.end(), whole);
  if (place != kernel.parameters.end()) // no constant
    kernel.parameters.insert(place + 1, parts.begin() + 1, parts.end());
  return parts;
}

PartsOfWholes makeAllParts(Kernel &kernel) {
  PartsOfWholes result;
  for (TensorId id : kernel.tensors.ids())
    if (kernel.tensors[id].format.isSum())
      result[id] = makeParts(kernel, id);
  return result;
}

class OperandSplitter {
public:
  OperandSplitter(Planning &planning, const PartsOfWholes &parts, LogicalStatement &logical)
      : planning_(planning), parts_(parts), logical_(logical), scope_(planning.statements[logical.statement].scope) {}

  void run() {
    std::vector<LogicalTerm> result;
    for (LogicalTerm &term : logical_.terms) {
      checkLinear(term);
      if (hasDomain(*term.expr, logical_.reduction, scope_, planning_.kernel))
        checkEntries(term);
      std::vector<LogicalTerm> split = splitTerm(std::move(term), kMaxTerms - std::min(kMaxTerms, result.size()));
      if (split.empty())
        return;
      std::move(split.begin(), split.end(), std::back_inserter(result));
    }
    logical_.terms = std::move(result);
  }

private:
  /// At most `limit` terms; more are reported, and none is given.
  std::vector<LogicalTerm> splitTerm(LogicalTerm term, size_t limit) {
    std::vector<LogicalTerm> terms;
    const std::vector<AccessId> accesses = accessesOf(*term.expr);
    terms.push_back(std::move(term));
    for (AccessId access : accesses) {
      const std::vector<AccessId> all = readings(access);
      if (terms.size() * all.size() > limit) {
        reportLimit(terms.front().where);
        return {};
      }
      std::vector<LogicalTerm> result;
      for (const LogicalTerm &each : terms)
        for (AccessId reading : all) {
          LogicalTerm copy = copyOf(each);
          replaceAccesses(*copy.expr, [&](AccessId id) { return id == access ? reading : id; });
          result.push_back(std::move(copy));
        }
      terms = std::move(result);
    }
    return terms;
  }

  void reportLimit(Span where) {
    planning_.diagnostics
        .report(kTooManyParts, where,
                "reading the symmetric operands and the parts of sums here takes more than " +
                    std::to_string(kMaxTerms) + " terms, which is the limit")
        .advise("split it into several statements");
  }

  /// What the access is read as, one after the other; itself first, or its tensor's part 0.
  std::vector<AccessId> readings(AccessId id) {
    const Access access = scope_.accesses[id];
    if (isInTriangle(access))
      return {scope_.intern(inTriangle(access))};
    std::vector<AccessId> result = {id};
    if (auto parts = parts_.find(access.tensor); parts != parts_.end()) {
      for (size_t k = 1; k < parts->second.size(); ++k) {
        Access part = access;
        part.tensor = parts->second[k];
        result.push_back(scope_.intern(std::move(part)));
      }
    }
    addMirrored(result);
    return result;
  }

  /// Whether a symmetric operand has the indices of a target of which one triangle is computed.
  bool isInTriangle(const Access &access) const {
    const Tensor &target = planning_.kernel.tensors[logical_.target];
    const auto isSymmetric = [](const Tensor &tensor) { return tensor.format.symmetry != format::Symmetry::None; };
    return target.isAssembled() && isSymmetric(target) && isSymmetric(planning_.kernel.tensors[access.tensor]) &&
           std::is_permutation(access.variables.begin(), access.variables.end(), logical_.targetVariables.begin(),
                               logical_.targetVariables.end());
  }

  /// With the indices in the order in which the triangle that it stores is the target's.
  Access inTriangle(Access access) const {
    access.variables = logical_.targetVariables;
    const auto symmetryOf = [&](TensorId tensor) { return planning_.kernel.tensors[tensor].format.symmetry; };
    if (symmetryOf(access.tensor) != symmetryOf(logical_.target))
      std::swap(access.variables[0], access.variables[1]);
    return access;
  }

  // A sparse target has the symmetric pattern itself, and its stored entries stand for their mirror images as well.
  void addMirrored(std::vector<AccessId> &readings) {
    const Tensor &target = planning_.kernel.tensors[logical_.target];
    if (!target.format.isDense() && !target.isAssembled())
      return;
    for (size_t k = 0, end = readings.size(); k < end; ++k) {
      Access mirrored = scope_.accesses[readings[k]];
      if (planning_.kernel.tensors[mirrored.tensor].format.symmetry == format::Symmetry::None)
        continue;
      mirrored.mirrored = true;
      readings.push_back(scope_.intern(std::move(mirrored)));
    }
  }

  /// A term that is no product is no sum of what the parts of an operand give.
  void checkEntries(const LogicalTerm &term) {
    for (AccessId id : accessesOf(*term.expr))
      if (parts_.contains(scope_.accesses[id].tensor))
        planning_.diagnostics
            .report(kSumNotLinear, scope_.accesses[id].where,
                    inQuotes(tensorOf(id).partOf) +
                        " is stored as a sum of parts, and this term is not the sum of what the parts give")
            .advise("store it in one format");
  }

  const Tensor &tensorOf(AccessId id) const { return planning_.kernel.tensors[scope_.accesses[id].tensor]; }

  void checkLinear(const LogicalTerm &term) {
    std::map<TensorId, Span> firstUses;
    std::set<TensorId> reported;
    forEachAccess(*term.expr, true, [&](const AccessNode &use, Span where) {
      const TensorId tensor = scope_.accesses[use.access].tensor;
      if (!parts_.contains(tensor) || firstUses.emplace(tensor, where).second ||
          isSumOfParts(*term.expr, use.access, scope_) || !reported.insert(tensor).second)
        return;
      planning_.diagnostics
          .report(
              kSumNotLinear, where,
              inQuotes(planning_.kernel.tensors[tensor].partOf) +
                  " is stored as a sum of parts, and a product with two of it is not the sum of the parts' products")
          .note(firstUses[tensor], "its first use is here")
          .advise("store it in one format");
    });
  }

  Planning &planning_;
  const PartsOfWholes &parts_;
  LogicalStatement &logical_;
  Scope &scope_;
};

} // namespace

void splitOperands(Planning &planning, std::vector<Expansion> &expansions) {
  const PartsOfWholes parts = makeAllParts(planning.kernel);
  for (Expansion &expansion : expansions) {
    for (LogicalStatement &temporary : expansion.temporaries)
      OperandSplitter(planning, parts, temporary).run();
    OperandSplitter(planning, parts, expansion.main).run();
  }
}

} // namespace spc::sema
