// Right sides to terms. Private to this folder.
#pragma once

#include "sema/terms/contraction.h"
#include "sema/terms/distribution.h"
#include "sema/terms/domains.h"
#include "sema/terms/logical_plan.h"
#include "sema/terms/products.h"

#include <map>
#include <optional>
#include <set>
#include <string>

namespace spc::sema {

/// Whether a tree has conditional entries, where(...), at any depth.
bool holdsWhere(const Node &node);

/// Whether a sum(...) is part of a product or of a sum of some, or of a conditional entry in one, outside of other
/// functions and divisors.
bool holdsSum(const Node &node);

/// Splits one statement's right side: addends become terms, sums that hold a sparse operand fall into their addends
/// where that is said to be right (terms/distribution.h), a sum() that is a product's only sum joins the term's
/// reductions, and any other one becomes a temporary.
class Expander {
public:
  Expander(const Planning &planning, size_t statement, Kernel &kernel, Scope &scope, Diagnostics &diagnostics);

  Expansion expand(const ResolvedStatement &statement);

private:
  // Nested: below an addition, or below any operator where source rounding must be kept; a sum() there is a temporary.
  enum class Place { Factor, Nested };

  /// The sum() nodes of a product that are computed apart: all, or those that are addends of its factors.
  enum class WhichSums { All, Addends };

  /// A sum that is computed apart: which one, and where a mask has entries, as textOf() says it, whether it is asked if
  /// any entry takes part in it, and what stands for it.
  struct SumApart {
    std::string text;
    std::vector<VariableId> variables;
    bool asksForPresence;
    AccessId value;
  };

  /// A part of a product that is computed apart, and what tells whether it has entries.
  struct PartPresence {
    TensorId tensor;
    std::vector<size_t> places; ///< of its variables among the part's
  };
  /// The computation of what tells whether any entry takes part in a sum, where a mask has entries if there is one.
  struct PresenceAsked {
    LogicalStatement statement;
    std::optional<AccessId> mask;
  };
  struct PartApart {
    TensorId value;
    std::vector<size_t> layout; ///< its dimensions, as places among the variables by which it is known
    std::optional<PartPresence> presence;
    std::optional<TensorId> marked; ///< a copy of the value that tells itself where it is missing
  };

  /// What is reduced where ties of index variables hold, and its value there.
  struct TiedBody {
    std::vector<AccessId> ties;
    const Node *value;
  };

  // The statement (expand_terms.cpp).
  void addValue(language::AssignOp op, const Node &value, LogicalStatement &logical);
  void takeIn(Reduction kind, const Node &value, LogicalStatement &logical);
  bool isWhole(const Node &value, const LogicalStatement &logical) const;
  void addWhole(const Node &value, LogicalStatement &logical);
  void addTerms(const Addend &addend, LogicalStatement &logical);
  void checkIndexValues(const Node &node, const Node &term, const LogicalStatement &logical);
  bool isTakenIn(const ReduceNode &reduction, const LogicalStatement &logical) const;
  bool isOverTarget(const Node &node, const LogicalStatement &logical) const;
  void setReduction(const ReduceNode &reduction, Span where, LogicalStatement &logical);
  void setRanking(const ReduceNode &ranking, Span where, LogicalStatement &logical);

  /// Where a conditional entry stands: an addend of the statement, or of a sum that is one; a factor; or what is a
  /// number as any other.
  enum class EntryPlace { Addend, Summand, Factor, Number };

