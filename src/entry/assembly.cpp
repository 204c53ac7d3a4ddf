#include "entry/assembly.h"

#include "entry/checks.h"
#include "entry/copies.h"
#include "entry/counts.h"
#include "entry/empty_sums.h"
#include "entry/places.h"
#include "entry/planning.h"
#include "entry/products.h"
#include "entry/runtime_parts.h"
#include "format/levels.h"
#include "runtime/runtime.h"
#include "sema/collected_entries.h"
#include "sema/nest.h"
#include "sema/two_phases.h"

#include <limits>

namespace LLVM = mlir::LLVM;
using mlir::Value;

namespace spc::entry {
namespace {

using runtime::AssemblySlot;
using runtime::Phase;
using runtime::RowPointersSlot;
using runtime::WorkersSlot;
namespace functions = runtime::functions;

/// runtime::Assembly::workspaceBytes: every dense workspace fits, none does, or the runtime decides.
int64_t workspaceLimit(format::WorkspaceKind workspace) {
  if (workspace == format::WorkspaceKind::Auto)
    return 0;
  return workspace == format::WorkspaceKind::Dense ? std::numeric_limits<int64_t>::max() : 1;
}

bool isArray(const abi::Field &field) {
  return field.type != abi::FieldType::Int64;
}

} // namespace

void AssembledOutputs::add(sema::TensorId tensor, const TensorArgument *argument, const abi::StructType &type) {
  EntryBuilder &build = entry_.build;
  Output output{tensor, argument, type.fields, {}, {}};
  if (!entry_.kernel.alternatives.empty())
    output.packed = build.stack(build.pointerType(), 1);
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
  for (sema::TensorId id : entry_.kernel.tensors.ids())
    if (const sema::Tensor &tensor = entry_.kernel.tensors[id]; tensor.is<sema::Temporary>() && tensor.isAssembled())
      add(id, nullptr, abi::structFor(tensor.format, tensor.type));
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
  for (const sema::OperandId operand : sema::rowLists(entry_.kernel, statement)) {
    const sema::TensorId tensor = statement.terms.front().operands[operand].tensor;
    if (shares.size() < runtime::kMaxShares)
      shares.emplace_back(entry_.tensors[tensor].pointers[1],
                          format::bits(entry_.kernel.tensors[tensor].format.pointers) / 8);
  }
  return shares;
}

Value AssembledOutputs::describeAssembly(const sema::Statement &statement, Value allocator, Value target,
                                         Value planning, const Chunks &chunks, Value mostProducts) {
  EntryBuilder &build = entry_.build;
  const Struct type = build.structOf<runtime::Assembly>();
  const Value object = build.stack(type, 1);
  const auto set = [&](unsigned slot, Value value) { build.storeField(type, object, slot, value); };
  const sema::Collecting &collecting = *statement.collecting;
  const sema::Tensor &tensor = entry_.kernel.tensors[statement.target];
  set(AssemblySlot::allocator, allocator);
  set(AssemblySlot::target, target);
  set(AssemblySlot::phase, build.constant(static_cast<int64_t>(entry_.phase)));
  set(AssemblySlot::order, build.constant(tensor.order()));
  set(AssemblySlot::rowOrder, build.constant(collecting.rowOrder));
  for (size_t k = 0; k < collecting.dims.size(); ++k)
    set(AssemblySlot::dims + static_cast<unsigned>(k), build.constant(collecting.dims[k]));
  set(AssemblySlot::keyBytes, build.constant(sema::keyBits(tensor, collecting) / 8));
  const AssemblyParts parts = assemblyParts(entry_.kernel, statement, entry_.phase);
  set(AssemblySlot::dense, build.constant(parts.dense));
  set(AssemblySlot::list, build.constant(parts.list));
  set(AssemblySlot::notesLengths, build.constant(parts.notesLengths));
  set(AssemblySlot::chunks, chunks.tasks);
  set(AssemblySlot::runs, build.constant(sema::runCount(entry_.kernel, statement)));
  set(AssemblySlot::borders, chunks.borders ? chunks.borders : build.null());
  set(AssemblySlot::expected, expectedEntries(statement));
  set(AssemblySlot::mostProducts, mostProducts);
  llvm::SmallVector<std::pair<Value, int>> shares = findShares(statement);
  set(AssemblySlot::shares, build.constant(static_cast<int64_t>(shares.size())));
  shares.resize(runtime::kMaxShares, {build.null(), 0});
  for (unsigned n = 0; n < shares.size(); ++n) {
    const unsigned share = AssemblySlot::shareOf + n * RowPointersSlot::kCount;
    set(share + RowPointersSlot::array, shares[n].first);
    set(share + RowPointersSlot::bytes, build.constant(shares[n].second));
  }
  storeFactors(entry_, type, object, statement);
  set(AssemblySlot::workspaceBytes, build.constant(workspaceLimit(entry_.kernel.schedule.workspace)));
  const Value hook = chunks.hook ? chunks.hook : build.null();
  const auto user = [&] { return build.loadField(contextStruct(build), entry_.context, kUser); };
  const unsigned workers = AssemblySlot::workers;
  set(workers + WorkersSlot::parallelFor, hook);
  set(workers + WorkersSlot::user, build.computeIf(build.negate(build.isNull(hook)), user, build.null()));
  set(workers + WorkersSlot::cost, build.null());
  set(AssemblySlot::place, build.addressOf(parts.place));
  set(AssemblySlot::pack, build.addressOf(parts.pack));
  set(AssemblySlot::merge, build.addressOf(parts.merge));
  set(AssemblySlot::dropZeros, build.addressOf(parts.dropZeros));
  set(AssemblySlot::narrow, build.addressOf(parts.narrow));
  set(AssemblySlot::planning, planning);
  set(AssemblySlot::startPlan, build.addressOf(parts.startPlan));
  set(AssemblySlot::finishPlan, build.addressOf(parts.finishPlan));
  set(AssemblySlot::keepsPlaces, build.constant(sema::keepsPlaces(entry_.kernel, statement)));
  set(AssemblySlot::state, build.null());
  return object;
}

mlir::LogicalResult AssembledOutputs::assemble(const sema::Statement &statement, LLVM::LLVMFuncOp body) {
  return assemble(statement, body, /*plans=*/true);
}

mlir::LogicalResult AssembledOutputs::assemble(const sema::Statement &statement, LLVM::LLVMFuncOp body, bool plans) {
  EntryBuilder &build = entry_.build;
  Descriptors descriptors(entry_);
  const Value allocator = descriptors.allocator(memory_);
  const Value target = describeTarget(descriptors, statement.target);
  const Value most = mostProducts(entry_, statement);
  const Assembling assembling{accumulationTime(entry_, statement, expectedEntries(statement), most)};
  const Chunks chunks = entry_.calls->plan(entry_, body, &assembling);
  const Value planning = plans ? describePlanning(entry_, descriptors) : build.null();
  const Value assembly = describeAssembly(statement, allocator, target, planning, chunks, most);
  const Place place = descriptors.placeFor(entry_.kernel.tensors[statement.target]);
  build.failUnlessOk(build.call(functions::assembly_start, {assembly}), place);
  const auto run = [&] { return entry_.calls->call(entry_, memory_, body, chunks, assembly); };
  if (mlir::failed(runUnlessEmpty(entry_, statement, run)))
    return mlir::failure();
  build.failUnlessOk(build.call(functions::assembly_finish, {assembly}),
                     descriptors.placeFor(entry_.kernel.tensors[statement.target]));
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
  build.failIf(build.both(isMissing, build.isNull(allocated)), Status::Memory,
               placeOf(entry_, entry_.kernel.tensors[tensor], bytes));
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
    const Value dropsZeros = build.constant(format::hasPadding(from.format));
    const Value workers = descriptors.workers(), planning = describePlanning(entry_, descriptors);
    build.failUnlessOk(
        build.call(functions::convert_values, {allocator, workers, source, target, dropsZeros, planning}),
        descriptors.placeFor(entry_.kernel.tensors[conversion.to]));
    return;
  }
  const Value target = describeTarget(descriptors, conversion.to);
  const Value workers = descriptors.workers();
  const Value withValues = build.constant(entry_.phase == Phase::Assemble);
  const sema::Tensor &to = entry_.kernel.tensors[conversion.to];
  const runtime::Function &converter = converterFor(from, to, /*dropsPadding=*/true, conversion.dims);
  const Place place = descriptors.placeFor(to);
  const auto convert = [&] {
    build.failUnlessOk(build.call(converter, {allocator, workers, source, target, withValues}), place);
  };
  const auto plan = [&] {
    const Value planning = describePlanning(entry_, descriptors);
    build.failUnlessOk(build.call(functions::plan_conversion,
                                  {allocator, workers, source, target, build.addressOf(&converter), planning}),
                       place);
  };
  if (entry_.phase == Phase::Symbolic)
    build.branch(hasPlan(entry_), plan, convert);
  else
    convert();
  take(descriptors, conversion.to, target);
}

