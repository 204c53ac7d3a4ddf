// Runs the loops that level walks are made of, on numbers.
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <cstdint>
#include <map>
#include <vector>

namespace spc::mlirgen {

/// Runs one function of indices and of one-dimensional buffers of numbers, of index arithmetic, scf.if and scf.while.
class Interpreter {
public:
  /// Gives a buffer to an argument.
  void bind(mlir::Value argument, std::vector<int64_t> elements) { buffers_[argument.getImpl()] = std::move(elements); }
  void bind(mlir::Value argument, int64_t number) { numbers_[argument.getImpl()] = number; }

  /// What the function returns. Throws std::out_of_range where a load leaves its buffer.
  std::vector<int64_t> run(mlir::func::FuncOp function);

private:
  std::vector<int64_t> runBlock(mlir::Block &block);
  void runOp(mlir::Operation &op);
  int64_t compute(mlir::Operation &op);
  std::vector<int64_t> valuesOf(mlir::ValueRange values);
  void set(mlir::ValueRange values, const std::vector<int64_t> &numbers);
  int64_t at(mlir::Value value) const { return numbers_.at(value.getImpl()); }

  std::map<void *, int64_t> numbers_;
  std::map<void *, std::vector<int64_t>> buffers_;
};

} // namespace spc::mlirgen
