// Equations between index variables to operands: each has an entry where it holds, so that formats, loop orders, merges
// and assembly treat it as they do any sparse matrix. A comparison is true where the operand has an entry; an element
// at a sum of multiples is the sum over all that the operand stores, tied to where it is read.
#include "format/rule.h"
#include "sema/simplify.h"
#include "sema/ties/gathers.h"
#include "sema/ties/tie_maker.h"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

namespace spc::sema {
namespace {

class StatementTies {
public:
  /// `keepers`: the temporaries that may keep the pattern of a sparse operand. `patterned`: what earlier statements
  /// write that may have a pattern, though nothing binds it.
  StatementTies(Program &program, size_t number, const std::set<TensorId> &keepers, const std::set<TensorId> &patterned)
      : program_(program), keepers_(keepers), patterned_(patterned), statement_(program.statements[number]),
        scope_(statement_.scope), maker_(program, number) {}

  void run() {
    if (!statement_.value)
      return;
    isSparse_ = maker_.hasListed() || !program_.tensors[statement_.target.tensor].format.isDense() ||
                (isOpenTemporary() && (readsKeepers() || isTiedThroughout(*statement_.value)));
    visit(statement_.value, {.isAddend = true});
  }

private:
  /// Where a node stands.
  struct Context {
    std::vector<const Node *> beside = {}; ///< what it is multiplied with
    bool isAddend = false;                 ///< of the statement, or of a sum that is one
    bool mayTie = true;                    ///< an equation becomes an operand
    bool mayTieHeld = true;                ///< and so does a comparison with what a tensor holds
  };

  bool isOpenTemporary() const {
    const TensorId target = statement_.target.tensor;
    return program_.tensors[target].is<Temporary>() && !program_.symbols[target].boundBy;
  }

  /// Whether a temporary of two or more indices is read that may list entries.
  bool readsKeepers() const {
    return std::any_of(scope_.accesses.begin(), scope_.accesses.end(), [&](const Access &access) {
      return access.variables.size() > 1 && keepers_.contains(access.tensor);
    });
  }

  /// Whether each addend is 0 but where two of the target's variables are tied: it has the pattern of a tie.
  bool isTiedThroughout(const Node &value) const {
    if (asSum(value)) {
      const std::vector<const Node *> addends = children(value);
      return std::all_of(addends.begin(), addends.end(), [&](const Node *addend) { return isTiedThroughout(*addend); });
    }
    const std::vector<Equation> equations = equationsOfProduct(value, scope_, program_);
    return std::any_of(equations.begin(), equations.end(), [&](const Equation &equation) {
      return equation.multiples.size() == 2 &&
             std::all_of(equation.multiples.begin(), equation.multiples.end(),
                         [&](const auto &one) { return has(statement_.target.variables, one.first); });
    });
  }

  void visit(NodePtr &node, const Context &context) {
    if (auto *call = std::get_if<CallNode>(&node->kind))
      return visitCall(node, *call, context);
    if (const auto *use = std::get_if<AccessNode>(&node->kind))
      return tieAccess(node, use->access);
    if (auto *reduction = std::get_if<ReduceNode>(&node->kind))
      return visit(reduction->body, {.isAddend = context.isAddend && reduction->reduction == Reduction::Sum});
    if (auto *minus = std::get_if<NegateNode>(&node->kind))
      return visit(minus->operand, {.isAddend = context.isAddend});
    auto *binary = std::get_if<BinaryNode>(&node->kind);
    if (!binary)
      return;
    const bool isSum = asSum(*node);
    Context left{.isAddend = isSum && context.isAddend}, right = left;
    if (!isSum)
      left.beside = context.beside;
    const bool isProduct = binary->op == BinaryOp::Mul;
    if (isProduct)
      left.beside.push_back(binary->right.get());
    visit(binary->left, left);
    if (isProduct) { // the left factor may be another node now
      right.beside = context.beside;
      right.beside.push_back(binary->left.get());
    }
    visit(binary->right, right);
  }

  void visitCall(NodePtr &node, CallNode &call, const Context &context) {
    switch (call.function) {
    case Function::Pattern:
      return;
    case Function::At:
    case Function::Once:
    case Function::Within:
      return tiePlace(node, call);
    case Function::Equal:
      return visitComparison(node, call, context);
    case Function::Select:
      return visitChoice(node, call, context);
    case Function::And:
    case Function::Cast:
      for (NodePtr &argument : call.arguments)
        visit(argument, {.beside = context.beside, .mayTie = context.mayTie, .mayTieHeld = context.mayTieHeld});
      return;
    default: // what is false for few is true for many
      for (NodePtr &argument : call.arguments)
        if (!language::isLogical(call.function) || !isIndexMask(*argument, scope_, program_))
          visit(argument, {});
    }
  }

