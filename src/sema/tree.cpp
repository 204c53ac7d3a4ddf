#include "sema/tree.h"

#include "sema/composed_reductions.h"

#include "language/precedence.h"

#include <algorithm>
#include <utility>

namespace spc::sema {
namespace {

void collectFree(const Node &node, const Scope &scope, std::vector<VariableId> &bound, std::vector<VariableId> &free) {
  const auto add = [&](VariableId variable) {
    if (!has(bound, variable) && !has(free, variable))
      free.push_back(variable);
  };
  if (const auto *access = std::get_if<AccessNode>(&node.kind)) {
    for (VariableId variable : plainVariables(scope.accesses[access->access], scope))
      add(variable);
    return;
  }
  if (const auto *index = std::get_if<IndexNode>(&node.kind))
    return add(index->variable);
  size_t outside = bound.size();
  if (const auto *sum = std::get_if<ReduceNode>(&node.kind)) {
    if (sum->rank)
      add(*sum->rank);
    bound.insert(bound.end(), sum->variables.begin(), sum->variables.end());
  }
  for (const Node *child : children(node))
    collectFree(*child, scope, bound, free);
  bound.resize(outside);
}

void collectAddends(const Node &node, bool keepGroups, Addend at, bool leftmost, std::vector<Addend> &result) {
  if (const auto *negate = std::get_if<NegateNode>(&node.kind)) {
    // A negation of what is no sum stays part of the addend's value, folded into its sign.
    return collectAddends(*negate->operand, keepGroups, {negate->operand.get(), !at.negative}, leftmost, result);
  }
  const BinaryNode *sum = asSum(node);
  if (!sum || (keepGroups && !leftmost)) {
    result.push_back(at);
    return;
  }
  bool subtracts = sum->op == BinaryOp::Sub;
  collectAddends(*sum->left, keepGroups, {sum->left.get(), at.negative}, leftmost, result);
  collectAddends(*sum->right, keepGroups, {sum->right.get(), at.negative != subtracts}, false, result);
}

using namespace language::precedence;

class Printer {
public:
  Printer(const Scope &scope, const KernelHead &kernel, const Wrapping &wrapping)
      : scope_(scope), kernel_(kernel), wrapping_(wrapping) {}

  std::string operator()(const Node &node, int atLeast) const {
    const auto &wrapped = wrapping_.nodes;
    if (has(wrapped, &node))
      return "sum(" + wrapping_.variable + ", " + text(node) + ")";
    std::string result = text(node);
    return precedence(node) < atLeast ? "(" + result + ")" : result;
  }

private:
  static int precedence(const Node &node) {
    if (std::holds_alternative<NegateNode>(node.kind))
      return kUnary;
    if (const auto *call = std::get_if<CallNode>(&node.kind))
      return language::precedenceOf(call->function);
    if (!std::holds_alternative<BinaryNode>(node.kind) || composedReduction(node))
      return kPrimary;
    return asSum(node) ? kSum : kProduct;
  }

  std::string names(const std::vector<VariableId> &variables, const char *separator) const {
    std::string result;
    for (VariableId variable : variables)
      result += (result.empty() ? "" : separator) + scope_.variables[variable].name;
    return result;
  }

  /// Whether the first arguments of a minimum or maximum would be read as what a reduction of the last one runs over.
  bool looksLikeReduction(const CallNode &call) const {
    const auto isRunOver = [&](const NodePtr &argument) {
      const auto *index = std::get_if<IndexNode>(&argument->kind);
      bool found = false;
      forEachAccess(*call.arguments.back(), true, [&](const AccessNode &use, Span) {
        const std::vector<std::string> inside = namesOf(plainVariables(scope_.accesses[use.access], scope_), scope_);
        found |= index && has(inside, scope_.variables[index->variable].name);
      });
      return found;
    };
    return (call.function == Function::Min || call.function == Function::Max) &&
           std::all_of(call.arguments.begin(), call.arguments.end() - 1, isRunOver);
  }