  // Conditional entries (expand_conditions.cpp).
  NodePtr withoutWheres(const Node &node, EntryPlace place);
  NodePtr factorsOf(const Node &node, NodePtr *condition);
  double fillOf(const Node &node) const;
  NodePtr conditionIn(const CallNode &where);
  NodePtr chosen(NodePtr condition, NodePtr value, double otherwise) const;
  NodePtr conditional(const CallNode &call, EntryPlace place);
  NodePtr ofNumbers(const CallNode &call, Span where);
  NodePtr entryWhere(NodePtr condition, NodePtr value, double fill, EntryPlace place);
  static bool listsPlaces(const Node &node, EntryPlace place);
  NodePtr summedApart(NodePtr value, const Node &condition);
  std::vector<VariableId> listedBy(const std::vector<VariableId> &asked, const Node &value) const;
  bool sortList(std::vector<VariableId> &variables, const Node &value) const;
  AccessId listWhere(const Node &condition, const Node &value);
  NodePtr allAlong(VariableId variable, AccessId condition);

  // Where functions of conditional entries have entries (expand_presence.cpp).

  /// A condition that holds where a value has an entry; null: always. nullopt: it has none anywhere.
  using Presence = std::optional<NodePtr>;
  NodePtr presenceOfCall(const Node &call);
  Presence presenceIn(const Node &node, const AccessDomain &whole);
  Presence presenceIn(const CallNode &call, const AccessDomain &whole);
  Presence presenceIn(const BinaryNode &binary, const AccessDomain &whole);
  Presence presenceOfEntry(const CallNode &where, const AccessDomain &whole);
  Presence either(Presence a, Presence b) const;
  Presence each(Presence a, Presence b) const;

  // What a sparse target takes in (expand_taken_in.cpp).
  NodePtr withListed(const Node &value);
  NodePtr withListedSums(const Node &node);
  NodePtr withExtreme(const CallNode &call, const ReduceNode &reduction, Span where);
  NodePtr listedExtreme(const ReduceNode &reduction, Span where);
  AccessId countOf(LogicalStatement logical, const std::vector<VariableId> &variables, NodePtr condition);
  NodePtr tiedPlaces(const TiedBody &body, std::vector<VariableId> variables, Span where);
  TiedBody tiedBody(const Node &body) const;
  bool collectTies(const Node &condition, std::vector<AccessId> &ties) const;
  LogicalStatement listedStatement(const ReduceNode &reduction, Span where);
  void sortByTarget(std::vector<VariableId> &variables) const;
  AccessId addListed(LogicalStatement logical);

  // Products of sums (expand_products.cpp): what an addend of `logical`, or a factor of one, becomes.
  Products multiplyOut(const Node &node, Place place, const LogicalStatement &logical);
  Products productOf(const Node &node, Place place, const LogicalStatement &logical);
  bool mayJoin(const Node &product, const SumFactors &factors, const LogicalStatement &logical) const;
  bool joinsSums(const SumFactors &factors) const;
  bool isScaledAfterwards(const Node &product, const LogicalStatement &logical) const;
  Products joined(const Node &node, Place place, const LogicalStatement &logical);
  std::optional<Products> besideWhole(const Node &node, const SumFactors &factors, const LogicalStatement &logical);
  std::optional<Products> sampledByAddend(const Node &node, const SumFactors &factors, const LogicalStatement &logical);
  EntryPlace placeIn(const LogicalStatement &logical) const {
    return &logical == main_ ? EntryPlace::Factor : EntryPlace::Number;
  }
  const Node *sumToOpen(const Node &product, const LogicalStatement &logical) const;
  Products eachAddend(const Node &node, const Node &sum, const LogicalStatement &logical);
  Products guardedEach(Products products, const LogicalStatement &logical);
  Products withSumsApart(const Node &product, Place place, const LogicalStatement &logical);
  Products opened(const Node &node, Place place, const LogicalStatement &logical);
  Products openedAddend(const Node &node, const LogicalStatement &logical);
  Products openedFactor(const Node &node, Place place, const LogicalStatement &logical);
  Products multiplied(Products left, Products right, Span where);
  Products divided(Products numerators, const Node &divisor, Span where);
  Products whole(const Node &node, bool isCostly);
  bool isExact() const;
  ValueType typeOfTemporary(const Node &value) const;
  bool isTrusted() const;
  bool isTargetDense(const LogicalStatement &logical) const;

