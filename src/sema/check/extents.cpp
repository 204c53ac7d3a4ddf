// Extents: dimensions that one index variable or one declared name ties together are one extent (union-find).
#include "sema/check/checking.h"

#include <algorithm>
#include <set>

namespace spc::sema {
namespace {

constexpr DiagnosticKind kShapeClash{"shape-clash", Severity::Error};
constexpr DiagnosticKind kSameExtent{"same-extent", Severity::Note};

constexpr size_t kLastRank = SIZE_MAX / 2; ///< of names: after all those of the text

// A declared name or an index variable takes part under its name; the lower rank wins when classes merge.
struct ClassName {
  std::string text;
  size_t rank = SIZE_MAX;
  Span where = {}; ///< of a declared name
};

struct FixedSize {
  int64_t value;
  Span where;
  bool isOfConstant = false; ///< not written, but what a constant has

  std::string how() const {
    return isOfConstant ? "this constant has " + std::to_string(value) + " there"
                        : "declared as " + std::to_string(value) + " here";
  }
};

class ExtentClasses {
public:
  explicit ExtentClasses(Diagnostics &diagnostics) : diagnostics_(diagnostics) {}

  int add() {
    parents_.push_back(static_cast<int>(parents_.size()));
    declared_.emplace_back();
    variables_.emplace_back();
    fixed_.emplace_back();
    return parents_.back();
  }

  int find(int node) {
    while (parents_[node] != node)
      node = parents_[node] = parents_[parents_[node]];
    return node;
  }

  void fix(int node, FixedSize size) { fixed_[find(node)] = size; }
  void nameDeclared(int node, ClassName name) { takeFirst(declared_[find(node)], std::move(name)); }
  void nameVariable(int node, ClassName name) { takeFirst(variables_[find(node)], std::move(name)); }

  /// Makes two classes one; `use` is where they meet, and `what` that which they are the size of, for messages.
  void merge(int a, int b, Span use, const std::string &what) {
    a = find(a);
    b = find(b);
    if (a == b)
      return;
    if (fixed_[a] && fixed_[b] && fixed_[a]->value != fixed_[b]->value) {
      diagnostics_
          .report(kShapeClash, use,
                  what + " has size " + std::to_string(fixed_[a]->value) + " and size " +
                      std::to_string(fixed_[b]->value))
          .note(fixed_[a]->where, fixed_[a]->how())
          .note(fixed_[b]->where, fixed_[b]->how());
    }
    parents_[b] = a;
    takeFirst(declared_[a], declared_[b]);
    takeFirst(variables_[a], variables_[b]);
    if (!fixed_[a])
      fixed_[a] = fixed_[b];
  }

  /// Merges the class of an index variable and that of a dimension. Two declared names for one size may be a slip.
  void mergeByIndex(int variable, int dimension, Span use, const std::string &name) {
    const ClassName kept = declared_[find(variable)], other = declared_[find(dimension)];
    merge(variable, dimension, use, inQuotes(name));
    if (kept.text.empty() || other.text.empty() || kept.text == other.text)
      return;
    diagnostics_
        .report(kSameExtent, use,
                inQuotes(name) + " runs over " + inQuotes(kept.text) + " and " + inQuotes(other.text) +
                    ", so that these are one size")
        .note(kept.where, inQuotes(kept.text) + " is declared here")
        .note(other.where, inQuotes(other.text) + " is declared here")
        .advise("give both the same name if that is meant, or index another dimension");
  }

  const ClassName &declaredName(int node) { return declared_[find(node)]; }
  const ClassName &variableName(int node) { return variables_[find(node)]; }
  std::optional<int64_t> fixedSize(int node) {
    const auto &fixed = fixed_[find(node)];
    return fixed ? std::optional(fixed->value) : std::nullopt;
  }

private:
  static void takeFirst(ClassName &name, ClassName other) {
    if (other.rank < name.rank)
      name = std::move(other);
  }

  Diagnostics &diagnostics_;
  std::vector<int> parents_;
  std::vector<ClassName> declared_, variables_;
  std::vector<std::optional<FixedSize>> fixed_;
};

/// The nodes of a statement's variables.
using VariableNodes = IdVector<VariableId, int>;

class ExtentInference {
public:
  explicit ExtentInference(Checking &checking) : checking_(checking), classes_(checking.diagnostics) {}