  void visitComparison(NodePtr &node, CallNode &call, const Context &context) {
    const std::optional<Equation> equation = equationOf(call, scope_, program_);
    if (equation && context.mayTie) {
      const bool isPair = equation->multiples.size() == 2;
      if (isPair &&
          !isNarrow({equation->multiples.begin()->first, equation->multiples.rbegin()->first}, context.beside))
        tieComparison(node, *equation);
      return;
    }
    if (const auto held = heldIn(call); context.mayTieHeld && held && mayHold(*held->second, held->first) &&
                                        !isNarrow(variablesOf(*held), context.beside)) {
      node = patternOf(maker_.tiedToHeld(*held->second, held->first, {}, node->where), node->where);
      return;
    }
    for (NodePtr &argument : call.arguments)
      visit(argument, {});
  }

  /// A condition is a truth as any other, but that of an addend that is 0 elsewhere. Loops over dense operands are
  /// narrowed to where an equation holds, but not to what a tensor holds.
  void visitChoice(NodePtr &node, CallNode &choice, const Context &context) {
    const bool isProduct = context.isAddend && conditionOfChoice(*node);
    visit(choice.arguments[0],
          {.beside = {choice.arguments[1].get()}, .mayTie = isProduct && isSparse_, .mayTieHeld = isProduct});
    visit(choice.arguments[1], {});
    visit(choice.arguments[2], {});
    if (isProduct)
      chooseByProduct(node, choice);
  }

  /// `select(c, e, 0)` where c asks for ties alone is a product with them: patterns are kept by products.
  void chooseByProduct(NodePtr &node, CallNode &choice) const {
    if (asksForTies(*choice.arguments[0]))
      node = withPatterns(std::move(choice.arguments[1]), *choice.arguments[0]);
  }

  bool asksForTies(const Node &condition) const {
    const auto *call = std::get_if<CallNode>(&condition.kind);
    const auto *use = call ? std::get_if<AccessNode>(&call->arguments[0]->kind) : nullptr;
    const bool isTie = use && program_.tensors[scope_.accesses[use->access].tensor].is<Tie>();
    return call &&
           ((call->function == Function::Pattern && isTie) ||
            (call->function == Function::And && asksForTies(*call->arguments[0]) && asksForTies(*call->arguments[1])));
  }

  static NodePtr withPatterns(NodePtr value, const Node &condition) {
    const auto &call = std::get<CallNode>(condition.kind);
    if (call.function == Function::Pattern)
      return makeBinary(BinaryOp::Mul, std::move(value), clone(condition));
    for (const NodePtr &part : call.arguments)
      value = withPatterns(std::move(value), *part);
    return value;
  }

  /// Whether loops come to few points as it is: those over dense operands are narrowed to where a condition of theirs
  /// may hold (spc-narrow-loops), and those over the entries of an operand with all variables come to few others. What
  /// is assembled has entries where ties hold.
  bool isNarrow(const std::vector<VariableId> &tied, const std::vector<const Node *> &beside) const {
    const Tensor &target = program_.tensors[statement_.target.tensor];
    if (!target.format.isDense() && !target.hasDeclaredOwner() && !target.keepsStructure)
      return false;
    for (const Node *factor : beside)
      for (AccessId id : accessesOf(*factor))
        if (const Access &access = scope_.accesses[id];
            (maker_.isListed(access) || keepers_.contains(access.tensor)) &&
            std::all_of(tied.begin(), tied.end(), [&](VariableId variable) { return has(access.variables, variable); }))
          return true;
    return false;
  }

  void tieComparison(NodePtr &node, const Equation &equation) {
    const VariableId first = equation.multiples.begin()->first, second = equation.multiples.rbegin()->first;
    const bool isFirstRow = maker_.isRow(first, second);
    for (const VariableId column : {isFirstRow ? second : first, isFirstRow ? first : second})
      if (equation.multiples.at(column).isNumber()) {
        node =
            patternOf(maker_.tied(equation, column, {}, printAlone(*node, scope_, program_), node->where), node->where);
        return;
      }
  }

  /// `at(r, 2*i + k)`, `within(r, i - 1)`.
  void tiePlace(NodePtr &node, const CallNode &place) {
    const VariableId own = std::get<IndexNode>(place.arguments[0]->kind).variable;
    const bool isChecked = place.function != Function::Within, isOnce = place.function == Function::Once;
    const std::optional<Equation> equation = equationOf(place, scope_, program_);
    if (!equation) {
      node = patternOf(maker_.tiedToHeld(*place.arguments[1], own, {isChecked, isOnce}, node->where), node->where);
      return;
    }
    // What only a call knows is checked row by row.
    const bool isInsideByRows = isOnce || (isChecked && !maker_.isShifted(*equation, own));
    if (isChecked && !isInsideByRows)
      maker_.checkInside(*equation, own);
    const VariableId column = isInsideByRows ? own : maker_.columnOf(*equation, own);
    node = patternOf(maker_.tied(*equation, column, {isInsideByRows, isOnce},
                                 printAlone(*place.arguments[1], scope_, program_), node->where),
                     node->where);
  }

  /// `r == p(i)`, of an operand that holds integers: the index variable's side, and the other one.
  static std::optional<std::pair<VariableId, const Node *>> heldIn(const CallNode &comparison) {
    for (const size_t k : {size_t{0}, size_t{1}}) {
      const auto *index = std::get_if<IndexNode>(&behindWideCast(*comparison.arguments[k])->kind);
      const Node *held = behindWideCast(*comparison.arguments[1 - k]);
      if (index && std::holds_alternative<AccessNode>(held->kind))
        return std::pair(index->variable, held);
    }
    return std::nullopt;
  }

