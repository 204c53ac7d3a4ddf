// How far loops have come in a sparse operand. Private to this folder.
#pragma once

#include "sema/plan/loop_order.h"

#include <algorithm>
#include <optional>
#include <vector>

namespace spc::sema {

/// Where each sparse operand's levels are, counted in loops.
struct LevelPlace {
  int level = 0;
  int begin = 0, end = 0; ///< the loops of the levels before it, and those with its own
};

/// How far the loops opened so far have come in one sparse operand.
class OperandProgress {
public:
  /// Both outlive the object.
  OperandProgress(const SparseUse &use, const LoopProblem &problem)
      : use_(&use), extents_(&problem.extents), placeOf_(problem.extents.size(), {-1, 0, 0}),
        isOpen_(problem.extents.size(), false) {
    int begin = 0;
    for (int k = 0; k < static_cast<int>(use.levels.size()); ++k) {
      const int end = begin + static_cast<int>(use.levels[k].loops.size());
      for (int loop : use.levels[k].loops)
        placeOf_[loop] = {k, begin, end};
      begin = end;
      if (k + 1 == use.fixedLevels)
        fixedLoops_ = begin;
    }
    total_ = begin;
  }

  /// Whether it is a copied tie.
  bool isTie() const { return use_->solvedLevel >= 0; }
  bool has(int loop) const { return placeOf_[loop].level >= 0; }

  // Whether `loop`, which it has, may be opened next.
  bool isNext(int loop) const {
    const LevelPlace &place = placeOf_[loop];
    if (use_->isCopied && place.level >= use_->fixedLevels)
      return done_ >= fixedLoops_;
    return done_ >= place.begin && done_ < place.end;
  }

  // Entries visited for each parent; nullopt where the level is dense.
  std::optional<double> fiberLength(int loop) const {
    const int number = placeOf_[loop].level;
    const LevelUse &level = use_->levels[number];
    const bool isDenseRoot = (done_ == 0 && use_->levels.size() > 1) || number < use_->fixedLevels;
    const bool isDense = use_->isCopied ? isDenseRoot : level.isDense;
    return isDense                 ? std::nullopt
           : use_->solvedLevel < 0 ? std::optional(level.length)
                                   : std::optional(lengthInTie(loop));
  }

  void move(int loop, int direction) {
    done_ += direction;
    isOpen_[loop] = direction > 0;
  }
  bool isDone() const { return done_ == total_; }

private:
  /// Rows are free until the column is known, which then leaves one of the last of them. The column is one for each way
  /// in which the rows that are left may be.
  double lengthInTie(int loop) const {
    bool isSolved = false;
    double waysLeft = 1;
    for (size_t level = 0; level < use_->levels.size(); ++level) {
      const int other = use_->levels[level].loops.front();
      if (static_cast<int>(level) == use_->solvedLevel)
        isSolved = other == loop || isOpen_[other];
      else if (other != loop && !isOpen_[other])
        waysLeft *= (*extents_)[other];
    }
    return isSolved ? std::min(waysLeft, kFiberLength) : (*extents_)[loop];
  }

  const SparseUse *use_;
  const std::vector<double> *extents_;
  std::vector<LevelPlace> placeOf_; ///< by loop; level -1: not this operand's
  std::vector<bool> isOpen_;        ///< by loop
  int done_ = 0, total_ = 0, fixedLoops_ = 0;
};

} // namespace spc::sema