void AssembledOutputs::distribute(const sema::Distribution &distribution) {
  EntryBuilder &build = entry_.build;
  Descriptors descriptors(entry_);
  const Value allocator = descriptors.allocator(memory_);
  const Value source =
      descriptors.describe(entry_.kernel.tensors[distribution.from], entry_.tensors[distribution.from]);
  const Struct layout = build.structOf<runtime::SumPart>();
  llvm::SmallVector<Value> targets(distribution.parts.size());
  Value next = build.null();
  for (size_t part = targets.size(); part-- > 0;) {
    targets[part] = describeTarget(descriptors, distribution.parts[part]);
    const Value object = build.stack(layout, 1);
    build.storeField(layout, object, runtime::SumPartSlot::tensor, targets[part]);
    build.storeField(layout, object, runtime::SumPartSlot::next, next);
    next = object;
  }
  build.failUnlessOk(build.call(functions::distribute, {allocator, source, next}),
                     descriptors.placeFor(entry_.kernel.tensors[distribution.parts.front()]));
  for (auto [part, target] : llvm::zip_equal(distribution.parts, targets))
    take(descriptors, part, target);
}

void AssembledOutputs::place(const sema::Placement &placement) {
  EntryBuilder &build = entry_.build;
  Descriptors descriptors(entry_);
  const Value allocator = descriptors.allocator(memory_);
  const sema::Tensor &from = entry_.kernel.tensors[placement.from];
  const Value source = descriptors.describe(from, entry_.tensors[placement.from], placement.dims);
  const Value target = descriptors.describe(entry_.kernel.tensors[placement.to], entry_.tensors[placement.to]);
  const Value dropsZeros = build.constant(format::hasPadding(from.format));
  const Value sets = build.constant(!placement.adds);
  build.failUnlessOk(build.call(functions::add_values, {allocator, source, target, dropsZeros, sets}),
                     descriptors.placeFor(entry_.kernel.tensors[placement.to]));
}

