// Temporaries that need not be computed apart: inlined where one statement reads them once, or computed only where a
// sparse factor of all that read them has entries.
#include "sema/terms/fuse.h"
#include "format/levels.h"
#include "sema/expression_types.h"
#include "sema/terms/listed_temporaries.h"
#include "sema/terms/masks.h"
#include "sema/terms/places.h"
#include "sema/terms/planning.h"
#include "sema/terms/sparsity.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

namespace spc::sema {
namespace {

/// Nodes at most that are computed at several masks' places in place of an array's.
constexpr size_t kMostCopied = 64;

/// Calls `visit` with the path to each access in a tree.
void forEachPath(const Node &node, std::vector<const Node *> &path,
                 const std::function<void(AccessId, const std::vector<const Node *> &)> &visit) {
  path.push_back(&node);
  if (const auto *access = std::get_if<AccessNode>(&node.kind))
    visit(access->access, path);
  for (const Node *child : children(node))
    forEachPath(*child, path, visit);
  path.pop_back();
}

class Fuser {
public:
  explicit Fuser(Planning &planning) : planning_(planning) {}

  void run() {
    for (size_t producer = 0; producer < planning_.statements.size(); ++producer)
      if (const std::vector<Reader> readers = readersOf(producer);
          (readers.size() == 1 || (!readers.empty() && (isScattered(planning_, statement(producer)) ||
                                                        isSparseBesideWhole(planning_, statement(producer)) ||
                                                        isBesideSparseInEach(planning_, producer, readers)))) &&
          std::all_of(readers.begin(), readers.end(),
                      [&](const Reader &reader) { return mayInline(producer, reader); }))
        std::for_each(readers.begin(), readers.end(), [&](const Reader &reader) { inlineInto(producer, reader); });
    partial_ = partialTemporaries(planning_);
    // Readers first: what they are restricted to, their operands are.
    for (size_t producer = planning_.statements.size(); producer-- > 0;) {
      std::vector<Reader> readers = readersOf(producer);
      std::erase_if(readers, [&](const Reader &reader) { return statement(reader.statement).isFused; });
      if (readers.empty() || statement(producer).isFused)
        continue;
      inlineBesideMasked(producer, readers);
      if (const std::optional<Access> mask = commonMask(producer, readers);
          mask && !hasMask(statement(producer), *mask))
        restrictTo(producer, *mask);
      else if (!mask && isWantedApart(producer, readers))
        std::for_each(readers.begin(), readers.end(), [&](const Reader &reader) { inlineInto(producer, reader); });
    }
  }

private:
  ResolvedStatement &statement(size_t k) { return planning_.statements[k]; }
  const Tensor &tensorOf(size_t producer) const {
    return planning_.kernel.tensors[planning_.statements[producer].target.tensor];
  }
  const Tensor &tensorOf(const Access &access) const { return planning_.kernel.tensors[access.tensor]; }

  /// Those of a temporary that one plain statement writes, with variables as indices; empty where it is none, or where
  /// something else is made of it.
  std::vector<Reader> readersOf(size_t producer) {
    const ResolvedStatement &made = statement(producer);
    const TensorId temporary = made.target.tensor;
    if (!made.isTemporary || made.op != language::AssignOp::Assign || planning_.symbols[temporary].boundBy)
      return {};
    for (const Variable &variable : made.scope.variables)
      if (variable.kind == Variable::Kind::Derived)
        return {};
    std::vector<Reader> readers;
    bool isPlain = true;
    for (size_t k = 0; k < planning_.statements.size(); ++k) {
      const ResolvedStatement &reader = statement(k);
      isPlain = isPlain && (k == producer || reader.target.tensor != temporary);
      std::vector<const Node *> path;
      forEachPath(*reader.value, path, [&](AccessId id, const std::vector<const Node *> &nodes) {
        if (reader.scope.accesses[id].tensor != temporary)
          return;
        isPlain = isPlain && k > producer && isPlainAccess(reader, id) && !isMasked(nodes);
        readers.push_back({k, id, nodes});
      });
    }
    return isPlain ? readers : std::vector<Reader>();
  }

