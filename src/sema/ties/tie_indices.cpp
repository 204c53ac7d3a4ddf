// Equations between index variables to operands: each has an entry where it holds, so that formats, loop orders, merges
// and assembly treat it as they do any sparse matrix. A comparison is true where the operand has an entry; an element
// at a sum of multiples is the sum over all that the operand stores, tied to where it is read.
#include "format/levels.h"
#include "sema/program.h"
#include "sema/simplify.h"
#include "sema/ties/equations.h"

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <utility>

namespace spc::sema {
namespace {

NodePtr patternOf(AccessId access, Span where) {
  CallNode pattern{Function::Pattern, ValueType::F64, {}};
  pattern.arguments.push_back(makeNode(AccessNode{access}, where));
  return makeNode(std::move(pattern), where);
}

/// Whether each coordinate of a format's levels is found by merging, without a copy of it.
bool isMerged(const format::Format &format) {
  return format::isCanonical(format) || (format::isElementwise(format) && !format::hasPadding(format) &&
                                         format.symmetry == format::Symmetry::None && format.parts.empty());
}

class StatementTies {
public:
  StatementTies(Program &program, size_t number)
      : program_(program), number_(number), statement_(program.statements[number]), scope_(statement_.scope) {}

  void run() {
    if (!statement_.value)
      return;
    isSparse_ = !program_.tensors[statement_.target.tensor].format.isDense();
    for (const Access &access : scope_.accesses)
      if (isListed(access))
        listed_.push_back(access);
    isSparse_ |= !listed_.empty();
    visit(statement_.value, {}, false);
  }

private:
  bool isListed(const Access &access) const { return !program_.tensors[access.tensor].format.isDense(); }

  /// `beside`: what the node is multiplied with; `isCondition`: it decides what a `select` chooses.
  void visit(NodePtr &node, const std::vector<const Node *> &beside, bool isCondition) {
    if (auto *call = std::get_if<CallNode>(&node->kind)) {
      if (call->function == Function::Pattern)
        return;
      if (call->function == Function::At)
        return tiePlace(node, *call);
      if (const std::optional<Equation> equation = equationOf(*call)) {
        if (!isNarrow(*equation, beside, isCondition))
          tieComparison(node, *equation);
        return;
      }
      if (const auto held = call->function == Function::Equal ? heldIn(*call) : std::nullopt;
          held && mayHold(*held->second, held->first)) {
        node = patternOf(tiedToHeld(*held->second, held->first, false, node->where), node->where);
        return;
      }
      for (size_t k = 0; k < call->arguments.size(); ++k) {
        const bool isWithin = call->function == Function::And || call->function == Function::Cast;
        visit(call->arguments[k], isWithin ? beside : std::vector<const Node *>(),
              (call->function == Function::Select && k == 0) || (isWithin && isCondition));
      }
      return;
    }
    if (const auto *use = std::get_if<AccessNode>(&node->kind))
      return tieAccess(node, use->access);
    auto *product = std::get_if<BinaryNode>(&node->kind);
    if (!product || asSum(*node)) {
      for (NodePtr *child : childrenOf(*node))
        visit(*child, {}, false);
      return;
    }
    std::vector<const Node *> left = beside, right = beside;
    left.push_back(product->right.get());
    right.push_back(product->left.get());
    visit(product->left, product->op == BinaryOp::Mul ? left : beside, false);
    visit(product->right, product->op == BinaryOp::Mul ? right : std::vector<const Node *>(), false);
  }

  static std::vector<NodePtr *> childrenOf(Node &node) {
    if (auto *minus = std::get_if<NegateNode>(&node.kind))
      return {&minus->operand};
    if (auto *binary = std::get_if<BinaryNode>(&node.kind))
      return {&binary->left, &binary->right};
    if (auto *reduction = std::get_if<ReduceNode>(&node.kind))
      return {&reduction->body};
    return {};
  }

  /// Whether loops come to few points as it is: those over dense operands are narrowed to where a condition of theirs
  /// may hold (spc-narrow-loops), and those over the entries of an operand with both variables come to few others.
  bool isNarrow(const Equation &equation, const std::vector<const Node *> &beside, bool isCondition) const {
    if (equation.multiples.size() != 2 || (!isSparse_ && isCondition))
      return true;
    const VariableId one = equation.multiples.begin()->first, other = equation.multiples.rbegin()->first;
    for (const Node *factor : beside)
      for (AccessId id : accessesOf(*factor))
        if (const Access &access = scope_.accesses[id];
            isListed(access) && has(access.variables, one) && has(access.variables, other))
          return true;
    return false;
  }

  void tieComparison(NodePtr &node, const Equation &equation) {
    std::pair<VariableId, int64_t> row = *equation.multiples.begin(), column = *equation.multiples.rbegin();
    if (!isRow(row.first, column.first))
      std::swap(row, column);
    node = patternOf(tied(equation, column.first, node->where), node->where);
  }

