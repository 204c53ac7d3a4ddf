// Plays the code that is generated for an assembled output: chunks of rows on threads, each with its runs.
#pragma once

#include "runtime/runtime.h"
#include "sparse_model.h"

#include <map>
#include <mutex>
#include <vector>

namespace spc::runtime::test {

/// malloc for several threads, which counts, runs out at the `failAt`-th request and knows what is live.
class ThreadedMemory {
public:
  Allocator hooks();
  int requests() const { return requests_; }
  /// Whether everything was released, and nothing else.
  bool isClean() const { return live_.empty() && !isMisused_; }

  int failAt = -1;

private:
  void *allocate(int64_t bytes);
  void release(void *block);

  std::mutex mutex_;
  std::map<void *, int64_t> live_;
  int requests_ = 0;
  bool isMisused_ = false;
};

struct LevelSpec {
  LevelKind kind;
  int64_t dimension;
  Part part = Part::Whole;
  int64_t block = 1;
  int64_t width = 0;
};

struct ValueType {
  ValueKind kind = ValueKind::Float;
  int64_t bytes = 8;
};

/// An output, described and without arrays.
struct Output {
  Output(std::vector<int64_t> sizes, const std::vector<LevelSpec> &specs, Widths widths = {}, ValueType type = {},
         bool interleaved = false);
  Output(const Output &) = delete;
  Output &operator=(const Output &) = delete;

  std::vector<int64_t> shape;
  std::vector<Level> levels;
  Tensor tensor;
};

/// A value that an entry gets; its coordinates are by dimension.
struct Contribution {
  Coordinate at;
  double value;
};

struct RunData {
  Form form;
  std::vector<Contribution> contributions; ///< Append: one a place. In any order.
};

/// How an assembly is asked for.
struct Plan {
  std::vector<int64_t> dims; ///< collecting order
  int64_t rowOrder;
  Phase phase = Phase::Assemble;
  int64_t chunks = 1; ///< cut along the first dimension of `dims`
  bool onThreads = false;
  bool isBackwards = false; ///< the last chunk first
  bool dropsZeros = false;
  int64_t workspaceBytes = 0;
  int64_t expected = 0;
};

/// Start, all chunks and runs, finish.
Status assemble(const Plan &plan, const std::vector<RunData> &runs, Output &output, ThreadedMemory &memory);

/// The sums of all contributions.
Entries sumOf(const std::vector<RunData> &runs);

/// What an output stores, padding too. Values are not read where there are none: then all are 1.
Entries entriesOf(const Output &output);

void encode(ValueType type, double value, void *values, int64_t position);
double decode(ValueType type, const void *values, int64_t position);

/// Releases all arrays.
void release(Output &output, ThreadedMemory &memory);

/// `count` random places, each once.
std::vector<Contribution> randomPlaces(const std::vector<int64_t> &shape, int count, unsigned seed);
/// … as they come, with repeats.
std::vector<Contribution> randomTouches(const std::vector<int64_t> &shape, int count, unsigned seed);

} // namespace spc::runtime::test
