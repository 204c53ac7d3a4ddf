// What a kernel's statements compute where each process has a part of the data.
#pragma once

#include "sema/divide/part_value.h"
#include "sema/program.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace spc::sema {

/// The statements of a program whose results something reads, or that a call looks at before it runs them, in order.
std::vector<const ResolvedStatement *> statementsThatMatter(const Program &program);

/// The statements of a program, one after the other, where an extent is divided.
class PartValues {
public:
  /// `index` is what messages call the extent's variables.
  PartValues(const Program &program, ExtentId divided, std::string index)
      : program_(program), divided_(divided), arithmetic_(index), index_(std::move(index)) {}

  /// Why the statements do not compute the same on parts; empty where they do.
  std::string refusal();

  /// After that: what a tensor without a dimension of the extent is in the end.
  const PartValue &of(TensorId tensor) const;

private:
  PartValue rightSide(const ResolvedStatement &statement) const;
  PartValue stored(const ResolvedStatement &statement, const PartValue &value) const;

  const Program &program_;
  const ExtentId divided_;
  const PartArithmetic arithmetic_;
  const std::string index_;
  std::map<TensorId, PartValue> partial_; ///< tensors that hold a share of something
};

/// The first dimension of a tensor that has an extent, or -1.
int dimOf(const Tensor &tensor, ExtentId extent);

/// The variable that indexes a dimension of an access alone, also where it indexes another one, too, as in A(i,i); else
/// the derived one.
VariableId plainAt(const Access &access, size_t dim, const Scope &scope);

} // namespace spc::sema
