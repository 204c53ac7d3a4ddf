// What is read of a temporary at constants and where indices are equal, `G(i,0)` and `G(i,i)`, as temporaries of their
// own, `let g(i) = X(i,k)*X(i,k)`: the whole is made where sparse operands want it, or not at all.
#include "sema/apart.h"
#include "sema/estimates.h"
#include "sema/expression_types.h"
#include "sema/renaming.h"
#include "sema/simplify.h"
#include "sema/substitution.h"

#include <algorithm>
#include <list>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

namespace spc::sema {
namespace {

/// Whether a tree has what is no arithmetic on elements alone: what asks for entries, and held indices.
bool asksForPlaces(const Node &node) {
  return hasNode(node, [](const Node &one) {
    const auto *call = std::get_if<CallNode>(&one.kind);
    return asksForEntries(one) || (call && language::isOfPlaces(call->function));
  });
}

/// Whether an access is a factor, or an addend, of a value: it is in no function and no divisor.
bool isFactorOf(const Node &value, AccessId access) {
  const std::vector<AccessId> all = accessesOf(value);
  if (!has(all, access))
    return true;
  const auto *reduction = std::get_if<ReduceNode>(&value.kind);
  const auto *binary = std::get_if<BinaryNode>(&value.kind);
  if (std::holds_alternative<CallNode>(value.kind) || (reduction && reduction->reduction != Reduction::Sum) ||
      (binary && binary->op == BinaryOp::Div && has(accessesOf(*binary->right), access)))
    return false;
  const std::vector<const Node *> below = children(value);
  return std::all_of(below.begin(), below.end(), [&](const Node *child) { return isFactorOf(*child, access); });
}

/// The variables that held indices say: `at(k, p(i))` says k.
void addHeld(const Node &node, std::vector<VariableId> &held) {
  if (const auto *call = std::get_if<CallNode>(&node.kind); call && language::isOfPlaces(call->function))
    if (const auto *index = std::get_if<IndexNode>(&call->arguments[0]->kind))
      held.push_back(index->variable);
  for (const Node *child : children(node))
    addHeld(*child, held);
}

/// One statement's access of a temporary.
struct Read {
  ResolvedStatement *statement;
  AccessId access;
};

/// Reads of a temporary that are at the same places.
struct Picked {
  std::vector<Window> windows;   ///< by dimension of the temporary
  std::vector<ExtentId> extents; ///< that the windows' dimensions are of
  std::vector<VariableId> names; ///< the first read's variables
  std::vector<Read> reads;
};

class PickSplitter {
public:
  explicit PickSplitter(Program &program) : program_(program) {}

  /// The last ones first: what their picked elements are made of is picked, too.
  void run() {
    for (ResolvedStatement &statement : program_.statements) {
      noteStorage(statement);
      ++writes_[statement.target.tensor];
      noteReads(statement);
    }
    for (size_t producer = program_.statements.size(); producer-- > 0;)
      if (const ResolvedStatement &made = program_.statements[producer]; isPickable(made))
        split(producer, reads_[made.target.tensor]);
    if (apart_.empty())
      return;
    for (ResolvedStatement &statement : program_.statements)
      if (statement.value)
        tidy(statement);
    std::vector<Apart> apart;
    for (Apart &one : apart_) {
      tidy(one.statement);
      apart.push_back(std::move(one));
    }
    insertApart(program_, std::move(apart));
  }

private:
  const Tensor &tensorOf(const Access &access) const { return program_.tensors[access.tensor]; }
  bool isListed(const Access &access) const {
    return !tensorOf(access).format.isDense() || listed_.contains(access.tensor);
  }
  double placesOf(const std::vector<ExtentId> &extents) const {
    double count = 1;
    for (ExtentId extent : extents)
      count *= static_cast<double>(program_.extents[extent].fixed.value_or(static_cast<int64_t>(kUnknownExtent)));
    return count;
  }

  void noteStorage(const ResolvedStatement &statement);
  void noteReads(ResolvedStatement &statement);
  bool isPickable(const ResolvedStatement &made) const;
  bool isWhole(const ResolvedStatement &made) const;
  bool isArray(const ResolvedStatement &made) const;
  bool isWantedInPart(const Read &read, bool isOnly) const;
  static std::optional<Picked> pickedBy(const Read &read);
  void split(size_t producer, const std::vector<Read> &reads);
  std::optional<ResolvedStatement> apartOf(const ResolvedStatement &made, const Picked &picked) const;
  void add(ResolvedStatement apart, const Picked &picked, size_t producer);
  void dropReads(const ResolvedStatement &statement);

