// Temporaries that are read at held indices, in the place of their readers: `let d(i,j) = sum(k, abs(x(i,k) - x(j,k)))`
// makes no matrix where `y(e) = exp(d(p(e),q(e)))` alone reads it. Each operand is gathered as the temporary was.
#include "sema/estimates.h"
#include "sema/expression_types.h"
#include "sema/renaming.h"
#include "sema/simplify.h"
#include "sema/ties/gathers.h"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>
#include <vector>

namespace spc::sema {
namespace {

/// Whether a tree has what is no arithmetic on elements alone: what asks for entries, and values of indices.
bool asksForPlaces(const Node &node) {
  return hasNode(node,
                 [](const Node &one) { return asksForEntries(one) || std::holds_alternative<IndexNode>(one.kind); });
}

/// Calls `visit` for each child of a node, which it may replace.
template <typename Visit> void forEachChild(Node &node, const Visit &visit) {
  if (auto *reduction = std::get_if<ReduceNode>(&node.kind))
    visit(reduction->body);
  if (auto *call = std::get_if<CallNode>(&node.kind))
    std::for_each(call->arguments.begin(), call->arguments.end(), visit);
  if (auto *minus = std::get_if<NegateNode>(&node.kind))
    visit(minus->operand);
  if (auto *binary = std::get_if<BinaryNode>(&node.kind)) {
    visit(binary->left);
    visit(binary->right);
  }
}

class GatheredPlacer {
public:
  explicit GatheredPlacer(Program &program) : program_(program) {}

  /// The last ones first: what they are made of is gathered in their place.
  void run() {
    for (const ResolvedStatement &made : program_.statements)
      if (made.isTemporary && made.value && isLargerThanOperands(made))
        larger_.insert(made.target.tensor);
    for (size_t producer = program_.statements.size(); producer-- > 0;)
      if (std::vector<Reader> readers; isPlaceable(producer) && findReaders(producer, readers))
        place(producer, readers);
  }

private:
  struct Reader {
    size_t statement;
    Gather gather;
  };

  const Tensor &tensorOf(const Access &access) const { return program_.tensors[access.tensor]; }
  bool isPlain(const Access &access) const {
    const Tensor &tensor = tensorOf(access);
    return tensor.format.isDense() && tensor.fill == 0 && !tensor.is<Tie>();
  }
  double places(const std::vector<VariableId> &variables, const Scope &scope) const {
    double count = 1;
    for (VariableId variable : variables)
      count *= static_cast<double>(
          program_.extents[scope.variables[variable].extent].fixed.value_or(static_cast<int64_t>(kUnknownExtent)));
    return count;
  }

  bool isPlaceable(size_t producer) const;
  bool isLargerThanOperands(const ResolvedStatement &made) const;
  bool isOverwritten(size_t producer, size_t reader) const;
  bool findReaders(size_t producer, std::vector<Reader> &readers);
  void findGathers(size_t reader, NodePtr &node, TensorId temporary, std::vector<Reader> &readers);
  bool isMasked(AccessId id, const ResolvedStatement &use) const;
  static void saySums(NodePtr &node, const ResolvedStatement &made);
  void gather(NodePtr &node, const Renamed &variables, const Gather &reader, const Scope &from, Scope &to) const;
  void place(size_t producer, std::vector<Reader> &readers);