/// The runtime has packed the tensor: its arrays are the entry's to release until they are handed over. In the numeric
/// phase only the values may be new.
void AssembledOutputs::take(Descriptors &descriptors, sema::TensorId tensor, Value descriptor) {
  EntryBuilder &build = entry_.build;
  TensorView view = descriptors.readPacked(entry_.kernel.tensors[tensor], descriptor);
  for (const Output &output : outputs_) {
    if (output.tensor != tensor)
      continue;
    if (output.packed)
      build.store(descriptor, output.packed);
    if (entry_.phase == Phase::Numeric && output.argument)
      view.lengths = output.argument->passed.lengths;
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

void AssembledOutputs::rejoin(const std::vector<sema::Alternative> &alternatives) {
  if (alternatives.empty())
    return;
  Descriptors descriptors(entry_);
  for (size_t k = alternatives.front().begin; k < alternatives.front().end; ++k) {
    const sema::Statement *statement = sema::assemblingStatement(entry_.kernel.steps[k]);
    if (!statement || entry_.kernel.tensors[statement->target].alternative)
      continue;
    const auto output = llvm::find_if(outputs_, [&](const Output &one) { return one.tensor == statement->target; });
    const Value packed = entry_.build.load(entry_.build.pointerType(), output->packed);
    entry_.tensors[statement->target] = descriptors.readPacked(entry_.kernel.tensors[statement->target], packed);
  }
}

/// Makes lengths of the pointers that were packed in their place.
void AssembledOutputs::makeLengths(const sema::Tensor &tensor, TensorView &view) {
  EntryBuilder &build = entry_.build;
  const Value bytes = build.constant(format::bits(tensor.format.pointers) / 8);
  for (size_t k = 0; k < tensor.format.levels.size(); ++k) {
    if (!tensor.format.levels[k].hasLengths())
      continue;
    const Value parents = countEntries(entry_, tensor, view)[k];
    build.call(functions::unscan, {view.pointers[k], bytes, parents});
    const Value none = build.isZero(parents), array = view.lengths[k];
    LLVM::CallOp::create(build.ops(), memory_.releaser(),
                         mlir::ValueRange{entry_.context, build.select(none, array, build.null())});
    view.lengths[k] = build.select(none, build.null(), array);
  }
}

void AssembledOutputs::hand() {
  EntryBuilder &build = entry_.build;
  for (const Output &output : outputs_) {
    if (!output.argument)
      continue; // released on the way out
    const TensorArgument &argument = *output.argument;
    if (entry_.phase != Phase::Numeric)
      makeLengths(entry_.kernel.tensors[output.tensor], entry_.tensors[output.tensor]);
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
  build.branch(build.isNull(object), [] {}, release);
}

} // namespace spc::entry
