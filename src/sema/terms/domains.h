// Operations on domains, the places at which expressions are computed. Private to this folder.
#pragma once

#include "sema/tree.h"

#include <optional>

namespace spc::sema {

/// nullopt: nowhere.
using MaybeDomain = std::optional<AccessDomain>;

bool isEverywhere(const MaybeDomain &domain);
MaybeDomain unionOf(const MaybeDomain &a, const MaybeDomain &b);
MaybeDomain intersectionOf(const MaybeDomain &a, const MaybeDomain &b);

/// Whether two domains have the same form.
bool isSame(const AccessDomain &a, const AccessDomain &b);

/// Whether all places of a domain are in another one, as far as their forms tell.
bool isWithin(const AccessDomain &domain, const AccessDomain &other);

/// Whether a place is in a domain, as an expression of patterns.
NodePtr asCondition(const AccessDomain &domain, Span where);

/// Whether a domain asks for entries where there are none.
bool isEmpty(const AccessDomain &domain);

/// The domain, which is not empty, without those of its parts that are.
AccessDomain withoutEmpty(AccessDomain domain);

/// The least domain with this one that loops can visit: places at which an operand has no entries can be left out of
/// others, but not brought together with others.
AccessDomain visitable(const AccessDomain &domain);

/// Whether domainOfTerm() gives this for a term that is its target default everywhere: where one operand stores
/// entries, and stores none.
bool isNowhere(const AccessDomain &domain);

/// Whether a domain is where one operand stores entries; then which.
std::optional<AccessId> singleOperand(const AccessDomain &domain);

} // namespace spc::sema
