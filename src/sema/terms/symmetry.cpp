#include "sema/terms/symmetry.h"

#include "sema/terms/copy_advice.h"

#include <algorithm>
#include <map>

namespace spc::sema {
namespace {

constexpr DiagnosticKind kNotSymmetric{"not-symmetric", Severity::Error};

/// A term that has no mirror image among those of its statement.
struct Asymmetry {
  Span where;
  std::string mirrored; ///< the term with the target's two variables exchanged, in the language's notation
};

/// Reductions over more variables at once are compared with the variables as they are named.
constexpr size_t kMaxRenamed = 5;
/// How many ways of naming variables are tried for one term.
constexpr size_t kMaxNamings = 720;

/// What is the same for expressions that differ in the order of addends and factors, and in bound names.
struct Form {
  std::string text;
  bool isNegative = false; ///< the value is minus that of `text`
};

std::string signedText(const Form &form) {
  return (form.isNegative ? "-" : "+") + form.text;
}

std::string joined(std::vector<std::string> parts, const std::string &name) {
  std::sort(parts.begin(), parts.end());
  std::string text = name + "(";
  for (const std::string &part : parts)
    text += part + ",";
  return text + ")";
}

class SymmetryCheck {
public:
  SymmetryCheck(const Planning &planning, std::map<TensorId, bool> &known) : planning_(planning), known_(known) {}

  std::optional<Asymmetry> run(const ResolvedStatement &statement);

private:
  /// The form of an expression, with names for its free variables.
  class Former;

  bool isSymmetric(TensorId tensor);

  const Planning &planning_;
  std::map<TensorId, bool> &known_; ///< by tensor: whether it is symmetric
};

class SymmetryCheck::Former {
public:
  Former(SymmetryCheck &check, const Scope &scope, std::map<VariableId, std::string> names)
      : check_(check), scope_(scope), names_(std::move(names)) {}

  /// An addend at the top, which is summed over the variables that the target lacks.
  Form addend(const Addend &addend) {
    std::vector<VariableId> summed;
    for (VariableId variable : freeVariables(*addend.node, scope_))
      if (!names_.contains(variable))
        summed.push_back(variable);
    Form form = reduced(Reduction::Sum, summed, *addend.node);
    form.isNegative = form.isNegative != addend.negative;
    return form;
  }

private:
  Form formOf(const Node &node);
  Form sum(const Node &node);
  Form product(const Node &node);
  Form call(const CallNode &call);
  Form reduced(Reduction reduction, const std::vector<VariableId> &variables, const Node &body);
  void collectFactors(const Node &node, bool divides, std::vector<std::string> &factors, bool &isNegative);
  std::string access(const Access &access);
  std::string nameOf(VariableId variable) const;