  static bool isPlainAccess(const ResolvedStatement &reader, AccessId id) {
    return !hasDerived(reader.scope.accesses[id], reader.scope);
  }

  /// Whether an access is asked for its pattern.
  static bool isMasked(const std::vector<const Node *> &path) {
    const auto *call = path.size() > 1 ? std::get_if<CallNode>(&path[path.size() - 2]->kind) : nullptr;
    return call && call->function == Function::Pattern;
  }

  /// Whether the reader computes just what the producer would have, as often, and in the same type, or is a product
  /// whose sums may be taken in any order.
  bool mayInline(size_t producer, const Reader &reader) {
    const ResolvedStatement &made = statement(producer), &use = statement(reader.statement);
    if (!mayMove(producer, reader))
      return false;
    if (planning_.contractions.shares && !isBoundSparse(use.target.tensor) && !callsLong(*made.value) &&
        isProductInAddend(planning_, made, reader))
      return true;
    const std::optional<Access> mask = maskOf(reader);
    const bool isSampled = mask && isDenseProduct(made);
    const bool isSampledWhole = isSampled && mask->variables.size() == made.target.variables.size();
    if (!isSampledWhole && isProductWithin(planning_, made, reader))
      return sumsOver(use, reader.access) || isBoundSparse(use.target.tensor) || readsWithin(use, reader) ||
             isSpread(made);
    if (isBoundSparse(use.target.tensor) || !hasNoOtherLoops(use, reader.access) || hasReduction(*made.value))
      return false;
    if (isElementwise(made))
      return mayStandAt(*made.value, reader, use) && mayMeet(made, use, reader.access);
    return !planning_.options.strictFp && !hasSum(*made.value) && isSampled && isAddendsFactor(reader);
  }

  /// Whether what a temporary is made of has the same value and type where the reader is.
  bool mayMove(size_t producer, const Reader &reader) {
    const ResolvedStatement &made = statement(producer), &use = statement(reader.statement);
    const ValueType type = tensorOf(producer).type;
    const std::optional<ValueType> own = typeOf(*made.value, made.scope, planning_.kernel);
    const bool isSum = use.op == language::AssignOp::Assign || use.op == language::AssignOp::Add;
    return own == type && computeTypeOf(planning_.kernel, made) == type &&
           computeTypeOf(planning_.kernel, use) == type && tensorOf(reader.statement).type == type && isSum &&
           !losesExtent(*made.value, made, use, reader) &&
           !isOverwritten(*made.value, made.scope, producer, reader.statement);
  }

  /// Whether the reader's statement has sparse operands without other indices: they may say where it is wanted.
  bool readsWithin(const ResolvedStatement &use, const Reader &reader) const {
    const std::vector<VariableId> &own = use.scope.accesses[reader.access].variables;
    const std::vector<AccessId> accesses = accessesOf(*use.value);
    return std::any_of(accesses.begin(), accesses.end(), [&](AccessId id) {
      const std::vector<VariableId> &others = use.scope.accesses[id].variables;
      return !isDense(id, use.scope) &&
             std::all_of(others.begin(), others.end(), [&](VariableId variable) { return has(own, variable); });
    });
  }

  /// Whether an array for what a temporary holds is larger than all that it is made of.
  bool isSpread(const ResolvedStatement &made) const {
    const Kernel &kernel = planning_.kernel;
    const std::vector<AccessId> accesses = accessesOf(*made.value);
    const double places = placesOf({}, made.target.variables, made.scope, kernel);
    return std::all_of(accesses.begin(), accesses.end(), [&](AccessId id) {
      const Access &access = made.scope.accesses[id];
      const Sparsity sparsity =
          sparsityOf(*makeNode(AccessNode{id}, access.where), tensorOf(access).type, made.scope, kernel);
      return sparsity.domain && placesOf(*sparsity.domain, access.variables, made.scope, kernel) < places;
    });
  }

