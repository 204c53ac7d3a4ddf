#include "entry/assembly.h"

#include "entry/checks.h"
#include "entry/copies.h"
#include "entry/runtime_parts.h"
#include "runtime/runtime.h"

#include <limits>

namespace LLVM = mlir::LLVM;
using mlir::Value;

namespace spc::entry {
namespace {

using runtime::Phase;

/// runtime::Assembly, field by field.
enum AssemblyField : unsigned {
  kAllocator,
  kTarget,
  kPhase,
  kOrder,
  kRowOrder,
  kDims,
  kKeyBytes = kDims + runtime::kMaxOrder,
  kDense,
  kList,
  kNotesLengths,
  kChunks,
  kRuns,
  kBorders,
  kExpected,
  kShares,
  kShareOf, ///< for each an array and its bytes
  kWorkspaceBytes = kShareOf + 2 * runtime::kMaxShares,
  kAssemblyUser, ///< of its workers
  kAssemblyParallelFor,
  kPlace,
  kPack,
  kMerge,
  kDropZeros,
  kState,
  kAssemblyFields,
};
static_assert(sizeof(runtime::Assembly) == kAssemblyFields * sizeof(int64_t));

Struct assemblyStruct(EntryBuilder &build) {
  llvm::SmallVector<mlir::Type> fields(kAssemblyFields, build.int64Type());
  for (unsigned pointer :
       {kBorders, kAllocator, kTarget, kAssemblyParallelFor, kAssemblyUser, kPlace, kPack, kMerge, kDropZeros, kState})
    fields[pointer] = build.pointerType();
  for (unsigned n = 0; n < runtime::kMaxShares; ++n)
    fields[kShareOf + 2 * n] = build.pointerType();
  return build.structOf(fields);
}

/// A tensor whose first level has every row that the term collects, and whose second one lists what is in it.
bool listsRows(const sema::Kernel &kernel, const sema::Term &term, const sema::Operand &operand, int rowDimension) {
  const std::vector<format::Level> &levels = kernel.tensors[operand.tensor].format.levels;
  return levels.size() > 1 && levels[0].isFullyDense() && levels[0].part == format::Part::Whole &&
         levels[1].isCompressed() && operand.indices[0] == term.target[static_cast<size_t>(rowDimension)];
}

/// runtime::Assembly::workspaceBytes: every dense workspace fits, none does, or the runtime decides.
int64_t workspaceLimit(format::WorkspaceKind workspace) {
  if (workspace == format::WorkspaceKind::Auto)
    return 0;
  return workspace == format::WorkspaceKind::Dense ? std::numeric_limits<int64_t>::max() : 1;
}

bool isArray(const abi::Field &field) {
  return field.type != abi::FieldType::Int64;
}

/// The address of a function of these types, or NULL.
Value functionOf(EntryBuilder &build, const std::string &name, mlir::Type result, llvm::ArrayRef<mlir::Type> types) {
  if (name.empty())
    return build.null();
  return LLVM::AddressOfOp::create(build.ops(), declareFunction(build, runtimeSymbol(name), result, types));
}

Value callRuntime(EntryBuilder &build, const std::string &name, const llvm::SmallVector<Value> &arguments) {
  llvm::SmallVector<mlir::Type> types;
  for (Value argument : arguments)
    types.push_back(argument.getType());
  LLVM::LLVMFuncOp function = declareFunction(build, runtimeSymbol(name), build.int32Type(), types);
  return LLVM::CallOp::create(build.ops(), function, arguments).getResult();
}

} // namespace

void AssembledOutputs::add(sema::TensorId tensor, const TensorArgument *argument, const abi::StructType &type) {
  EntryBuilder &build = entry_.build;
  Output output{tensor, argument, type.fields, {}};
  for (const abi::Field &field : output.fields) {
    output.owned.push_back(isArray(field) ? build.stack(build.pointerType(), 1) : Value());
    if (isArray(field))
      build.store(build.null(), output.owned.back());
  }
  outputs_.push_back(std::move(output));
}

void AssembledOutputs::prepare() {
  EntryBuilder &build = entry_.build;
  for (const TensorArgument &argument : entry_.arguments)
    if (argument.parameter.isAssembled)
      add(argument.parameter.tensor, &argument, argument.parameter.type);
  for (size_t id = 0; id < entry_.kernel.tensors.size(); ++id)
    if (const sema::Tensor &tensor = entry_.kernel.tensors[id]; tensor.is<sema::Temporary>() && tensor.isAssembled())
      add(static_cast<sema::TensorId>(id), nullptr, abi::structFor(tensor.format, tensor.type));
  if (outputs_.empty())
    return;
  LLVM::LLVMFuncOp releaser = memory_.releaser();
  for (const Output &output : outputs_)
    for (Value owned : output.owned)
      if (owned)
        build.atExit([&] {
          const Value array = build.load(build.pointerType(), owned);
          LLVM::CallOp::create(build.ops(), releaser, mlir::ValueRange{entry_.context, array});
        });
}

/// The arrays of the pattern in the numeric phase, else none.
Value AssembledOutputs::describeTarget(Descriptors &descriptors, sema::TensorId tensor) {
  const bool hasPattern = entry_.phase == Phase::Numeric;
  return descriptors.describe(entry_.kernel.tensors[tensor], hasPattern ? entry_.tensors[tensor] : TensorView());
}

/// In bytes, the sum of what the statement's sparse operands store is a fair first guess.
Value AssembledOutputs::expectedEntries(const sema::Statement &statement) {
  Value sum = entry_.build.constant(0);
  for (const sema::Term &term : statement.terms)
    for (const sema::Operand &operand : term.operands)
      if (Value stored = entry_.tensors[operand.tensor].stored)
        sum = LLVM::AddOp::create(entry_.build.ops(), sum, stored);
  return sum;
}

/// The pointers of operands by row, and their bytes.
llvm::SmallVector<std::pair<Value, int>> AssembledOutputs::findShares(const sema::Statement &statement) {
  llvm::SmallVector<std::pair<Value, int>> shares;
  const sema::Term &term = statement.terms.front();
  for (const sema::Operand &operand : term.operands) {
    const sema::Tensor &tensor = entry_.kernel.tensors[operand.tensor];
    if (shares.size() < runtime::kMaxShares &&
        listsRows(entry_.kernel, term, operand, statement.collecting->dims.front()))
      shares.emplace_back(entry_.tensors[operand.tensor].pointers[1], format::bits(tensor.format.pointers) / 8);
  }
  return shares;
}

Value AssembledOutputs::describeAssembly(const sema::Statement &statement, Value allocator, Value target,
                                         const Chunks &chunks) {
  EntryBuilder &build = entry_.build;
  const Struct type = assemblyStruct(build);
  const Value object = build.stack(type, 1);
  const auto set = [&](unsigned field, Value value) { build.storeField(type, object, field, value); };
  const sema::Collecting &collecting = *statement.collecting;
  const sema::Tensor &tensor = entry_.kernel.tensors[statement.target];
  set(kAllocator, allocator);
  set(kTarget, target);
  set(kPhase, build.constant(static_cast<int64_t>(entry_.phase)));
  set(kOrder, build.constant(tensor.order()));
  set(kRowOrder, build.constant(collecting.rowOrder));
  for (size_t k = 0; k < collecting.dims.size(); ++k)
    set(kDims + static_cast<unsigned>(k), build.constant(collecting.dims[k]));
  set(kKeyBytes, build.constant(sema::keyBits(tensor, collecting) / 8));
  const AssemblyParts parts = assemblyParts(entry_.kernel, statement, entry_.phase);
  set(kDense, build.constant(parts.dense));
  set(kList, build.constant(parts.list));
  set(kNotesLengths, build.constant(parts.notesLengths));
  set(kChunks, chunks.tasks);
  set(kRuns, build.constant(static_cast<int64_t>(statement.terms.size())));
  set(kBorders, chunks.borders ? chunks.borders : build.null());
  set(kExpected, expectedEntries(statement));
  llvm::SmallVector<std::pair<Value, int>> shares = findShares(statement);
  set(kShares, build.constant(static_cast<int64_t>(shares.size())));
  shares.resize(runtime::kMaxShares, {build.null(), 0});
  for (unsigned n = 0; n < shares.size(); ++n) {
    set(kShareOf + 2 * n, shares[n].first);
    set(kShareOf + 2 * n + 1, build.constant(shares[n].second));
  }
  set(kWorkspaceBytes, build.constant(workspaceLimit(entry_.kernel.schedule.workspace)));
  const Value hook = chunks.hook ? chunks.hook : build.null();
  const auto user = [&] { return build.loadField(contextStruct(build), entry_.context, kUser); };
  set(kAssemblyParallelFor, hook);
  set(kAssemblyUser, build.computeIf(build.negate(build.isNull(hook)), user, build.null()));
  const mlir::Type pointer = build.pointerType(), number = build.int64Type(), status = build.int32Type();
  const mlir::Type none = LLVM::LLVMVoidType::get(pointer.getContext());
  set(kPlace, functionOf(build, parts.place, none, {pointer, number, pointer}));
  set(kPack, functionOf(build, parts.pack, status, {pointer}));
  set(kMerge, functionOf(build, parts.merge, none, {pointer, pointer}));
  set(kDropZeros, functionOf(build, parts.dropZeros, number, {pointer, number}));
  set(kState, build.null());
  return object;
}

mlir::LogicalResult AssembledOutputs::assemble(const sema::Statement &statement, LLVM::LLVMFuncOp body) {
  EntryBuilder &build = entry_.build;
  Descriptors descriptors(entry_);
  const Value allocator = descriptors.allocator(memory_);
  const Value target = describeTarget(descriptors, statement.target);
  const Chunks chunks = planChunks(entry_, body, true);
  const Value assembly = describeAssembly(statement, allocator, target, chunks);
  build.failUnlessOk(callRuntime(build, "assembly_start", {assembly}));
  if (mlir::failed(callBody(entry_, memory_, body, chunks, assembly)))
    return mlir::failure();
  build.failUnlessOk(callRuntime(build, "assembly_finish", {assembly}));
  take(descriptors, statement.target, target);
  return mlir::success();
}

/// Room for a pattern's values where the caller passed none.
void AssembledOutputs::allocateValues(sema::TensorId tensor) {
  EntryBuilder &build = entry_.build;
  TensorView &view = entry_.tensors[tensor];
  const Value isMissing = build.both(build.isNull(view.values), build.negate(build.isZero(view.stored)));
  const Value bytes = build.multiply(view.stored, build.constant(sema::bytesOf(entry_.kernel.tensors[tensor].type)));
  const auto allocate = [&] {
    return LLVM::CallOp::create(build.ops(), memory_.allocator(), mlir::ValueRange{entry_.context, bytes}).getResult();
  };
  const Value allocated = build.computeIf(isMissing, allocate, build.null());
  build.failIf(build.both(isMissing, build.isNull(allocated)), Status::Memory);
  view.values = build.select(isMissing, allocated, view.values);
  for (const Output &output : outputs_)
    if (output.tensor == tensor)
      build.store(allocated, output.owned.back());
}

void AssembledOutputs::convert(const sema::Conversion &conversion) {
  EntryBuilder &build = entry_.build;
  Descriptors descriptors(entry_);
  const Value allocator = descriptors.allocator(memory_);
  const sema::Tensor &from = entry_.kernel.tensors[conversion.from];
  const Value source = descriptors.describe(from, entry_.tensors[conversion.from], conversion.dims);
  if (entry_.phase == Phase::Numeric) {
    allocateValues(conversion.to);
    const Value target = describeTarget(descriptors, conversion.to);
    build.failUnlessOk(callRuntime(build, "convert_values", {allocator, source, target}));
    return;
  }
  const Value target = describeTarget(descriptors, conversion.to);
  const Value workers = descriptors.workers();
  const Value withValues = build.constant(entry_.phase == Phase::Assemble);
  const std::string converter = converterFor(from, entry_.kernel.tensors[conversion.to], conversion.dims);
  build.failUnlessOk(callRuntime(build, converter, {allocator, workers, source, target, withValues}));
  take(descriptors, conversion.to, target);
}

/// The runtime has packed the tensor: its arrays are the entry's to release until they are handed over. In the numeric
/// phase only the values may be new.
void AssembledOutputs::take(Descriptors &descriptors, sema::TensorId tensor, Value descriptor) {
  EntryBuilder &build = entry_.build;
  TensorView view = descriptors.readPacked(entry_.kernel.tensors[tensor], descriptor);
  for (const Output &output : outputs_) {
    if (output.tensor != tensor)
      continue;
    const std::vector<abi::Field> &fields = output.fields;
    for (size_t f = 0; f < fields.size(); ++f) {
      if (!isArray(fields[f]))
        continue;
      Value array = slot(view, fields[f]);
      if (entry_.phase == Phase::Numeric && output.argument) {
        const Value wasPassed = build.negate(build.isNull(output.argument->passed.values));
        array = fields[f].role == abi::FieldRole::Values ? build.select(wasPassed, build.null(), array) : build.null();
      }
      const Value before = build.load(build.pointerType(), output.owned[f]);
      LLVM::CallOp::create(build.ops(), memory_.releaser(), mlir::ValueRange{entry_.context, before});
      build.store(array, output.owned[f]);
    }
  }
  entry_.tensors[tensor] = std::move(view);
}

void AssembledOutputs::hand() {
  EntryBuilder &build = entry_.build;
  for (const Output &output : outputs_) {
    if (!output.argument)
      continue; // released on the way out
    const TensorArgument &argument = *output.argument;
    const sema::Tensor &tensor = entry_.kernel.tensors[argument.parameter.tensor];
    TensorView view = entry_.tensors[argument.parameter.tensor];
    view.sizes.clear();
    for (sema::ExtentId extent : tensor.extents)
      view.sizes.push_back(entry_.extents[extent]);
    TensorView passed = argument.passed;
    const bool replaces = argument.givesStructure && entry_.phase != Phase::Numeric;
    const std::vector<abi::Field> &fields = argument.parameter.type.fields;
    for (unsigned f = 0; f < fields.size(); ++f) {
      build.storeField(argument.type, argument.object, f, slot(view, fields[f]));
      if (isArray(fields[f]))
        build.store(replaces ? slot(passed, fields[f]) : build.null(), output.owned[f]);
    }
  }
}

void releaseOutput(Entry &entry, Memory &memory, const abi::StructType &type, Value object) {
  EntryBuilder &build = entry.build;
  const Struct layout = llvmStruct(build, type);
  const auto release = [&] {
    for (unsigned f = 0; f < type.fields.size(); ++f) {
      const abi::FieldRole role = type.fields[f].role;
      if (isArray(type.fields[f])) {
        const Value array = build.loadField(layout, object, f);
        LLVM::CallOp::create(build.ops(), memory.releaser(), mlir::ValueRange{entry.context, array});
        build.storeField(layout, object, f, build.null());
      } else if (role != abi::FieldRole::Size && role != abi::FieldRole::Stride) {
        build.storeField(layout, object, f, build.constant(0));
      }
    }
  };
  build.branch(
      build.isNull(object), [] {}, release);
}

} // namespace spc::entry
