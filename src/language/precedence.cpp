#include "language/precedence.h"

namespace spc::language {

using namespace precedence;

Precedence precedenceOf(Function function) {
  switch (function) {
  case Function::Or:
    return kOr;
  case Function::Xor:
    return kXor;
  case Function::And:
    return kAnd;
  case Function::Not:
    return kNot;
  case Function::Modulo:
    return kProduct;
  default:
    return spellingOf(function).isOperator() ? kComparison : kPrimary;
  }
}

} // namespace spc::language
