// How element tuples hold elements: structs of structs, one for each operand.
#include "mlirgen/element_tuples.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SparseTensor/IR/SparseTensor.h"

namespace spc::mlirgen {

namespace complex = mlir::complex;
namespace sparse = mlir::sparse_tensor;
namespace LLVM = mlir::LLVM;
using mlir::Value;

/// What an element is in an element tuple: LLVM's structs hold no complex numbers.
static llvm::SmallVector<mlir::Type> fieldsOf(mlir::Type element) {
  if (auto complexType = mlir::dyn_cast<mlir::ComplexType>(element))
    return {complexType.getElementType(), complexType.getElementType()};
  return {element};
}

mlir::Type ElementTupleBuilder::leafType(sema::OperandId operand) {
  llvm::SmallVector<mlir::Type> fields = fieldsOf(uses_[operand.index()].getType());
  if (isFlagged_[operand.index()])
    fields.push_back(builder_.getI1Type());
  return structOf(fields);
}

mlir::Type ElementTupleBuilder::structOf(llvm::ArrayRef<mlir::Type> fields) {
  return LLVM::LLVMStructType::getLiteral(builder_.getContext(), fields);
}

void ElementTupleBuilder::unpack(Value value, const Layout &layout, Elements &elements) {
  for (const Leaf &leaf : layout) {
    Path place = leaf.path;
    place.push_back(0);
    const auto next = [&]() -> Value {
      const Value field = LLVM::ExtractValueOp::create(builder_, location_, value, place);
      ++place.back();
      return field;
    };
    Value element = next();
    const mlir::Type type = uses_[leaf.operand.index()].getType();
    if (mlir::isa<mlir::ComplexType>(type))
      element = complex::CreateOp::create(builder_, location_, type, element, next());
    elements[leaf.operand.index()] = {element, isFlagged_[leaf.operand.index()] ? next() : Value()};
  }
}

Value ElementTupleBuilder::flag(bool isStored) {
  return mlir::arith::ConstantOp::create(builder_, location_, builder_.getBoolAttr(isStored));
}

ElementTupleBuilder::Element ElementTupleBuilder::present(sema::OperandId operand, Value value) {
  return {value, keepsLoad_[operand.index()] ? trueOf(value) : flag(true)};
}

/// True, computed from an element in a way that MLIR does not fold (LLVM does).
Value ElementTupleBuilder::trueOf(Value element) {
  namespace arith = mlir::arith;
  if (mlir::isa<mlir::ComplexType>(element.getType()))
    element = complex::ReOp::create(builder_, location_, element);
  const unsigned bits = element.getType().getIntOrFloatBitWidth();
  const mlir::Type integer = builder_.getIntegerType(bits);
  if (!mlir::isa<mlir::IntegerType>(element.getType()))
    element = arith::BitcastOp::create(builder_, location_, integer, element);
  const Value hidden = opaqueZero(builder_, location_, element);
  const Value zero = arith::ConstantOp::create(builder_, location_, builder_.getIntegerAttr(integer, 0));
  return arith::CmpIOp::create(builder_, location_, arith::CmpIPredicate::eq, hidden, zero);
}

Value ElementTupleBuilder::insert(Value tuple, Value part, llvm::ArrayRef<int64_t> place) {
  return place.empty() ? part : LLVM::InsertValueOp::create(builder_, location_, tuple, part, place).getResult();
}

/// The leaf of an operand, with its fill where the element is not known.
Value ElementTupleBuilder::leafOf(sema::OperandId operand, Element element) {
  if (!element.value)
    element = {body_.fills[operand.index()], {}};
  Value leaf = LLVM::PoisonOp::create(builder_, location_, leafType(operand));
  int64_t field = 0;
  const auto add = [&](Value value) { leaf = insert(leaf, value, {field++}); };
  if (mlir::isa<mlir::ComplexType>(element.value.getType())) {
    add(complex::ReOp::create(builder_, location_, element.value));
    add(complex::ImOp::create(builder_, location_, element.value));
  } else {
    add(element.value);
  }
  if (isFlagged_[operand.index()])
    add(element.isStored ? element.isStored : flag(false));
  return leaf;
}

Value ElementTupleBuilder::pack(mlir::Type type, const Layout &layout, const Elements &elements) {
  Value tuple = LLVM::PoisonOp::create(builder_, location_, type);
  for (const Leaf &leaf : layout)
    tuple = insert(tuple, leafOf(leaf.operand, elements[leaf.operand.index()]), leaf.path);
  return tuple;
}

void ElementTupleBuilder::yield(Value tuple) {
  sparse::YieldOp::create(builder_, location_, tuple);
}

/// The left tuple as a whole, then what the right one has besides: as a whole if that is all of it.
ElementTupleBuilder::Pair ElementTupleBuilder::pairOf(const ElementTuple &left, const ElementTuple &right) {
  Pair pair;
  llvm::SmallVector<mlir::Type> fields = {left.value.getType()};
  const auto add = [&](sema::OperandId operand, int64_t field, llvm::ArrayRef<int64_t> below) {
    Path path = {field};
    path.append(below.begin(), below.end());
    pair.layout.push_back({operand, std::move(path)});
  };
  for (const Leaf &leaf : left.layout)
    add(leaf.operand, 0, leaf.path);
  pair.isDisjoint = llvm::none_of(right.layout, [&](const Leaf &leaf) { return holds(left, leaf.operand); });
  if (pair.isDisjoint)
    fields.push_back(right.value.getType());
  for (const Leaf &leaf : right.layout) {
    if (pair.isDisjoint)
      add(leaf.operand, 1, leaf.path);
    else if (!holds(left, leaf.operand)) {
      add(leaf.operand, static_cast<int64_t>(fields.size()), {});
      fields.push_back(leafType(leaf.operand));
    }
  }
  pair.type = structOf(fields);
  return pair;
}

/// An element tuple and one more operand.
ElementTupleBuilder::Pair ElementTupleBuilder::pairWith(const ElementTuple &tuple, sema::OperandId operand) {
  Pair pair{structOf({tuple.value.getType(), leafType(operand)}), {}, true};
  for (const Leaf &leaf : tuple.layout) {
    Path path = {0};
    path.append(leaf.path.begin(), leaf.path.end());
    pair.layout.push_back({leaf.operand, std::move(path)});
  }
  pair.layout.push_back({operand, {1}});
  return pair;
}

/// Both, or with a null value for what is absent one of them. What only the absent one holds is missing.
Value ElementTupleBuilder::joinedValue(const Pair &pair, const ElementTuple &left, Value leftValue,
                                       const ElementTuple &right, Value rightValue) {
  if (!pair.isDisjoint) {
    Elements elements = nothing();
    if (rightValue)
      unpack(rightValue, right.layout, elements);
    Value tuple = pack(pair.type, pair.layout, elements);
    return leftValue ? insert(tuple, leftValue, {0}) : tuple;
  }
  const auto orMissing = [&](Value value, const ElementTuple &side) {
    return value ? value : pack(side.value.getType(), side.layout, nothing());
  };
  const Value tuple = insert(LLVM::PoisonOp::create(builder_, location_, pair.type), orMissing(leftValue, left), {0});
  return insert(tuple, orMissing(rightValue, right), {1});
}

} // namespace spc::mlirgen
