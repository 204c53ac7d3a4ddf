// The types in which the parts of an expression are computed.
#pragma once

#include "sema/tree.h"

#include <optional>

namespace spc::sema {

/// The widest type among the values of a tree: those of its accesses, i64 of index variables, bool of comparisons and
/// logic, a cast's own; nullopt where it has none but numbers.
std::optional<ValueType> typeOf(const Node &node, const Scope &scope, const KernelHead &kernel);

/// Whether an expression is computed of numbers that are not complex alone: of operands, conversions, parts and truths.
/// Where it is part of what is complex, it is computed in the type of the parts, and multiplies or divides both.
bool isReal(const Node &node, const Scope &scope, const KernelHead &kernel);

/// The type in which argument number `argument` of a call is computed, `context` being the one in which the call is.
ValueType argumentType(const CallNode &call, size_t argument, ValueType context, const Scope &scope,
                       const KernelHead &kernel);

/// The type of a call's value, where its first argument is computed in `argument` and the call in `context`.
ValueType resultType(Function function, ValueType castTo, ValueType argument, ValueType context);

/// The type in which what a reduction is taken of is computed, `context` being the one in which the reduction is.
ValueType bodyType(const ReduceNode &reduction, ValueType context, const Scope &scope, const KernelHead &kernel);

using language::isLogical;

/// Whether a reduction's value is a bool, whatever it is taken of.
bool isLogical(Reduction reduction);

} // namespace spc::sema
