// The statements of a checked kernel as expressions by name. Private to this folder.
#pragma once

#include "grad/expressions.h"
#include "sema/program.h"

namespace spc::grad {

/// A statement of the source text.
struct SourceStatement {
  std::string target;
  std::vector<std::string> indices;
  language::AssignOp op;
  ExprPtr value;
  Span where;
};

/// The statements of a program, in its order.
std::vector<SourceStatement> statementsOf(const sema::Program &program);

} // namespace spc::grad
