#include "mlirgen/interpreter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include <algorithm>
#include <stdexcept>

namespace spc::mlirgen {

namespace arith = mlir::arith;
namespace scf = mlir::scf;

namespace {

bool holds(arith::CmpIPredicate predicate, int64_t a, int64_t b) {
  switch (predicate) {
  case arith::CmpIPredicate::eq:
    return a == b;
  case arith::CmpIPredicate::slt:
    return a < b;
  case arith::CmpIPredicate::ult:
    return static_cast<uint64_t>(a) < static_cast<uint64_t>(b);
  default:
    throw std::logic_error("the interpreter does not know a comparison");
  }
}

} // namespace

std::vector<int64_t> Interpreter::run(mlir::func::FuncOp function) {
  return runBlock(function.getBody().front());
}

/// The operands of the terminator.
std::vector<int64_t> Interpreter::runBlock(mlir::Block &block) {
  for (mlir::Operation &op : block.without_terminator())
    runOp(op);
  return valuesOf(block.getTerminator()->getOperands());
}

std::vector<int64_t> Interpreter::valuesOf(mlir::ValueRange values) {
  std::vector<int64_t> numbers;
  for (mlir::Value value : values)
    numbers.push_back(at(value));
  return numbers;
}

void Interpreter::set(mlir::ValueRange values, const std::vector<int64_t> &numbers) {
  for (size_t k = 0; k < numbers.size(); ++k)
    bind(values[k], numbers[k]);
}

void Interpreter::runOp(mlir::Operation &op) {
  if (auto branch = mlir::dyn_cast<scf::IfOp>(op))
    return set(op.getResults(), runBlock(at(branch.getCondition()) ? *branch.thenBlock() : *branch.elseBlock()));
  auto loop = mlir::dyn_cast<scf::WhileOp>(op);
  if (!loop)
    return bind(op.getResult(0), compute(op));
  set(loop.getBeforeArguments(), valuesOf(loop.getInits()));
  for (;;) {
    std::vector<int64_t> carried = runBlock(*loop.getBeforeBody());
    const bool goesOn = carried.front() != 0;
    carried.erase(carried.begin());
    if (!goesOn)
      return set(op.getResults(), carried);
    set(loop.getAfterArguments(), carried);
    set(loop.getBeforeArguments(), runBlock(*loop.getAfterBody()));
  }
}

int64_t Interpreter::compute(mlir::Operation &op) {
  if (auto constant = mlir::dyn_cast<arith::ConstantOp>(op))
    return mlir::cast<mlir::IntegerAttr>(constant.getValue()).getValue().getZExtValue();
  if (auto load = mlir::dyn_cast<mlir::memref::LoadOp>(op))
    return buffers_.at(load.getMemRef().getImpl()).at(static_cast<size_t>(at(load.getIndices().front())));
  const std::vector<int64_t> in = valuesOf(op.getOperands());
  if (auto comparison = mlir::dyn_cast<arith::CmpIOp>(op))
    return holds(comparison.getPredicate(), in[0], in[1]);
  if (mlir::isa<arith::SelectOp>(op))
    return in[0] ? in[1] : in[2];
  if (mlir::isa<arith::ExtUIOp, arith::IndexCastOp>(op))
    return in[0];
  if (mlir::isa<arith::AddIOp>(op))
    return in[0] + in[1];
  if (mlir::isa<arith::SubIOp>(op))
    return in[0] - in[1];
  if (mlir::isa<arith::MulIOp>(op))
    return in[0] * in[1];
  if (mlir::isa<arith::RemUIOp>(op))
    return static_cast<int64_t>(static_cast<uint64_t>(in[0]) % static_cast<uint64_t>(in[1]));
  if (mlir::isa<arith::ShRUIOp>(op))
    return static_cast<int64_t>(static_cast<uint64_t>(in[0]) >> in[1]);
  if (mlir::isa<arith::MaxSIOp>(op))
    return std::max(in[0], in[1]);
  if (mlir::isa<arith::MinSIOp>(op))
    return std::min(in[0], in[1]);
  throw std::logic_error("the interpreter does not know " + op.getName().getStringRef().str());
}

} // namespace spc::mlirgen
