#include "transforms/util/horizontal_reductions.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace spc::transforms {

namespace arith = mlir::arith;
namespace vector = mlir::vector;
using mlir::Value;
using Lanes = llvm::SmallVector<int64_t>;

namespace {

class HorizontalReductions {
public:
  explicit HorizontalReductions(mlir::ImplicitLocOpBuilder &ops) : ops_(ops) {}

  /// [a0 + a1, b0 + b1, a2 + a3, …], the neighbours within 128 bits, where instruction sets shuffle in one operation.
  Value addPairs(Value a, Value b);
  /// [a0 + a2, a1 + a3, b0 + b2, b1 + b3] of each four lanes.
  Value gather(Value a, Value b);
  /// The upper half added to the lower one, until `lanes` are left.
  Value fold(Value a, int64_t lanes);

private:
  int64_t lanesOf(Value a) { return mlir::cast<mlir::VectorType>(a.getType()).getNumElements(); }
  Value addShuffled(Value a, Value b, const Lanes &low, const Lanes &high) {
    Value lower = vector::ShuffleOp::create(ops_, a, b, low), upper = vector::ShuffleOp::create(ops_, a, b, high);
    return arith::AddFOp::create(ops_, lower, upper);
  }

  mlir::ImplicitLocOpBuilder &ops_;
};

Value HorizontalReductions::addPairs(Value a, Value b) {
  const int64_t count = lanesOf(a);
  const int64_t bits = mlir::cast<mlir::VectorType>(a.getType()).getElementTypeBitWidth();
  const int64_t block = std::min<int64_t>(128 / bits, count);
  Lanes low, high;
  for (int64_t base = 0; base < count; base += block)
    for (int64_t lane = base; lane < base + block / 2; ++lane) {
      low.append({lane, count + lane});
      high.append({lane + block / 2, count + lane + block / 2});
    }
  return addShuffled(a, b, low, high);
}

Value HorizontalReductions::gather(Value a, Value b) {
  const int64_t count = lanesOf(a);
  Lanes low, high;
  for (int64_t base = 0; base < count; base += 4) {
    low.append({base, base + 1, count + base, count + base + 1});
    high.append({base + 2, base + 3, count + base + 2, count + base + 3});
  }
  return addShuffled(a, b, low, high);
}

Value HorizontalReductions::fold(Value a, int64_t lanes) {
  while (lanesOf(a) > lanes) {
    const int64_t half = lanesOf(a) / 2;
    Lanes low, high;
    for (int64_t lane = 0; lane < half; ++lane) {
      low.push_back(lane);
      high.push_back(half + lane);
    }
    a = addShuffled(a, a, low, high);
  }
  return a;
}

} // namespace

llvm::SmallVector<Value> reduceHorizontally(mlir::ImplicitLocOpBuilder &ops, llvm::ArrayRef<Value> vectors) {
  HorizontalReductions sums(ops);
  auto type = mlir::cast<mlir::VectorType>(vectors.front().getType());
  llvm::SmallVector<Value> results;
  const auto extract = [&](Value from, int64_t lane) {
    results.push_back(vector::ExtractOp::create(ops, from, llvm::ArrayRef<int64_t>{lane}));
  };
  if (vectors.size() == 2 && type.getNumElements() > 2) {
    Value pairs = sums.fold(sums.addPairs(vectors[0], vectors[1]), 2);
    extract(pairs, 0);
    extract(pairs, 1);
    return results;
  }
  if (type.getNumElements() == 1 || vectors.size() < 4) {
    for (Value single : vectors)
      extract(sums.fold(single, 1), 0);
    return results;
  }
  // Lanes a, b, a, b, … and c, d, c, d, …
  Value first = sums.addPairs(vectors[0], vectors[1]), second = sums.addPairs(vectors[2], vectors[3]);
  if (type.getNumElements() == 2) {
    for (Value pair : {first, second})
      for (int64_t lane : {0, 1})
        extract(pair, lane);
    return results;
  }
  if (type.getElementTypeBitWidth() > 32) {
    first = sums.fold(first, 4);
    second = sums.fold(second, 4);
  }
  Value all = sums.fold(sums.gather(first, second), 4);
  for (int64_t lane = 0; lane < 4; ++lane)
    extract(all, lane);
  return results;
}

} // namespace spc::transforms