  /// Whether the temporary is what says how far an index runs that the reader adds up over: nothing else in an addend
  /// has the index.
  static bool losesExtent(const Node &value, const ResolvedStatement &made, const ResolvedStatement &use,
                          const Reader &reader) {
    const std::vector<const Node *> below = children(value);
    if (asSum(value) || std::holds_alternative<NegateNode>(value.kind))
      return std::any_of(below.begin(), below.end(),
                         [&](const Node *addend) { return losesExtent(*addend, made, use, reader); });
    const std::vector<VariableId> &targets = made.target.variables;
    for (size_t dim = 0; dim < targets.size(); ++dim) {
      const VariableId variable = use.scope.accesses[reader.access].variables[dim];
      const bool isNowhere = !indexes(targets[dim], value, made.scope), isRead = readsValue(value, targets[dim]);
      if (!has(use.target.variables, variable) && (isNowhere || (isRead && hasSum(value))) &&
          (isRead || !isIndexedBeside(variable, use, reader)))
        return true;
    }
    return false;
  }

  /// Whether the sparse operand of a producer, of which there is one at most, fits the loops of the reader's operands.
  bool mayMeet(const ResolvedStatement &made, const ResolvedStatement &use, AccessId access) const {
    std::optional<Access> sparse;
    for (AccessId id : accessesOf(*made.value)) {
      if (isDense(id, made.scope))
        continue;
      if (sparse)
        return false;
      sparse = made.scope.accesses[id];
    }
    const std::vector<AccessId> others = accessesOf(*use.value);
    return !sparse || std::all_of(others.begin(), others.end(), [&](AccessId id) {
      return id == access || isDense(id, use.scope) ||
             (use.scope.accesses[id].tensor == sparse->tensor && format::isElementwise(tensorOf(*sparse).format));
    });
  }

  /// An output that is to be stored as entries: what it stores follows from what the temporary does.
  bool isBoundSparse(TensorId target) const {
    return planning_.symbols[target].boundBy && !planning_.kernel.tensors[target].format.isDense();
  }

  bool isDense(AccessId id, const Scope &scope) const { return tensorOf(scope.accesses[id]).format.isDense(); }

  bool isDenseProduct(const ResolvedStatement &made) const {
    const std::vector<AccessId> accesses = accessesOf(*made.value);
    return std::all_of(accesses.begin(), accesses.end(), [&](AccessId id) { return isDense(id, made.scope); });
  }

  /// Whether something that the producer reads is written before, or by, the reader.
  bool isOverwritten(const Node &value, const Scope &scope, size_t producer, size_t reader) {
    for (AccessId id : accessesOf(value))
      for (size_t k = producer; k <= reader; ++k)
        if (statement(k).target.tensor == scope.accesses[id].tensor)
          return true;
    return false;
  }

  /// Whether the access has all variables of its statement: it is then read once for each of its elements.
  static bool hasNoOtherLoops(const ResolvedStatement &use, AccessId access) {
    const std::vector<VariableId> &own = use.scope.accesses[access].variables;
    for (VariableId id : use.scope.variables.ids()) {
      const bool isUsed = use.scope.variables[id].kind == Variable::Kind::Target || occurs(id, *use.value, use.scope);
      if (isUsed && !has(own, id))
        return false;
    }
    return true;
  }