  /// `at(r, 2*i + k)`: the right side's variables come first.
  void tiePlace(NodePtr &node, const CallNode &place) {
    const VariableId column = std::get<IndexNode>(place.arguments[0]->kind).variable;
    if (const std::optional<Equation> equation = equationOf(place)) {
      checkInside(*equation, column);
      node = patternOf(tied(*equation, column, node->where), node->where);
    } else {
      node = patternOf(tiedToHeld(*place.arguments[1], column, true, node->where), node->where);
    }
  }

  /// `r == p(i)`, of an operand that holds integers: the index variable's side, and the other one.
  static std::optional<std::pair<VariableId, const Node *>> heldIn(const CallNode &comparison) {
    for (const size_t k : {size_t{0}, size_t{1}})
      if (const auto *index = std::get_if<IndexNode>(&comparison.arguments[k]->kind);
          index && std::holds_alternative<AccessNode>(comparison.arguments[1 - k]->kind))
        return std::pair(index->variable, comparison.arguments[1 - k].get());
    return std::nullopt;
  }

  /// Whether what a tensor holds says which coordinate goes with each of its own.
  bool mayHold(const Node &held, VariableId column) const {
    const Access &access = scope_.accesses[std::get<AccessNode>(held.kind).access];
    const Tensor &tensor = program_.tensors[access.tensor];
    const bool isWide = tensor.type == ValueType::I32 || tensor.type == ValueType::I64 ||
                        tensor.type == ValueType::U32 || tensor.type == ValueType::U64;
    return isWide && tensor.format.isDense() && tensor.order() > 0 && tensor.order() < format::kMaxOrder &&
           !hasDerived(access, scope_) && !has(access.variables, column);
  }

  AccessId tiedToHeld(const Node &held, VariableId column, bool isChecked, Span where) {
    const Access &access = scope_.accesses[std::get<AccessNode>(held.kind).access];
    std::vector<VariableId> variables = access.variables;
    Tie tie{.rowScales = std::vector<int64_t>(variables.size()), .source = access.tensor, .isChecked = isChecked};
    variables.push_back(column);
    return tied(std::move(tie), variables, where);
  }

  /// The access of an equation's tie, solved for one of its variables.
  AccessId tied(const Equation &equation, VariableId column, Span where) {
    const int64_t ofColumn = equation.multiples.at(column), sign = ofColumn < 0 ? 1 : -1;
    Tie tie{.columnScale = std::abs(ofColumn), .constant = sign * equation.constant};
    std::vector<VariableId> variables;
    for (const auto &[variable, multiple] : equation.multiples)
      if (variable != column) {
        variables.push_back(variable);
        tie.rowScales.push_back(sign * multiple);
      }
    variables.push_back(column);
    return tied(std::move(tie), variables, where);
  }

  /// What comes first where loops run over the entries of both: that is the row of their tie.
  bool isRow(VariableId one, VariableId other) const {
    for (const Access &access : listed_)
      if (has(access.variables, one) && has(access.variables, other))
        return comesFirst(access, one, other);
    if (const int of = rankOf(one), ofOther = rankOf(other); of != ofOther)
      return of < ofOther;
    const std::vector<VariableId> &targets = statement_.target.variables;
    if (has(targets, one) && has(targets, other))
      return comesFirst(statement_.target, one, other);
    return has(targets, one) || (!has(targets, other) && one < other);
  }

  bool comesFirst(const Access &access, VariableId one, VariableId other) const {
    for (const format::Level &level : program_.tensors[access.tensor].format.levels) {
      const VariableId variable = access.variables[static_cast<size_t>(level.dim)];
      if (variable == one || variable == other)
        return variable == one;
    }
    return true;
  }

  /// Variables that operands list are known first; those of levels with all coordinates are found by them.
  int rankOf(VariableId variable) const {
    int rank = 1;
    for (const Access &access : listed_)
      for (const format::Level &level : program_.tensors[access.tensor].format.levels)
        if (access.variables[static_cast<size_t>(level.dim)] == variable) {
          if (!level.isDense())
            return 0;
          rank = 2;
        }
    return rank;
  }

  /// The access of a tie, which other statements may have as well.
  AccessId tied(Tie tie, const std::vector<VariableId> &variables, Span where) {
    std::vector<ExtentId> extents;
    for (VariableId variable : variables)
      extents.push_back(scope_.variables[variable].extent);
    // What statements write is tied anew where it is read.
    const bool isWritten = tie.source && program_.symbols[*tie.source].firstWrite >= 0;
    for (TensorId id : program_.tensors.ids())
      if (const auto *known = program_.tensors[id].as<Tie>();
          known && *known == tie && program_.tensors[id].extents == extents &&
          (!isWritten || program_.tiedBefore.at(id) == number_))
        return scope_.intern({id, variables, {}, where});
    Tensor tensor;
    tensor.name = "$=" + std::to_string(program_.tensors.size());
    tensor.role = std::move(tie);
    tensor.type = ValueType::Bool;
    tensor.extents = std::move(extents);
    tensor.isRead = true;
    tensor.where = where;
    tensor.format = formatOf(static_cast<int>(variables.size()));
    program_.symbols.push_back({.firstUse = where, .isOperand = true});
    const TensorId id = program_.tensors.add(std::move(tensor));
    if (isWritten)
      program_.tiedBefore.emplace(id, number_);
    return scope_.intern({id, variables, {}, where});
  }