  Program &program_;
  std::set<TensorId> listed_;       ///< what may have no elements where a sparse operand has none
  std::set<TensorId> wantedInPart_; ///< temporaries that are read at some places only
  std::map<TensorId, int> writes_;  ///< statements that write a tensor
  std::map<TensorId, std::vector<Read>> reads_;
  std::list<Apart> apart_;
};

void PickSplitter::noteStorage(const ResolvedStatement &statement) {
  const auto &accesses = statement.scope.accesses;
  if (!tensorOf(statement.target).format.isDense() || !statement.value || asksForPlaces(*statement.value) ||
      std::any_of(accesses.begin(), accesses.end(), [&](const Access &access) { return isListed(access); }))
    listed_.insert(statement.target.tensor);
}

void PickSplitter::noteReads(ResolvedStatement &statement) {
  if (!statement.value)
    return;
  for (AccessId id : accessesOf(*statement.value))
    reads_[statement.scope.accesses[id].tensor].push_back({&statement, id});
}

void PickSplitter::dropReads(const ResolvedStatement &statement) {
  for (AccessId id : accessesOf(*statement.value))
    std::erase_if(reads_[statement.scope.accesses[id].tensor],
                  [&](const Read &read) { return read.statement == &statement; });
}

/// Whether a temporary is written once, and has no storage that somebody wants.
bool PickSplitter::isPickable(const ResolvedStatement &made) const {
  const Tensor &target = tensorOf(made.target);
  return made.isTemporary && made.op == AssignOp::Assign && !made.takesIn && made.value &&
         !asksForPlaces(*made.value) && !program_.symbols[made.target.tensor].boundBy && target.is<Temporary>() &&
         target.format.isDense() && target.fill == 0 && target.order() > 0 && writes_.at(made.target.tensor) == 1;
}

/// Whether all that a temporary is made of is dense.
bool PickSplitter::isWhole(const ResolvedStatement &made) const {
  const std::vector<AccessId> accesses = accessesOf(*made.value);
  return std::none_of(accesses.begin(), accesses.end(), [&](AccessId id) { return isListed(made.scope.accesses[id]); });
}

/// Whether a temporary of sparse operands takes the pattern of none, as sums over each of them make it.
bool PickSplitter::isArray(const ResolvedStatement &made) const {
  const std::vector<AccessId> accesses = accessesOf(*made.value);
  return !hasOtherReduction(*made.value) && std::none_of(accesses.begin(), accesses.end(), [&](AccessId id) {
    const std::vector<VariableId> plain = plainVariables(made.scope.accesses[id], made.scope);
    return isListed(made.scope.accesses[id]) && (tensorOf(made.scope.accesses[id]).fill != 0 ||
                                                 std::all_of(plain.begin(), plain.end(), [&](VariableId variable) {
                                                   return has(made.target.variables, variable);
                                                 }));
  });
}

/// Whether a read with all indices may be of few places: those where another operand has entries, those that held
/// indices say, those of a temporary of which this holds; or of none, in a product whose sums have any order.
bool PickSplitter::isWantedInPart(const Read &read, bool isOnly) const {
  const ResolvedStatement &use = *read.statement;
  const Access &access = use.scope.accesses[read.access];
  const std::vector<VariableId> own = plainVariables(access, use.scope);
  const auto isOwn = [&](VariableId variable) { return has(own, variable); };
  const auto isTarget = [&](VariableId variable) { return has(use.target.variables, variable); };
  std::vector<VariableId> held;
  addHeld(*use.value, held);
  if (hasDerived(access, use.scope))
    return false;
  if (std::any_of(held.begin(), held.end(), isOwn))
    return true;
  if (wantedInPart_.contains(use.target.tensor) && std::all_of(own.begin(), own.end(), isTarget))
    return true;
  if (isOnly && !std::all_of(own.begin(), own.end(), isTarget) && isFactorOf(*use.value, read.access))
    return true;
  const std::vector<AccessId> others = accessesOf(*use.value);
  return std::any_of(others.begin(), others.end(), [&](AccessId id) {
    const Access &other = use.scope.accesses[id];
    return id != read.access && isListed(other) && !hasDerived(other, use.scope) &&
           std::all_of(other.variables.begin(), other.variables.end(), isOwn);
  });
}

/// What a read picks, if that has fewer dimensions than the temporary, each index one multiple at most.
std::optional<Picked> PickSplitter::pickedBy(const Read &read) {
  const Scope &scope = read.statement->scope;
  const Access &access = scope.accesses[read.access];
  Picked picked{{}, {}, plainVariables(access, scope), {read}};
  for (VariableId index : access.variables) {
    const IndexSum sum = sumOf(index, scope);
    Window window{{}, sum.constant};
    for (const Variable::Multiple &term : sum.terms)
      window.terms.push_back({static_cast<int>(placeOf(term.variable, picked.names)), term.scale});
    if (window.terms.size() > 1)
      return std::nullopt;
    picked.windows.push_back(std::move(window));
  }
  for (VariableId variable : picked.names)
    picked.extents.push_back(scope.variables[variable].extent);
  return picked.names.size() < access.variables.size() ? std::optional(std::move(picked)) : std::nullopt;
}

void PickSplitter::split(size_t producer, const std::vector<Read> &reads) {
  ResolvedStatement &made = program_.statements[producer];
  std::vector<Picked> kinds;
  std::vector<Read> others;
  for (const Read &read : reads) {
    std::optional<Picked> picked = pickedBy(read);
    const auto known = std::find_if(kinds.begin(), kinds.end(), [&](const Picked &kind) {
      return picked && kind.windows == picked->windows && kind.extents == picked->extents;
    });
    if (known != kinds.end())
      known->reads.push_back(read);
    else if (picked)
      kinds.push_back(std::move(*picked));
    else
      others.push_back(read);
  }
  if (!std::all_of(others.begin(), others.end(),
                   [&](const Read &read) { return isWantedInPart(read, others.size() == 1); }))
    return;
  wantedInPart_.insert(made.target.tensor);
  double places = 0;
  std::vector<ResolvedStatement> apart;
  for (const Picked &kind : kinds) {
    places += placesOf(kind.extents);
    if (std::optional<ResolvedStatement> own = apartOf(made, kind))
      apart.push_back(std::move(*own));
  }
  const bool mayBeRead = isWhole(made) || (others.empty() && isArray(made));
  if (kinds.empty() || apart.size() < kinds.size() || !mayBeRead || places >= placesOf(tensorOf(made.target).extents))
    return;
  for (size_t k = 0; k < kinds.size(); ++k)
    add(std::move(apart[k]), kinds[k], producer);
  if (!others.empty())
    return;
  dropReads(made);
  made.isFused = true;
  program_.tensors[made.target.tensor].role = Fused{kinds.back().reads.back().statement->target.tensor};
}

/// The statement that computes what is picked; it has no target yet. Nullopt where it is none of its own type.
std::optional<ResolvedStatement> PickSplitter::apartOf(const ResolvedStatement &made, const Picked &picked) const {
  ResolvedStatement apart = made;
  const Scope &names = picked.reads.front().statement->scope;
  for (VariableId variable : made.target.variables) { // names are the reader's
    apart.scope.variables[variable].kind = Variable::Kind::Bound;
    apart.scope.variables[variable].name.clear();
  }
  std::vector<VariableId> variables;
  for (VariableId name : picked.names) {
    Variable own = names.variables[name];
    own.kind = Variable::Kind::Target;
    variables.push_back(addVariable(apart.scope, std::move(own)));
  }
  Substituted sums;
  for (size_t dim = 0; dim < picked.windows.size(); ++dim) {
    IndexSum sum{{}, picked.windows[dim].constant};
    for (const Window::Multiple &term : picked.windows[dim].terms)
      sum.terms.push_back({variables[static_cast<size_t>(term.dim)], term.scale});
    sums.emplace(made.target.variables[dim], std::move(sum));
  }
  apart.target.variables = variables;
  apart.target.places.clear();
  if (!substitute(*apart.value, sums, apart.scope, program_) ||
      typeOf(*apart.value, apart.scope, program_) != typeOf(*made.value, made.scope, program_))
    return std::nullopt;
  tidy(apart);
  return computeTypeOf(program_, apart) == computeTypeOf(program_, made) ? std::optional(std::move(apart))
                                                                         : std::nullopt;
}

/// Notes the statement for what is picked, behind that of the whole temporary, and makes its readers read that.
void PickSplitter::add(ResolvedStatement apart, const Picked &picked, size_t producer) {
  const TensorId whole = apart.target.tensor;
  Tensor tensor = program_.tensors[whole];
  std::string indices;
  for (const Window &window : picked.windows) {
    IndexSum sum{{}, window.constant};
    for (const Window::Multiple &term : window.terms)
      sum.terms.push_back({apart.target.variables[static_cast<size_t>(term.dim)], term.scale});
    indices += (indices.empty() ? "" : ",") + textOf(sum, apart.scope);
  }
  tensor.name = "$" + tensor.name + "[" + indices + "]";
  while (std::any_of(program_.tensors.begin(), program_.tensors.end(),
                     [&](const Tensor &other) { return other.name == tensor.name; }))
    tensor.name += "'";
  tensor.format = format::denseFormat(static_cast<int>(picked.extents.size()));
  tensor.extents = picked.extents;
  const TensorId own = program_.tensors.add(std::move(tensor));
  program_.symbols.push_back({.firstUse = program_.symbols[whole].firstUse});
  if (std::any_of(picked.windows.begin(), picked.windows.end(), [](const Window &window) {
        return window.constant != 0 || window.terms.empty() || window.terms.front().scale != 1;
      }))
    program_.readWindows.push_back({whole, picked.windows, picked.extents});
  for (const Read &read : picked.reads) {
    Scope &scope = read.statement->scope;
    const Access access = scope.accesses[read.access];
    const AccessId id = scope.intern({own, plainVariables(access, scope), {}, access.where});
    replaceAccesses(*read.statement->value, [&](AccessId other) { return other == read.access ? id : other; });
  }
  apart.target.tensor = own;
  apart_.push_back({producer + 1, std::move(apart)});
  noteReads(apart_.back().statement);
}

} // namespace

void pickApart(Program &program) {
  PickSplitter(program).run();
}

} // namespace spc::sema
