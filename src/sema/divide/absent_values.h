// What values are at coordinates that entries of some operands do not have.
#pragma once

#include "sema/divide/part_values.h"
#include "sema/kernel.h"

#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace spc::sema {

class AbsentValues {
public:
  /// Coordinates of `extent` that no entry of the sparse operands `listers` has at any coordinate of `divided`.
  AbsentValues(const Program &program, const Kernel &kernel, ExtentId divided, ExtentId extent,
               std::vector<TensorId> listers)
      : program_(program), kernel_(kernel), divided_(divided), extent_(extent), listers_(std::move(listers)) {}

  /// Whether the statements compute the same where these coordinates are left out. Goes through all of them.
  bool changeNothing();

  /// After that: what a tensor of the program is at these coordinates of one of its dimensions, where that is known.
  std::optional<double> of(TensorId tensor, size_t dim) const;

  /// The identity of a reduction, as of() gives numbers.
  static double identity(Reduction reduction, ValueType type);

private:
  bool changeNothing(const ResolvedStatement &statement);

  const Program &program_;
  const Kernel &kernel_;
  const ExtentId divided_, extent_;
  const std::vector<TensorId> listers_;
  std::map<std::pair<TensorId, size_t>, double> known_;
};

} // namespace spc::sema
