// The cost of a plan: as a formula, and as a number once the data is known.
#pragma once

#include "sema/kernel.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace spc::sema {

/// A factor of a cost: how many entries a tensor has, or how often a loop over an extent, or a part of it, runs.
struct CostFactor {
  std::optional<TensorId> entriesOf; ///< never a copy
  ExtentId extent = {};
  format::Part part = format::Part::Whole;
  int64_t block = 0;                     ///< of a quotient or a remainder
  bool divides = false;                  ///< what comes before it
  std::vector<TensorId> otherParts = {}; ///< where the entries of all parts of a sum are meant, those besides entriesOf
};
using CostProduct = std::vector<CostFactor>;

/// How often the innermost bodies of a statement's loops run, in extents and in numbers of entries: a sum of products
/// such as `nnz(S)*k`, each once. The entries of a sparse operand that continues the loops of another one count by what
/// they are on average for each coordinate that is fixed, `nnz(A)*nnz(B)/k`; those of operands that are merged all
/// count. Empty rows, searches and copies are left out.
std::vector<CostProduct> costOf(const Statement &statement, const Kernel &kernel);

/// The same of one of its terms: of a sum of operands whose entries are merged a product each.
std::vector<CostProduct> costOf(const Statement &statement, const Term &term, const Kernel &kernel);

/// The same of a term of which passes add each fiber up before dense loops multiply it out, if there are as many fibers
/// as places for them; nullopt of any other term.
std::optional<std::vector<CostProduct>> costByFibers(const Statement &statement, const Term &term,
                                                     const Kernel &kernel);

/// How many arithmetic operations one step of a statement's term takes, a multiply-add being two, and those on complex
/// numbers four times as many. Operations that do not depend on the innermost loop are computed outside of it.
double operationsPerStep(const Statement &statement, size_t term, const Kernel &kernel);

/// The tensor whose number of entries a tensor has: it may be a copy, share a pattern, or be a part of a sum, of which
/// that is the first.
TensorId entriesOwner(const KernelHead &kernel, TensorId tensor);

/// A cost in words.
std::string describe(const CostProduct &product, const Kernel &kernel);
std::string describe(const std::vector<CostProduct> &cost, const Kernel &kernel);

/// The numbers that a call's data gives: the size of each extent, and how many entries a tensor has, where that is
/// known before it.
struct CostSizes {
  std::function<double(ExtentId)> extent;
  std::function<std::optional<double>(TensorId)> entries;
};

/// A cost as a number; nullopt where it depends on entries that the call works out.
std::optional<double> evaluate(const std::vector<CostProduct> &cost, const CostSizes &sizes);

} // namespace spc::sema