  std::vector<VariableId> variablesOf(const std::pair<VariableId, const Node *> &held) const {
    std::vector<VariableId> variables = scope_.accesses[std::get<AccessNode>(held.second->kind).access].variables;
    variables.push_back(held.first);
    return variables;
  }

  /// Whether what a tensor holds says which coordinate goes with each of its own.
  bool mayHold(const Node &held, VariableId column) const {
    const Access &access = scope_.accesses[std::get<AccessNode>(held.kind).access];
    const Tensor &tensor = program_.tensors[access.tensor];
    const bool isWide = tensor.type == ValueType::I32 || tensor.type == ValueType::I64 ||
                        tensor.type == ValueType::U32 || tensor.type == ValueType::U64;
    return isWide && tensor.format.isDense() && tensor.order() > 0 && tensor.order() < format::kMaxOrder &&
           (tensor.is<Parameter>() || tensor.is<Constant>()) && program_.symbols[access.tensor].firstWrite < 0 &&
           !hasDerived(access, scope_) && !has(access.variables, column);
  }

  /// An element of a sparse operand at other indices than plain variables.
  void tieAccess(NodePtr &node, AccessId id) {
    const Access access = scope_.accesses[id];
    const bool isListed = maker_.isListed(access) || patterned_.contains(access.tensor);
    if (!isListed || !hasDerived(access, scope_) || !mayTie(access))
      return;
    Access whole{access.tensor, {}, access.places, access.where};
    ReduceNode sum{Reduction::Sum, {}, nullptr};
    NodePtr ties;
    for (VariableId variable : access.variables) {
      const Variable index = scope_.variables[variable];
      if (index.kind != Variable::Kind::Derived) {
        whole.variables.push_back(variable);
        continue;
      }
      const VariableId bound = scope_.variables.add({index.name, Variable::Kind::Bound, index.extent});
      whole.variables.push_back(bound);
      sum.variables.push_back(bound);
    }
    maker_.addListed(whole);
    const AccessId read = scope_.intern(std::move(whole));
    for (size_t dim = 0; dim < access.variables.size(); ++dim)
      if (const Variable index = scope_.variables[access.variables[dim]]; index.kind == Variable::Kind::Derived) {
        NodePtr tie =
            patternOf(maker_.tiedIndex(index, scope_.accesses[read].variables[dim], node->where), node->where);
        ties = ties ? makeBinary(BinaryOp::Mul, std::move(ties), std::move(tie)) : std::move(tie);
      }
    maker_.checkInside(access);
    sum.body = makeBinary(BinaryOp::Mul, makeNode(AccessNode{read}, node->where), std::move(ties));
    node = makeNode(std::move(sum), node->where);
  }

  /// Whether an access has a tie for each of its indices, and missing entries that add nothing to a sum.
  bool mayTie(const Access &access) const {
    const Tensor &tensor = program_.tensors[access.tensor];
    return tensor.fill == 0 && std::all_of(access.variables.begin(), access.variables.end(), [&](VariableId variable) {
             return scope_.variables[variable].terms.size() < format::kMaxOrder;
           });
  }

  Program &program_;
  const std::set<TensorId> &keepers_;
  const std::set<TensorId> &patterned_;
  ResolvedStatement &statement_;
  Scope &scope_;
  TieMaker maker_;
  bool isSparse_ = false; ///< the statement has sparse operands, or a sparse target
};

/// Whether a target that nothing binds may take the pattern of what its statement reads: of an operand that has no
/// other variables.
bool mayHavePattern(const Program &program, const ResolvedStatement &statement, const std::set<TensorId> &patterned) {
  const TensorId target = statement.target.tensor;
  if (!program.tensors[target].format.isDense() || program.symbols[target].boundBy)
    return false;
  return std::any_of(statement.scope.accesses.begin(), statement.scope.accesses.end(), [&](const Access &access) {
    const bool isSparse = patterned.contains(access.tensor) || !program.tensors[access.tensor].format.isDense();
    return isSparse && access.tensor != target &&
           std::all_of(access.variables.begin(), access.variables.end(),
                       [&](VariableId variable) { return has(statement.target.variables, variable); });
  });
}

} // namespace

void tieIndices(Program &program) {
  std::set<TensorId> keepers, patterned;
  for (size_t k = 0; k < program.statements.size(); ++k) {
    const ResolvedStatement &statement = program.statements[k];
    const std::vector<Access> read(statement.scope.accesses.begin(), statement.scope.accesses.end());
    StatementTies(program, k, keepers, patterned).run();
    if (mayHavePattern(program, statement, patterned))
      patterned.insert(statement.target.tensor);
    if (program.tensors[statement.target.tensor].is<Temporary>() &&
        std::any_of(read.begin(), read.end(), [&](const Access &access) {
          return keepers.contains(access.tensor) || !program.tensors[access.tensor].format.isDense();
        }))
      keepers.insert(statement.target.tensor);
  }
}

} // namespace spc::sema