  // Sums that are taken before others (expand_contractions.cpp).
  struct Factors;
  void contract(LogicalTerm &term, const LogicalStatement &logical);
  void collectFactors(const Node &node, bool isDivisor, Factors &factors) const;
  bool mayContract(const Factors &factors, const LogicalTerm &term) const;
  ContractedProduct contractedProduct(const Factors &factors, const LogicalTerm &term,
                                      const LogicalStatement &logical) const;
  bool mayTakePattern(AccessId mask, const LogicalStatement &logical) const;
  bool willShare(const Factors &factors, const LogicalStatement &logical) const;
  static std::optional<AccessId> operandOf(const Node &factor);
  NodePtr nestOf(const Contraction &plan, const Factors &factors, bool asks);
  LogicalStatement partStatement(std::vector<VariableId> variables, ValueType type, Span where) const;
  AccessId partOf(const Contraction &plan, const Factors &factors, bool asks);
  AccessId withPresence(PartApart &part, AccessId value, NodePtr condition, const Contraction &plan);
  TensorId addMarked(AccessId value, AccessId presence);
  NodePtr withFactors(const Node &node, const std::vector<const Node *> &kept) const;
  bool isAlwaysZero(const Contraction &part, const Contraction &nest, const Factors &factors) const;
  bool isImplied(const Contraction &part, const Contraction &nest, const Factors &factors) const;
  std::vector<VariableId> inOrderOf(const Node &product, const std::vector<VariableId> &variables,
                                    const std::vector<VariableId> &wanted) const;
  std::vector<VariableId> asStored(const Node &product, std::vector<VariableId> variables) const;
  std::string textOf(const Node &value, const std::vector<VariableId> &variables,
                     const std::optional<AccessId> &mask) const;
  bool hasDenseRoot(const Node &product, VariableId variable) const;

  // Temporaries that are computed before the statement (expand_temporaries.cpp).
  NodePtr withTemporaries(const Node &node);
  NodePtr callWithTemporaries(const CallNode &call, const Node &node);
  AccessId pickedFrom(AccessId id, Span where);
  bool isElementwise(const LogicalStatement &logical) const;
  NodePtr temporaryFor(const Node &sum);
  NodePtr groupApart(const Node &group, const LogicalStatement &outer);
  bool mayBeTemporary(const Node &sum, const std::vector<VariableId> &variables);
  LogicalStatement statementFor(const Node &sum);
  NodePtr addTemporaryStatement(LogicalStatement logical);

  // Sparse factors, which say where the rest of their product is wanted (expand_masks.cpp).

  /// Adds the masks of a product for a while, or those where an argument of a call is wanted, or has one alone, or
  /// none.
  class ScopedMasks {
  public:
    ScopedMasks(Expander &expander, const Node &product);
    ScopedMasks(Expander &expander, const MaybeDomain &domain);
    ScopedMasks(Expander &expander, std::optional<AccessId> only);
    ~ScopedMasks();
    ScopedMasks(const ScopedMasks &) = delete;
    ScopedMasks &operator=(const ScopedMasks &) = delete;

  private:
    Expander &expander_;
    std::vector<AccessId> outer_;
  };
  bool mayMask(AccessId access) const;
  void collectMasks(const Node &product, std::vector<AccessId> &masks) const;
  void addMask(AccessId operand, std::vector<AccessId> &masks) const;
  MaybeDomain wantedIn(const CallNode &call, size_t argument, ValueType type) const;
  void addMasksIn(const MaybeDomain &domain, std::vector<AccessId> &masks) const;
  bool readsElsewhere(const Node &node, AccessId mask) const;
  bool isHardToWalk(const Node &sum, AccessId mask) const;
  std::optional<AccessId> maskFor(const std::vector<VariableId> &variables, const Node &sum) const;
  void restrictTo(AccessId mask, LogicalStatement &logical);

