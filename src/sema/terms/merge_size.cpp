#include "sema/terms/merge_size.h"

#include "sema/terms/shared_pattern.h"
#include "sema/terms/sparsity.h"

#include <algorithm>
#include <numeric>
#include <set>

namespace spc::sema {
namespace {

constexpr double kMaxLoopsOfTerm = 32;
constexpr double kMaxLoopsOfKernel = 128;
constexpr double kLoopsOfPair = 4; ///< of two matrices in CSR: merging these at once is no shorter

class LoopCounter {
public:
  LoopCounter(const Scope &scope, const Kernel &kernel) : scope_(scope), kernel_(kernel) {}

  /// The places, from the root to the innermost level, where a part of a domain may end, and one for that it does not.
  double endsOf(const AccessDomain &domain) {
    switch (domain.kind) {
    case DomainKind::Everywhere:
      return 1;
    case DomainKind::Stored:
    case DomainKind::Missing:
      return endsOf(domain.operand);
    case DomainKind::All:
    case DomainKind::Any:
      break;
    }
    return domain.kind == DomainKind::Any ? ofAny(domain) : ofAll(domain);
  }

  double endsOf(AccessId access) {
    seen_.insert(access);
    const format::Format &format = kernel_.tensors[scope_.accesses[access].tensor].format;
    return 1 + static_cast<double>(std::count_if(format.levels.begin(), format.levels.end(),
                                                 [](const format::Level &level) { return !level.isDense(); }));
  }

  bool hasSeen(AccessId access) const { return seen_.contains(access); }

private:
  double ofAny(const AccessDomain &domain) {
    double ends = 1;
    for (const AccessDomain &part : domain.parts)
      ends *= endsOf(part);
    return ends;
  }

  /// Operands of which all must go on end together.
  double ofAll(const AccessDomain &domain) {
    double together = 1, others = 1;
    for (const AccessDomain &part : domain.parts) {
      const double ends = endsOf(part);
      if (part.kind == DomainKind::Stored)
        together = std::max(together, ends - 1);
      else
        others *= part.kind == DomainKind::Any ? ends - 1 : ends;
    }
    return 1 + together * others;
  }

  const Scope &scope_;
  const Kernel &kernel_;
  std::set<AccessId> seen_;
};

void collectLoops(const Planning &planning, const LogicalStatement &logical, std::vector<double> &loops) {
  const Scope &scope = planning.statements[logical.statement].scope;
  for (const LogicalTerm &term : logical.terms)
    if (hasDomain(*term.expr, logical.reduction, scope, planning.kernel))
      loops.push_back(
          loopsToMerge(domainOfTerm(*term.expr, logical.targetDefault, logical.computeType, scope, planning.kernel),
                       accessesOf(*term.expr), scope, planning.kernel));
}

} // namespace

double loopsToMerge(const AccessDomain &domain, const std::vector<AccessId> &accesses, const Scope &scope,
                    const Kernel &kernel) {
  LoopCounter counter(scope, kernel);
  double loops = counter.endsOf(domain);
  for (AccessId access : accesses)
    if (!kernel.tensors[scope.accesses[access].tensor].format.isDense() &&
        leaderOf(access, accesses, scope, kernel) == access && !counter.hasSeen(access))
      loops *= counter.endsOf(access);
  return loops;
}

double mostLoopsToMerge(const Planning &planning, const std::vector<Expansion> &expansions) {
  std::vector<double> loops;
  for (const Expansion &expansion : expansions) {
    for (const LogicalStatement &temporary : expansion.temporaries)
      collectLoops(planning, temporary, loops);
    collectLoops(planning, expansion.main, loops);
  }
  double most = kMaxLoopsOfTerm;
  const auto inAll = [&] {
    return std::accumulate(loops.begin(), loops.end(), 0.0,
                           [&](double sum, double some) { return some <= most ? sum + some : sum; });
  };
  while (most > kLoopsOfPair && inAll() > kMaxLoopsOfKernel)
    most /= 2;
  return most;
}

} // namespace spc::sema