  /// Rows, with the narrowest indices that all of the statement's operands have.
  format::Format formatOf(int order) const {
    format::Format format = format::denseFormat(order);
    format.name.clear();
    format.levels.back().storage = format::Storage::Compressed;
    format.levels.back().extent = format::Extent::Ragged;
    format.pointers = format.indices = format::IndexType::I32;
    const bool areNarrow = std::all_of(listed_.begin(), listed_.end(), [&](const Access &access) {
      return format::bits(program_.tensors[access.tensor].format.indices) <= 32;
    });
    if (listed_.empty() || !areNarrow)
      format.pointers = format.indices = format::IndexType::I64;
    return format;
  }

  /// An element of a sparse operand at other indices than plain variables.
  void tieAccess(NodePtr &node, AccessId id) {
    const Access access = scope_.accesses[id];
    if (!isListed(access) || !hasDerived(access, scope_) || !mayTie(access))
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
    listed_.push_back(whole);
    const AccessId read = scope_.intern(std::move(whole));
    for (size_t dim = 0; dim < access.variables.size(); ++dim)
      if (const Variable index = scope_.variables[access.variables[dim]]; index.kind == Variable::Kind::Derived) {
        NodePtr tie = patternOf(tiedIndex(index, scope_.accesses[read].variables[dim], node->where), node->where);
        ties = ties ? makeBinary(BinaryOp::Mul, std::move(ties), std::move(tie)) : std::move(tie);
      }
    checkInside(access);
    sum.body = makeBinary(BinaryOp::Mul, makeNode(AccessNode{read}, node->where), std::move(ties));
    node = makeNode(std::move(sum), node->where);
  }

  AccessId tiedIndex(const Variable &index, VariableId bound, Span where) {
    Equation equation{{{bound, -1}}, index.constant};
    for (const Variable::Multiple &term : index.terms)
      equation.multiples[term.variable] = term.scale;
    const bool hasOther = index.terms.size() == 1 && !isRow(index.terms.front().variable, bound);
    return tied(equation, hasOther ? index.terms.front().variable : bound, where);
  }

  /// Whether an access has a tie for each of its indices, and missing entries that add nothing to a sum.
  bool mayTie(const Access &access) const {
    const Tensor &tensor = program_.tensors[access.tensor];
    bool isPicked = true;
    for (VariableId variable : access.variables) {
      const Variable &index = scope_.variables[variable];
      if (index.kind == Variable::Kind::Derived && index.terms.size() >= format::kMaxOrder)
        return false;
      isPicked &= index.kind != Variable::Kind::Derived || index.terms.empty() || index.isRepeated;
    }
    return tensor.fill == 0 && (!isPicked || isMerged(tensor.format));
  }

  /// Of an equation whose column has the multiple 1.
  void checkInside(const Equation &equation, VariableId column) {
    ReadWindows read{statement_.target.tensor, {}, {}};
    Window window{{}, -equation.constant};
    for (const auto &[variable, multiple] : equation.multiples)
      if (variable != column) {
        window.terms.push_back({static_cast<int>(read.extents.size()), -multiple});
        read.extents.push_back(scope_.variables[variable].extent);
      }
    for (VariableId variable : statement_.target.variables)
      if (variable == column) {
        read.windows.push_back(window);
      } else {
        read.windows.push_back({{{static_cast<int>(read.extents.size()), 1}}, 0});
        read.extents.push_back(scope_.variables[variable].extent);
      }
    program_.readWindows.push_back(std::move(read));
  }

  void checkInside(const Access &access) {
    ReadWindows read{access.tensor, {}, {}};
    const std::vector<VariableId> variables = plainVariables(access, scope_);
    for (VariableId variable : variables)
      read.extents.push_back(scope_.variables[variable].extent);
    for (VariableId variable : access.variables) {
      const Variable &index = scope_.variables[variable];
      Window window{{}, index.constant};
      for (const Variable::Multiple &term :
           index.kind == Variable::Kind::Derived ? index.terms : std::vector<Variable::Multiple>{{variable, 1}})
        window.terms.push_back({static_cast<int>(placeOf(term.variable, variables)), term.scale});
      read.windows.push_back(std::move(window));
    }
    program_.readWindows.push_back(std::move(read));
  }

  Program &program_;
  const size_t number_; ///< of the statement
  ResolvedStatement &statement_;
  Scope &scope_;
  std::vector<Access> listed_; ///< accesses of sparse operands, none of them a tie
  bool isSparse_ = false;      ///< the statement has sparse operands, or a sparse target
};

} // namespace

void tieIndices(Program &program) {
  for (size_t k = 0; k < program.statements.size(); ++k)
    StatementTies(program, k).run();
}

} // namespace spc::sema
