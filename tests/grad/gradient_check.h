// A derivative that spc writes, compared with finite differences of the dense evaluator, which knows no derivatives.
#pragma once

#include "grad/gradient.h"
#include "harness/data.h"
#include "harness/dense_evaluator.h"

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace spc::testing {

/// A kernel and what is differentiated.
struct GradientCase {
  std::string text;
  std::map<std::string, std::string> formats; ///< spellings of formats.h, by tensor
  std::vector<std::string> of, wrt;
};

/// What became of a case. `problem` is empty where nothing is wrong.
struct GradientOutcome {
  std::string problem;
  std::string refusal; ///< the id of the error with which it was refused
  bool modesAgree = false;
  bool isSmooth = false; ///< finite differences told the slope; where not, there is a step or a kink
  bool changes = false;  ///< the slope is not 0
};

/// One derivative: its text, and what sema makes of it.
struct WrittenDerivative {
  std::string text;
  syntax::Kernel tree;
  std::vector<grad::StoredLike> stored;
  std::optional<sema::Kernel> checked;
};

/// A kernel with its derivatives.
class GradientUnderTest {
public:
  explicit GradientUnderTest(const GradientCase &given);

  /// Whether both derivatives are there; else a refusal is, or a problem.
  bool isWritten() const { return reverse_.checked && forwardMode_.checked; }
  const GradientOutcome &refusal() const { return outcome_; }
  const WrittenDerivative &reverse() const { return reverse_; }
  const WrittenDerivative &forwardMode() const { return forwardMode_; }
  std::string diagnostics() const;

  /// Compares along one random direction, with data and sizes that the seed says: both modes with each other, up to
  /// rounding, and with finite differences. Requires: isWritten().
  GradientOutcome check(uint64_t seed) const;

  /// What the reverse mode computes where each element of the outputs counts once: all its tensors, by name. `operands`
  /// have shapes, values and entries. Requires: isWritten(), and that the sizes of operands tell all others.
  TensorMap gradientsAt(const TensorMap &operands) const;

private:
  /// The same with all operands moved a little.
  GradientOutcome checkAt(uint64_t seed, double aside) const;

  using Sizes = std::map<std::string, int64_t>;

  bool write(grad::Mode mode, WrittenDerivative &written);
  Sizes sizes(Random &random) const;
  TensorMap forwardData(const Sizes &sizes, double aside, Random &random) const;
  TensorMap dataFor(const WrittenDerivative &derivative, const Sizes &sizes, const TensorMap &before,
                    const TensorMap &after, const TensorMap &seeds) const;

  /// Slopes along one direction, and the sum of the absolute values of what they add up.
  struct Slopes {
    double reverse = 0, forward = 0, size = 0;
  };
  /// Outputs times weights added up, and the sum of the absolute values of these products.
  struct Weighed {
    double value = 0, size = 0;
  };
  /// `weighed` is what the outputs are at a step in the direction.
  GradientOutcome compare(const Slopes &slopes, const std::function<Weighed(double)> &weighed) const;

  GradientCase given_;
  SourceManager sources_;
  Diagnostics diagnostics_;
  syntax::Kernel tree_;
  std::optional<sema::Program> program_;
  std::optional<sema::Kernel> checked_;
  WrittenDerivative reverse_, forwardMode_;
  GradientOutcome outcome_;
};

} // namespace spc::testing
