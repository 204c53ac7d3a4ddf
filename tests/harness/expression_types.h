// The type in which each part of an expression is computed: the evaluators' own reading of docs/language.md.
#pragma once

#include "sema/value_type.h"
#include "syntax/ast.h"

#include <functional>
#include <optional>
#include <string>

namespace spc::testing::evaluator {

/// The value type of the tensor of a name; nullopt for index variables.
using TensorTypes = std::function<std::optional<sema::ValueType>(const std::string &)>;

/// The type in which a statement is computed.
sema::ValueType computeTypeOf(const syntax::Statement &statement, const TensorTypes &tensors);

/// The type in which argument number `argument` of a call is, which itself is computed in `type`.
sema::ValueType argumentType(const syntax::Call &call, size_t argument, sema::ValueType type,
                             const TensorTypes &tensors);

/// The type in which what a reduction is taken of is computed, the reduction itself being computed in `type`.
sema::ValueType bodyType(const syntax::Reduce &reduction, sema::ValueType type, const TensorTypes &tensors);

/// Whether a call is `minplus` or `maxplus`: in types other than integers a plain sum.
bool isAbsorbingSum(const syntax::Call &call);

} // namespace spc::testing::evaluator