  void run() {
    for (const Tensor &tensor : checking_.program.tensors) {
      dimensions_.emplace_back();
      for (int k = 0; k < tensor.order(); ++k)
        dimensions_.back().push_back(classes_.add());
    }
    addDeclaredSizes();
    std::vector<VariableNodes> variables;
    for (ResolvedStatement &statement : checking_.program.statements)
      variables.push_back(addStatement(statement));
    checkTemporaries();
    for (size_t s = 0; s < variables.size(); ++s)
      checkSized(checking_.program.statements[s], variables[s]);
    for (TensorId id : dimensions_.ids())
      tieByFormat(id);
    reserveDeclaredNames();
    for (TensorId id : dimensions_.ids())
      for (size_t k = 0; k < dimensions_[id].size(); ++k)
        checking_.program.tensors[id].extents[k] = extentOf(dimensions_[id][k]);
    for (size_t s = 0; s < variables.size(); ++s)
      for (VariableId id : variables[s].ids())
        checking_.program.statements[s].scope.variables[id].extent = extentOf(variables[s][id]);
    for (Tensor &tensor : checking_.program.tensors)
      if (tensor.is<Size>())
        settleSize(tensor);
    settleSums();
  }

private:
  void addDeclaredSizes() {
    std::map<std::string, int> &named = declared_;
    for (TensorId id : dimensions_.ids()) {
      const std::optional<language::TensorDecl> &declaration = checking_.program.symbols[id].declaration;
      for (size_t k = 0; declaration && k < dimensions_[id].size(); ++k) {
        const language::ExtentDecl &extent = declaration->extents[k];
        if (const auto *number = std::get_if<int64_t>(&extent.value)) {
          classes_.fix(dimensions_[id][k], {*number, extent.where});
          continue;
        }
        if (const auto *constant = checking_.program.tensors[id].as<Constant>(); constant && constant->entries)
          classes_.fix(dimensions_[id][k], {constant->entries->shape[k], extent.where, /*isOfConstant=*/true});
        if (const auto *sum = std::get_if<language::ExtentSum>(&extent.value)) {
          sums_.push_back({dimensions_[id][k], sum, extent.where});
          continue;
        }
        const std::string &name = std::get<std::string>(extent.value);
        auto [entry, isNew] = named.try_emplace(name, dimensions_[id][k]);
        if (isNew)
          classes_.nameDeclared(entry->second, {name, placeOf(*declaration) + k, extent.where});
        else
          classes_.merge(entry->second, dimensions_[id][k], extent.where, inQuotes(name));
      }
    }
  }

  /// Sums of extents are known once all extents are.
  void settleSums() {
    for (const DeclaredSum &declared : sums_) {
      ExtentSum sum{{}, declared.sum->constant};
      bool isKnown = true;
      for (const language::ExtentSum::Product &product : declared.sum->products) {
        ExtentSum::Product &own = sum.products.emplace_back(ExtentSum::Product{product.factor, {}});
        for (const std::string &name : product.names) {
          const auto node = declared_.find(name);
          isKnown = isKnown && node != declared_.end();
          if (node != declared_.end())
            own.extents.push_back(extentOf(node->second));
          else
            checking_.diagnostics
                .report(kUnsizedVariable, declared.where,
                        "nothing that the caller passes says how large " + inQuotes(name) + " is")
                .advise("declare a tensor that has it alone as an extent: tensor x(" + name + ")");
        }
      }
      if (isKnown)
        checking_.program.extents[extentOf(declared.node)].sums.push_back(std::move(sum));
    }
  }

  void settleSize(Tensor &size) {
    if (const auto node = declared_.find(size.name); node != declared_.end())
      size.role = Size{extentOf(node->second)};
    else
      checking_.diagnostics.report(kUnsizedVariable, size.where,
                                   "nothing that the caller passes says how large " + inQuotes(size.name) + " is");
  }

  /// Declarations in the order of the text, with room for their dimensions.
  size_t placeOf(const language::TensorDecl &declaration) const {
    size_t place = 0;
    for (const language::TensorDecl &other : checking_.program.declarations) {
      if (other.name.text == declaration.name.text)
        break;
      place += other.extents.size();
    }
    return place;
  }

  VariableNodes addStatement(const ResolvedStatement &statement) {
    VariableNodes variables;
    for (const Variable &variable : statement.scope.variables) {
      variables.push_back(classes_.add());
      const bool isDerived = variable.kind == Variable::Kind::Derived;
      // A derived one has no name: its dimension's size gets one if nothing else names it.
      const std::string name =
          isDerived ? checking_.program.tensors[variable.tensor].name + "_size_" + std::to_string(variable.dim)
                    : variable.name;
      classes_.nameVariable(variables.back(), {name, isDerived ? kLastRank + nextRank_++ : nextRank_++});
      if (isDerived && variable.isRepeated)
        classes_.merge(variables.back(), variables[variable.terms.front().variable], statement.where,
                       inQuotes(variable.name));
    }
    for (const Access &access : statement.scope.accesses)
      tie(access, statement.scope, variables);
    if (statement.value)
      tie(statement.target, statement.scope, variables);
    return variables;
  }

