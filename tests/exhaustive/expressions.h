// The committed list of expressions that run on all small patterns.
#pragma once

#include "sema/value_type.h"

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace spc::testing {

/// One line of the list.
struct Expression {
  std::string text;                           ///< the line
  std::string statements;                     ///< as in a kernel file
  std::map<std::string, std::string> formats; ///< of results, by tensor: the name of a format file
  sema::ValueType type = sema::ValueType::F64;
  std::string fill; ///< declared of the sparse operands; empty: none
  int arity = 0;    ///< sparse operands: A, then B, then C
};

/// The name of a sparse operand: A, B or C.
std::string operandName(int role);

/// Reads the list. Throws std::runtime_error where a line is wrong: a mistake in the list.
std::vector<Expression> readExpressions(const std::filesystem::path &file);

} // namespace spc::testing
