#include "entry/problems.h"

#include "entry/checks.h"

namespace LLVM = mlir::LLVM;
using mlir::Value;

namespace spc::entry {
namespace {

/// The numbers of a record, all of 2 bytes. The first four are where texts begin.
enum RecordField : unsigned { kName, kField, kOther, kOtherField, kArgument, kDimension, kNumbers, kRecordSize };

/// spc_problem of include/spc/spc.h.
enum ProblemField : unsigned {
  kProblemSize,
  kProblemStatus,
  kKernel,
  kFirstText,
  kProblemArgument = kFirstText + 4,
  kProblemDimension,
  kProblemNumbers,
  kFound,
  kWanted
};

Struct problemStruct(EntryBuilder &build) {
  const mlir::Type number = build.int64Type(), text = build.pointerType();
  return build.structOf({number, number, text, text, text, text, text, number, number, number, number, number});
}

/// Whether the context is told of problems: one of a program that knows the field.
Value wantsToKnow(EntryBuilder &build, Value context) {
  const Struct type = contextStruct(build);
  const auto hasNote = [&] {
    const auto isSet = [&] { return build.negate(build.isNull(build.loadField(type, context, kNote))); };
    const Value size = build.loadField(type, context, kStructSize);
    return build.computeIf(build.compare(LLVM::ICmpPredicate::sge, size, build.sizeOf(type)), isSet,
                           build.truth(false));
  };
  return build.computeIf(build.negate(build.isNull(context)), hasNote, build.truth(false));
}

} // namespace

Problems::Problems(std::string kernel) : kernel_(std::move(kernel)), texts_(kernel_ + '\0') {}

uint16_t Problems::place(const std::string &text) {
  if (text.empty() || (texts_.size() > UINT16_MAX && !places_.contains(text)))
    return 0; // of thousands of tensors the last ones have no names
  const auto [known, isNew] = places_.emplace(text, static_cast<uint16_t>(texts_.size()));
  if (isNew)
    texts_ += text + '\0';
  return known->second;
}

Value Problems::record(EntryBuilder &build, const Place &of) {
  const auto first = static_cast<int64_t>(records_.size());
  const int numbers = of.wanted ? 2 : of.found ? 1 : 0; // of `foundAt` the status says more
  for (const std::string &text : {of.name, of.field, of.other, of.otherField})
    records_.push_back(place(text));
  for (const int number : {of.argument, of.dimension, numbers})
    records_.push_back(static_cast<uint16_t>(number));
  return build.constant(first);
}

void Problems::tell(EntryBuilder &build, Value context, Value status, Value record, Value found, Value wanted) {
  LLVM::CallOp::create(build.ops(), teller(build), mlir::ValueRange{context, status, record, found, wanted});
}

LLVM::LLVMFuncOp Problems::teller(EntryBuilder &build) {
  const std::string name = kernel_ + ".tell";
  if (auto known = build.module().lookupSymbol<LLVM::LLVMFuncOp>(name))
    return known;
  mlir::OpBuilder::InsertionGuard guard(build.ops());
  build.ops().setInsertionPointToEnd(build.module().getBody());
  const mlir::Type none = LLVM::LLVMVoidType::get(build.ops().getContext());
  const mlir::Type number = build.int64Type();
  const auto type = LLVM::LLVMFunctionType::get(none, {build.pointerType(), build.int32Type(), number, number, number});
  auto function = LLVM::LLVMFuncOp::create(build.ops(), name, type, LLVM::Linkage::Internal);
  makeCold(function);
  EntryBuilder inside(function, build.ops().getLoc());
  buildTeller(inside);
  return function;
}

void Problems::buildTeller(EntryBuilder &build) {
  const Value context = build.argument(0), record = build.argument(2);
  mlir::ImplicitLocOpBuilder &ops = build.ops();
  const mlir::Type shortType = ops.getIntegerType(16);
  const auto read = [&](unsigned field) {
    const Value records = LLVM::AddressOfOp::create(ops, build.pointerType(), kernel_ + ".problems");
    return build.load(shortType,
                      build.element(shortType, build.element(shortType, records, record), static_cast<int64_t>(field)));
  };
  const auto widen = [&](Value number) -> Value { return LLVM::SExtOp::create(ops, build.int64Type(), number); };
  const Struct type = problemStruct(build);
  const Value problem = build.stack(type, 1);
  const auto set = [&](unsigned field, Value value) { build.storeField(type, problem, field, value); };
  const auto note = [&] {
    const Value texts = LLVM::AddressOfOp::create(ops, build.pointerType(), kernel_ + ".texts");
    set(kProblemSize, build.sizeOf(type));
    set(kProblemStatus, widen(build.argument(1)));
    set(kKernel, texts);
    for (unsigned field = kName; field <= kOtherField; ++field) {
      const Value place = LLVM::ZExtOp::create(ops, build.int64Type(), read(field));
      set(kFirstText + field,
          build.select(build.isZero(place), build.null(), build.element(ops.getIntegerType(8), texts, place)));
    }
    for (unsigned field = kArgument; field <= kDimension; ++field)
      set(kProblemArgument + (field - kArgument), widen(read(field)));
    // Bytes that were refused, one number.
    const Value isMemory = build.equal(build.argument(1), build.int32Constant(static_cast<int32_t>(Status::Memory)));
    const Value isKnown = build.both(isMemory, build.negate(build.isZero(build.argument(3))));
    set(kProblemNumbers,
        build.select(isMemory, build.select(isKnown, build.constant(1), build.constant(0)), widen(read(kNumbers))));
    set(kFound, build.argument(3));
    set(kWanted, build.argument(4));
    const Struct contextType = contextStruct(build);
    const Value hook = build.loadField(contextType, context, kNote);
    const Value user = build.loadField(contextType, context, kUser);
    const mlir::Type none = LLVM::LLVMVoidType::get(ops.getContext());
    const auto hookType = LLVM::LLVMFunctionType::get(none, {build.pointerType(), build.pointerType()});
    LLVM::CallOp::create(ops, hookType, mlir::ValueRange{hook, user, problem});
  };
  build.branch(wantsToKnow(build, context), note, [] {});
  build.succeed();
}

void Problems::finish(mlir::ModuleOp module) {
  if (records_.empty())
    return;
  mlir::OpBuilder builder(module.getContext());
  builder.setInsertionPointToStart(module.getBody());
  const auto define = [&](const std::string &name, mlir::Type type, mlir::Attribute contents) {
    auto data = LLVM::GlobalOp::create(builder, module.getLoc(), type, /*isConstant=*/true, LLVM::Linkage::Internal,
                                       kernel_ + name, contents);
    data.setDsoLocal(true);
  };
  define(".texts", LLVM::LLVMArrayType::get(builder.getI8Type(), texts_.size()), builder.getStringAttr(texts_));
  const auto count = static_cast<int64_t>(records_.size());
  define(".problems", LLVM::LLVMArrayType::get(builder.getI16Type(), records_.size()),
         mlir::DenseElementsAttr::get(mlir::RankedTensorType::get({count}, builder.getI16Type()),
                                      llvm::ArrayRef<uint16_t>(records_)));
}

void makeCold(LLVM::LLVMFuncOp function) {
  mlir::Builder builder(function.getContext());
  function.setDsoLocal(true);
  function.setNoUnwind(true);
  function.setNoInline(true);
  function->setAttr("passthrough", builder.getStrArrayAttr({"cold", "minsize", "optsize"}));
}

} // namespace spc::entry
