// The operators of expressions and of statements.
#pragma once

#include <cstdint>
#include <string_view>

namespace spc::language {

enum class BinaryOp : uint8_t { Add, Sub, Mul, Div };

/// The operator with spaces around those of sums: " + ", " - ", "*" or "/".
std::string_view spellingOf(BinaryOp op);

/// How a statement puts what it computes into its target.
enum class AssignOp : uint8_t { Assign, Add, Min, Max, Or };

/// The operator as it is written: "=", "+=", "min=", "max=" or "or=".
std::string_view spellingOf(AssignOp op);

} // namespace spc::language
