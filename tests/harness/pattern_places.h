// Where accesses stand at values of index variables: a part of the pattern evaluator.
#pragma once

#include "harness/pattern_evaluator.h"

#include <map>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace spc::testing {

/// Values of index variables, by their numbers.
using Point = std::vector<int64_t>;

/// Index variables' numbers, with how far they run.
using Loops = std::vector<std::pair<int, int64_t>>;

/// Of one statement. What its names stand for is looked up once.
class PatternPlaces {
public:
  /// Refers to both.
  PatternPlaces(const syntax::Statement &statement, const PatternMap &tensors);

  /// A point at which no variable has a value.
  Point nowhere() const;
  Loops loops(const std::map<std::string, int64_t> &extents) const;

  /// The tensor of an access. Throws std::out_of_range where there is none.
  const Pattern &tensorOf(const syntax::Access &access) const { return *resolved(access).tensor; }
  /// The number of an element, row by row. Throws std::out_of_range where a variable has no value.
  int64_t elementOf(const syntax::Access &access, const Point &point) const;
  /// The value of an index variable that stands by itself.
  int64_t valueOf(const syntax::Access &variable, const Point &point) const;

private:
  struct Dimension {
    int64_t extent, constant;
    std::vector<std::pair<int, int64_t>> terms; ///< variables and their multiples
  };
  struct Resolved {
    const Pattern *tensor = nullptr;
    std::vector<Dimension> dimensions;
  };
  const Resolved &resolved(const syntax::Access &access) const;
  void note(const syntax::Access &access);
  void note(const syntax::Expr &expr);
  void note(const syntax::Name &variable) { numbers_.try_emplace(variable.text, numbers_.size()); }

  const PatternMap &tensors_;
  std::map<std::string, int> numbers_; ///< of all names that may be variables
  mutable std::unordered_map<const syntax::Access *, Resolved> resolved_;
  mutable std::unordered_map<const syntax::Access *, int> variables_;
};

} // namespace spc::testing
