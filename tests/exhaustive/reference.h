// What an expression comes to on small patterns, by the dense evaluator: once for all formats.
#pragma once

#include "exhaustive/declared_shapes.h"
#include "exhaustive/expressions.h"
#include "exhaustive/patterns.h"
#include "harness/dense_evaluator.h"
#include "harness/extent_classes.h"
#include "sema/kernel.h"
#include "support/source.h"
#include "syntax/ast.h"

#include <array>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace spc::testing {

inline constexpr int kMostOperands = 3;

/// A pattern for each operand, by its number in smallPatterns().
using PatternTuple = std::array<int, kMostOperands>;

/// How an operand's format shows in what it means.
enum class Reading { Sparse, Symmetric, Dense };
using Readings = std::array<Reading, kMostOperands>;

/// What the results of a kernel are on one tuple of patterns.
struct Outcome {
  std::string problem;    ///< of the evaluator; else empty
  bool isOutside = false; ///< an index lies outside of its tensor, which the call has to refuse
  std::map<std::string, DenseTensor> results;
};

/// An expression, its shapes, and its outcomes as far as they have been asked for.
///
/// A line that declares its tensors says so how their shapes follow from those of the sparse operands: other names are
/// of the extent 2. Its indices may be tied in any way; the evaluator is given the checked program's text, which says
/// each tie as an equation.
class Reference {
public:
  /// Throws std::runtime_error where the expression is wrong.
  explicit Reference(const Expression &expression);

  const Expression &expression() const { return expression_; }
  /// The kernel file: declarations and statements.
  const std::string &kernelText() const { return text_; }
  const syntax::Kernel &tree() const { return tree_; }
  const ExtentClasses &classes() const { return classes_; }

  /// The tuples of all patterns of one shape that the expression has a meaning for. Operands that it reads across are
  /// transposed.
  const std::vector<PatternTuple> &tuples() const { return tuples_; }
  /// What missing entries are of the sparse operands, and of results.
  double fill() const;
  /// Tuples that are none, as the expression wants square matrices.
  size_t illShaped() const { return illShaped_; }

  std::vector<int64_t> shapeOf(const std::string &tensor, const PatternTuple &patterns) const;

  /// The elements of a tensor that is no sparse operand, row-major, before the call. Index tensors hold places inside.
  std::vector<double> initialOf(const std::string &tensor, const PatternTuple &patterns) const;

  /// `assembles`: results that the expression binds to no format are assembled.
  const Outcome &outcome(size_t tuple, const Readings &readings, bool assembles);

private:
  std::string declare(const syntax::Kernel &bare, const std::set<std::string> &targets);
  void checkTies();
  sema::ValueType typeOf(const std::string &tensor) const;
  std::optional<std::vector<int64_t>> extentsFor(const std::vector<std::array<int, 2>> &shapes) const;
  void findOrientation();
  void findTuples();
  void planTemporaries();
  Outcome evaluateOn(const PatternTuple &patterns, const Readings &readings, bool assembles) const;

  Expression expression_;
  SourceManager sources_;
  std::string text_;
  syntax::Kernel tree_;
  std::optional<syntax::Kernel> meaning_; ///< what is evaluated where that is not the tree
  ExtentClasses classes_;
  DeclaredShapes declared_;
  std::map<std::string, sema::ValueType> types_; ///< of declared tensors
  std::array<bool, kMostOperands> isAcross_ = {};
  std::vector<PatternTuple> tuples_;
  size_t illShaped_ = 0;
  std::map<std::string, DenseTensor> temporaries_; ///< without elements
  std::map<std::pair<Readings, bool>, std::vector<std::optional<Outcome>>> outcomes_;
};

} // namespace spc::testing
