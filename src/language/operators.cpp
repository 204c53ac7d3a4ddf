#include "language/operators.h"

namespace spc::language {

std::string_view spellingOf(BinaryOp op) {
  switch (op) {
  case BinaryOp::Add:
    return " + ";
  case BinaryOp::Sub:
    return " - ";
  case BinaryOp::Mul:
    return "*";
  case BinaryOp::Div:
    return "/";
  }
  return {};
}

std::string_view spellingOf(AssignOp op) {
  switch (op) {
  case AssignOp::Assign:
    return "=";
  case AssignOp::Add:
    return "+=";
  case AssignOp::Min:
    return "min=";
  case AssignOp::Max:
    return "max=";
  case AssignOp::Or:
    return "or=";
  }
  return {};
}

} // namespace spc::language