  /// An elementwise value in the temporary's place: it is neither multiplied out, nor summed addend by addend.
  static bool mayStandAt(const Node &value, const Reader &reader, const ResolvedStatement &use) {
    const bool isSummed = std::any_of(use.scope.variables.begin(), use.scope.variables.end(),
                                      [](const Variable &v) { return v.kind == Variable::Kind::Implicit; });
    for (size_t k = 0; k + 1 < reader.path.size(); ++k) {
      if (std::holds_alternative<CallNode>(reader.path[k]->kind))
        return true; // an argument is computed as it is
      const auto *binary = std::get_if<BinaryNode>(&reader.path[k]->kind);
      if (!binary || asSum(*reader.path[k]))
        continue;
      const Node &other = binary->left.get() == reader.path[k + 1] ? *binary->right : *binary->left;
      if (hasSum(value) || hasSum(other))
        return false;
    }
    return !isSummed || !hasSum(value);
  }

  /// The sparse factor beside a reader that has some of its indices and no others, by the reader's variables; nullopt
  /// where there is none.
  std::optional<Access> maskOf(const Reader &reader) {
    const Scope &scope = statement(reader.statement).scope;
    std::optional<Access> mask;
    for (size_t k = reader.path.size() - 1; k-- > 0;) {
      const Node &node = *reader.path[k];
      const auto *binary = std::get_if<BinaryNode>(&node.kind);
      if (asSum(node) || std::holds_alternative<NegateNode>(node.kind))
        continue;
      const bool isFactor = binary && (binary->op == BinaryOp::Mul || binary->left.get() == reader.path[k + 1]);
      if (!isFactor)
        return std::nullopt;
      const Node &other = binary->left.get() == reader.path[k + 1] ? *binary->right : *binary->left;
      if (hasSum(other))
        return std::nullopt;
      if (binary->op == BinaryOp::Mul && !mask)
        mask = maskIn(other, computeTypeOf(planning_.kernel, statement(reader.statement)),
                      scope.accesses[reader.access].variables, scope, planning_);
    }
    return mask;
  }

  /// Whether a temporary is made of others, and all of these are products with the mask, at its own places.
  bool hasMask(const ResolvedStatement &made, const Access &mask) const {
    const std::vector<AccessId> accesses = accessesOf(*made.value);
    return !accesses.empty() && std::all_of(accesses.begin(), accesses.end(), [&](AccessId id) {
      const Access &access = made.scope.accesses[id];
      const auto other = std::find_if(planning_.statements.begin(), planning_.statements.end(),
                                      [&](const auto &each) { return each.target.tensor == access.tensor; });
      if (other == planning_.statements.end() || !other->isTemporary)
        return false;
      const std::vector<VariableId> &variables = other->target.variables;
      const std::optional<Access> own =
          maskIn(*other->value, computeTypeOf(planning_.kernel, *other), variables, other->scope, planning_);
      if (!own || own->tensor != mask.tensor)
        return false;
      std::vector<VariableId> here;
      for (VariableId variable : own->variables)
        here.push_back(access.variables[placeOf(variable, variables)]);
      return here == mask.variables;
    });
  }

  /// The sparse factor of all readers of a temporary that is an array, in the producer's variables. It saves what lies
  /// elsewhere.
  std::optional<Access> commonMask(size_t producer, const std::vector<Reader> &readers) {
    const ResolvedStatement &made = statement(producer);
    const bool isArray = isMadeOfWhole(made, partial_, planning_) || isArrayOfSparse(made, planning_);
    if (!isArray || !mayBeRestricted(made))
      return std::nullopt;
    std::optional<Access> common;
    for (const Reader &reader : readers) {
      const Scope &scope = statement(reader.statement).scope;
      const std::optional<Access> mask = wantedWhere(reader, planning_);
      if (!mask)
        return std::nullopt;
      const std::vector<VariableId> &indices = scope.accesses[reader.access].variables;
      Access inProducer{mask->tensor, {}, {}, mask->where};
      for (VariableId variable : mask->variables)
        inProducer.variables.push_back(made.target.variables[placeOf(variable, indices)]);
      if (common && (common->tensor != inProducer.tensor || common->variables != inProducer.variables))
        return std::nullopt;
      common = inProducer;
    }
    const bool isThere = common && !isMadeOfComputed(*common, planning_);
    return isThere && mayAskForPattern(*common, readers.front()) ? common : std::nullopt;
  }

