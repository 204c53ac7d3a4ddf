// Operands that store the same elements: one has the structure of the other. Private to this folder.
#pragma once

#include "sema/tree.h"

namespace spc::sema {

/// The leader of `access`: the first of a term's accesses that stores an entry exactly where `access` does, entry by
/// entry at the same positions, because they have one structure without repeats and the same indices. Where `access`
/// has a tail, it is one without, which has an entry for all of the tail. It may be `access` itself. Requires: `access`
/// is among them.
AccessId leaderOf(AccessId access, const std::vector<AccessId> &among, const Scope &scope, const Kernel &kernel);

/// The first of the accesses in the place of each that has its pattern: fewer places in the domain are compared.
AccessDomain byLeaders(const AccessDomain &domain, const std::vector<AccessId> &among, const Scope &scope,
                       const Kernel &kernel);

} // namespace spc::sema
