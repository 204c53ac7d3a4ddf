#include "entry/builder.h"

#include "entry/problems.h"

namespace LLVM = mlir::LLVM;
using mlir::Value;

namespace spc::entry {

/// Added to a status of which the caller is told; above all of them.
static constexpr int32_t kTold = 256;

EntryBuilder::EntryBuilder(LLVM::LLVMFuncOp function, mlir::Location location)
    : function_(function), ops_(location, function.getContext()),
      pointer_(LLVM::LLVMPointerType::get(function.getContext())), int64_(ops_.getI64Type()),
      int32_(ops_.getI32Type()) {
  mlir::Block *first = function.addEntryBlock(ops_);
  exit_ = ops_.createBlock(&function.getBody(), function.getBody().end(), {int32_}, {location});
  const bool hasStatus = !llvm::isa<LLVM::LLVMVoidType>(function.getFunctionType().getReturnType());
  LLVM::ReturnOp::create(ops_, hasStatus ? mlir::ValueRange{exit_->getArgument(0)} : mlir::ValueRange{});
  ops_.setInsertionPointToEnd(first);
}

Struct EntryBuilder::structOf(mlir::ArrayRef<mlir::Type> fields) {
  return Struct::getLiteral(ops_.getContext(), fields);
}

Value EntryBuilder::constant(int64_t value) {
  return LLVM::ConstantOp::create(ops_, int64_, ops_.getI64IntegerAttr(value));
}

Value EntryBuilder::int32Constant(int32_t value) {
  return LLVM::ConstantOp::create(ops_, int32_, ops_.getI32IntegerAttr(value));
}

Value EntryBuilder::truth(bool value) {
  return LLVM::ConstantOp::create(ops_, ops_.getI1Type(), ops_.getBoolAttr(value));
}

Value EntryBuilder::null() {
  return LLVM::ZeroOp::create(ops_, pointer_);
}

Value EntryBuilder::isNull(Value pointer) {
  return equal(pointer, null());
}

Value EntryBuilder::isZero(Value number) {
  return equal(number, constant(0));
}

Value EntryBuilder::compare(LLVM::ICmpPredicate predicate, Value left, Value right) {
  return LLVM::ICmpOp::create(ops_, predicate, left, right);
}

Value EntryBuilder::equal(Value left, Value right) {
  return compare(LLVM::ICmpPredicate::eq, left, right);
}

Value EntryBuilder::differ(Value left, Value right) {
  return compare(LLVM::ICmpPredicate::ne, left, right);
}

Value EntryBuilder::both(Value left, Value right) {
  return LLVM::AndOp::create(ops_, left, right);
}

Value EntryBuilder::either(Value left, Value right) {
  return LLVM::OrOp::create(ops_, left, right);
}

Value EntryBuilder::negate(Value value) {
  return LLVM::XOrOp::create(ops_, value, truth(true));
}

Value EntryBuilder::add(Value left, Value right) {
  return LLVM::AddOp::create(ops_, left, right);
}

Value EntryBuilder::subtract(Value left, Value right) {
  return LLVM::SubOp::create(ops_, left, right);
}

Value EntryBuilder::least(Value left, Value right) {
  return select(compare(LLVM::ICmpPredicate::slt, left, right), left, right);
}

Value EntryBuilder::greatest(Value left, Value right) {
  return select(compare(LLVM::ICmpPredicate::sgt, left, right), left, right);
}

Value EntryBuilder::multiply(Value left, Value right) {
  return LLVM::MulOp::create(ops_, left, right);
}

Value EntryBuilder::select(Value condition, Value yes, Value no) {
  return LLVM::SelectOp::create(ops_, condition, yes, no);
}

Value EntryBuilder::computeIf(Value condition, const std::function<Value()> &compute, Value otherwise) {
  mlir::Block *before = ops_.getInsertionBlock();
  mlir::Block *computing = newBlock();
  mlir::Block *after = newBlock();
  Value result = after->addArgument(otherwise.getType(), ops_.getLoc());
  ops_.setInsertionPointToEnd(before);
  LLVM::CondBrOp::create(ops_, condition, computing, mlir::ValueRange{}, after, mlir::ValueRange{otherwise});
  ops_.setInsertionPointToEnd(computing);
  Value computed = compute();
  LLVM::BrOp::create(ops_, mlir::ValueRange{computed}, after);
  ops_.setInsertionPointToEnd(after);
  return result;
}

void EntryBuilder::branch(Value condition, const std::function<void()> &yes, const std::function<void()> &no) {
  mlir::Block *before = ops_.getInsertionBlock();
  mlir::Block *sides[] = {newBlock(), newBlock()};
  mlir::Block *after = newBlock();
  ops_.setInsertionPointToEnd(before);
  LLVM::CondBrOp::create(ops_, condition, sides[0], sides[1]);
  ops_.setInsertionPointToEnd(sides[0]);
  yes();
  LLVM::BrOp::create(ops_, mlir::ValueRange{}, after);
  ops_.setInsertionPointToEnd(sides[1]);
  no();
  LLVM::BrOp::create(ops_, mlir::ValueRange{}, after);
  ops_.setInsertionPointToEnd(after);
}

void EntryBuilder::forEach(Value begin, Value end, const std::function<void(Value)> &step) {
  mlir::Block *before = ops_.getInsertionBlock();
  mlir::Block *test = newBlock(), *inside = newBlock(), *after = newBlock();
  const Value index = test->addArgument(int64_, ops_.getLoc());
  ops_.setInsertionPointToEnd(before);
  LLVM::BrOp::create(ops_, mlir::ValueRange{begin}, test);
  ops_.setInsertionPointToEnd(test);
  LLVM::CondBrOp::create(ops_, compare(LLVM::ICmpPredicate::slt, index, end), inside, after);
  ops_.setInsertionPointToEnd(inside);
  step(index);
  LLVM::BrOp::create(ops_, mlir::ValueRange{add(index, constant(1))}, test);
  ops_.setInsertionPointToEnd(after);
}

Value EntryBuilder::firstWhere(Value count, const std::function<Value(Value)> &holds) {
  mlir::Block *before = ops_.getInsertionBlock();
  mlir::Block *test = newBlock(), *inside = newBlock(), *after = newBlock();
  const Value first = test->addArgument(int64_, ops_.getLoc()), last = test->addArgument(int64_, ops_.getLoc());
  ops_.setInsertionPointToEnd(before);
  LLVM::BrOp::create(ops_, mlir::ValueRange{constant(0), count}, test);
  ops_.setInsertionPointToEnd(test);
  LLVM::CondBrOp::create(ops_, compare(LLVM::ICmpPredicate::slt, first, last), inside, after);
  ops_.setInsertionPointToEnd(inside);
  const Value middle = LLVM::LShrOp::create(ops_, add(first, last), constant(1));
  const Value found = holds(middle);
  const Value next = select(found, first, add(middle, constant(1)));
  const Value end = select(found, middle, last);
  LLVM::BrOp::create(ops_, mlir::ValueRange{next, end}, test);
  ops_.setInsertionPointToEnd(after);
  return first;
}

Value EntryBuilder::firstThat(const std::function<Value(Value)> &holds) {
  mlir::Block *before = ops_.getInsertionBlock();
  mlir::Block *test = newBlock(), *after = newBlock();
  const Value index = test->addArgument(int64_, ops_.getLoc());
  ops_.setInsertionPointToEnd(before);
  LLVM::BrOp::create(ops_, mlir::ValueRange{constant(0)}, test);
  ops_.setInsertionPointToEnd(test);
  const Value found = holds(index), next = add(index, constant(1));
  LLVM::CondBrOp::create(ops_, found, after, mlir::ValueRange{}, test, mlir::ValueRange{next});
  ops_.setInsertionPointToEnd(after);
  return index;
}

Value EntryBuilder::element(mlir::Type type, Value array, Value index) {
  return LLVM::GEPOp::create(ops_, pointer_, type, array, mlir::ValueRange{index});
}

Value EntryBuilder::element(mlir::Type type, Value array, int64_t index) {
  return LLVM::GEPOp::create(ops_, pointer_, type, array, {LLVM::GEPArg(static_cast<int32_t>(index))});
}

Value EntryBuilder::fieldAddress(Struct type, Value object, unsigned field) {
  return LLVM::GEPOp::create(ops_, pointer_, type, object,
                             {LLVM::GEPArg(0), LLVM::GEPArg(static_cast<int32_t>(field))});
}

Value EntryBuilder::load(mlir::Type type, Value address) {
  return LLVM::LoadOp::create(ops_, type, address);
}

void EntryBuilder::store(Value value, Value address) {
  LLVM::StoreOp::create(ops_, value, address);
}

Value EntryBuilder::loadField(Struct type, Value object, unsigned field) {
  return load(type.getBody()[field], fieldAddress(type, object, field));
}

void EntryBuilder::storeField(Struct type, Value object, unsigned field, Value value) {
  store(value, fieldAddress(type, object, field));
}

Value EntryBuilder::sizeOf(mlir::Type type) {
  return LLVM::PtrToIntOp::create(ops_, int64_, element(type, null(), 1));
}

Value EntryBuilder::stack(mlir::Type type, int64_t count) {
  mlir::OpBuilder::InsertionGuard guard(ops_);
  ops_.setInsertionPointToStart(&function_.getBody().front());
  return LLVM::AllocaOp::create(ops_, pointer_, type, constant(count));
}

mlir::Block *EntryBuilder::newBlock() {
  mlir::OpBuilder::InsertionGuard guard(ops_);
  mlir::Region *region = ops_.getInsertionBlock()->getParent();
  if (region == exit_->getParent())
    return ops_.createBlock(exit_);
  return ops_.createBlock(region, region->end());
}

void EntryBuilder::leaveIf(Value condition, Value status, const Place &place) {
  mlir::Block *before = ops_.getInsertionBlock(), *next = newBlock();
  mlir::Block *leave = exit_;
  mlir::SmallVector<Value> passed = {status};
  if (problems_ && (explains_ || !place.name.empty())) {
    leave = newBlock();
    passed.clear();
    ops_.setInsertionPointToEnd(leave);
    tell(status, place);
    ops_.setInsertionPointToEnd(before);
  }
  LLVM::CondBrOp::create(ops_, condition, leave, passed, next, mlir::ValueRange{});
  ops_.setInsertionPointToEnd(next);
}

/// Ends a block: passes the exit what tells the caller, in an explainer, or the status with a mark that he is told.
void EntryBuilder::tell(Value status, const Place &place) {
  const Value found = place.foundAt ? load(int64_, place.foundAt) : place.found ? place.found : constant(0);
  const Value wanted = place.wanted ? place.wanted : constant(0);
  const Value record = problems_->record(*this, place);
  if (explains_) {
    LLVM::BrOp::create(ops_, mlir::ValueRange{record, found, wanted}, exit_);
    return;
  }
  problems_->tell(*this, argument(0), status, record, found, wanted);
  LLVM::BrOp::create(ops_, mlir::ValueRange{LLVM::OrOp::create(ops_, status, int32Constant(kTold))}, exit_);
}

void EntryBuilder::explainBy(LLVM::LLVMFuncOp explainer) {
  mlir::OpBuilder::InsertionGuard guard(ops_);
  mlir::Region &body = function_.getBody();
  const Value status = exit_->getArgument(0);
  exit_->clear();
  mlir::Block *failed = ops_.createBlock(&body, body.end()), *untold = ops_.createBlock(&body, body.end());
  mlir::Block *last = ops_.createBlock(&body, body.end(), {int32_}, {ops_.getLoc()});
  LLVM::ReturnOp::create(ops_, mlir::ValueRange{last->getArgument(0)});
  ops_.setInsertionPointToEnd(exit_);
  const Value isOk = equal(status, int32Constant(static_cast<int32_t>(Status::Ok)));
  LLVM::CondBrOp::create(ops_, isOk, last, mlir::ValueRange{status}, failed, mlir::ValueRange{});
  ops_.setInsertionPointToEnd(failed);
  const Value plain = LLVM::AndOp::create(ops_, status, int32Constant(kTold - 1));
  LLVM::CondBrOp::create(ops_, equal(plain, status), untold, mlir::ValueRange{}, last, mlir::ValueRange{plain});
  ops_.setInsertionPointToEnd(untold);
  mlir::SmallVector<Value> arguments(function_.getArguments());
  arguments.push_back(plain);
  LLVM::CallOp::create(ops_, explainer, arguments);
  LLVM::BrOp::create(ops_, mlir::ValueRange{plain}, last);
}

void EntryBuilder::explain(Problems &problems) {
  mlir::OpBuilder::InsertionGuard guard(ops_);
  problems_ = &problems;
  explains_ = true;
  exit_->clear();
  exit_->eraseArguments(0, 1);
  exit_->addArguments({int64_, int64_, int64_}, {ops_.getLoc(), ops_.getLoc(), ops_.getLoc()});
  ops_.setInsertionPointToEnd(exit_);
  problems.tell(*this, argument(0), function_.getArguments().back(), exit_->getArgument(0), exit_->getArgument(1),
                exit_->getArgument(2));
  LLVM::ReturnOp::create(ops_, mlir::ValueRange{});
}

Value EntryBuilder::call(const runtime::Function &function, mlir::ValueRange arguments) {
  LLVM::CallOp call = dialect::callRuntime(ops_, ops_.getLoc(), function, arguments);
  return call.getNumResults() == 0 ? Value() : call.getResult();
}

Value EntryBuilder::addressOf(const runtime::Function *function) {
  if (!function)
    return null();
  return LLVM::AddressOfOp::create(ops_, dialect::declareRuntime(module(), *function, ops_.getLoc()));
}

void EntryBuilder::failIf(Value condition, Status status, const Place &place) {
  leaveIf(condition, int32Constant(static_cast<int32_t>(status)), place);
}

void EntryBuilder::failUnlessOk(Value status, const Place &place) {
  leaveIf(differ(status, int32Constant(static_cast<int32_t>(Status::Ok))), status, place);
}

void EntryBuilder::atExit(const std::function<void()> &undo) {
  mlir::OpBuilder::InsertionGuard guard(ops_);
  mlir::Block *outer = exit_;
  exit_ = ops_.createBlock(outer, {int32_}, {ops_.getLoc()});
  undo();
  LLVM::BrOp::create(ops_, mlir::ValueRange{exit_->getArgument(0)}, outer);
}

void EntryBuilder::succeed() {
  if (explains_)
    tell({}, {});
  else
    LLVM::BrOp::create(ops_, mlir::ValueRange{int32Constant(static_cast<int32_t>(Status::Ok))}, exit_);
}

} // namespace spc::entry
