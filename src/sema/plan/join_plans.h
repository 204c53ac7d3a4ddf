// Several plans of one program as the alternatives of one kernel. Private to sema's rooms.
#pragma once

#include "sema/kernel.h"

#include <vector>

namespace spc::sema {

/// Whether two plans of a program are one for their callers: they agree in what is passed. `given`: how many tensors
/// the program has.
bool areCalledAlike(const Kernel &one, const Kernel &other, size_t given);

/// Whether two plans of a program can be alternatives: they agree in what is passed.
/// `given`: how many tensors the program has.
bool agree(const Kernel &one, const Kernel &other, size_t given);

/// Whether a call can tell which of the plans costs least before it runs any step: costs depend on what is passed, and
/// on what a plan lists itself.
bool mayChoose(const std::vector<const Kernel *> &plans, size_t given);

/// The first plan, with the steps in which the others differ from it as alternatives, in order. Requires: each of the
/// others agrees with the first one, and mayChoose.
Kernel joinPlans(std::vector<Kernel> plans, size_t given);

/// Whether all plans, which take sums without entries for 0, may be followed by careful ones that compute the same once
/// more, by one or each by its own: these set what they write, and what the plans leave is looked at for infinities
/// that met such a 0. They agree with them.
bool mayRecompute(const std::vector<const Kernel *> &plans, const std::vector<const Kernel *> &careful, size_t given);

/// The plans joined, with the careful ones, one or as many, as their recomputation. Requires: mayRecompute.
Kernel joinPlans(std::vector<Kernel> plans, std::vector<Kernel> careful, size_t given);

} // namespace spc::sema