  // Sums beside others in a product (expand_factors.cpp).
  NodePtr sumsApart(const Node &node, const Node &product, WhichSums which);
  bool tellsEntries() const;
  NodePtr addendsApart(const Node &product);
  bool mayUndoZero(const Node &product) const;
  std::optional<SumApart> knownSum(const SumApart &apart);
  SumApart sumApart(const Node &sum, const Node &product);
  std::vector<VariableId> sumsOfFactors(const Node &product) const;
  bool isAlongColumns(const LogicalStatement &sum, const Node &product) const;
  AccessId addSumApart(LogicalStatement logical, const std::optional<AccessId> &mask, bool isListed);
  std::optional<LogicalStatement> presenceOf(const LogicalStatement &logical) const;
  bool isTold(const Node &value) const;
  NodePtr both(NodePtr a, NodePtr b) const;
  AccessId presenceAt(AccessId value);
  bool isPartial(const Node &value) const;
  NodePtr conditionOf(const Node &value);
  NodePtr guarded(NodePtr value, EntryPlace place = EntryPlace::Number);
  NodePtr presentWhere(NodePtr condition, NodePtr product);
  bool isListShort(const Node &condition, const Node &product) const;
  NodePtr guardedBeforeParts(const Node &product);
  NodePtr listedWherePartsAre(const Node &nest);
  NodePtr guardedFactors(const Node &product, NodePtr &condition);

  bool isSparse(AccessId access) const { return !kernel_.tensors[scope_.accesses[access].tensor].format.isDense(); }
  std::optional<Span> sparseOperand(const Node &node) const;
  void refuseSize(Span where, size_t count);

  /// Says for a while whether what is looked at is an argument.
  class ScopedArgument {
  public:
    ScopedArgument(Expander &expander, bool isArgument) : flag_(expander.isArgument_), outer_(flag_) {
      flag_ = isArgument;
    }
    ~ScopedArgument() { flag_ = outer_; }
    ScopedArgument(const ScopedArgument &) = delete;
    ScopedArgument &operator=(const ScopedArgument &) = delete;

  private:
    bool &flag_;
    bool outer_;
  };

  const Options &options_;
  CopyRequests &copies_;
  Contractions &contractions_;
  size_t statement_;
  Kernel &kernel_;
  Scope &scope_;
  Diagnostics &diagnostics_;
  const bool
      takesParts_; ///< sums of a product may be taken one before another: nobody has said in which order loops run
  const bool listsWheres_;  ///< the target lists its entries, conditional ones where they are
  const bool isGivenDense_; ///< the target is bound to a dense format: it keeps no operand's pattern
  const bool isStandIn_;    ///< the target is one: what it holds before does not matter
  ValueType computeType_;   ///< of what is looked at
  const LogicalStatement *main_ = nullptr;
  bool isArgument_ = false;     ///< what is looked at is a function's argument or a divisor: a sum is a number there
  bool choosesEntries_ = false; ///< LogicalStatement::choosesEntries
  bool mayList_ = false;        ///< a sum that is looked at is listed if it may lack entries
  std::vector<LogicalStatement> temporaries_;
  std::map<AccessId, AccessId> picked_;         ///< sparse accesses with derived indices: what stands for them
  std::map<std::string, PartApart> partsApart_; ///< by what they compute
  std::vector<const Node *> keptSums_;          ///< that stay factors where others fall into their addends
  std::vector<AccessId> masks_;                 ///< of the products around what is looked at
  std::vector<SumApart> sumsApart_;
  bool mayFillColumns_ = false; ///< sums that are looked at may be arrays along the columns of what lists its entries
  std::set<AccessId> columns_;  ///< what stands for these
  std::map<AccessId, std::vector<VariableId>> summedApart_; ///< what stands for sums: over which variables these are
  std::set<AccessId> marked_;              ///< what stands for sums and tells itself whether any entry takes part
  std::map<AccessId, AccessId> presences_; ///< what stands for a sum: what tells whether any entry takes part in it
  std::map<AccessId, PresenceAsked> presencesAsked_; ///< the same, to be computed once it is read
};

} // namespace spc::sema
