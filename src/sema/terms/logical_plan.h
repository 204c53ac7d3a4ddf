// The logical plan: statements whose sums are placed, before loop orders are chosen. Private to this folder.
#pragma once

#include "sema/terms/planning.h"

#include <memory>

namespace spc::sema {

inline constexpr size_t kMaxTerms = 256; ///< of a statement

/// A term before its sums were taken one before another.
struct WrittenTerm {
  NodePtr expr;
  std::vector<VariableId> reductions;
};

/// One addend of a statement, whose loops have no order yet.
struct LogicalTerm {
  NodePtr expr;                       ///< without sum() nodes
  std::vector<VariableId> reductions; ///< summed over, whether they occur in `expr` or not
  bool overwrites = false;
  Span where;
  /// The term multiplied out, empty where that is long: set where its sums are computed as they are written, though
  /// multiplied out it would cost an order less.
  std::optional<std::string> multipliedOut = std::nullopt;
  std::shared_ptr<const WrittenTerm> written = nullptr; ///< what it was, if some of its sums are now temporaries
  std::vector<VariableId> partSums = {};                ///< that parts which it reads are summed over
  NodePtr toldBy = nullptr; ///< where it has entries, if that is told beside some of these temporaries
  /// A sum() that is multiplied or divided, with all that it is scaled by in each term: right where loops go by rows,
  /// as spc-factor-reductions scales the row's sum there.
  bool isScaledSum = false;
};

/// The same term, without what it was before.
LogicalTerm copyOf(const LogicalTerm &term);

/// Adds a term to another one, in one nest: a negative one is subtracted. What was summed in parts counts where it was
/// in those of both.
void addTo(LogicalTerm &sum, LogicalTerm term, const Scope &scope);

/// A statement of the source, or the computation of a temporary that one of its sums needs.
struct LogicalStatement {
  size_t statement = 0; ///< whose scope the variables and accesses belong to
  TensorId target;
  std::vector<VariableId> targetVariables;
  bool accumulates = false; ///< `+=`
  bool zeroFirst = false;
  Reduction reduction = Reduction::Sum;          ///< of another one there is one term
  std::optional<VariableId> rank = std::nullopt; ///< of a ranking, whose term is an access of what is ranked
  bool isApart = false;                          ///< a sum that is a product's factor beside another one
  bool asksForEntries = false;                   ///< it matters whether any term has an entry
  bool isPart = false;                           ///< part of a product, computed before the rest to save steps
  bool isPicked = false;                         ///< entries of one operand at constants, or where indices are equal
  bool choosesEntries = false; ///< values are chosen to be 0 where it is told that entries are missing
  double targetDefault = 0;    ///< target default: the value of places where no term is computed
  ValueType computeType = ValueType::F64;
  std::vector<LogicalTerm> terms;
  Span where;
};

/// The statements that one source statement becomes: its temporaries' computations in order, then perhaps a copy, then
/// itself.
struct Expansion {
  std::vector<LogicalStatement> temporaries;
  std::optional<Copy> copyOfTarget;
  LogicalStatement main;
};

/// Splits the right side of statement number `statement` into terms. Temporaries go to `kernel`, new accesses to
/// `scope` (the planning's own, or copies of them where the expansion is a trial).
Expansion expandTerms(const Planning &planning, size_t statement, Kernel &kernel, Scope &scope,
                      Diagnostics &diagnostics);

/// A new dense temporary with the extents of `variables`, and its access with them.
AccessId addTemporary(Kernel &kernel, Scope &scope, const std::vector<VariableId> &variables, ValueType type,
                      Span where);

/// The operand whose pattern a statement's target keeps, and how their dimensions correspond. Dimensions that the
/// operand lacks are stored densely for each of its entries.
struct KeptPattern {
  TensorId source;
  std::vector<int> targetDimension; ///< by dimension of the source
  bool operator==(const KeptPattern &) const = default;
};

/// Why a target keeps no operand's pattern.
struct PatternLoss {
  Span where;
  std::string reason;
  std::optional<TensorId> byStorage = std::nullopt; ///< the operand, were it stored otherwise, whose pattern would be
                                                    ///< kept
};

/// The pattern of an operand, for a target with these variables, the operand's among them.
KeptPattern patternOf(const Access &operand, const std::vector<VariableId> &targetVariables);

/// What a target may store besides the entries that a product of sparse factors has.
enum class Stores {
  Entries, ///< nothing
  /// Zeros where the one factor has an entry that is not summed over, whatever the others have: a mask's pattern.
  Mask,
};

/// Decides it by the terms as they are written, whichever of their sums are taken first.
std::variant<KeptPattern, PatternLoss> findKeptPattern(const LogicalStatement &logical, Stores stores,
                                                       const Scope &scope, const Kernel &kernel);

/// The format of a target of some order that keeps an operand's pattern.
format::Format formatFrom(const Kernel &kernel, const KeptPattern &pattern, int order);

/// The same for a target that is built from entries. Coordinates with a tail are a temporary's alone, as callers have
/// no such format: rows are listed in their place.
format::Format assembledFrom(const Kernel &kernel, const KeptPattern &pattern, int order);

/// The pattern that the first statement of a target keeps, where the later ones that write it keep that too.
std::variant<KeptPattern, PatternLoss> keptByAll(const Planning &planning, const LogicalStatement &logical,
                                                 Stores stores, std::variant<KeptPattern, PatternLoss> pattern);

/// Decides the format of the statement's target, where no earlier statement writes it: whether a sparse target shares
/// an operand's pattern or is assembled, and what its missing entries are.
void inferOutputFormat(Planning &planning, LogicalStatement &logical);

/// Warns of temporaries that the source does not name, which are dense, where sparse operands say which elements they
/// have, or would say it of the target. To be called when the target's format is decided.
void warnOfDenseTemporaries(Planning &planning, const Expansion &expansion);

/// Warns of dense temporaries of dense operands that are computed at every element, though all that reads them wants
/// them where sparse operands have entries.
void warnOfUnmasked(Planning &planning, const std::vector<Expansion> &expansions);

/// Warns of products of sums that are computed as they are written, at more places than they would need multiplied out.
void warnOfWholeSums(Planning &planning, const Expansion &expansion);

/// Adds up terms of a statement that one nest of loops computes as well: those that are one number for each element of
/// a dense target, and products of the same sparse operands. Strict arithmetic keeps them apart.
void joinTerms(Planning &planning, LogicalStatement &logical);

/// Makes a statement that reads its own target right: in place where possible, else through a copy.
/// Also decides which term overwrites the target and whether it is set to zero first.
void orderTerms(Planning &planning, Expansion &expansion);

/// Turns each term with a symmetric operand into one that reads the stored entries as they are and one that reads their
/// mirror images, unless the target keeps the symmetric pattern; each term with an operand stored as a sum into one a
/// part, whose tensors take the whole's place. Reports operands that are not linear where they must be.
void splitOperands(Planning &planning, std::vector<Expansion> &expansions);

/// Chooses every loop order and writes the steps of the kernel.
void planLoops(Planning &planning, const std::vector<Expansion> &expansions);

} // namespace spc::sema
