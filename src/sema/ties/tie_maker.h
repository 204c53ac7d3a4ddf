// The tensors that ties are, and what has to hold where they are made. Private to this folder.
#pragma once

#include "sema/equations.h"
#include "sema/program.h"

#include <string>
#include <vector>

namespace spc::sema {

/// What the rows of a tie promise, which the call checks.
struct Promise {
  bool isChecked = false; ///< each has a column
  bool isOnce = false;    ///< each has another one
};

/// Makes ties for one statement of a program.
class TieMaker {
public:
  /// The program outlives the maker.
  TieMaker(Program &program, size_t statement);

  bool isListed(const Access &access) const { return !program_.tensors[access.tensor].format.isDense(); }
  bool hasListed() const { return !listed_.empty(); }

  /// Whether an index, which has the multiple 1 in an equation, is a sum of positive multiples of the others that are
  /// written out, and of a number that is not negative.
  static bool isShifted(const Equation &equation, VariableId index);

  /// For which variable an equation is solved that says where `own` is: loops come to the others first.
  VariableId columnOf(const Equation &equation, VariableId own) const;

  /// Notes an access of a sparse operand that is none of the text's.
  void addListed(const Access &access) { listed_.push_back(access); }

  /// Of two variables that are tied, whether the first one is known where loops come to the other: it is the row.
  bool isRow(VariableId one, VariableId other) const;

  /// The access of an equation's tie, solved for a variable whose multiple is a number. `text` says it for people.
  AccessId tied(const Equation &equation, VariableId column, Promise promise, const std::string &text, Span where);

  /// The same of a variable with what a tensor holds.
  AccessId tiedToHeld(const Node &held, VariableId column, Promise promise, Span where);

  /// The same of an index of a sparse operand, with the variable that runs over its whole dimension.
  AccessId tiedIndex(const Variable &index, VariableId whole, Span where);

  /// Has the entry check that an index of the target, which has the multiple 1 in an equation of numbers, stays inside;
  /// the others are negative.
  void checkInside(const Equation &equation, VariableId column);

  /// The same of the indices of an operand.
  void checkInside(const Access &access);

private:
  std::optional<TensorId> indexedBy(VariableId variable) const;
  bool comesFirst(const Access &access, VariableId one, VariableId other) const;
  int rankOf(VariableId variable) const;
  AccessId tied(Tie tie, const std::vector<VariableId> &variables, const std::string &text, Span where);
  std::string nameFor(const std::string &text) const;
  format::Format formatOf(int order) const;

  Program &program_;
  const size_t number_; ///< of the statement
  ResolvedStatement &statement_;
  Scope &scope_;
  std::vector<Access> listed_; ///< accesses of sparse operands, none of them a tie
};

} // namespace spc::sema
