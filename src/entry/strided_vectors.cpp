#include "entry/strided_vectors.h"

#include "entry/places.h"
#include "entry/problems.h"

namespace LLVM = mlir::LLVM;
using mlir::Value;

namespace spc::entry {
namespace {

using LLVM::ICmpPredicate;

bool isVector(const TensorArgument &argument) {
  const format::Format &format = argument.parameter.type.format;
  return argument.hasStruct() && format.isDense() && format.order() == 1;
}

/// The type that elements are moved in: bits, but for complex numbers, which are aligned as their parts are.
mlir::Type movedType(EntryBuilder &build, sema::ValueType type) {
  if (sema::isComplex(type))
    return llvmType(build, type);
  return build.ops().getIntegerType(static_cast<unsigned>(8 * sema::bytesOf(type)));
}

/// `void move(ptr to, i64 toStride, ptr from, i64 fromStride, i64 count)`; one for all elements of that type.
LLVM::LLVMFuncOp defineMove(EntryBuilder &build, sema::ValueType type) {
  const std::string name =
      (sema::isComplex(type) ? "spc.move_complex" : "spc.move") + std::to_string(8 * sema::bytesOf(type));
  if (auto known = build.module().lookupSymbol<LLVM::LLVMFuncOp>(name))
    return known;
  mlir::ImplicitLocOpBuilder &ops = build.ops();
  mlir::OpBuilder::InsertionGuard guard(ops);
  ops.setInsertionPointToEnd(build.module().getBody());
  const mlir::Type none = LLVM::LLVMVoidType::get(ops.getContext());
  const mlir::Type pointer = build.pointerType(), number = build.int64Type(), element = movedType(build, type);
  auto function =
      LLVM::LLVMFuncOp::create(ops, name, LLVM::LLVMFunctionType::get(none, {pointer, number, pointer, number, number}),
                               LLVM::Linkage::Internal);
  makeCold(function);
  ops.setInsertionPointToEnd(function.addEntryBlock(ops));
  build.forEach(build.constant(0), function.getArgument(4), [&](Value index) {
    const auto placeIn = [&](unsigned array) {
      const Value offset = build.multiply(index, function.getArgument(array + 1));
      return build.element(element, function.getArgument(array), offset);
    };
    build.store(build.load(element, placeIn(2)), placeIn(0));
  });
  LLVM::ReturnOp::create(ops, mlir::ValueRange{});
  return function;
}

} // namespace

void StridedVectors::gather() {
  if (entry_.phase == runtime::Phase::Symbolic) // which looks at no values
    return;
  for (const TensorArgument &argument : entry_.arguments)
    if (isVector(argument))
      gather(argument);
}

void StridedVectors::gather(const TensorArgument &argument) {
  EntryBuilder &build = entry_.build;
  const sema::Tensor &tensor = entry_.kernel.tensors[argument.parameter.tensor];
  const Value count = argument.passed.sizes[0], stride = argument.passed.strides[0], one = build.constant(1);
  const Value isApart = build.both(build.compare(ICmpPredicate::sgt, count, one), build.differ(stride, one));
  const auto copy = [&]() -> Value {
    const int64_t size = sema::bytesOf(tensor.type);
    build.failIf(build.compare(ICmpPredicate::sgt, count, build.constant(INT64_MAX / size)), Status::Memory,
                 placeOf(entry_, argument.parameter));
    const Value bytes = build.multiply(count, build.constant(size));
    const Value array =
        LLVM::CallOp::create(build.ops(), memory_.allocator(), mlir::ValueRange{entry_.context, bytes}).getResult();
    build.failIf(build.isNull(array), Status::Memory, placeOf(entry_, tensor, bytes));
    LLVM::CallOp::create(build.ops(), defineMove(build, tensor.type),
                         mlir::ValueRange{array, one, argument.passed.values, stride, count});
    return array;
  };
  const Value array = build.computeIf(isApart, copy, argument.passed.values);
  memory_.releaseAtExit(array, isApart);
  TensorView &view = entry_.tensors[argument.parameter.tensor];
  view.values = array;
  view.strides = {one};
  if (argument.parameter.isWritten)
    written_.push_back({&argument, isApart, array});
}

void StridedVectors::scatter() {
  EntryBuilder &build = entry_.build;
  for (const Written &written : written_) {
    const TensorView &passed = written.argument->passed;
    const auto move = [&] {
      LLVM::LLVMFuncOp function = defineMove(build, entry_.kernel.tensors[written.argument->parameter.tensor].type);
      LLVM::CallOp::create(
          build.ops(), function,
          mlir::ValueRange{passed.values, passed.strides[0], written.array, build.constant(1), passed.sizes[0]});
    };
    build.branch(written.isApart, move, [] {});
  }
}

} // namespace spc::entry