  /// Whether a mask has just its entries, or will have in a copy of it.
  bool mayAskForPattern(const Access &mask, const Reader &reader) {
    const format::Format &format = tensorOf(mask).format;
    return (format::isElementwise(format) && !format::hasPadding(format)) ||
           planning_.copies.ask(planning_.kernel, mask.tensor, statement(reader.statement).target.tensor, mask.where);
  }

  /// Takes the readers from `readers` that are products with all of a temporary, if the others want it at the places of
  /// a mask alone: its value stands there too, so that sums are taken in the best order, and is computed where it is
  /// wanted.
  void inlineBesideMasked(size_t producer, std::vector<Reader> &readers) {
    const ResolvedStatement &made = statement(producer);
    const auto whole = std::stable_partition(readers.begin(), readers.end(), [&](const Reader &reader) {
      return wantedWhere(reader, planning_).has_value();
    });
    const std::vector<Reader> masked(readers.begin(), whole), products(whole, readers.end());
    const bool areInline = std::all_of(products.begin(), products.end(), [&](const Reader &reader) {
      return isProductWithin(planning_, made, reader) && mayInline(producer, reader);
    });
    if (masked.empty() || products.empty() || !areInline || !commonMask(producer, masked))
      return;
    for (const Reader &reader : products)
      putInPlace(made, statement(reader.statement), reader.access, const_cast<Node &>(*reader.path.back()));
    readers = masked;
  }

  /// Whether an array of two or more dimensions is wanted at the places of masks alone, of several: it is computed
  /// where each wants it, sums of dense operands too. What is large is not, as what it is made of might be as often
  /// again.
  bool isWantedApart(size_t producer, const std::vector<Reader> &readers) {
    const ResolvedStatement &made = statement(producer);
    const bool hasSums = !isElementwise(made) || hasReduction(*made.value);
    const bool isSampled =
        hasSums && planning_.mayReorderSums() && isDenseProduct(made) && !hasOtherReduction(*made.value);
    return made.target.variables.size() > 1 && isMadeOfWhole(made, partial_, planning_) &&
           countOf(*made.value) * readers.size() <= kMostCopied &&
           std::all_of(readers.begin(), readers.end(), [&](const Reader &reader) {
             const std::optional<Access> mask = wantedWhere(reader, planning_);
             return mask &&
                    (mayInline(producer, reader) ||
                     (isSampled && mask->variables.size() == made.target.variables.size() &&
                      mayMove(producer, reader) && mayStandAt(*made.value, reader, statement(reader.statement))));
           });
  }

  /// The nodes of a tree.
  static size_t countOf(const Node &node) {
    size_t count = 1;
    for (const Node *child : children(node))
      count += countOf(*child);
    return count;
  }

  void restrictTo(size_t producer, const Access &mask) {
    ResolvedStatement &made = statement(producer);
    planning_.kernel.tensors[made.target.tensor].role = Temporary{.isRestricted = true};
    multiplyByPattern(made, mask, planning_.kernel);
  }

  void inlineInto(size_t producer, const Reader &reader) {
    ResolvedStatement &made = statement(producer), &use = statement(reader.statement);
    // The tree is the statement's own; only the path to the place is a view of it.
    putInPlace(made, use, reader.access, const_cast<Node &>(*reader.path.back()));
    made.isFused = true;
    Tensor &temporary = planning_.kernel.tensors[made.target.tensor];
    temporary.role = Fused{use.target.tensor};
    temporary.fill = sparsityOf(*made.value, temporary.type, made.scope, planning_.kernel).fill.value_or(0);
  }

  Planning &planning_;
  std::set<TensorId> partial_; ///< once temporaries stand where they are computed
};

} // namespace

void fuseTemporaries(Planning &planning) {
  Fuser(planning).run();
}

} // namespace spc::sema
