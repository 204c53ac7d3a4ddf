// How often the loops of a term run on given data, counted rather than estimated.
#pragma once

#include "explain/stored_tree.h"
#include "sema/kernel.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <vector>

namespace spc::explain {

/// Iterations that are walked one by one, before counting is given up.
inline constexpr double kMostWalked = 2e7;

/// The data to count on.
struct CountInputs {
  const sema::Kernel &kernel;
  const IdVector<sema::ExtentId, int64_t> &extents;
  /// The places where a sparse tensor stores something; null where they are not known before the call.
  std::function<const StoredTree *(sema::TensorId)> tree;
  double mostWalked = kMostWalked; ///< iterations of a term
};

/// The iterations of the innermost loops of a statement's term: of a loop that merges operands, each coordinate that it
/// comes to, of one that looks its entries up in a list those entries, of any other one each entry or each element, of
/// fibers that are added up before they are multiplied those of both. Loops over what a single operand stores, and over
/// all of an extent, are not walked but multiplied. nullopt where an operand's entries are not known, or counting would
/// take long itself.
std::optional<double> countSteps(const sema::Statement &statement, const sema::Term &term, const CountInputs &inputs);

/// The domain in which a term is computed: its own, or that of the product of its operands.
sema::Domain domainOf(const sema::Term &term, const sema::Kernel &kernel);

/// Whether a domain may hold where operands are `present`. That one is missing is taken to be so.
template <typename Present> bool holds(const sema::Domain &domain, const Present &present) {
  switch (domain.kind) {
  case sema::DomainKind::Everywhere:
  case sema::DomainKind::Missing: // of no use for leaving a loop early
    return true;
  case sema::DomainKind::Stored:
    return present(domain.operand);
  case sema::DomainKind::All:
    return std::all_of(domain.parts.begin(), domain.parts.end(),
                       [&](const sema::Domain &part) { return holds(part, present); });
  case sema::DomainKind::Any:
    return std::any_of(domain.parts.begin(), domain.parts.end(),
                       [&](const sema::Domain &part) { return holds(part, present); });
  }
  return true;
}

/// The coordinates at which a term writes its target, a number for each dimension one after the other, each place as
/// often as it is written; nullopt where they are not known, or are more than `most` places.
std::optional<std::vector<int64_t>> writtenAt(const sema::Term &term, const CountInputs &inputs, size_t most);

} // namespace spc::explain