  std::string text(const CallNode &call) const {
    const language::FunctionSpelling &spelling = language::spellingOf(call.function);
    if (spelling.isOperator()) {
      const int own = language::precedenceOf(call.function);
      const bool isUnary = call.arguments.size() == 1;
      const std::string left = isUnary ? "" : (*this)(*call.arguments.front(), own == kComparison ? kSum : own) + " ";
      return left + std::string(spelling.text) + " " + (*this)(*call.arguments.back(), isUnary ? own : own + 1);
    }
    const bool isLikeReduction = looksLikeReduction(call);
    std::string text;
    for (const NodePtr &argument : call.arguments)
      text += text.empty() && isLikeReduction ? "(" + (*this)(*argument, kOr) + ")"
                                              : (text.empty() ? "" : ", ") + (*this)(*argument, kOr);
    const bool isCast = call.function == Function::Cast;
    if (language::mayReadAsTensor(spelling.text, text)) {
      const size_t end = std::min(text.find(','), text.size());
      text = "(" + text.substr(0, end) + ")" + text.substr(end);
    }
    return (isCast && !call.typeParameter.empty() ? call.typeParameter
            : isCast                              ? sema::spelling(call.castTo)
                                                  : std::string(spelling.text)) +
           "(" + text + ")";
  }

  std::string text(Reduction reduction, const ReduceNode &over, const Node &body) const {
    const std::string rank = over.rank ? scope_.variables[*over.rank].name + ", " : "";
    return std::string(language::spellingOf(reduction)) + "(" + rank + names(over.variables, ", ") + ", " +
           (*this)(body, kOr) + ")";
  }

  std::string textOfNegation(const Node &operand) const {
    const std::string text = (*this)(operand, kUnary);
    return text == "inf" ? "-(inf)" : "-" + text; // "-inf" is a number
  }

  std::string text(const Node &node) const {
    if (const auto *number = std::get_if<NumberNode>(&node.kind))
      return number->spelling;
    if (const auto *use = std::get_if<AccessNode>(&node.kind)) {
      const Access &access = scope_.accesses[use->access];
      std::string name = kernel_.tensors[access.tensor].name;
      return access.variables.empty() ? name : name + "(" + names(access.variables, ",") + ")";
    }
    if (const auto *index = std::get_if<IndexNode>(&node.kind))
      return scope_.variables[index->variable].name;
    if (const auto *call = std::get_if<CallNode>(&node.kind))
      return text(*call);
    if (const auto *negate = std::get_if<NegateNode>(&node.kind))
      return textOfNegation(*negate->operand);
    if (const std::optional<ComposedReduction> written = composedReduction(node))
      return text(written->reduction, *written->over, *written->body);
    if (const auto *sum = std::get_if<ReduceNode>(&node.kind))
      return text(sum->reduction, *sum, *sum->body);
    const auto &binary = std::get<BinaryNode>(node.kind);
    int own = precedence(node);
    return (*this)(*binary.left, own) + std::string(language::spellingOf(binary.op)) + (*this)(*binary.right, own + 1);
  }