  void tie(const Access &access, const Scope &scope, const VariableNodes &variables) {
    for (size_t k = 0; k < access.variables.size(); ++k) {
      VariableId variable = access.variables[k];
      classes_.mergeByIndex(variables[variable], dimensions_[access.tensor][k], access.places[k],
                            scope.variables[variable].name);
    }
  }

  bool isSum(int node) {
    return std::any_of(sums_.begin(), sums_.end(),
                       [&](const DeclaredSum &sum) { return classes_.find(sum.node) == classes_.find(node); });
  }

  // Sizes come from what the caller passes, or are declared as numbers.
  void checkTemporaries() {
    std::set<int> given;
    for (TensorId id : dimensions_.ids())
      for (int node : dimensions_[id])
        if (!checking_.program.tensors[id].is<Temporary>() || classes_.fixedSize(node) || isSum(node))
          given.insert(classes_.find(node));
    for (TensorId id : dimensions_.ids())
      for (size_t k = 0; k < dimensions_[id].size(); ++k)
        if (!given.contains(classes_.find(dimensions_[id][k]))) {
          const Tensor &temporary = checking_.program.tensors[id];
          checking_.diagnostics
              .report(kUnsizedVariable, temporary.where,
                      "nothing that the caller passes says how large dimension " + std::to_string(k) +
                          " of the temporary " + inQuotes(temporary.name) + " is")
              .advise("declare its size as a number: tensor " + temporary.name + "(...)");
          break;
        }
  }

  // A variable that indexes nothing but windows has no size.
  void checkSized(const ResolvedStatement &statement, const VariableNodes &variables) {
    std::set<int> sized;
    for (const auto &dimensions : dimensions_)
      for (int node : dimensions)
        sized.insert(classes_.find(node));
    std::set<VariableId> reported;
    if (!statement.value)
      return;
    for (const Access &access : statement.scope.accesses)
      for (size_t dim = 0; dim < access.variables.size(); ++dim)
        for (const Variable::Multiple &term : statement.scope.variables[access.variables[dim]].terms)
          if (!sized.contains(classes_.find(variables[term.variable])) && reported.insert(term.variable).second)
            checking_.diagnostics
                .report(kUnsizedVariable, access.places[dim],
                        "nothing says how far " + inQuotes(statement.scope.variables[term.variable].name) +
                            " runs: it indexes no dimension alone")
                .advise("index a tensor, or the left side, with it alone");
  }

  // Formats may say that sizes are the same: a symmetric matrix is square, a shared structure has one shape.
  void tieByFormat(TensorId id) {
    const Tensor &tensor = checking_.program.tensors[id];
    const Span bound = checking_.program.symbols[id].boundBy.value_or(tensor.where);
    const std::vector<int> &own = dimensions_[id];
    if (tensor.format.symmetry != format::Symmetry::None && own.size() == 2)
      classes_.merge(own[0], own[1], bound, "symmetric " + inQuotes(tensor.name));
    if (!tensor.shared())
      return;
    const std::vector<int> &owners = dimensions_[tensor.shared()->owner];
    for (size_t k = 0; k < own.size(); ++k)
      classes_.merge(owners[k], own[k], bound,
                     "dimension " + std::to_string(k) + " of " + inQuotes(tensor.name) +
                         ", whose structure is that of " +
                         inQuotes(checking_.program.tensors[tensor.shared()->owner].name) + ",");
  }

  void reserveDeclaredNames() {
    for (const auto &dimensions : dimensions_)
      for (int node : dimensions)
        taken_.insert(classes_.declaredName(node).text);
  }

  ExtentId extentOf(int node) {
    auto [entry, isNew] = extents_.try_emplace(classes_.find(node), ExtentId(checking_.program.extents.size()));
    if (isNew)
      checking_.program.extents.push_back({nameOf(node), classes_.fixedSize(node)});
    return entry->second;
  }

  std::string nameOf(int node) {
    if (const std::string &declared = classes_.declaredName(node).text; !declared.empty())
      return declared;
    const std::string &variable = classes_.variableName(node).text;
    std::string name = variable;
    for (int number = 2; !taken_.insert(name).second; ++number)
      name = variable + "_" + std::to_string(number);
    return name;
  }

  Checking &checking_;
  ExtentClasses classes_;
  IdVector<TensorId, std::vector<int>> dimensions_; ///< node by tensor and dimension
  std::map<std::string, int> declared_;             ///< nodes of names in declarations
  struct DeclaredSum {
    int node;
    const language::ExtentSum *sum;
    Span where;
  };
  std::vector<DeclaredSum> sums_;
  std::map<int, ExtentId> extents_; ///< by class
  std::set<std::string> taken_;
  size_t nextRank_ = 0;
};

} // namespace

void inferExtents(Checking &checking) {
  ExtentInference(checking).run();
}

} // namespace spc::sema