  Program &program_;
  std::set<TensorId> larger_; ///< temporaries that are larger than their operands
};

/// Whether a statement makes a dense temporary of dense operands, elementwise or with sums, in its own type.
bool GatheredPlacer::isPlaceable(size_t producer) const {
  const ResolvedStatement &made = program_.statements[producer];
  const auto isDerived = [](const Variable &variable) { return variable.kind == Variable::Kind::Derived; };
  if (!made.isTemporary || made.op != AssignOp::Assign || made.takesIn || !made.value || asksForPlaces(*made.value) ||
      program_.symbols[made.target.tensor].boundBy || !isPlain(made.target) || !larger_.contains(made.target.tensor) ||
      std::any_of(made.scope.variables.begin(), made.scope.variables.end(), isDerived))
    return false;
  const std::vector<AccessId> accesses = accessesOf(*made.value);
  const ValueType type = tensorOf(made.target).type;
  return typeOf(*made.value, made.scope, program_) == type && computeTypeOf(program_, made) == type &&
         std::all_of(accesses.begin(), accesses.end(), [&](AccessId id) { return isPlain(made.scope.accesses[id]); });
}

/// Whether no operand has all indices of what is made of them, but for earlier temporaries of which the same holds.
bool GatheredPlacer::isLargerThanOperands(const ResolvedStatement &made) const {
  const std::vector<AccessId> accesses = accessesOf(*made.value);
  return made.target.variables.size() > 1 && !accesses.empty() &&
         std::all_of(accesses.begin(), accesses.end(), [&](AccessId id) {
           const Access &access = made.scope.accesses[id];
           const bool hasAll = std::all_of(made.target.variables.begin(), made.target.variables.end(),
                                           [&](VariableId variable) { return has(access.variables, variable); });
           return !hasAll || larger_.contains(access.tensor);
         });
}

/// Whether something that a temporary is made of is written before, or by, a reader.
bool GatheredPlacer::isOverwritten(size_t producer, size_t reader) const {
  const ResolvedStatement &made = program_.statements[producer];
  const std::vector<AccessId> accesses = accessesOf(*made.value);
  return std::any_of(accesses.begin(), accesses.end(), [&](AccessId id) {
    return std::any_of(program_.statements.begin() + producer, program_.statements.begin() + reader + 1,
                       [&](const auto &other) { return other.target.tensor == made.scope.accesses[id].tensor; });
  });
}

void GatheredPlacer::findGathers(size_t reader, NodePtr &node, TensorId temporary, std::vector<Reader> &readers) {
  const Scope &scope = program_.statements[reader].scope;
  if (std::optional<Gather> gather = gatherAt(node, false, scope, program_)) {
    if (scope.accesses[gather->element].tensor == temporary)
      readers.push_back({reader, std::move(*gather)});
    return;
  }
  forEachChild(*node, [&](NodePtr &child) { findGathers(reader, child, temporary, readers); });
}

/// Whether a sparse operand beside a reader has no other indices: it may say where the temporary is wanted.
bool GatheredPlacer::isMasked(AccessId id, const ResolvedStatement &use) const {
  const std::vector<VariableId> &own = use.scope.accesses[id].variables;
  const std::vector<AccessId> accesses = accessesOf(*use.value);
  return std::any_of(accesses.begin(), accesses.end(), [&](AccessId other) {
    const Access &access = use.scope.accesses[other];
    return !tensorOf(access).format.isDense() && !tensorOf(access).is<Tie>() &&
           std::all_of(access.variables.begin(), access.variables.end(),
                       [&](VariableId variable) { return has(own, variable); });
  });
}

/// Finds the gathers of a temporary. False where it is read in another way than at entries of a sparse operand, or at
/// as many places as it has.
bool GatheredPlacer::findReaders(size_t producer, std::vector<Reader> &readers) {
  const ResolvedStatement &made = program_.statements[producer];
  const TensorId temporary = made.target.tensor;
  double read = 0;
  for (size_t k = 0; k < program_.statements.size(); ++k) {
    ResolvedStatement &use = program_.statements[k];
    if (k == producer || use.isFused || !use.value)
      continue;
    const size_t before = readers.size();
    findGathers(k, use.value, temporary, readers);
    std::set<AccessId> gathered;
    for (size_t place = before; place < readers.size(); ++place) {
      gathered.insert(readers[place].gather.element);
      read += places(freeVariables(**readers[place].gather.node, use.scope), use.scope);
    }
    const std::vector<AccessId> accesses = accessesOf(*use.value);
    const auto isRead = [&](AccessId id) { return use.scope.accesses[id].tensor == temporary; };
    const bool reads = std::any_of(accesses.begin(), accesses.end(), isRead);
    if (use.target.tensor == temporary ||
        (reads && (k < producer || isOverwritten(producer, k) ||
                   computeTypeOf(program_, use) != program_.tensors[temporary].type)) ||
        std::any_of(accesses.begin(), accesses.end(), [&](AccessId id) {
          return isRead(id) && !gathered.contains(id) &&
                 (hasDerived(use.scope.accesses[id], use.scope) || !isMasked(id, use));
        }))
      return false;
  }
  return !readers.empty() && read < places(made.target.variables, made.scope);
}

/// Writes the sums of a statement's addends as such.
void GatheredPlacer::saySums(NodePtr &node, const ResolvedStatement &made) {
  if (auto *minus = std::get_if<NegateNode>(&node->kind))
    return saySums(minus->operand, made);
  if (asSum(*node)) {
    auto &sum = std::get<BinaryNode>(node->kind);
    saySums(sum.left, made);
    return saySums(sum.right, made);
  }
  std::vector<VariableId> variables = freeVariables(*node, made.scope);
  std::erase_if(variables, [&](VariableId variable) { return has(made.target.variables, variable); });
  const Span where = node->where;
  if (!variables.empty())
    node = makeNode(ReduceNode{Reduction::Sum, std::move(variables), std::move(node)}, where);
}

/// Puts what is read in a statement in place of a temporary's operands.
void GatheredPlacer::gather(NodePtr &node, const Renamed &variables, const Gather &reader, const Scope &from,
                            Scope &to) const {
  if (const auto *use = std::get_if<AccessNode>(&node->kind)) {
    Access access = from.accesses[use->access];
    for (VariableId &variable : access.variables)
      variable = variables.at(variable);
    ReduceNode sum{Reduction::Sum, {}, nullptr};
    std::vector<AccessId> ties;
    for (AccessId id : reader.ties) {
      Access tie = to.accesses[id];
      if (!has(access.variables, tie.variables.back()))
        continue;
      const VariableId own = addVariable(to, to.variables[tie.variables.back()]);
      std::replace(access.variables.begin(), access.variables.end(), tie.variables.back(), own);
      tie.variables.back() = own;
      sum.variables.push_back(own);
      ties.push_back(to.intern(std::move(tie)));
    }
    const Span where = node->where;
    node = makeNode(AccessNode{to.intern(std::move(access))}, where);
    for (AccessId tie : ties)
      node = makeBinary(BinaryOp::Mul, std::move(node), patternOf(tie, where));
    sum.body = std::move(node);
    node = ties.empty() ? std::move(sum.body) : makeNode(std::move(sum), where);
    return;
  }
  forEachChild(*node, [&](NodePtr &child) { gather(child, variables, reader, from, to); });
}

void GatheredPlacer::place(size_t producer, std::vector<Reader> &readers) {
  ResolvedStatement &made = program_.statements[producer];
  for (Reader &reader : readers) {
    Scope &scope = program_.statements[reader.statement].scope;
    const std::vector<VariableId> indices = scope.accesses[reader.gather.element].variables;
    Renamed variables;
    for (size_t dim = 0; dim < indices.size(); ++dim)
      variables[made.target.variables[dim]] = indices[dim];
    NodePtr value = clone(*made.value);
    saySums(value, made);
    rename(*value, variables, made.scope, scope);
    gather(value, variables, reader.gather, made.scope, scope);
    *reader.gather.node = std::move(value);
  }
  const auto isRead = [&](const ResolvedStatement &use) {
    const std::vector<AccessId> accesses = use.value && !use.isFused ? accessesOf(*use.value) : std::vector<AccessId>();
    return std::any_of(accesses.begin(), accesses.end(),
                       [&](AccessId id) { return use.scope.accesses[id].tensor == made.target.tensor; });
  };
  if (std::any_of(program_.statements.begin(), program_.statements.end(), isRead))
    return;
  made.isFused = true;
  program_.tensors[made.target.tensor].role = Fused{program_.statements[readers.back().statement].target.tensor};
}

} // namespace

void placeGathered(Program &program) {
  GatheredPlacer(program).run();
}

} // namespace spc::sema