  const Scope &scope_;
  const KernelHead &kernel_;
  const Wrapping &wrapping_;
};

} // namespace

AccessId Scope::intern(Access access) {
  for (AccessId id : accesses.ids())
    if (accesses[id].tensor == access.tensor && accesses[id].variables == access.variables &&
        accesses[id].mirrored == access.mirrored)
      return id;
  return accesses.add(std::move(access));
}

std::vector<VariableId> plainVariables(const Access &access, const Scope &scope) {
  std::vector<VariableId> plain;
  const auto add = [&](VariableId variable) {
    if (!has(plain, variable))
      plain.push_back(variable);
  };
  for (VariableId id : access.variables) {
    const Variable &variable = scope.variables[id];
    if (variable.kind != Variable::Kind::Derived)
      add(id);
    for (const Variable::Multiple &term : variable.terms)
      add(term.variable);
  }
  return plain;
}

bool hasDerived(const Access &access, const Scope &scope) {
  return std::any_of(access.variables.begin(), access.variables.end(),
                     [&](VariableId id) { return scope.variables[id].kind == Variable::Kind::Derived; });
}

std::vector<std::string> namesOf(const std::vector<VariableId> &variables, const Scope &scope) {
  std::vector<std::string> names;
  for (VariableId variable : variables)
    names.push_back(scope.variables[variable].name);
  return names;
}

NodePtr makeNode(decltype(Node::kind) kind, Span where) {
  return std::make_unique<Node>(Node{std::move(kind), where});
}

NodePtr makeBinary(BinaryOp op, NodePtr left, NodePtr right) {
  Span where = left->where && right->where ? join(left->where, right->where) : left->where;
  return makeNode(BinaryNode{op, std::move(left), std::move(right)}, where);
}

NodePtr clone(const Node &node) {
  if (const auto *negate = std::get_if<NegateNode>(&node.kind))
    return makeNode(NegateNode{clone(*negate->operand)}, node.where);
  if (const auto *binary = std::get_if<BinaryNode>(&node.kind))
    return makeNode(BinaryNode{binary->op, clone(*binary->left), clone(*binary->right)}, node.where);
  if (const auto *sum = std::get_if<ReduceNode>(&node.kind))
    return makeNode(ReduceNode{sum->reduction, sum->variables, clone(*sum->body), sum->rank}, node.where);
  if (const auto *number = std::get_if<NumberNode>(&node.kind))
    return makeNode(*number, node.where);
  if (const auto *index = std::get_if<IndexNode>(&node.kind))
    return makeNode(*index, node.where);
  if (const auto *call = std::get_if<CallNode>(&node.kind)) {
    CallNode copy{call->function, call->castTo, {}, call->typeParameter};
    for (const NodePtr &argument : call->arguments)
      copy.arguments.push_back(clone(*argument));
    return makeNode(std::move(copy), node.where);
  }
  return makeNode(std::get<AccessNode>(node.kind), node.where);
}

const BinaryNode *asSum(const Node &node) {
  const auto *binary = std::get_if<BinaryNode>(&node.kind);
  return binary && (binary->op == BinaryOp::Add || binary->op == BinaryOp::Sub) ? binary : nullptr;
}

bool hasReduction(const Node &node) {
  return hasNode(node, [](const Node &one) { return std::holds_alternative<ReduceNode>(one.kind); });
}

bool hasOtherReduction(const Node &node) {
  return hasNode(node, [](const Node &one) {
    const auto *reduction = std::get_if<ReduceNode>(&one.kind);
    return reduction && reduction->reduction != Reduction::Sum;
  });
}

bool asksForEntries(const Node &node) {
  const auto *call = std::get_if<CallNode>(&node.kind);
  const auto *reduction = std::get_if<ReduceNode>(&node.kind);
  return (call && (call->function == Function::Pattern || call->function == Function::Where)) ||
         (reduction && reduction->rank);
}

std::vector<const Node *> children(const Node &node) {
  if (const auto *negate = std::get_if<NegateNode>(&node.kind))
    return {negate->operand.get()};
  if (const auto *binary = std::get_if<BinaryNode>(&node.kind))
    return {binary->left.get(), binary->right.get()};
  if (const auto *sum = std::get_if<ReduceNode>(&node.kind))
    return {sum->body.get()};
  std::vector<const Node *> result;
  if (const auto *call = std::get_if<CallNode>(&node.kind))
    for (const NodePtr &argument : call->arguments)
      result.push_back(argument.get());
  return result;
}

std::vector<Node *> children(Node &node) {
  std::vector<Node *> result;
  for (const Node *child : children(std::as_const(node)))
    result.push_back(const_cast<Node *>(child)); // parts of what is no constant
  return result;
}

void replaceAccesses(Node &node, const std::function<AccessId(AccessId)> &replacement) {
  if (auto *use = std::get_if<AccessNode>(&node.kind))
    use->access = replacement(use->access);
  for (Node *child : children(node))
    replaceAccesses(*child, replacement);
}

void forEachAccess(const Node &node, bool enterSums, const std::function<void(const AccessNode &, Span)> &visit) {
  if (const auto *access = std::get_if<AccessNode>(&node.kind))
    return visit(*access, node.where);
  if (!enterSums && std::holds_alternative<ReduceNode>(node.kind))
    return;
  for (const Node *child : children(node))
    forEachAccess(*child, enterSums, visit);
}

bool indexes(VariableId variable, const Node &node, const Scope &scope) {
  bool found = false;
  forEachAccess(node, true, [&](const AccessNode &use, Span) {
    found |= has(plainVariables(scope.accesses[use.access], scope), variable);
  });
  return found;
}

bool readsValue(const Node &node, VariableId variable) {
  return hasNode(node, [&](const Node &one) {
    const auto *index = std::get_if<IndexNode>(&one.kind);
    return index && index->variable == variable;
  });
}

bool hasCalls(const Node &node) {
  if (std::holds_alternative<CallNode>(node.kind) || std::holds_alternative<IndexNode>(node.kind))
    return true;
  if (std::holds_alternative<ReduceNode>(node.kind))
    return false;
  const std::vector<const Node *> below = children(node);
  return std::any_of(below.begin(), below.end(), [](const Node *child) { return hasCalls(*child); });
}

bool occurs(VariableId variable, const Node &node, const Scope &scope) {
  if (const auto *index = std::get_if<IndexNode>(&node.kind))
    return index->variable == variable;
  if (const auto *access = std::get_if<AccessNode>(&node.kind))
    return has(plainVariables(scope.accesses[access->access], scope), variable);
  if (const auto *reduction = std::get_if<ReduceNode>(&node.kind); reduction && reduction->rank == variable)
    return true;
  std::vector<const Node *> below = children(node);
  return std::any_of(below.begin(), below.end(), [&](const Node *child) { return occurs(variable, *child, scope); });
}

bool usesIndexValue(const Node &node) {
  return hasNode(node, [](const Node &one) { return std::holds_alternative<IndexNode>(one.kind); });
}

bool isOfIndices(const Node &node) {
  if (std::holds_alternative<AccessNode>(node.kind) || std::holds_alternative<ReduceNode>(node.kind) ||
      std::holds_alternative<CallNode>(node.kind))
    return false;
  const std::vector<const Node *> below = children(node);
  return std::all_of(below.begin(), below.end(), [](const Node *child) { return isOfIndices(*child); });
}

namespace {

bool readsSparse(const Node &node, const Scope &scope, const KernelHead &kernel) {
  bool isFound = false;
  forEachAccess(node, true, [&](const AccessNode &use, Span) {
    isFound |= !kernel.tensors[scope.accesses[use.access].tensor].format.isDense();
  });
  return isFound;
}

} // namespace

bool isIndexMask(const Node &node, const Scope &scope, const KernelHead &kernel) {
  const auto *call = std::get_if<CallNode>(&node.kind);
  if (!call)
    return false;
  if (language::isComparison(call->function)) {
    const auto isSide = [&](size_t k) {
      return isOfIndices(*call->arguments[k]) && usesIndexValue(*call->arguments[k]) &&
             !readsSparse(*call->arguments[1 - k], scope, kernel);
    };
    return isSide(0) || isSide(1);
  }
  const auto isMask = [&](const NodePtr &part) { return isIndexMask(*part, scope, kernel); };
  const auto isPattern = [](const NodePtr &part) {
    const auto *pattern = std::get_if<CallNode>(&part->kind);
    return pattern && pattern->function == Function::Pattern;
  };
  const std::vector<NodePtr> &parts = call->arguments;
  return call->function >= Function::And && call->function <= Function::Not &&
         std::any_of(parts.begin(), parts.end(), isMask) &&
         std::all_of(parts.begin(), parts.end(), [&](const NodePtr &part) { return isMask(part) || isPattern(part); });
}

std::vector<AccessId> accessesOf(const Node &node) {
  std::vector<AccessId> result;
  forEachAccess(node, true, [&](const AccessNode &use, Span) {
    if (!has(result, use.access))
      result.push_back(use.access);
  });
  return result;
}

std::vector<VariableId> freeVariables(const Node &node, const Scope &scope) {
  std::vector<VariableId> bound, free;
  collectFree(node, scope, bound, free);
  return free;
}

std::vector<Addend> openAddends(const Node &node, bool keepGroups) {
  std::vector<Addend> result;
  collectAddends(node, keepGroups, {&node, false}, true, result);
  return result;
}

std::string print(const Node &node, const Scope &scope, const KernelHead &kernel, const Wrapping &sumAround) {
  return Printer(scope, kernel, sumAround)(node, kSum);
}

std::string printAlone(const Node &node, const Scope &scope, const KernelHead &kernel) {
  return Printer(scope, kernel, {})(node, kOr);
}

} // namespace spc::sema
