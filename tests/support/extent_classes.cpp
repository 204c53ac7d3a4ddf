#include "support/extent_classes.h"

#include <algorithm>
#include <set>

namespace spc::testing {
namespace {

class Finder {
public:
  void visit(const syntax::Statement &statement) {
    variables_.clear();
    indices_.clear();
    collectIndices(statement.target);
    collectIndices(*statement.value);
    visit(*statement.value);
    visit(statement.target);
  }

  void unite(const std::string &a, const std::string &b) {
    const std::vector<int> &dimensions = classes_.ofTensor[a], &others = classes_.ofTensor[b];
    for (size_t dim = 0; dim < std::min(dimensions.size(), others.size()); ++dim)
      parent_[static_cast<size_t>(root(dimensions[dim]))] = root(others[dim]);
  }

  ExtentClasses result() {
    std::map<int, int> numbers;
    for (const std::string &tensor : classes_.tensors)
      for (int &dimension : classes_.ofTensor[tensor])
        dimension = numbers.emplace(root(dimension), static_cast<int>(numbers.size())).first->second;
    classes_.count = static_cast<int>(numbers.size());
    return classes_;
  }

private:
  void visit(const syntax::Expr &expr) {
    std::visit([&](const auto &node) { visit(node); }, expr.node);
  }
  void visit(const syntax::Literal &) {}
  void visit(const syntax::Call &call) {
    for (const syntax::ExprPtr &argument : call.arguments)
      visit(*argument);
  }
  void visit(const syntax::Negate &negate) { visit(*negate.operand); }
  void visit(const syntax::Reduce &sum) { visit(*sum.body); }
  void visit(const syntax::Paren &paren) { visit(*paren.inner); }
  void visit(const syntax::Binary &binary) {
    visit(*binary.left);
    visit(*binary.right);
  }

  void collectIndices(const syntax::Access &access) {
    for (const syntax::Name &index : access.indices)
      indices_.insert(index.text);
  }
  void collectIndices(const syntax::Expr &expr) {
    if (const auto *access = std::get_if<syntax::Access>(&expr.node))
      collectIndices(*access);
    for (const syntax::Expr *child : syntax::children(expr))
      collectIndices(*child);
  }

  void visit(const syntax::Access &access) {
    if (access.indices.empty() && indices_.contains(access.tensor.text))
      return; // the value of an index variable
    auto [entry, isNew] = classes_.ofTensor.try_emplace(access.tensor.text);
    if (isNew)
      classes_.tensors.push_back(access.tensor.text);
    for (size_t dim = 0; dim < access.indices.size(); ++dim) {
      if (dim == entry->second.size())
        entry->second.push_back(makeClass());
      auto [variable, isFirst] = variables_.try_emplace(access.indices[dim].text, entry->second[dim]);
      if (!isFirst)
        parent_[static_cast<size_t>(root(entry->second[dim]))] = root(variable->second);
    }
  }

  int makeClass() {
    parent_.push_back(static_cast<int>(parent_.size()));
    return parent_.back();
  }

  int root(int element) const {
    while (parent_[static_cast<size_t>(element)] != element)
      element = parent_[static_cast<size_t>(element)];
    return element;
  }

  ExtentClasses classes_;
  std::vector<int> parent_;
  std::map<std::string, int> variables_;
  std::set<std::string> indices_; ///< the names of index variables
};

} // namespace

ExtentClasses findExtentClasses(const syntax::Kernel &kernel, const std::map<std::string, std::string> &sameShape) {
  Finder finder;
  for (const syntax::Statement &statement : kernel.statements)
    finder.visit(statement);
  for (const auto &[a, b] : sameShape)
    finder.unite(a, b);
  return finder.result();
}

} // namespace spc::testing
