#include "harness/extent_classes.h"

#include <algorithm>
#include <set>

namespace spc::testing {
namespace {

class Finder {
public:
  void visit(const syntax::Statement &statement) {
    variables_.clear();
    indices_.clear();
    windows_.clear();
    collectIndices(statement.target);
    collectIndices(*statement.value);
    visit(*statement.value);
    windows_.clear(); // the target's variables run over all of it
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
    // A variable that indexes nothing else has no size, and its kernel is refused.
    std::erase_if(classes_.windows, [&](const ExtentClasses::Window &window) {
      return std::any_of(window.terms.begin(), window.terms.end(),
                         [&](const auto &term) { return !numbers.contains(root(term.first)); });
    });
    for (ExtentClasses::Window &window : classes_.windows) {
      window.dimension = numbers.at(root(window.dimension));
      for (auto &term : window.terms)
        term.first = numbers.at(root(term.first));
    }
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
    for (size_t dim = 0; dim < access.indices.size(); ++dim) {
      for (const syntax::IndexTerm &term : access.indices[dim].terms)
        indices_.insert(term.variable.text);
      if (!access.indices[dim].isPlain() && !access.indices[dim].terms.empty())
        windows_.emplace(access.tensor.text, dim);
    }
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
      const syntax::Index &index = access.indices[dim];
      if (!index.isPlain() || windows_.contains({access.tensor.text, dim})) {
        std::vector<std::pair<int, int64_t>> terms;
        for (const syntax::IndexTerm &term : index.terms) {
          const auto own = variables_.try_emplace(term.variable.text, -1).first;
          if (own->second < 0)
            own->second = makeClass();
          terms.emplace_back(own->second, term.scale);
        }
        classes_.windows.push_back({entry->second[dim], std::move(terms), index.constant});
        continue;
      }
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
  std::set<std::string> indices_;                    ///< the names of index variables
  std::set<std::pair<std::string, size_t>> windows_; ///< dimensions that some access of the statement has a window of
};

} // namespace

/// The extent that a window needs of its dimension; 0 where some variable of it has no values.
static int64_t extentFor(const ExtentClasses::Window &window, const std::vector<int64_t> &extents) {
  int64_t last = window.constant;
  for (auto [variable, scale] : window.terms) {
    if (extents[static_cast<size_t>(variable)] == 0)
      return 0;
    last += scale * (extents[static_cast<size_t>(variable)] - 1);
  }
  return last + 1;
}

std::vector<int64_t> withRoomForWindows(const ExtentClasses &classes, std::vector<int64_t> extents) {
  for (const auto &[number, size] : classes.sizes)
    extents[static_cast<size_t>(number)] = size;
  constexpr int64_t kMaxExtent = 60; // windows may need each other's dimensions: no extents would do then
  for (size_t round = 0; round < classes.windows.size(); ++round)
    for (const ExtentClasses::Window &window : classes.windows) {
      int64_t &extent = extents[static_cast<size_t>(window.dimension)];
      if (const int64_t needed = extentFor(window, extents); needed <= kMaxExtent)
        extent = std::max(extent, needed);
    }
  return extents;
}

bool windowsFit(const ExtentClasses &classes, const std::vector<int64_t> &extents) {
  return std::all_of(classes.windows.begin(), classes.windows.end(), [&](const ExtentClasses::Window &window) {
    return extentFor(window, extents) <= extents[static_cast<size_t>(window.dimension)];
  });
}

ExtentClasses findExtentClasses(const syntax::Kernel &kernel, const std::map<std::string, std::string> &sameShape) {
  Finder finder;
  for (const syntax::Statement &statement : kernel.statements)
    finder.visit(statement);
  for (const auto &[a, b] : sameShape)
    finder.unite(a, b);
  ExtentClasses classes = finder.result();
  for (const syntax::TensorDecl &declaration : kernel.declarations) {
    const auto used = classes.ofTensor.find(declaration.name.text);
    if (!declaration.constant || used == classes.ofTensor.end())
      continue;
    classes.constants[declaration.name.text] = declaration.constant;
    for (size_t dim = 0; dim < used->second.size(); ++dim) {
      const auto *number = std::get_if<int64_t>(&declaration.extents[dim].value);
      classes.sizes[used->second[dim]] = number ? *number : declaration.constant->shape[dim];
    }
  }
  return classes;
}

} // namespace spc::testing
