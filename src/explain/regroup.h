// Sums within a product that could be worked out once.
#pragma once

#include "sema/kernel.h"

#include <optional>
#include <string>
#include <vector>

namespace spc::explain {

/// A sum that reads some of a product's factors alone.
struct Regrouping {
  std::string summed;                   ///< the variable
  std::vector<sema::OperandId> factors; ///< all that have it, and those that have no others than these
  std::vector<std::string> indices;     ///< of what the sum gives
  std::vector<std::string> outside;     ///< variables for each of whose values it is worked out again
};

/// A sum of a term that is worked out again for each value of a variable that none of its factors has, as
/// A(j,k) * x(k) for each i in y(i) = A(i,j) * A(j,k) * x(k). nullopt where there is none, where the term is no sum of
/// products, or where sparse factors outside of the sum may leave out most of it.
std::optional<Regrouping> regroupingOf(const sema::Kernel &kernel, const sema::Statement &statement,
                                       const sema::Term &term);

} // namespace spc::explain
