// Addends of the derivative's statements, made of factors. Private to this folder.
#pragma once

#include "grad/partials.h"

namespace spc::grad {

struct Addend {
  ExprPtr value;
  double coefficient = 1;
};

/// The entries in which alone an addend counts: those of a sparse tensor. Nothing where `owner` is empty.
struct Mask {
  std::string owner;
  std::vector<std::string> indices;
};

/// What an addend is the product of, and what is summed.
struct AddendParts {
  Mask mask;
  const Partial &partial;
  std::vector<ExprPtr> last;       ///< factors behind the partial derivative
  std::vector<std::string> target; ///< the index variables of the left side
  std::vector<std::string> summed; ///< variables over which it is summed
  ExprPtr place = nullptr;         ///< where alone it counts: what a window reads is added there
  bool isInner = false;            ///< it stands within a factor, where every sum is written out
};

/// Makes the addends of one derivative.
class AddendWriter {
public:
  /// `patterns`: the tensors besides those of the program that are sparse, with the owners of their patterns.
  /// `seeds`: those whose entries the caller chooses.
  AddendWriter(Program &program, const std::map<std::string, std::string> &patterns, const std::set<std::string> &seeds)
      : program_(program), patterns_(patterns), seeds_(seeds) {}

  /// The product, with a factor for summed variables that nothing in it has. Sums are written out where the language
  /// would not know how far they reach.
  Addend write(AddendParts parts, const Statement &statement) const;

  /// A seed alone, with the mask as a factor; anything else as it is.
  ExprPtr masked(ExprPtr value, const Mask &mask) const;

  /// Whether a factor is 0 wherever the mask's owner stores no entry.
  bool isWithin(const Expr &factor, const Mask &mask) const;

  /// Whether an expression reads a sparse tensor with other entries than the mask's owner, or at other places.
  bool readsOthers(const Expr &expr, const Mask &mask, bool isDivisor = false) const;

  /// The tensor whose entries a temporary has that nothing binds to a format: empty where it is dense, itself where it
  /// may be sparse and it is not known like what.
  std::string inferredOwner(const std::string &name, const Statement &statement) const;

private:
  /// The tensor whose entries a tensor has; empty of dense ones.
  std::string ownerOf(const std::string &tensor) const;

  /// Drops factors pattern(A(i,j)) beside others that have the very entries of A.
  void dropPatterns(std::vector<ExprPtr> &factors) const;

  /// Whether an expression, a product or a sum over one, is 0 wherever the mask's owner stores no entry.
  bool hasFactorWithin(const Expr &expr, const Mask &mask) const;

  Program &program_;
  const std::map<std::string, std::string> &patterns_;
  const std::set<std::string> &seeds_;
  mutable std::map<std::string, std::string> inferred_; ///< by tensor of the program that has no format of its own
};

/// The right side that adds them up. Requires: at least one.
ExprPtr sumOf(std::vector<Addend> addends);

} // namespace spc::grad
