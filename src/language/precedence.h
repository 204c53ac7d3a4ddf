// How tightly expressions bind, for those who write them out: an operand that binds less than its place asks for gets
// parentheses.
#pragma once

#include "language/function.h"

namespace spc::language {

namespace precedence {
enum Precedence { kOr, kXor, kAnd, kNot, kComparison, kSum, kProduct, kUnary, kPrimary };
} // namespace precedence

/// The precedence of a call, or of the operator that it is written as.
precedence::Precedence precedenceOf(Function function);

} // namespace spc::language
