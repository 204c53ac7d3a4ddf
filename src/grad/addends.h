// Addends of the derivative's statements, made of factors. Private to this folder.
#pragma once

#include "grad/partials.h"

#include <map>

namespace spc::grad {

struct Addend {
  NodePtr value;
  double coefficient = 1;
};

/// The entries in which alone an addend counts: those of a sparse tensor. All count where there is no owner.
struct Mask {
  std::optional<TensorId> owner;
  Variables indices;
};

/// What an addend is the product of, and what is summed.
struct AddendParts {
  Mask mask;
  const Partial &partial;
  std::vector<NodePtr> last; ///< factors behind the partial derivative
  Variables target;          ///< the index variables of the left side
  Variables summed;          ///< variables over which it is summed
  NodePtr place = nullptr;   ///< where alone it counts: what a window reads is added there
  bool isInner = false;      ///< it stands within a factor, where every sum is written out
};

/// Makes the addends of one derivative.
class AddendWriter {
public:
  explicit AddendWriter(Program &program) : program_(program) {}

  /// The product, with a factor for summed variables that nothing in it has. Sums are written out where the language
  /// would not know how far they reach.
  Addend write(AddendParts parts, const Statement &statement) const;

  /// A seed alone, with the mask as a factor; anything else as it is.
  NodePtr masked(NodePtr value, const Mask &mask) const;

  /// Whether a factor is 0 wherever the mask's owner stores no entry.
  bool isWithin(const Node &factor, const Mask &mask) const;

  /// Whether an expression reads a sparse tensor with other entries than the mask's owner, or at other places.
  bool readsOthers(const Node &expr, const Mask &mask, bool isDivisor = false) const;

  /// The tensor whose entries the one that a statement makes has where nothing binds it to a format: none where it is
  /// dense, itself where it may be sparse and it is not known like what.
  std::optional<TensorId> inferredOwner(const Statement &statement) const;

private:
  /// The tensor whose entries a tensor has; none of dense ones.
  std::optional<TensorId> ownerOf(TensorId tensor) const;

  /// Whether a node reads a seed.
  bool isSeed(const Node &node) const;

  /// Whether a factor is read where it has no entries, too: what is missing of it is no 0.
  bool isFilled(const Node &factor) const;
  /// Drops factors pattern(A(i,j)) beside others that have the very entries of A.
  void dropPatterns(std::vector<NodePtr> &factors) const;

  /// Whether an expression, a product or a sum over one, is 0 wherever the mask's owner stores no entry.
  bool hasFactorWithin(const Node &expr, const Mask &mask) const;

  Program &program_;
  /// The owners that were inferred for tensors of the program without a format of their own.
  mutable std::map<TensorId, std::optional<TensorId>> inferred_;
};

/// The right side that adds them up. Requires: at least one.
NodePtr sumOf(std::vector<Addend> addends);

} // namespace spc::grad
