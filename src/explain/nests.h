// The loops of a term in words.
#pragma once

#include "explain/explanation.h"

namespace spc::explain {

/// The nest of a term: what each loop runs over, and what the passes made of it.
Nest nestOf(const sema::Kernel &kernel, const sema::Statement &statement, const sema::Term &term,
            const pipeline::BodyFacts *body);

/// The operands whose levels a loop walks, those alone whose coordinates are listed.
std::vector<sema::OperandId> listedIn(const sema::Kernel &kernel, const sema::Term &term, sema::LoopId loop);

/// Whether a loop runs over all of its extent, whatever lists there are: what they lack counts, too.
bool visitsAll(const sema::Kernel &kernel, const sema::Term &term, sema::LoopId loop);

} // namespace spc::explain
