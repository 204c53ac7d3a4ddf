// Sums of products of sizes.
#pragma once

#include "ingress/expressions.h"

namespace spc::ingress {

language::ExtentSum sizeSum(const language::ExtentDecl &extent);
/// A name or a number where the sum is one.
language::ExtentDecl extentFrom(const language::ExtentSum &sum, Span where);
void addTo(language::ExtentSum &sum, const language::ExtentSum &other, int64_t sign);
void addTo(language::ExtentSum &sum, const language::ExtentDecl &extent);
void multiply(language::ExtentSum &sum, const language::ExtentDecl &extent);
language::ExtentSum product(const language::ExtentSum &left, const language::ExtentSum &right);
/// Adds a size times a variable to an index.
void addProduct(language::Index &index, const language::ExtentSum &size, const std::string &variable, Span where);
/// Adds a size, so many times, to what an index adds up besides variables.
void addSize(language::Index &index, const language::ExtentSum &size, int64_t multiple, Span where);
/// The size as a number in an expression.
syntax::ExprPtr sizeExpr(const Maker &make, const language::ExtentSum &size);

} // namespace spc::ingress