  SymmetryCheck &check_;
  const Scope &scope_;
  std::map<VariableId, std::string> names_;
  size_t depth_ = 0;   ///< reductions around
  size_t namings_ = 1; ///< ways of naming the variables of those
};

Form SymmetryCheck::Former::formOf(const Node &node) {
  if (const auto *number = std::get_if<NumberNode>(&node.kind))
    return {number->spelling, false};
  if (const auto *use = std::get_if<AccessNode>(&node.kind))
    return {access(scope_.accesses[use->access]), false};
  if (const auto *index = std::get_if<IndexNode>(&node.kind))
    return {"#" + nameOf(index->variable), false};
  if (const auto *called = std::get_if<CallNode>(&node.kind))
    return call(*called);
  if (const auto *reduction = std::get_if<ReduceNode>(&node.kind))
    return reduced(reduction->reduction, reduction->variables, *reduction->body);
  const auto *binary = std::get_if<BinaryNode>(&node.kind);
  const bool isSum = binary && (binary->op == BinaryOp::Add || binary->op == BinaryOp::Sub);
  return isSum ? sum(node) : product(node);
}

/// A sum and its negative have one text: that of the two which comes first.
Form SymmetryCheck::Former::sum(const Node &node) {
  std::vector<std::string> addends, negated;
  for (const Addend &addend : openAddends(node, false)) {
    Form form = formOf(*addend.node);
    form.isNegative = form.isNegative != addend.negative;
    addends.push_back(signedText(form));
    form.isNegative = !form.isNegative;
    negated.push_back(signedText(form));
  }
  const std::string text = joined(std::move(addends), "sum"), other = joined(std::move(negated), "sum");
  return text <= other ? Form{text, false} : Form{other, true};
}

void SymmetryCheck::Former::collectFactors(const Node &node, bool divides, std::vector<std::string> &factors,
                                           bool &isNegative) {
  if (const auto *negate = std::get_if<NegateNode>(&node.kind)) {
    isNegative = !isNegative;
    return collectFactors(*negate->operand, divides, factors, isNegative);
  }
  const auto *binary = std::get_if<BinaryNode>(&node.kind);
  if (binary && (binary->op == BinaryOp::Mul || binary->op == BinaryOp::Div)) {
    collectFactors(*binary->left, divides, factors, isNegative);
    return collectFactors(*binary->right, divides != (binary->op == BinaryOp::Div), factors, isNegative);
  }
  const Form form = formOf(node);
  isNegative = isNegative != form.isNegative;
  factors.push_back((divides ? "/" : "*") + form.text);
}

Form SymmetryCheck::Former::product(const Node &node) {
  Form form;
  std::vector<std::string> factors;
  collectFactors(node, false, factors, form.isNegative);
  form.text = joined(std::move(factors), "product");
  return form;
}

Form SymmetryCheck::Former::call(const CallNode &call) {
  Function function = call.function;
  std::vector<std::string> arguments;
  for (const NodePtr &argument : call.arguments) {
    Form form = formOf(*argument);
    if (function == Function::Abs || function == Function::Cos || function == Function::Cosh)
      form.isNegative = false;
    arguments.push_back(signedText(form));
  }
  switch (function) {
  case Function::Greater:
  case Function::GreaterEqual:
    function = function == Function::Greater ? Function::Less : Function::LessEqual;
    std::reverse(arguments.begin(), arguments.end());
    break;
  case Function::Min:
  case Function::Max:
  case Function::MinNumber:
  case Function::MaxNumber:
  case Function::BitAnd:
  case Function::BitOr:
  case Function::BitXor:
  case Function::Equal:
  case Function::NotEqual:
  case Function::And:
  case Function::Or:
  case Function::Xor:
    std::sort(arguments.begin(), arguments.end());
    break;
  default:
    break;
  }
  std::string text = "call" + std::to_string(static_cast<int>(function)) + "." +
                     std::to_string(function == Function::Cast ? static_cast<int>(call.castTo) : 0) + "(";
  for (const std::string &argument : arguments)
    text += argument + ",";
  return {text + ")", false};
}

/// Of all ways to name the variables the one whose text comes first.
Form SymmetryCheck::Former::reduced(Reduction reduction, const std::vector<VariableId> &variables, const Node &body) {
  std::vector<size_t> numbers(variables.size());
  size_t count = 1;
  for (size_t k = 0; k < numbers.size(); ++k) {
    numbers[k] = k;
    count *= variables.size() <= kMaxRenamed ? k + 1 : 1;
  }
  if (count > kMaxNamings / namings_)
    count = 1;
  const std::map<VariableId, std::string> outer = names_;
  namings_ *= count;
  ++depth_;
  std::optional<Form> best;
  do {
    for (size_t k = 0; k < variables.size(); ++k)
      names_[variables[k]] = "r" + std::to_string(depth_) + "." + std::to_string(numbers[k]);
    Form form = formOf(body);
    if (!best || form.text < best->text)
      best = std::move(form);
  } while (count > 1 && std::next_permutation(numbers.begin(), numbers.end()));
  --depth_;
  namings_ /= count;
  names_ = outer;
  if (variables.empty() && reduction == Reduction::Sum)
    return *best;
  const std::string name(language::spellingOf(reduction));
  const std::string over = name + std::to_string(variables.size()) + "(";
  // Only a sum of negatives is the negative of a sum.
  return reduction == Reduction::Sum ? Form{over + best->text + ")", best->isNegative}
                                     : Form{over + signedText(*best) + ")", false};
}

std::string SymmetryCheck::Former::access(const Access &access) {
  std::vector<std::string> indices;
  for (VariableId variable : access.variables)
    indices.push_back(nameOf(variable));
  if (check_.isSymmetric(access.tensor))
    std::sort(indices.begin(), indices.end());
  std::string text = check_.planning_.kernel.tensors[access.tensor].name + "[";
  for (const std::string &index : indices)
    text += index + ",";
  return text + "]";
}

std::string SymmetryCheck::Former::nameOf(VariableId variable) const {
  const Variable &own = scope_.variables[variable];
  if (own.kind != Variable::Kind::Derived) {
    const auto name = names_.find(variable);
    return name == names_.end() ? own.name : name->second;
  }
  std::vector<std::string> terms{std::to_string(own.constant)};
  for (const Variable::Multiple &term : own.terms)
    terms.push_back(std::to_string(term.scale) + "*" + nameOf(term.variable));
  return joined(std::move(terms), "");
}

bool SymmetryCheck::isSymmetric(TensorId id) {
  const Tensor &tensor = planning_.kernel.tensors[id];
  if (tensor.format.symmetry != format::Symmetry::None)
    return !format::isHermitian(tensor.format.symmetry);
  if (const auto *copy = tensor.as<Converted>())
    return isSymmetric(copy->source);
  if (tensor.order() != 2 || !planning_.symbols.has(id) || planning_.symbols[id].isOperand)
    return false;
  // What a statement reads of its own target, earlier ones have written.
  if (const auto found = known_.find(id); found != known_.end())
    return found->second;
  known_[id] = true;
  bool isWritten = false, isSymmetric = true;
  for (const ResolvedStatement &statement : planning_.statements)
    if (statement.target.tensor == id) {
      isWritten = true;
      isSymmetric = isSymmetric && !run(statement);
    }
  return known_[id] = isWritten && isSymmetric;
}

std::optional<Asymmetry> SymmetryCheck::run(const ResolvedStatement &statement) {
  const VariableId row = statement.target.variables[0], column = statement.target.variables[1];
  Former plain(*this, statement.scope, {{row, "i"}, {column, "j"}});
  Former mirror(*this, statement.scope, {{row, "j"}, {column, "i"}});
  std::vector<std::string> forms;
  const std::vector<Addend> addends = openAddends(*statement.value, false);
  for (const Addend &addend : addends)
    forms.push_back(signedText(plain.addend(addend)));
  for (const Addend &addend : addends) {
    const auto image = std::find(forms.begin(), forms.end(), signedText(mirror.addend(addend)));
    if (image != forms.end()) {
      forms.erase(image);
      continue;
    }
    Scope exchanged = statement.scope;
    std::swap(exchanged.variables[row].name, exchanged.variables[column].name);
    return Asymmetry{addend.node->where,
                     (addend.negative ? "-" : "") + print(*addend.node, exchanged, planning_.kernel)};
  }
  return std::nullopt;
}

} // namespace

bool refuseAsymmetry(Planning &planning, const LogicalStatement &logical) {
  const ResolvedStatement &statement = planning.statements[logical.statement];
  const Tensor &target = planning.kernel.tensors[logical.target];
  if (format::isHermitian(target.format.symmetry)) {
    const std::string name = quotedName(planning.kernel, logical.target);
    planning.diagnostics
        .report(kNotSymmetric, statement.targetWhere,
                name + " is stored as one triangle of a Hermitian matrix, and spc reads such matrices alone")
        .advise("store " + name + " as both triangles, for instance --format " + target.name + "=csr");
    return true;
  }
  std::map<TensorId, bool> known;
  const std::optional<Asymmetry> found =
      target.format.symmetry == format::Symmetry::None ? std::nullopt : SymmetryCheck(planning, known).run(statement);
  if (!found)
    return false;
  const std::vector<std::string> names = namesOf(statement.target.variables, statement.scope);
  planning.diagnostics
      .report(kNotSymmetric, statement.targetWhere,
              quotedName(planning.kernel, logical.target) +
                  " is stored as one triangle of a symmetric matrix, and what is assigned to it is "
                  "not symmetric by its form")
      .note(found->where, "with " + inQuotes(names[0]) + " and " + inQuotes(names[1]) + " exchanged this term is " +
                              inQuotes(found->mirrored) + ", and none of the right side is the same")
      .advise("add the mirror image, or store " + quotedName(planning.kernel, logical.target) +
              " in a format without a symmetry, for instance " + shippedFormat({0, 1}));
  return true;
}

} // namespace spc::sema
